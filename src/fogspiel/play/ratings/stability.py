"""How ratings settled: what they would have been had the tournament ended earlier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.play.ratings.bradley_terry import ELO, centred, groups_of, strengths_of
from fogspiel.play.ratings.comparisons import Comparisons

MOST_POINTS = 60
"""Of a line: more than a plot can show would take longer to compute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingHistory:
    """Ratings after some of the matches, in the order of the schedule."""

    players: tuple[str, ...]
    matches: tuple[int, ...]
    """After how many, rising; the last is all."""
    elo: NDArray[np.float64]
    """(points, players), relative to the mean of all; NaN before the first comparison."""


def settling_of(
    comparisons: Comparisons, matches: int, *, points: int = MOST_POINTS
) -> RatingHistory:
    """Rate players after some matches, after more, and so on to all.

    matches: how many were played.
    """
    moments = np.unique(np.linspace(matches / points, matches, points).round().astype(np.int64))
    moments = moments[moments > 0]
    elo = np.full((len(moments), len(comparisons.players)), np.nan)
    strengths: NDArray[np.float64] | None = None
    for row, moment in enumerate(moments):
        table = comparisons.until(int(moment)).table()
        # The strengths of before are near: Newton's method then needs a step or two.
        strengths = strengths_of(table, start=strengths)
        compared = (table + table.T).any(axis=1)
        relative = centred(strengths, groups_of(table)[0])
        elo[row, compared] = ELO * relative[compared]
    return RatingHistory(
        players=comparisons.players, matches=tuple(int(moment) for moment in moments), elo=elo
    )
