"""Words of 64 bits in kernels: hashes, hash tables and random numbers.

Tables are two arrays with open places, whose length is a power of two. Random numbers come from
xorshift (Marsaglia 2003, Journal of Statistical Software 8(14)): a kernel holds the state, a word
that is never 0, and starts it from a seed of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inlined, native

FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: its multiples spread evenly (Knuth, TAOCP 3, section 6.4)."""
HALF = np.uint64(32)
NONE = -1  #: Mark of a free place in a table, and of a missing node elsewhere
UNIT = 2.0**-53


@native
def mixed(key: np.uint64, word: np.uint64) -> np.uint64:
    """A key with one more word, by the finaliser of SplitMix64 (Steele, Lea & Flood 2014).

    Every bit changes all others, and less is not enough for keys. Boards differ in few bits, and
    two words that differ in their high bits must not make up for each other.
    """
    key = (key ^ word) + FACTOR
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@inlined
def folded(key: np.uint64, word: np.uint64) -> np.uint64:
    """A key with one more word, quickly: good enough for places in tables that compare entries."""
    key = (key ^ word) * FACTOR
    return key ^ (key >> HALF)


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


@native
def first_word(seed: int) -> np.uint64:
    """The first state of a generator: close seeds give distant states."""
    word = folded(np.uint64(0), np.uint64(seed) + np.uint64(1))
    return (word * FACTOR) | np.uint64(1)


@inlined
def next_word(word: np.uint64) -> np.uint64:
    """The word that follows."""
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    return word


@inlined
def uniform_of(word: np.uint64) -> float:
    """A number from 0 to 1, without 1."""
    return (word >> np.uint64(11)) * UNIT
