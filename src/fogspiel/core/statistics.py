"""Intervals for shares of games."""

from __future__ import annotations

import math

NORMAL_QUANTILE = 1.959964
"""Leaves out 2.5 % on each side: an interval of 95 %."""


def wilson(wins: int, games: int) -> tuple[float, float]:
    """The interval of 95 % for a share of games.

    Source: E. B. Wilson (1927), Journal of the American Statistical Association 22. Unlike the
    normal one it stays between 0 and 1, and is no point where all games were won.
    """
    share, square = wins / games, NORMAL_QUANTILE**2
    middle = (share + square / (2 * games)) / (1 + square / games)
    spread = share * (1 - share) / games + square / (4 * games**2)
    half = NORMAL_QUANTILE * math.sqrt(spread) / (1 + square / games)
    return max(0.0, middle - half), min(1.0, middle + half)
