"""Equal rows of an array of words, found by hashing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native


def distinct_rows(rows: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each different row stands first, in that order, and which of them every row is."""
    return _group(np.ascontiguousarray(rows))


@native
def _group(rows: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    count, width = rows.shape
    size = 16
    while size < 2 * count:
        size *= 2
    table = np.full(size, -1, np.int64)
    mask = np.uint64(size - 1)
    firsts = np.empty(count, np.int64)
    inverse = np.empty(count, np.int64)
    found = 0
    for i in range(count):
        mixed = np.uint64(0)
        for k in range(width):
            mixed = (mixed ^ rows[i, k]) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
        place = mixed & mask
        while True:
            known = table[place]
            if known < 0:
                table[place] = found
                firsts[found] = i
                inverse[i] = found
                found += 1
                break
            first = firsts[known]
            same = True
            for k in range(width):
                if rows[first, k] != rows[i, k]:
                    same = False
                    break
            if same:
                inverse[i] = known
                break
            place = (place + np.uint64(1)) & mask
    return firsts[:found].copy(), inverse
