"""Hash tables of 64-bit keys in two arrays, with open places; their length is a power of two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.hashing import folded
from fogspiel.core.native import native

NONE = -1
"""Mark of a free place in a table, and of a missing node elsewhere."""


@native
def place_of(keys: NDArray[np.uint64], entries: NDArray[np.int64], key: np.uint64) -> np.uint64:
    """The place of a key, or the free place for it.

    entries: (places,) what keys lead to; `NONE` where free.
    """
    mask = np.uint64(len(keys) - 1)
    place = folded(np.uint64(0), key) & mask
    while entries[place] != NONE and keys[place] != key:
        place = (place + np.uint64(1)) & mask
    return place


@native
def add_key(
    keys: NDArray[np.uint64], entries: NDArray[np.int64], key: np.uint64, entry: np.int64
) -> bool:
    """Let a key lead to an entry, unless it leads to one already; whether it was added."""
    place = place_of(keys, entries, key)
    if entries[place] != NONE:
        return False
    keys[place], entries[place] = key, entry
    return True


@native
def refill_table(
    keys: NDArray[np.uint64],
    entries: NDArray[np.int64],
    old_keys: NDArray[np.uint64],
    old_entries: NDArray[np.int64],
) -> None:
    """Put all that a table holds into a larger one."""
    for old in range(len(old_keys)):
        if old_entries[old] != NONE:
            add_key(keys, entries, old_keys[old], old_entries[old])
