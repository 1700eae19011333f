"""Trees of random games agree with a recursion over states, and criteria with each other."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_strips import RandomGame, brute_force, random_games

from fogspiel.plan.task_network import TaskNetwork
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.criteria import criterion
from fogspiel.plan.tree.executing import Execution, Reason
from fogspiel.plan.tree.nodes import DecisionTree, NodeKind, TreeLimits


def solved(game: RandomGame, name: str, *, network: TaskNetwork | None = None) -> DecisionTree:
    planner = Planner(network=network or game.network(), criterion=criterion(name))
    return planner.plan(game.problem().start())


@given(random_games())
@settings(max_examples=80)
def test_a_method_for_each_move_gives_the_value_of_the_game(game: RandomGame) -> None:
    assert solved(game, "belief").value == pytest.approx(brute_force(game), abs=1e-12)


@given(random_games())
@settings(max_examples=30)
def test_splitting_tasks_changes_no_value(game: RandomGame) -> None:
    layered = solved(game, "belief", network=game.layered())
    assert layered.value == pytest.approx(brute_force(game), abs=1e-12)


@given(random_games(), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_a_whole_plan_is_followed_to_its_end_whatever_others_do(
    game: RandomGame, random: Random
) -> None:
    situation = game.problem().start()
    execution = Execution(Planner(network=game.network()).plan)
    execution.begin(situation)
    while not situation.is_over:
        if situation.is_controlled:
            decision = execution.next(situation)
            move = None if decision is None else decision.operator
        else:
            agent = situation.agent
            legal = [(each.name, agent) for each in game.moves]
            legal = [each for each in legal if situation.perform(each).weights.any()]
            move = random.choice(legal) if legal else None
            if move is not None:
                execution.observe(move)
        if move is None:
            break
        situation = situation.perform(move)
    assert {each.reason for each in execution.replannings} <= {Reason.ENDED}
    if situation.is_over:
        assert execution.replannings == []


@given(random_games())
@settings(max_examples=30)
def test_hurwicz_ends_at_the_worst_and_the_best_answer(game: RandomGame) -> None:
    assert solved(game, "hurwicz:0").value == solved(game, "minimax").value
    for node in solved(game, "hurwicz:1").nodes:
        if node.kind is not NodeKind.LEAF:
            assert node.value >= max(child.value for child in node.children)


@given(random_games())
@settings(max_examples=30)
def test_no_criterion_is_gloomier_than_minimax(game: RandomGame) -> None:
    worst = solved(game, "minimax").value
    for name in ("average", "belief", "hurwicz:0.5"):
        assert solved(game, name).value >= worst - 1e-12


@given(random_games())
@settings(max_examples=30)
def test_the_same_game_gives_the_same_tree(game: RandomGame) -> None:
    first, second = solved(game, "belief"), solved(game, "belief")
    assert [node.value for node in first.nodes] == [node.value for node in second.nodes]


@given(random_games())
@settings(max_examples=30)
def test_a_tree_never_has_more_nodes_than_it_may(game: RandomGame) -> None:
    whole = solved(game, "belief")
    for nodes in (1, 2, 5, len(whole.nodes)):
        planner = Planner(network=game.network(), limits=TreeLimits(nodes=nodes))
        tree = planner.plan(game.problem().start())
        assert len(tree.nodes) <= nodes
        assert tree.is_complete == (len(tree.nodes) == len(whole.nodes))
