"""Double oracle: its bounds close on the value from both sides."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.solve.lp.double_oracle import OraclePoint, double_oracle
from fogspiel.solve.lp.linear import solve_linear
from fogspiel.solve.result import Point, SolveLimits
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.game_tree import GameTree
from level_order import from_preorder
from unfolding import unfold


def tree_of(name: str) -> GameTree:
    return from_preorder(unfold(load(name).machine))


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "simple_poker",
        "biased_rps",
        "leduc_poker",
        "hidden_goofspiel_4",
        "goofspiel_4",
    ],
)
def test_it_ends_in_an_equilibrium_of_the_whole_game(name: str) -> None:
    tree = tree_of(name)
    result = double_oracle(tree)
    assert result.values == pytest.approx(solve_linear(tree).values, abs=1e-6)
    assert strategy_value(tree, result.strategy).exploitability == pytest.approx(0.0, abs=1e-7)


def test_bounds_hold_at_all_times_and_close() -> None:
    tree = tree_of("leduc_poker")
    value = solve_linear(tree).values[0]
    points: list[OraclePoint] = []

    def note(point: Point) -> bool:
        assert isinstance(point, OraclePoint)
        points.append(point)
        return False

    result = double_oracle(tree, on_point=note)
    assert result.curve == tuple(points)
    assert len(points) > 5
    for before, after in pairwise(points):
        assert after.lower >= before.lower
        assert after.upper <= before.upper
        assert sum(after.sequences) >= sum(before.sequences)
    for point in points:
        assert point.lower <= value + 1e-9
        assert point.upper >= value - 1e-9
        assert point.exploitability == pytest.approx((point.upper - point.lower) / 2)


def test_only_a_part_of_the_sequences_is_needed() -> None:
    # Hidden goofspiel has 175 sequences a player; Bosansky et al. (2014) report the same effect.
    last = double_oracle(tree_of("hidden_goofspiel_4")).curve[-1]
    assert isinstance(last, OraclePoint)
    first, second = last.sequences
    assert first < 30
    assert second < 30


def test_it_stops_where_it_is_told_with_what_it_has() -> None:
    tree = tree_of("leduc_poker")
    once = double_oracle(tree, limits=SolveLimits(iterations=3))
    assert once.iterations == 3
    assert once.exploitability == pytest.approx(once.curve[-1].exploitability)
    told = double_oracle(tree, on_point=lambda point: point.iteration >= 2)
    assert told.iterations == 2
    near = double_oracle(tree, limits=SolveLimits(target=1.0))
    assert 0.0 < near.exploitability <= 1.0


def test_general_sums_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        double_oracle(tree_of("prisoners_dilemma"))
    assert caught.value.findings[0].code == "SOL002"
