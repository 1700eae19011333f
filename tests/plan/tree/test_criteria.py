"""Criteria on answers whose values are set by hand, and on a game in which they disagree."""

from __future__ import annotations

import pytest
from coins import HEADS, TAILS, coin_game, say, words

from fogspiel.core.findings import UsageError
from fogspiel.plan.strips.beliefs import State
from fogspiel.plan.task_network import Method, MethodLiteral, TaskNetwork
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.criteria import criterion
from fogspiel.plan.tree.nodes import DecisionTree

WORTH = {"good": 0.8, "bad": 0.2, "fair": 0.6}
ANSWERS = (
    say("good", "they", "good"),
    say("bad", "they", "bad", MethodLiteral(HEADS)),
    say("fair", "they", "fair", MethodLiteral(TAILS)),
)
"""They may always be good to us; bad only if the coin shows heads, fair only if tails."""


def said(state: State) -> float:
    """The worth of the word that they said; 0.4 before."""
    return next((WORTH[str(atom[2])] for atom in state if atom[:2] == ("said", "they")), 0.4)


def solved(name: str, *methods: Method, heads: float = 0.75) -> DecisionTree:
    planner = Planner(network=words(*methods), criterion=criterion(name))
    return planner.plan(coin_game(said, agents=("they", "we"), heads=heads).start())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("belief", 0.75 * 0.2 + 0.25 * 0.6),
        ("average", 0.75 * (0.8 + 0.2) / 2 + 0.25 * (0.8 + 0.6) / 2),
        ("minimax", 0.2),
        ("hurwicz:0", 0.2),
        ("hurwicz:0.25", 0.25 * 0.8 + 0.75 * 0.2),
        ("hurwicz:1", 0.8),
        ("savage", 0.75 * 0.2 + 0.25 * 0.6),
    ],
)
def test_answers_count_as_the_criterion_says(name: str, value: float) -> None:
    assert solved(name, *ANSWERS).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("belief", 0.75 * 0.2 + 0.25 * 0.4),
        ("average", 0.75 * 0.2 + 0.25 * 0.4),
        ("minimax", 0.2),
        ("hurwicz:1", 0.4),
    ],
)
def test_worlds_without_an_answer_count_by_their_evaluation(name: str, value: float) -> None:
    """They are bad with heads; no method says what they do with tails."""
    assert solved(name, ANSWERS[1]).value == pytest.approx(value)


def test_a_criterion_knows_its_name() -> None:
    for name in ("belief", "average", "minimax", "hurwicz:0.25", "savage"):
        assert criterion(name).name == name
        assert solved(name, *ANSWERS).criterion == name


@pytest.mark.parametrize(
    "name",
    ["", "maximax", "belief:1", "hurwicz", "hurwicz:", "hurwicz:x", "hurwicz:1.5", "hurwicz:nan"],
)
def test_an_unknown_criterion_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(UsageError) as raised:
        criterion(name)
    (finding,) = raised.value.findings
    assert finding.code == "PLN022"
    assert "hurwicz:ALPHA" in finding.fix


def test_the_static_evaluation_is_averaged_over_what_is_left_of_the_belief() -> None:
    planner = Planner(network=TaskNetwork(name="nothing", methods=()))
    situation = coin_game(lambda state: 0.9 if HEADS in state else 0.1, heads=0.25).start()
    assert planner.plan(situation).value == pytest.approx(0.25 * 0.9 + 0.75 * 0.1)
    tails = situation.assume(situation.holds(TAILS))
    assert planner.plan(tails).value == pytest.approx(0.1)


REGRETS = {
    # act: worth with heads, worth with tails
    "bold": (1.0, 0.0),
    "steady": (0.7, 0.4),
    "timid": (0.5, 0.5),
}


def by_coin(state: State) -> float:
    """What our word is worth depends on the coin alone."""
    word = next((str(atom[2]) for atom in state if atom[:2] == ("said", "we")), None)
    return 0.5 if word is None else REGRETS[word][0 if HEADS in state else 1]


def choice_by(name: str, network: TaskNetwork, heads: float) -> str:
    planner = Planner(network=network, criterion=criterion(name))
    tree = planner.plan(coin_game(by_coin, heads=heads).start())
    assert tree.root.chosen is not None
    assert tree.root.chosen.step is not None
    assert tree.root.chosen.step.method is not None
    return tree.root.chosen.step.method.name


def test_savage_takes_the_act_of_least_regret() -> None:
    """Regrets by coin: bold 0 and 0.5, steady 0.3 and 0.1, timid 0.5 and 0. The belief does not
    matter to Savage, and by the mean 0.9 * 1 bold is the best."""
    network = words(
        *(say(word, "we", word) for word in REGRETS),
        say("shown", "they", "heads", MethodLiteral(HEADS)),
        say("hidden", "they", "tails", MethodLiteral(TAILS)),
    )
    assert choice_by("savage", network, 0.9) == "steady"
    assert choice_by("belief", network, 0.9) == "bold"
    assert choice_by("minimax", network, 0.9) == "timid"


def test_savage_reads_the_worlds_of_a_leaf() -> None:
    network = words(*(say(word, "we", word) for word in REGRETS))
    assert choice_by("savage", network, 0.9) == "steady"


def test_savage_takes_the_worthier_of_acts_with_the_same_regret() -> None:
    """Bold and timid alone have the same largest regret: the belief decides."""
    network = words(say("timid", "we", "timid"), say("bold", "we", "bold"))
    assert choice_by("savage", network, 0.9) == "bold"
    assert choice_by("savage", network, 0.1) == "timid"
