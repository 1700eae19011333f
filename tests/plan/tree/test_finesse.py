"""The finesse of Smith and Nau's figures 1 and 2, with values that can be worked out by hand."""

from __future__ import annotations

import pytest
from finessing import GOLDEN, finesse_drawing, network_without, policy

from fogspiel.lab.framework.runner import run_study
from fogspiel.lab.tignum.finesse import NETWORK, STUDY, finesse_problem
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.criteria import criterion
from fogspiel.plan.tree.executing import Answers, OurMove, explain, explanation
from fogspiel.plan.tree.nodes import TIGNUM_NODES, DecisionTree, NodeKind, decision_at


@pytest.fixture(scope="module")
def tree() -> DecisionTree:
    return Planner(network=NETWORK).plan(finesse_problem().start())


def value_by(name: str) -> float:
    planner = Planner(network=NETWORK, criterion=criterion(name))
    return planner.plan(finesse_problem().start()).value


def test_the_tree_is_the_one_that_was_read_and_kept() -> None:
    """Read the diff after an intended change; `python tests/plan/tree/finessing.py` writes it."""
    assert finesse_drawing() == GOLDEN.read_text(encoding="utf-8")


def test_the_finesse_is_worth_three_tricks_of_four(tree: DecisionTree) -> None:
    """The king lies before the queen in half of the worlds: 1/2 * 2 tricks + 1/2 * 1, out of 2."""
    assert tree.value == pytest.approx(0.75)


def test_cashing_is_worth_one_trick_of_two(tree: DecisionTree) -> None:
    """The king, one of two cards, cannot fall under the ace, and takes the queen."""
    cashing = Planner(network=network_without("finesse")).plan(finesse_problem().start())
    assert cashing.value == pytest.approx(0.5)
    assert [child.value for child in tree.root.children] == pytest.approx([0.75, 0.5])


def test_the_finesse_is_chosen(tree: DecisionTree) -> None:
    decision = decision_at(tree.root)
    assert decision is not None
    assert decision.operator == ("lead", "south", "2", "west")
    assert [method.name for method in decision.schemes] == ["finesse", "lead-low", "lead"]


def test_north_plays_the_queen_unless_the_king_is_played(tree: DecisionTree) -> None:
    played = {
        (decision.node.step.operator[2], decision.operator[2])
        for decision in policy(tree)
        if decision.node.step is not None
        and decision.node.step.operator is not None
        and decision.node.step.operator[1] == "west"
        and decision.node.moves == 2
    }
    assert played == {("9", "q"), ("t", "q"), ("j", "q"), ("k", "a")}


def test_answers_of_west_hold_the_worlds_in_which_west_has_the_card(tree: DecisionTree) -> None:
    """There are six worlds: the nine in three, the ten without it in two, jack and king in one."""
    decision = decision_at(tree.root)
    assert decision is not None
    shares = {child.tasks[0]: child.mass for child in decision.after.children}
    assert shares == pytest.approx(
        {
            ("play", "west", "9"): 3 / 6,
            ("play", "west", "t"): 2 / 6,
            ("play", "west", "j"): 1 / 6,
            ("play", "west", "k"): 3 / 6,
        }
    )


def test_the_worst_case_is_that_the_king_lies_behind() -> None:
    assert value_by("minimax") == pytest.approx(0.5)
    assert value_by("hurwicz:0") == pytest.approx(0.5)


def test_an_optimist_sees_two_tricks() -> None:
    assert value_by("hurwicz:1") == pytest.approx(1.0)


def test_a_careless_defence_gives_more_than_a_careful_one() -> None:
    assert value_by("average") > value_by("belief")


def test_the_tree_is_smaller_than_the_papers_largest(tree: DecisionTree) -> None:
    assert tree.is_complete
    assert len(tree.nodes) < TIGNUM_NODES


def test_the_game_is_over_at_every_leaf(tree: DecisionTree) -> None:
    assert all(leaf.situation.is_over for leaf in tree.leaves())


def test_an_explanation_begins_with_the_scheme_and_its_note(tree: DecisionTree) -> None:
    first = next(iter(explain(tree)))
    assert isinstance(first, OurMove)
    assert [method.title or method.name for method in first.schemes] == [
        "Finesse",
        "lead-low",
        "lead",
    ]
    assert "lead towards a tenace" in explanation(tree)


def test_an_explanation_says_what_is_assumed_of_west(tree: DecisionTree) -> None:
    answers = next(remark for remark in explain(tree) if isinstance(remark, Answers))
    assert answers.agent == "west"
    assert [answer.operator[2] for answer in answers.answers] == ["9", "k", "t", "j"]
    assert [answer.probability for answer in answers.answers] == pytest.approx(
        [1 / 2, 1 / 2, 1 / 3, 1 / 6]
    )


def test_an_explanation_tells_moves_up_to_the_end(tree: DecisionTree) -> None:
    lines = explanation(tree).splitlines()
    assert sum(line.startswith(("  south:", "  north:")) for line in lines) == 4
    assert lines[-1].startswith("Then the game is over")


def test_nodes_of_all_kinds_but_reports_occur(tree: DecisionTree) -> None:
    assert {node.kind for node in tree.nodes} == set(NodeKind) - {NodeKind.REPORT}


def test_the_study_tells_the_tricks_by_each_criterion() -> None:
    """The king lies right in half of the worlds: 3/2 tricks by the belief, 1 to 2 otherwise."""
    records = run_study(STUDY, settings=STUDY.settings, seed=0)["records"]
    tricks = {record["criterion"]: 2 * record["finesse"] for record in records}
    assert tricks["belief"] == pytest.approx(1.5)
    assert tricks["minimax"] == pytest.approx(1.0)
    assert tricks["hurwicz:1"] == pytest.approx(2.0)
    assert "| belief | 1.500 | 1.000 | Finesse |" in STUDY.table(records)
