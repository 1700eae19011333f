"""Hashes of 64 bits, one word after another."""

from __future__ import annotations

import numpy as np

from fogspiel.core.native import native


@native
def mixed(key: np.uint64, word: np.uint64) -> np.uint64:
    """By the last steps of SplitMix64 (Steele, Lea & Flood 2014): every bit changes all others.

    Less is not enough. Boards differ in few bits, and two words that differ in their high bits
    must not make up for each other.
    """
    key = (key ^ word) + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))
