"""Decisions worth their best move: values come nearer to the truth than means of visits do."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.ids import RoleId
from fogspiel.core.terms import format_term
from fogspiel.games.loading import load
from fogspiel.search.alone import AloneSearch
from fogspiel.search.bandits import NO_NODE, UCB
from fogspiel.search.best_backup import BestSearch, learn_best
from fogspiel.search.budget import Budget
from fogspiel.search.forest import Forest
from fogspiel.search.keys import first_knowledge
from fogspiel.search.lockstep import Rule, Starts


def searched(kind: type[AloneSearch], simulations: int) -> dict[str, float]:
    """What the first moves of the exploding bomb are worth, between 0 and 1."""
    machine = load("exploding_bomb").machine
    role = RoleId(machine.roles.index("player"))
    search = kind(machine, role, rule=Rule(kind=UCB, constant=2.0**0.5), seed=3)
    states = machine.expand(machine.initial()).states
    known = np.array([first_knowledge(RoleId(each)) for each in range(len(machine.roles))])

    def starts(count: int, seed: int) -> Starts:
        rows = np.random.default_rng(seed).integers(len(states), size=count)
        return Starts(states=states[rows], knowledge=np.repeat(known[None, :], count, axis=0))

    search.run(starts, Budget.of(simulations=simulations))
    node = search.forest.find(known[role])
    assert node is not None
    arrays, arms = search.forest.arrays, search.forest.arms(node)
    means = arrays.arm_values[arms] / arrays.arm_returns[arms]
    names = [format_term(machine.move_term(role, move)) for move in arrays.moves[arms].tolist()]
    return dict(zip(names, means.tolist(), strict=True))


def test_an_answer_is_worth_what_its_best_use_is() -> None:
    # Geisser et al. (2014), section 5: asking is worth 90. Means count wires cut at random, too.
    best, mean = searched(BestSearch, 2_000), searched(AloneSearch, 2_000)
    assert best["ask"] == pytest.approx(0.9, abs=0.02)
    assert mean["ask"] < best["ask"] - 0.01


def two_decisions() -> Forest:
    """Nodes 0 and 1 with two moves each: arms 0 and 1, and 2 and 3."""
    forest = Forest()
    arrays = forest.arrays
    arrays.sizes[:] = 2, 4
    arrays.first_arms[:2] = 0, 2
    arrays.arm_counts[:2] = 2
    return forest


def came_back(forest: Forest, arm: int, gain: float) -> float:
    """Let a simulation that went by an arm of the second decision come back to the first."""
    gains = np.array([gain])
    for node, own in ((1, arm), (0, 0)):
        rows = np.zeros(1, np.int64)
        learn_best(forest.arrays, rows, np.array([node]), np.array([own]), gains)
    arrays = forest.arrays
    return float(arrays.arm_values[0] / arrays.arm_returns[0])


def test_until_all_moves_were_tried_the_mean_counts_and_then_the_best_move() -> None:
    forest = two_decisions()
    assert came_back(forest, 2, 1.0) == 1.0
    assert came_back(forest, 2, 0.0) == 0.5
    # Now both were tried: 0.5 and 0.2. Then the second turns out better: 0.6.
    assert came_back(forest, 3, 0.2) == pytest.approx(0.5)
    assert came_back(forest, 3, 1.0) == pytest.approx(0.6)


def test_steps_without_a_decision_pass_gains_on() -> None:
    forest = two_decisions()
    gains = np.array([0.25])
    rows = np.zeros(1, np.int64)
    learn_best(forest.arrays, rows, np.array([NO_NODE]), np.array([0]), gains)
    assert gains.tolist() == [0.25]
    assert not forest.arrays.arm_returns.any()
