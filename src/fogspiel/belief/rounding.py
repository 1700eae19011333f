"""Probabilities as whole numbers, by which equal beliefs are found.

Two ways to a belief add and divide in another order, so that its probabilities differ in their
last bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROUNDING = 2.0**40
"""Probabilities that differ by less than one part of this are the same."""


def rounded(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """(n,) for keys of beliefs. shares: (n,) probabilities."""
    whole: NDArray[np.int64] = np.round(shares * ROUNDING).astype(np.int64)
    return whole
