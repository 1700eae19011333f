"""Plans keep to their budget: simulations are counted, and small trees still have first moves."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.plan.games.planning import ANY_MOVE, GamePlanner, PlannerSettings
from fogspiel.plan.games.situation import GameSituation
from fogspiel.plan.tree.nodes import DecisionTree, decision_at


def planned(game: str, budget: Budget, nodes: int = 1_301) -> tuple[DecisionTree, GameSituation]:
    machine = load(game).machine
    role = RoleId(next(r for r in range(len(machine.roles)) if r != machine.chance_role))
    planner = GamePlanner(machine, role, ANY_MOVE, PlannerSettings(nodes=nodes))
    situation = planner.situation(machine.initial()[None], np.ones(1), seed=3, budget=budget)
    return planner.plan(situation), situation


@pytest.mark.parametrize("simulations", [50, 1_000, 20_000])
@pytest.mark.parametrize("game", ["battleship_4", "tic_tac_toe"])
def test_no_more_playouts_are_made_than_allowed(game: str, simulations: int) -> None:
    tree, situation = planned(game, Budget.of(simulations=simulations))
    assert decision_at(tree.root) is not None
    assert 0.4 * simulations <= situation.model.simulated <= simulations


def test_a_tree_of_few_nodes_has_all_first_moves() -> None:
    tree, _ = planned("battleship_4", Budget.of(simulations=10_000), nodes=2)
    assert len(tree.root.children) == 24, "as many as a boat has places"


def test_more_simulations_make_a_larger_tree_up_to_its_limit() -> None:
    sizes = [
        len(planned("tic_tac_toe", Budget.of(simulations=count), nodes=300)[0].nodes)
        for count in (1_000, 10_000, 100_000)
    ]
    assert sizes[0] < sizes[1] < sizes[2] <= 300


def test_a_slow_clock_makes_a_small_tree() -> None:
    """Each look at this clock takes a fifth of a second, and so does each evaluation of a leaf."""
    looks = count()
    planned("tic_tac_toe", Budget.of(simulations=50))
    budget = Budget.of(seconds=20.0, clock=lambda: 0.2 * next(looks))
    tree, _ = planned("tic_tac_toe", budget)
    assert 10 <= len(tree.nodes) <= 0.35 * 20.0 / 0.2
    assert decision_at(tree.root) is not None
