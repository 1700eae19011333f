"""Two players at a time: the cross table, and differences that use paired seeds.

A tournament plays all seatings of a game in a repetition by one seed of chance, so that luck is
shared. Such matches are a block. The difference of two players within a block is free of the luck
they shared, and blocks have seeds of their own: so its interval is made of how much it scatters
between blocks. Where all blocks have as many matches this is Student's interval for paired samples;
where they do not, each weighs as much as it has (the estimator of a ratio: Cochran 1977, Sampling
Techniques, chapter 6).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fogspiel.core.statistics import mean_interval, student_half
from fogspiel.play.ratings.comparisons import played
from fogspiel.play.ratings.standings import shares
from fogspiel.play.tournament.results import MatchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """What a player reached in the matches that another one took part in."""

    mean_share: float
    interval: tuple[float, float] | None
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How much higher the shares of one player are than those of another."""

    player: str
    other: str
    mean: float
    """Of the shares in these blocks: positive where the player is ahead."""
    interval: tuple[float, float] | None
    """At 95 %; None for a single block."""
    blocks: int


def cross_table(results: Iterable[MatchResult]) -> Mapping[tuple[str, str], Meeting]:
    """The meetings of all players who met, by the player and the other one."""
    own: dict[tuple[str, str], list[float]] = defaultdict(list)
    for result in played(results):
        reached = shares(result)
        for seat, player in enumerate(result.players):
            for other in sorted(set(result.players) - {player}):
                own[player, other].append(reached[seat])
    return {
        pair: Meeting(
            mean_share=float(np.mean(met)),
            interval=mean_interval(np.array(met)),
            matches=len(met),
        )
        for pair, met in sorted(own.items())
    }


def differences(results: Iterable[MatchResult]) -> tuple[Difference, ...]:
    """The differences of all players who took part in the same blocks, who comes first by name."""
    blocks: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in played(results):
        block = blocks[result.game, result.seed]
        for player, share in zip(result.players, shares(result), strict=True):
            block[player].append(share)
    shared: dict[tuple[str, str], list[tuple[list[float], list[float]]]] = defaultdict(list)
    for block in blocks.values():
        for one, other in combinations(sorted(block), 2):
            shared[one, other].append((block[one], block[other]))
    return tuple(_difference(*pair, own) for pair, own in sorted(shared.items()))


def _difference(one: str, other: str, blocks: list[tuple[list[float], list[float]]]) -> Difference:
    """blocks: the shares of both in each."""
    reached, apart = np.zeros(len(blocks)), 0.0
    for side, sign in ((0, 1.0), (1, -1.0)):
        sums = np.array([sum(block[side]) for block in blocks])
        counts = np.array([len(block[side]) for block in blocks])
        mean = float(sums.sum() / counts.sum())
        apart += sign * mean
        # What each block adds to the difference beyond its part.
        reached += sign * (sums - counts * mean) / counts.sum()
    interval = None
    if len(blocks) > 1:
        deviation = math.sqrt(len(blocks) / (len(blocks) - 1) * float(reached @ reached))
        half = student_half(deviation, len(blocks) - 1)
        interval = apart - half, apart + half
    return Difference(player=one, other=other, mean=apart, interval=interval, blocks=len(blocks))
