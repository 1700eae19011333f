"""Matrix games: one simultaneous choice of two players, solved natively.

Source: Dantzig (1951), A proof of the equivalence of the programming problem and the game problem;
Bland (1977), Mathematics of Operations Research 2(2), for the rule against cycles.
The column player's program of a matrix M with positive entries is: maximise the sum of w >= 0 with
M w <= 1. Its slack variables are a first basis, the value of the game is one over the optimum, and
the row player's strategy stands under the slack variables.
Departures: games with a saddle point, and two by two games, are answered without pivots.

Games that follow one another, as the states of a simultaneous game do, are solved from the last to
the first: what a cell is worth is then known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native

EPSILON = 1e-11
"""Relative to entries between 1 and 2: what a pivot and a reduced cost must exceed."""
CAUTIOUS_AFTER = 20
"""Pivots, per row and column, before Bland's rule replaces the steepest reduced cost."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatrixSolution:
    """An equilibrium of a matrix game."""

    value: float
    """For the row player."""
    row: NDArray[np.float64]
    """(rows,) how probable each row is."""
    column: NDArray[np.float64]
    """(columns,) how probable each column is."""


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
    """The value for the row player; fills in the strategies of both.

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
    return 0.5 * (_row_guarantee(matrix, row) + _column_guarantee(matrix, column))


class Stages(NamedTuple):
    """Matrix games whose cells lead to later ones, with chance drawing first. See `JointGraph`."""

    ends: NDArray[np.bool_]
    """(stages,) where nothing is left to choose; the value is given."""
    counts: NDArray[np.int32]
    """(stages, 3) draws of chance, rows, columns."""
    first_edges: NDArray[np.int64]
    targets: NDArray[np.int32]
    first_shares: NDArray[np.int64]
    shares: NDArray[np.float64]
    row_starts: NDArray[np.int64]
    """(stages + 1,) where the row player's probabilities of a stage begin."""
    column_starts: NDArray[np.int64]


@native
def solve_stages(
    stages: Stages,
    values: NDArray[np.float64],
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
) -> None:
    """Fill in the values and the strategies of all stages. values: (stages,), given at ends."""
    for stage in range(len(values) - 1, -1, -1):
        if not stages.ends[stage]:
            row = rows[stages.row_starts[stage] : stages.row_starts[stage + 1]]
            column = columns[stages.column_starts[stage] : stages.column_starts[stage + 1]]
            values[stage] = matrix_game(_cells(stages, stage, values), row, column)


@native
def bound_stages(
    stages: Stages,
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> None:
    """What the row player is sure of, and what the column player holds it to: (stages,) each."""
    for stage in range(len(lower) - 1, -1, -1):
        if not stages.ends[stage]:
            row = rows[stages.row_starts[stage] : stages.row_starts[stage + 1]]
            column = columns[stages.column_starts[stage] : stages.column_starts[stage + 1]]
            lower[stage] = _row_guarantee(_cells(stages, stage, lower), row)
            upper[stage] = _column_guarantee(_cells(stages, stage, upper), column)


@native
def _cells(stages: Stages, stage: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(rows, columns) what follows each pair of moves, on average over chance."""
    draws, rows, columns = stages.counts[stage]
    cells = np.zeros((rows, columns))
    edge = stages.first_edges[stage]
    for draw in range(draws):
        share = stages.shares[stages.first_shares[stage] + draw]
        for i in range(rows):
            for j in range(columns):
                cells[i, j] += share * values[stages.targets[edge]]
                edge += 1
    return cells


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
    """Without a saddle point both players mix so that the other does not care."""
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
def _row_guarantee(matrix: NDArray[np.float64], row: NDArray[np.float64]) -> float:
    """What a row strategy gets against the best answer."""
    least = np.inf
    for j in range(matrix.shape[1]):
        total = 0.0
        for i in range(matrix.shape[0]):
            total += row[i] * matrix[i, j]
        least = min(least, total)
    return least


@native
def _column_guarantee(matrix: NDArray[np.float64], column: NDArray[np.float64]) -> float:
    """What a column strategy pays to the best answer."""
    most = -np.inf
    for i in range(matrix.shape[0]):
        total = 0.0
        for j in range(matrix.shape[1]):
            total += column[j] * matrix[i, j]
        most = max(most, total)
    return most
