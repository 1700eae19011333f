"""Plans are followed while they last, left when others leave them, and made again."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from coins import HEADS, TAILS, coin_game, even, lits, say, words

from fogspiel.core.terms import GroundTerm
from fogspiel.lab.tignum.finesse import NETWORK, finesse_problem
from fogspiel.plan.task_network import Method, MethodLiteral, Situation
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.executing import Execution, Reason
from fogspiel.plan.tree.nodes import DecisionTree, Tasks, TreeLimits


class Counting:
    """A planner that remembers what it was asked."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.asked: list[Tasks] = []

    def __call__(self, situation: Situation, tasks: Tasks) -> DecisionTree:
        self.asked.append(tasks)
        return self.planner.plan(situation, tasks)


def finesse(nodes: int = 10_000) -> Counting:
    return Counting(Planner(network=NETWORK, limits=TreeLimits(nodes=nodes)))


WEST = ("over", "west", "9", "south", "2", "north", "south")
EAST = ("last-over", "east", "k", "north", "q", "south")
EAST_LEADS = ("lead", "east", "t", "south")
WEST_FOLLOWS = ("over", "west", "j", "east", "t", "north", "east")


def play(execution: Execution, others: Mapping[int, GroundTerm]) -> list[GroundTerm]:
    """All moves of a finesse in which others move as given, by the number of the move."""
    situation: Situation = finesse_problem().start()
    moves: list[GroundTerm] = []
    while not situation.is_over:
        if situation.is_controlled:
            decision = execution.next(situation)
            assert decision is not None
            move = decision.operator
        else:
            move = others[len(moves)]
            execution.observe(move)
        moves.append(move)
        situation = situation.perform(move)
    return moves


LINE = {1: WEST, 3: EAST, 4: EAST_LEADS, 6: WEST_FOLLOWS}


def test_a_plan_is_followed_to_the_end_of_the_game() -> None:
    planner = finesse()
    moves = play(Execution(planner), LINE)
    assert [move[:3] for move in moves] == [
        ("lead", "south", "2"),
        ("over", "west", "9"),
        ("over", "north", "q"),
        ("last-over", "east", "k"),
        ("lead", "east", "t"),
        ("under", "south", "3"),
        ("over", "west", "j"),
        ("last-over", "north", "a"),
    ]
    assert planner.asked == [()]


def test_a_plan_that_was_cut_short_is_made_anew_with_its_open_tasks() -> None:
    planner = finesse(nodes=13)
    execution = Execution(planner)
    assert play(execution, LINE) == play(Execution(finesse()), LINE)
    assert {each.reason for each in execution.replannings} == {Reason.ENDED}
    assert planner.asked[1] == (("third", "north", "q", "k", "a"), ("fourth", "east"))
    assert "not looked at any further" in execution.replannings[0].detail


def test_an_opponent_who_leaves_the_plan_makes_a_new_one() -> None:
    network = words(
        say("ask", "we", "hello"),
        say("yes", "they", "yes"),
        Method(
            name="again",
            task=None,
            when=lits(("turn", "nobody"), ("said", "they", "?w")),
            operator=("say", "we", "?w", "they"),
        ),
    )
    execution = Execution(Planner(network=network).plan)
    situation = coin_game(even).start()
    first = execution.next(situation)
    assert first is not None
    execution.observe(("say", "they", "no", "nobody"))
    (left,) = execution.replannings
    assert left.reason is Reason.SURPRISE
    assert left.move == 1
    assert left.detail == "(say they no nobody) was not foreseen"
    after = situation.perform(first.operator).perform(("say", "they", "yes", "nobody"))
    assert execution.next(after) is None
    assert execution.tree is not None
    assert execution.tree.root.situation is after


def test_of_schemes_with_the_same_move_the_more_probable_is_taken_for_theirs() -> None:
    """They say yes with heads and mean it: then `thanks` is the task that is left."""
    agree = Method(
        name="agree",
        task=("reply", "?a"),
        when=(*lits(("turn", "?a")), MethodLiteral(HEADS)),
        operator=("say", "?a", "yes", "we"),
    )
    network = words(
        Method(
            name="lie",
            task=None,
            when=(*lits(("turn", "they")), MethodLiteral(TAILS)),
            operator=("say", "they", "yes", "we"),
        ),
        Method(
            name="talk",
            task=None,
            when=(*lits(("turn", "they")), MethodLiteral(HEADS)),
            expansion=(("reply", "they"), ("thank", "we")),
        ),
        agree,
        Method(
            name="thank",
            task=("thank", "?a"),
            when=lits(("turn", "?a")),
            operator=("say", "?a", "thanks", "nobody"),
        ),
        say("doubt", "we", "really"),
    )
    for heads, answer in ((0.8, "thanks"), (0.2, "really")):
        situation = coin_game(even, agents=("they", "we"), heads=heads).start()
        execution = Execution(Planner(network=network).plan)
        execution.begin(situation)
        execution.observe(("say", "they", "yes", "we"))
        decision = execution.next(situation.perform(("say", "they", "yes", "we")))
        assert decision is not None
        assert decision.operator[2] == answer


def test_a_planned_move_that_cannot_be_made_is_not_made() -> None:
    network = words(say("ask", "we", "hello"))
    execution = Execution(Planner(network=network).plan)
    situation = coin_game(even).start()
    execution.begin(situation)
    others_turn = situation.perform(("say", "we", "hello", "they"))
    assert execution.next(others_turn) is None
    assert [each.reason for each in execution.replannings] == [Reason.IMPOSSIBLE]


def test_a_plan_can_be_dropped_for_a_reason_of_the_player() -> None:
    execution = Execution(Planner(network=words(say("ask", "we", "hello"))).plan)
    execution.drop("there is nothing to drop yet")
    assert execution.replannings == []
    execution.next(coin_game(even).start())
    execution.drop("the clock ran out")
    assert [(each.reason, each.detail) for each in execution.replannings] == [
        (Reason.DROPPED, "the clock ran out")
    ]


@pytest.mark.parametrize("nodes", [1, 2])
def test_where_no_method_says_what_to_do_there_is_no_move(nodes: int) -> None:
    execution = Execution(Planner(network=words(), limits=TreeLimits(nodes=nodes)).plan)
    assert execution.next(coin_game(even).start()) is None
    assert execution.replannings == []
