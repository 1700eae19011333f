"""Decisions and what simulations have learnt in them, as kernels take it.

A decision is one row when it is met first, its header. When it is met again, after its first
simulation came back, it moves to a *block*: the header, then a row for each of its moves; the old
header then says where. Most decisions of a large tree are met once and never take more than a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import FACTOR, HALF, NONE
from fogspiel.core.native import native
from fogspiel.search.mcts.kernels.parts import step

VISITS, MOVES, STOOD, BACK = 0, 1, 2, 3
"""Columns of a header: simulations that came here, the number of moves (0 before the decision has
any; below 0, it has moved to minus this row), simulations that went no further, and those of them
that came back."""
MEAN, BONUS = 0, 1
"""Columns of a move for bounds: its mean value, and its factor of the bonus, 0 before its first
visit."""
SCORE, STRATEGY = 0, 1
"""Columns of a move for rules that mix: its weight or regret, and the sum of the probabilities with
which it was chosen."""
CHOSEN, RETURNS = 2, 3
"""Columns of a move: simulations that chose it, and those of them that came back."""
ROWS, KEYS = 0, 1  #: Columns of `Decisions.sizes`

Reals = NDArray[np.float64]


class Decisions(NamedTuple):
    """All decisions that a search has met."""

    sizes: NDArray[np.int64]  #: (2,) rows in use, and keys in the table
    table: NDArray[np.uint64]
    """(places, 2) keys, and one more than the row of the decision; 0 where free."""
    rows: Reals  #: (rows, 4) headers and moves


@step
def place_of_key(table: NDArray[np.uint64], key: np.uint64) -> np.uint64:
    """The place of a key, or the free place for it."""
    mask = np.uint64(len(table) - 1)
    place = ((key ^ (key >> HALF)) * FACTOR >> HALF) & mask
    while table[place, 1] != np.uint64(0) and table[place, 0] != key:
        place = (place + np.uint64(1)) & mask
    return place


@step
def row_of_key(table: NDArray[np.uint64], key: np.uint64) -> np.int64:
    """The row of the decision of a key; NONE where there is none."""
    return np.int64(table[place_of_key(table, key), 1]) - 1


@step
def keep_key(decisions: Decisions, key: np.uint64, row: np.int64) -> None:
    """Let a key lead to a row."""
    place = place_of_key(decisions.table, key)
    decisions.sizes[KEYS] += decisions.table[place, 1] == np.uint64(0)
    decisions.table[place, 0] = key
    decisions.table[place, 1] = np.uint64(row + 1)


@step
def present_row(rows: Reals, row: np.int64) -> np.int64:
    """The row at which a decision stands now."""
    return -np.int64(rows[row, MOVES]) if rows[row, MOVES] < 0.0 else row


@native
def find_keys(decisions: Decisions, keys: NDArray[np.uint64], found: NDArray[np.int64]) -> None:
    """Fill in the rows at which the decisions of keys stand; NONE where there are none."""
    for i in range(len(keys)):
        found[i] = row_of_key(decisions.table, keys[i])
        if found[i] != NONE:
            found[i] = present_row(decisions.rows, found[i])


@native
def refill_keys(larger: NDArray[np.uint64], table: NDArray[np.uint64]) -> None:
    """Enter all keys into a larger table."""
    for old in range(len(table)):
        if table[old, 1] != np.uint64(0):
            place = place_of_key(larger, table[old, 0])
            larger[place, 0], larger[place, 1] = table[old, 0], table[old, 1]
