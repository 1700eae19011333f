"""Histories that chance alone tells apart may be one node: no solver may notice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from efg_games import game_of
from fogspiel.solve.regret.cfr import CFR, cfr_on_tree, minimise_regrets
from fogspiel.solve.regret.mccfr import Scheme, sample_regrets
from fogspiel.solve.result import SolveLimits, Strategy
from fogspiel.solve.sequence_form import sequence_game
from fogspiel.solve.strategy_value import strategy_value, value_in_sequence_form
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.preorder import tree_of_efg
from level_order import from_preorder

# Rose and Colin do not see which of three ways chance took; the first two come to the same.
APART = """EFG 2 R "three ways" { "Rose" "Colin" }
c "" 1 "" { "a" 1/5 "b" 3/10 "c" 1/2 } 0
p "" 1 1 "" { "l" "r" } 0
p "" 2 1 "" { "l" "r" } 0
t "" 1 "" { 4 0 }
t "" 2 "" { 0 4 }
p "" 2 1 "" { "l" "r" } 0
t "" 3 "" { 1 3 }
t "" 4 "" { 3 1 }
p "" 1 1 "" { "l" "r" } 0
p "" 2 1 "" { "l" "r" } 0
t "" 1 "" { 4 0 }
t "" 2 "" { 0 4 }
p "" 2 1 "" { "l" "r" } 0
t "" 3 "" { 1 3 }
t "" 4 "" { 3 1 }
p "" 1 1 "" { "l" "r" } 0
p "" 2 1 "" { "l" "r" } 0
t "" 3 "" { 1 3 }
t "" 1 "" { 4 0 }
p "" 2 1 "" { "l" "r" } 0
t "" 4 "" { 3 1 }
t "" 2 "" { 0 4 }
"""


@pytest.fixture(scope="module")
def apart() -> GameTree:
    return from_preorder(tree_of_efg(game_of(APART)))


@pytest.fixture(scope="module")
def merged(apart: GameTree) -> GameTree:
    """The same game with one node for the first two ways: nodes 0, then 2, 4 and 8 a level."""
    payoffs = {tuple(map(int, row)): place for place, row in enumerate(apart.exact_payoffs)}
    rows = [(4, 0), (0, 4), (1, 3), (3, 1), (1, 3), (4, 0), (3, 1), (0, 4)]
    return replace(
        apart,
        level_starts=np.array([0, 1, 3, 7, 15]),
        movers=np.array([0] + [1] * 2 + [2] * 4 + [-1] * 8, np.int8),
        node_infosets=np.array([-1, 0, 0, 1, 1, 1, 1] + [-1] * 8, np.int32),
        node_payoffs=np.array([-1] * 7 + [payoffs[row] for row in rows], np.int32),
        chance_reach=np.array([1.0] + [0.5] * 14),
        first_edges=np.array([0, 3, 5, 7, 9, 11, 13, 15] + [15] * 8),
        targets=np.array([1, 1, 2, *range(3, 15)], np.int32),
        probabilities=np.array([0.2, 0.3, 0.5] + [1.0] * 12),
    )


@pytest.fixture
def strategy(merged: GameTree) -> Strategy:
    return Strategy(starts=np.array([0, 2, 4]), probabilities=np.array([0.3, 0.7, 0.6, 0.4]))


def test_worth_is_the_same(apart: GameTree, merged: GameTree, strategy: Strategy) -> None:
    expected = strategy_value(apart, strategy)
    for found in (
        strategy_value(merged, strategy),
        value_in_sequence_form(sequence_game(merged), strategy),
    ):
        assert found.values == pytest.approx(expected.values, abs=1e-12)
        assert found.best_values == pytest.approx(expected.best_values, abs=1e-12)


def test_regrets_are_the_same(apart: GameTree, merged: GameTree) -> None:
    limits = SolveLimits(iterations=25)
    by_tree = [cfr_on_tree(tree, limits=limits) for tree in (apart, merged)]
    simultaneous = replace(CFR, alternating=False)
    by_sequences = [minimise_regrets(tree, simultaneous, limits=limits) for tree in (apart, merged)]
    expected = by_tree[0].strategy.probabilities
    assert np.ptp(expected) > 0.01
    for result in (by_tree[1], *by_sequences):
        assert np.allclose(result.strategy.probabilities, expected, atol=1e-9)


@pytest.mark.parametrize("scheme", list(Scheme))
def test_walks_find_the_same_value(apart: GameTree, merged: GameTree, scheme: Scheme) -> None:
    exact = minimise_regrets(apart, limits=SolveLimits(target=1e-4)).values
    limits = SolveLimits(target=0.02, iterations=300_000)
    result = sample_regrets(merged, scheme, seed=2, limits=limits)
    assert result.exploitability <= 0.02
    assert result.values == pytest.approx(exact, abs=0.05)
