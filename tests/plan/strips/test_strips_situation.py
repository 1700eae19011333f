"""Situations of the paper's model: what is known after each move, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm
from fogspiel.plan.strips.beliefs import (
    Evaluation,
    IndependentChoices,
    InformationSet,
    ListedStates,
    Objective,
    PrimitiveOperator,
    State,
    StripsGame,
)
from fogspiel.plan.strips.problem import StripsProblem, StripsSituation
from fogspiel.plan.task_network import MethodLiteral, Pattern, substitute

CARDS = "kqj"
PLAY = PrimitiveOperator(
    name="play",
    parameters=("?p", "?c", "?q"),
    when=(MethodLiteral(("has", "?p", "?c")), MethodLiteral(("left", "?p", "?q"))),
    add=(("played", "?c"), ("turn", "?q")),
    delete=(("has", "?p", "?c"), ("turn", "?p")),
)
PASS = PrimitiveOperator(
    name="pass",
    parameters=("?p", "?q"),
    when=(MethodLiteral(("left", "?p", "?q")), MethodLiteral(("has", "?p", "k"), positive=False)),
    add=(("turn", "?q"),),
    delete=(("turn", "?p"),),
)
STUCK = PrimitiveOperator(name="stay", parameters=("?p", "?q"), add=(("turn", "?q"),))


def undefined(state: State) -> float | None:
    return None


def half(state: State) -> float:
    return 0.5


def situation(
    *,
    ours: str = "west",
    turn: GroundTerm = ("turn", "west"),
    objective: Objective = undefined,
    evaluation: Evaluation = half,
) -> StripsSituation:
    """Each of three cards is West's or East's."""
    known: set[GroundTerm] = {("agent", "west"), ("agent", "east"), ("control", ours), turn}
    known |= {("left", "west", "east"), ("left", "east", "west")}
    return StripsProblem(
        game=StripsGame(operators=(PLAY, PASS, STUCK)),
        information=InformationSet(true=frozenset(known)),
        belief=IndependentChoices(
            groups=tuple((("has", "west", c), ("has", "east", c)) for c in CARDS)
        ),
        objective=objective,
        evaluation=evaluation,
    ).start()


def known_in(current: StripsSituation) -> InformationSet:
    """The atoms of the game that hold in all consistent states, and those that hold in none."""
    seats = ("west", "east")
    atoms: list[GroundTerm] = [("has", seat, card) for seat in seats for card in CARDS]
    atoms += [("played", card) for card in CARDS] + [("turn", seat) for seat in seats]
    atoms += [("agent", seat) for seat in seats] + [("left", *seats), ("left", *reversed(seats))]
    held = {atom: current.holds(atom)[current.weights > 0.0] for atom in atoms}
    return InformationSet(
        true=frozenset(atom for atom, mask in held.items() if mask.all()),
        false=frozenset(atom for atom, mask in held.items() if not mask.any()),
    )


def test_the_agent_is_the_one_whose_turn_it_is() -> None:
    assert situation().agent == "west"
    assert situation().is_controlled
    assert not situation(ours="east").is_controlled


def test_a_move_of_another_agent_shows_that_it_could_be_made() -> None:
    before = situation(ours="east")
    after = before.perform(("play", "west", "k", "east"))
    assert before.weights.sum() == pytest.approx(1.0)
    assert after.weights.sum() == pytest.approx(0.5)
    assert after.agent == "east"
    known = known_in(after)
    assert {("played", "k"), ("turn", "east")} <= known.true
    assert {("has", "west", "k"), ("has", "east", "k"), ("turn", "west")} <= known.false
    assert ("has", "west", "q") not in known.true | known.false


def test_a_move_of_ours_must_be_possible_in_all_states_or_none() -> None:
    with pytest.raises(PlayError) as raised:
        situation().perform(("play", "west", "k", "east"))
    (finding,) = raised.value.findings
    assert finding.code == "PLN023"
    assert "4 of 8 consistent states" in finding.message
    known = situation().assume(situation().holds(("has", "west", "k")))
    assert known.perform(("play", "west", "k", "east")).weights.sum() == pytest.approx(0.5)


def test_a_move_that_is_possible_nowhere_leaves_no_world() -> None:
    assert situation().perform(("play", "west", "a", "east")).weights.sum() == 0.0
    assert situation().perform(("play", "east", "k", "west")).weights.sum() == 0.0


def test_a_negated_precondition_is_known_after_the_move() -> None:
    after = situation(ours="east").perform(("pass", "west", "east"))
    assert ("has", "west", "k") in known_in(after).false
    assert ("has", "east", "k") in known_in(after).true


def test_solutions_come_in_the_order_in_which_they_are_written() -> None:
    found = list(situation().solutions(("has", "?who", "?card"), {"?who": "west"}))
    assert [bindings["?card"] for bindings in found] == ["j", "k", "q"]
    assert all(bindings["?who"] == "west" for bindings in found)


def test_solutions_leave_out_what_no_consistent_state_has() -> None:
    start = situation()
    left = start.assume(~start.holds(("has", "west", "k")))
    found = list(left.solutions(("has", "west", "?card"), {}))
    assert [bindings["?card"] for bindings in found] == ["j", "q"]


@given(st.lists(st.sampled_from([(p, c) for p in ("west", "east") for c in CARDS]), max_size=4))
@settings(max_examples=40)
def test_what_is_known_follows_the_formula_of_the_paper(cards: list[tuple[str, str]]) -> None:
    """I_v = I_u + Pre + Add - Del, on true and false atoms; the rest follows from the choices."""
    current = situation(ours="nobody")
    for player, card in cards:
        other = "east" if player == "west" else "west"
        bindings = {"?p": player, "?c": card, "?q": other}
        following = current.perform(("play", player, card, other))
        if following.weights.sum() == 0.0:
            continue
        pre = {substitute(literal.atom, bindings) for literal in PLAY.preconditions}
        add = {substitute(atom, bindings) for atom in PLAY.add}
        delete = {substitute(atom, bindings) for atom in PLAY.delete}
        before, after = known_in(current), known_in(following)
        assert (before.true | pre | add) - delete <= after.true
        for atom in (before.false | delete) - add:
            assert not following.holds(atom)[following.weights > 0.0].any()
        assert after.true.isdisjoint(after.false)
        current = following


def test_what_is_added_and_deleted_is_deleted() -> None:
    """The paper writes the formula so."""
    both = PrimitiveOperator(
        name="blink", parameters=("?p",), add=(("lit", "?p"),), delete=(("lit", "?p"),)
    )
    state: State = frozenset({("agent", "a"), ("turn", "a")})
    start = StripsProblem(
        game=StripsGame(operators=(both,)),
        information=InformationSet(true=state),
        belief=ListedStates(((state, 1.0),)),
        objective=undefined,
        evaluation=half,
    ).start()
    assert not start.perform(("blink", "a")).holds(("lit", "a")).any()


@pytest.mark.parametrize(
    ("turn", "word"), [(("idle", "west"), "nobody's"), (("turn", "north"), None)]
)
def test_it_must_be_known_whose_turn_it_is(turn: GroundTerm, word: str | None) -> None:
    start = situation(turn=turn)
    if word is None:
        assert start.agent == "north"
    else:
        with pytest.raises(PlayError, match=f"PLN027.*{word}"):
            _ = start.agent


def test_two_agents_cannot_both_be_to_move() -> None:
    after = situation().perform(("stay", "west", "east"))
    with pytest.raises(PlayError, match=r"PLN027.*east or west"):
        _ = after.agent


@pytest.mark.parametrize("move", [("fly", "west"), ("play", "west"), "play"])
def test_a_move_without_an_operator_is_told_with_those_there_are(move: Pattern) -> None:
    with pytest.raises(PlayError) as raised:
        situation().perform(move)
    (finding,) = raised.value.findings
    assert finding.code == "PLN026"
    assert "(play ?p ?c ?q)" in finding.fix


def has_king(state: State) -> float | None:
    return 1.0 if ("has", "west", "k") in state else None


def test_the_game_is_over_where_the_objective_is_known_everywhere() -> None:
    start = situation(objective=has_king, evaluation=lambda state: has_king(state) or 0.0)
    holds = start.holds(("has", "west", "k"))
    assert not start.is_over
    assert start.assume(holds).is_over
    assert not start.assume(~holds).is_over
    assert start.evaluate().tolist() == holds.astype(float).tolist()


@pytest.mark.parametrize(
    ("objective", "evaluation"),
    [(has_king, half), (undefined, lambda state: 1.5), (undefined, lambda state: float("nan"))],
)
def test_an_evaluation_must_be_a_utility_and_agree_with_the_objective(
    objective: Objective, evaluation: Evaluation
) -> None:
    with pytest.raises(PlayError, match="PLN024"):
        situation(objective=objective, evaluation=evaluation).evaluate()


def test_an_operator_names_all_of_its_variables() -> None:
    with pytest.raises(ValueError, match=r"\?c"):
        PrimitiveOperator(name="play", parameters=("?p",), add=(("played", "?c"),))
    with pytest.raises(ValueError, match="needs an agent"):
        PrimitiveOperator(name="play", parameters=())
    with pytest.raises(ValueError, match="needs an agent"):
        PrimitiveOperator(name="play", parameters=("west",))
