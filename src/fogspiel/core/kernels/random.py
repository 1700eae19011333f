"""Random numbers inside kernels: xorshift (Marsaglia 2003, Journal of Statistical Software 8(14)).

A kernel holds its state, a word that is never 0, and starts it from a seed of its own.
"""

from __future__ import annotations

import numpy as np

from fogspiel.core.kernels.hashing import FACTOR, folded
from fogspiel.core.native import inlined, native

UNIT = 2.0**-53


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
