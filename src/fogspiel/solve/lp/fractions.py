"""Sparse systems of linear equations, solved in fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from heapq import heapify, heappop, heappush

Equation = dict[int, Fraction]
"""Coefficients of the unknowns that have one; the right side stands at `RIGHT`."""
RIGHT = -1


def solve_equations(
    equations: Iterable[Equation], guesses: Mapping[int, Fraction]
) -> dict[int, Fraction] | None:
    """A solution of the equations; None if there is none.

    guesses: what unknowns should be that the equations leave free; 0 if there is no guess.
    Gauss elimination that always takes the shortest equation left, so that few entries are filled.
    """
    rows = [{key: value for key, value in row.items() if value} for row in equations]
    where: defaultdict[int, set[int]] = defaultdict(set)
    for number, row in enumerate(rows):
        for key in row:
            if key != RIGHT:
                where[key].add(number)
    queue = [(len(row), number) for number, row in enumerate(rows)]
    heapify(queue)
    pivots: list[tuple[int, Equation]] = []
    while queue:
        length, number = heappop(queue)
        row = rows[number]
        if length != len(row):  # it has changed since it was queued, and is queued again
            continue
        pivot = min((key for key in row if key != RIGHT), key=lambda k: len(where[k]), default=None)
        if pivot is None:
            if row:
                return None  # 0 = something else
            continue
        for key in row:
            if key != RIGHT:
                where[key].discard(number)
        pivots.append((pivot, row))
        for other in list(where[pivot]):
            _eliminate(rows[other], row, pivot, other, where)
            heappush(queue, (len(rows[other]), other))
        rows[number] = {}
    found = {pivot for pivot, _ in pivots}
    free = {key: guesses.get(key, Fraction(0)) for key in where if key not in found}
    return _back_substituted(pivots, free)


def _eliminate(
    target: Equation, row: Equation, pivot: int, number: int, where: defaultdict[int, set[int]]
) -> None:
    """Take a multiple of `row` from `target`, so that it loses the pivot."""
    factor = target[pivot] / row[pivot]
    for key, value in row.items():
        left = target.get(key, Fraction(0)) - factor * value
        if left:
            if key != RIGHT and key not in target:
                where[key].add(number)
            target[key] = left
        elif key in target:
            del target[key]
            if key != RIGHT:
                where[key].discard(number)


def _back_substituted(
    pivots: list[tuple[int, Equation]], free: dict[int, Fraction]
) -> dict[int, Fraction]:
    solution = dict(free)
    for pivot, row in reversed(pivots):
        total = row.get(RIGHT, Fraction(0))
        for key, value in row.items():
            if key not in (RIGHT, pivot):
                total -= value * solution[key]
        solution[pivot] = total / row[pivot]
    return solution
