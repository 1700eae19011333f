"""A match as comparisons of two players each: the higher goal takes the point, equal ones share it.

A match of k roles gives k(k - 1)/2 of them. They are not independent of one another, nor are
matches that share the luck of a seed: what belongs together is called a block, and those who
estimate how sure a result is look at blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fogspiel.play.tournament.schedule import MatchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """All comparisons of some matches, in the order of their numbers."""

    players: tuple[str, ...]  #: All names in order, those without a comparison too
    first: NDArray[np.int64]  #: (comparisons,) indices of players
    second: NDArray[np.int64]  #: (comparisons,) never the same as the first
    points: NDArray[np.float64]  #: (comparisons,) points of the first player: 1, 1/2 or 0
    block: NDArray[np.int64]  #: (comparisons,) equal where matches had the same game and seed
    match: NDArray[np.int64]
    """(comparisons,) places of the matches among those that were played, from 0."""

    def until(self, matches: int) -> Comparisons:
        """The comparisons of the first matches alone, among the same players."""
        end = int(np.searchsorted(self.match, matches))
        columns = ("first", "second", "points", "block", "match")
        return replace(self, **{name: getattr(self, name)[:end] for name in columns})

    def table(self) -> NDArray[np.float64]:
        """(players, players) the points that each row took from each column."""
        count = len(self.players)
        taken = np.zeros((count, count))
        np.add.at(taken, (self.first, self.second), self.points)
        np.add.at(taken, (self.second, self.first), 1.0 - self.points)
        return taken


def comparisons_of(results: Iterable[MatchResult]) -> Comparisons:
    """The comparisons that matches give. The order in which results are handed in has no effect.

    A failed match gives none, and a player that sits twice in a match is not compared with itself.
    """
    known = list(results)
    players = tuple(sorted({player for result in known for player in result.players}))
    index = {player: place for place, player in enumerate(players)}
    blocks: dict[tuple[str, int], int] = {}
    rows: list[tuple[int, int, float, int, int]] = []
    for place, result in enumerate(played(known)):
        block = blocks.setdefault((result.game, result.seed), len(blocks))
        seats = [index[player] for player in result.players]
        for one, other in combinations(range(len(seats)), 2):
            if seats[one] != seats[other]:
                points = point(result.goals[one], result.goals[other])
                rows.append((seats[one], seats[other], points, block, place))
    columns = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    first, second, block_of, match = (columns[i].astype(np.int64) for i in (0, 1, 3, 4))
    return Comparisons(
        players=players, first=first, second=second, points=columns[2], block=block_of, match=match
    )


def played(results: Iterable[MatchResult]) -> Sequence[MatchResult]:
    """The matches that came to an end, by number."""
    ended = [result for result in results if result.failed is None]
    return sorted(ended, key=lambda result: result.number)


def point(own: int, other: int) -> float:
    """The points that a goal takes from another one."""
    return ((own > other) - (own < other) + 1) / 2
