"""Two players at a time: the cross table, and differences that use paired seeds.

A tournament plays all seatings of a game in a repetition by one seed of chance, so that
luck is shared. Such matches are a block. The difference of two players within a block is free of
the luck they shared, and blocks have seeds of their own: so the interval of 95 % is that of the
mean of the blocks' differences (Student's t for paired samples).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fogspiel.match.ratings.comparisons import played
from fogspiel.match.ratings.standings import shares
from fogspiel.match.series import mean_interval
from fogspiel.match.tournament.results import MatchResult


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
    """Of the blocks: positive where the player is ahead."""
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
    apart: dict[tuple[str, str], list[float]] = defaultdict(list)
    for block in blocks.values():
        means = {player: sum(own) / len(own) for player, own in block.items()}
        for one, other in combinations(sorted(means), 2):
            apart[one, other].append(means[one] - means[other])
    return tuple(
        Difference(
            player=one,
            other=other,
            mean=float(np.mean(own)),
            interval=mean_interval(np.array(own)),
            blocks=len(own),
        )
        for (one, other), own in sorted(apart.items())
    )
