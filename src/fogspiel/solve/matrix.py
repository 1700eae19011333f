"""Matrix games: one simultaneous choice of two players, solved natively.

Source: Dantzig (1951), A proof of the equivalence of the programming problem and the game problem;
Bland (1977), Mathematics of Operations Research 2(2), for the rule against cycles.
The column player's program of a matrix M with positive entries is: maximise the sum of w >= 0 with
M w <= 1. Its slack variables are a first basis, the value of the game is one over the optimum, and
the row player's strategy stands under the slack variables.
Departures: games with a saddle point, and two by two games, are solved without pivots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native

EPSILON = 1e-11
"""The least size of a pivot and of a reduced cost, where entries are between 1 and 2."""
CAUTIOUS_AFTER = 20
"""Pivots, per row and column, before Bland's rule replaces the steepest reduced cost."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatrixSolution:
    """An equilibrium of a matrix game."""

    value: float  #: The expected payoff of the row player
    row: NDArray[np.float64]  #: (rows,) probabilities
    column: NDArray[np.float64]  #: (columns,) probabilities


def solve_matrix(matrix: NDArray[np.float64]) -> MatrixSolution:
    """An equilibrium of the game in which the column player pays matrix[row, column]."""
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise ValueError(f"a game needs finite entries in rows and columns; got {matrix.shape}")
    row, column = np.zeros(matrix.shape[0]), np.zeros(matrix.shape[1])
    value = matrix_game(np.ascontiguousarray(matrix, np.float64), row, column)
    return MatrixSolution(value=float(value), row=row, column=column)


@native
def matrix_game(
    matrix: NDArray[np.float64], row: NDArray[np.float64], column: NDArray[np.float64]
) -> float:
    """Fill in an equilibrium, and return the value for the row player.

    row, column: (rows,) and (columns,) are overwritten.
    """
    row[:] = 0.0
    column[:] = 0.0
    best_row, best_column = _safest(matrix)
    lower, upper = matrix[best_row].min(), matrix[:, best_column].max()
    if lower == upper:
        row[best_row] = 1.0
        column[best_column] = 1.0
        return float(lower)
    if matrix.shape == (2, 2):
        return _two_by_two(matrix, row, column)
    _simplex(matrix, row, column)
    # In the middle of what the two guarantee, rounding is off by half of their gap at most.
    return 0.5 * (row_guarantee(matrix, row) + column_guarantee(matrix, column))


@native
def _safest(matrix: NDArray[np.float64]) -> tuple[int, int]:
    """The row whose worst entry is best, and the column whose best entry is worst."""
    best_row, best_column = 0, 0
    for index in range(1, matrix.shape[0]):
        if matrix[index].min() > matrix[best_row].min():
            best_row = index
    for index in range(1, matrix.shape[1]):
        if matrix[:, index].max() < matrix[:, best_column].max():
            best_column = index
    return best_row, best_column


@native
def _two_by_two(
    matrix: NDArray[np.float64], row: NDArray[np.float64], column: NDArray[np.float64]
) -> float:
    """Solve a game without saddle point: each player mixes so that the other is indifferent."""
    a, b, c, d = matrix[0, 0], matrix[0, 1], matrix[1, 0], matrix[1, 1]
    spread = a - b - c + d
    row[0] = (d - c) / spread
    row[1] = 1.0 - row[0]
    column[0] = (d - b) / spread
    column[1] = 1.0 - column[0]
    return float((a * d - b * c) / spread)


@native
def _simplex(
    matrix: NDArray[np.float64], row: NDArray[np.float64], column: NDArray[np.float64]
) -> None:
    """Fill in the strategies by Dantzig's simplex method."""
    rows, columns = matrix.shape
    shift, scale = matrix.min(), matrix.max() - matrix.min()
    # (rows + 1, columns + rows + 1): constraints and the objective; variables, slack, right side.
    tableau = np.zeros((rows + 1, columns + rows + 1))
    basis = np.empty(rows, np.int64)
    for i in range(rows):
        for j in range(columns):
            tableau[i, j] = 1.0 + (matrix[i, j] - shift) / scale
        tableau[i, columns + i] = 1.0
        tableau[i, -1] = 1.0
        basis[i] = columns + i
    tableau[rows, :columns] = -1.0
    pivots = 0
    while True:
        entering = _entering(tableau[rows], pivots > CAUTIOUS_AFTER * (rows + columns))
        if entering < 0:
            break
        _pivot(tableau, basis, _leaving(tableau, basis, entering), entering)
        pivots += 1
    for i in range(rows):
        row[i] = max(tableau[rows, columns + i], 0.0)
        if basis[i] < columns:
            column[basis[i]] = max(tableau[i, -1], 0.0)
    row /= row.sum()
    column /= column.sum()


@native
def _entering(costs: NDArray[np.float64], cautious: bool) -> int:
    """The variable to enter: steepest, or by Bland's rule the first; -1 if none improves."""
    best, entering = -EPSILON, -1
    for j in range(len(costs) - 1):
        if costs[j] < best:
            best, entering = costs[j], j
            if cautious:
                break
    return entering


@native
def _leaving(tableau: NDArray[np.float64], basis: NDArray[np.int64], entering: int) -> int:
    """The row whose variable first falls to 0; among equals that of the smallest index."""
    best, leaving = np.inf, -1
    for i in range(len(basis)):
        if tableau[i, entering] > EPSILON:
            ratio = tableau[i, -1] / tableau[i, entering]
            if ratio < best or (ratio == best and basis[i] < basis[leaving]):
                best, leaving = ratio, i
    return leaving


@native
def _pivot(
    tableau: NDArray[np.float64], basis: NDArray[np.int64], leaving: int, entering: int
) -> None:
    tableau[leaving] /= tableau[leaving, entering]
    for i in range(len(tableau)):
        if i != leaving:
            factor = tableau[i, entering]
            if factor != 0.0:
                for j in range(tableau.shape[1]):
                    tableau[i, j] -= factor * tableau[leaving, j]
    basis[leaving] = entering


@native
def row_guarantee(matrix: NDArray[np.float64], row: NDArray[np.float64]) -> float:
    """The value of a row strategy against the best response."""
    least = np.inf
    for j in range(matrix.shape[1]):
        total = 0.0
        for i in range(matrix.shape[0]):
            total += row[i] * matrix[i, j]
        least = min(least, total)
    return least


@native
def column_guarantee(matrix: NDArray[np.float64], column: NDArray[np.float64]) -> float:
    """The value of a column strategy, for the row player, against the best response."""
    return -row_guarantee(-matrix.T, column)
