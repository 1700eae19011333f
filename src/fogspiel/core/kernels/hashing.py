"""Hashes of 64 bits, one word after another."""

from __future__ import annotations

import numpy as np

from fogspiel.core.native import inlined, native

FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: its multiples spread evenly (Knuth, TAOCP 3, section 6.4)."""
HALF = np.uint64(32)


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
