"""Matrix games: the two strategies certify each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from fogspiel.solve.matrix import solve_matrix

SMALL = st.integers(-4, 4).map(float)
"""Few different entries make games degenerate, which is what pivoting can stumble over."""
SHAPES = st.tuples(st.integers(1, 7), st.integers(1, 7))


@given(SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=SMALL)))
def test_both_strategies_guarantee_the_value(matrix: NDArray[np.float64]) -> None:
    solution = solve_matrix(matrix)
    assert solution.row.min() >= 0.0
    assert solution.column.min() >= 0.0
    assert solution.row.sum() == pytest.approx(1.0)
    assert solution.column.sum() == pytest.approx(1.0)
    assert (solution.row @ matrix).min() == pytest.approx(solution.value, abs=1e-9)
    assert (matrix @ solution.column).max() == pytest.approx(solution.value, abs=1e-9)


def test_a_large_game_is_solved_exactly_enough() -> None:
    matrix = np.random.default_rng(5).choice([0.0, 50.0, 100.0], size=(60, 70))
    solution = solve_matrix(matrix)
    assert (matrix @ solution.column).max() - (solution.row @ matrix).min() < 1e-9


@pytest.mark.parametrize(
    ("matrix", "value", "row"),
    [
        ([[77.0, 0.0, 1.0], [3.0, 1.0, 1.0]], 1.0, None),  # a saddle point
        ([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]], 0.0, [1 / 3] * 3),
        ([[2.0, -1.0], [-1.0, 1.0]], 1 / 5, [2 / 5, 3 / 5]),  # by hand: (2 - 1) / 5
        ([[3.0]], 3.0, [1.0]),
    ],
)
def test_known_games(matrix: list[list[float]], value: float, row: list[float] | None) -> None:
    solution = solve_matrix(np.array(matrix))
    assert solution.value == pytest.approx(value)
    if row is not None:
        assert solution.row == pytest.approx(row)


def test_a_saddle_point_is_answered_with_pure_strategies() -> None:
    solution = solve_matrix(np.array([[4.0, 2.0, 3.0], [1.0, 0.0, 9.0]]))
    assert solution.value == 2.0
    assert solution.row.tolist() == [1.0, 0.0]
    assert solution.column.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("matrix", [np.zeros((0, 2)), np.array([[np.nan]]), np.zeros(3)])
def test_what_is_no_game_is_refused(matrix: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="finite entries"):
        solve_matrix(matrix)
