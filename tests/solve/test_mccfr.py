"""Sampled regrets: right on average, the same for the same seed, near the equilibrium in time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from efg_games import random_game
from fogspiel.games.load import load
from fogspiel.solve.arrays import TreeArrays, tree_arrays
from fogspiel.solve.regret import mccfr
from fogspiel.solve.regret.mccfr import Scheme, WalkMemory, sample_regrets
from fogspiel.solve.result import SolveLimits, average_of
from fogspiel.solve.strategy_value import exploitability
from fogspiel.tree.compare.reduce import reduced
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder
from unfolding import unfold

Vector = NDArray[np.float64]
SCHEMES = tuple(Scheme)


def bundled(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


def made_up(seed: int) -> GameTree:
    return from_preorder(reduced(tree_of_efg(random_game(seed))))


def drawn_once(scheme: Scheme, arrays: TreeArrays, memory: WalkMemory, regrets: Vector) -> Vector:
    """(2, actions) regrets and sums that one walk of each player adds to the same regrets."""
    players = arrays.payoffs.shape[1]
    added = np.zeros_like(regrets)
    memory.sums[:] = 0.0
    for walker in range(players):
        memory.regrets[:] = regrets
        if scheme is Scheme.EXTERNAL:
            mccfr._try_all(arrays, memory, walker, (walker + 1) % players)
        else:
            mccfr._try_one(arrays, memory, walker, (walker + 1) % players, 0.6)
        added += memory.regrets - regrets
    return np.array([added, memory.sums])


class Exact:
    """Counterfactual regrets and expected additions to the average, by recursion over a tree."""

    def __init__(self, tree: GameTree, arrays: TreeArrays, behaviour: Vector) -> None:
        self._tree, self._arrays, self._behaviour = tree, arrays, behaviour
        self.regrets = np.zeros_like(behaviour)
        self.sums = np.zeros_like(behaviour)
        self._visit(0, 1.0, np.ones(len(tree.players)))

    def _visit(self, node: int, chance: float, reach: Vector) -> Vector:
        """The values of a node for all players."""
        tree, arrays = self._tree, self._arrays
        if tree.node_payoffs[node] >= 0:
            return np.asarray(arrays.payoffs[tree.node_payoffs[node]])
        edges = range(tree.first_edges[node], tree.first_edges[node + 1])
        infoset, mover = int(tree.node_infosets[node]), int(tree.movers[node]) - 1
        if infoset < 0:
            weights = tree.probabilities[list(edges)]
            values = [
                self._visit(int(tree.targets[edge]), chance * weight, reach)
                for edge, weight in zip(edges, weights, strict=True)
            ]
            return np.asarray(weights @ np.array(values))
        own = slice(int(arrays.starts[infoset]), int(arrays.starts[infoset + 1]))
        weights = self._behaviour[own]
        after = [reach * np.where(np.arange(len(reach)) == mover, w, 1.0) for w in weights]
        values = [
            self._visit(int(tree.targets[edge]), chance, then)
            for edge, then in zip(edges, after, strict=True)
        ]
        mean = weights @ np.array(values)
        others = chance * np.prod(np.delete(reach, mover))
        self.regrets[own] += others * (np.array(values) - mean)[:, mover]
        self.sums[own] += chance * reach[mover] * weights
        return np.asarray(mean)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", [1, 4, 9])
def test_walks_are_right_on_average(scheme: Scheme, seed: int) -> None:
    tree = made_up(seed)
    arrays, memory = mccfr._centred(tree_arrays(tree)), mccfr._memory(tree, seed)
    regrets = np.random.default_rng(seed).random(len(memory.regrets)) + 0.2
    exact = Exact(tree, arrays, average_of(arrays.starts, regrets).probabilities)
    count = 8_000
    drawn = np.array([drawn_once(scheme, arrays, memory, regrets) for _ in range(count)])
    error = drawn.std(axis=0) / np.sqrt(count)
    # Five standard errors: one number in 1.7 million lies outside by chance.
    expected = np.array([exact.regrets, exact.sums])
    assert (np.abs(drawn.mean(axis=0) - expected) <= 5 * error + 1e-9).all()


def test_the_games_of_that_test_have_two_and_three_players_and_chance() -> None:
    trees = [made_up(seed) for seed in (1, 4, 9)]
    assert {len(tree.players) for tree in trees} == {2, 3}
    assert any((tree.movers == 0).any() for tree in trees)


@pytest.mark.parametrize(("scheme", "target"), [(Scheme.EXTERNAL, 0.15), (Scheme.OUTCOME, 0.4)])
def test_kuhn_poker_comes_near_its_value(scheme: Scheme, target: float) -> None:
    tree = bundled("kuhn_poker")
    result = sample_regrets(
        tree, scheme, seed=7, limits=SolveLimits(target=target, iterations=10**6)
    )
    assert result.exploitability <= target
    assert result.exploitability == pytest.approx(exploitability(tree, result.strategy))
    # Kuhn (1950): -1/18 chip, 25 goals a chip; the value is off by nash_conv at most.
    assert result.values[0] == pytest.approx(50 - 25 / 18, abs=2 * target)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(scheme: Scheme) -> None:
    tree, limits = bundled("kuhn_poker"), SolveLimits(iterations=500)

    def solve(seed: int) -> bytes:
        result = sample_regrets(tree, scheme, seed=seed, limits=limits)
        return result.strategy.probabilities.tobytes()

    assert solve(3) == solve(3)
    assert solve(3) != solve(4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_general_sums_and_single_players_are_welcome(scheme: Scheme) -> None:
    limits = SolveLimits(iterations=20_000)
    prisoners = sample_regrets(bundled("prisoners_dilemma"), scheme, seed=1, limits=limits)
    assert prisoners.exploitability < 1.0
    doors = sample_regrets(bundled("monty_hall"), scheme, seed=1, limits=limits)
    # The classical solution: switching wins in 2 of 3 games, 100 points each.
    assert max(doors.values) == pytest.approx(100 * 2 / 3, abs=2.0)


def test_a_walker_must_explore() -> None:
    with pytest.raises(ValueError, match="exploration"):
        sample_regrets(
            bundled("kuhn_poker"),
            Scheme.OUTCOME,
            seed=1,
            limits=SolveLimits(iterations=1),
            exploration=0.0,
        )
