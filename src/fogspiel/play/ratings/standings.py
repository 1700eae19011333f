"""Standings: mean shares with intervals, wins, draws, losses and faults; and pairs of players.

A share is a goal divided by 100, the highest goal of GDL. Intervals of means are Student's, which
take matches to be independent. Where the seatings of a repetition share a seed they are not, but
seats change too: the luck that helps a player in one seat helps the other one next. Such intervals
are rather too wide than too narrow; whoever wants to tell two players apart looks at `differences`.

A tournament plays all seatings of a game in a repetition by one seed of chance, so that luck is
shared. Such matches are a block. The difference of two players within a block is free of the luck
they shared, and blocks have seeds of their own: so its interval is made of how much it scatters
between blocks. Where all blocks have as many matches this is Student's interval for paired samples;
where they do not, each weighs as much as it has (the estimator of a ratio: Cochran 1977, Sampling
Techniques, chapter 6).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from fogspiel.core.values import FULL_GOAL, mean_interval, student_half
from fogspiel.play.ratings.bradley_terry import played
from fogspiel.play.series import DRAW, LOSS, WIN, outcomes_of
from fogspiel.play.tournament.schedule import MatchResult

Part = Literal["game", "seat"]  #: Parts of the matches that have standings of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Results of some matches for a player."""

    player: str
    game: str | None  #: None for all games together
    role: str | None  #: None for all seats together
    matches: int  #: Matches, or seats in them where a player sat twice
    mean_share: float
    interval: tuple[float, float] | None  #: Interval of the mean, at 95 %; None for a single match
    wins: int
    draws: int
    losses: int
    faults: Mapping[str, int]  #: Moves that were replaced, by the kind of fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Results of a player in the matches that another one took part in."""

    mean_share: float
    interval: tuple[float, float] | None
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference between the shares of two players."""

    player: str
    other: str
    mean: float  #: Mean difference in these blocks: positive where the player is ahead
    interval: tuple[float, float] | None  #: Interval of the mean, at 95 %; None for a single block
    blocks: int


class _Place(NamedTuple):
    """One seat of one match."""

    share: float
    outcome: int
    faults: Mapping[str, int]


def standings_of(results: Iterable[MatchResult], by: Part | None = None) -> tuple[Standing, ...]:
    """Standings of all players, the best first; within each game, or each role of it, if asked.

    Failed matches count for nobody. Players who have no other are left out.
    """
    places: dict[tuple[str, str, str], list[_Place]] = defaultdict(list)
    ended = played(results)
    for result, won in zip(ended, outcomes(ended), strict=True):
        game = result.game if by else ""
        for seat, share in enumerate(shares(result)):
            role = result.roles[seat] if by == "seat" else ""
            place = _Place(share, won[seat], result.faults[seat])
            places[game, role, result.players[seat]].append(place)
    standings = [_standing(*key, own) for key, own in places.items()]
    # Roles keep the order of the rules, in which they came.
    order: dict[tuple[str, str], int] = {}
    for key in places:
        order.setdefault(key[:2], len(order))
    standings.sort(
        key=lambda own: (
            own.game or "",
            order[own.game or "", own.role or ""],
            -own.mean_share,
            own.player,
        )
    )
    return tuple(standings)


def shares(result: MatchResult) -> tuple[float, ...]:
    """The goals of a match, by seat, as shares of the highest one."""
    return tuple(goal / (FULL_GOAL * result.goal_scale) for goal in result.goals)


def outcomes(results: Sequence[MatchResult]) -> list[tuple[int, ...]]:
    """A win, draw or loss for each seat of each match."""
    # All matches of a kind at once: one by one, it would take longer than all the rest.
    kinds: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, result in enumerate(results):
        kinds[len(result.goals), result.goal_scale].append(place)
    found: list[tuple[int, ...]] = [()] * len(results)
    for (_, scale), places in kinds.items():
        goals = np.array([results[place].goals for place in places], dtype=np.int64)
        ended = outcomes_of(goals, full_goal=FULL_GOAL * scale).tolist()
        for place, own in zip(places, ended, strict=True):
            found[place] = tuple(own)
    return found


def _standing(game: str, role: str, player: str, places: list[_Place]) -> Standing:
    own = np.array([place.share for place in places])
    ended = Counter(place.outcome for place in places)
    faults = Counter[str]()
    for place in places:
        if place.faults:
            faults.update(place.faults)
    return Standing(
        player=player,
        game=game or None,
        role=role or None,
        matches=len(places),
        mean_share=float(own.mean()),
        interval=mean_interval(own),
        wins=ended[WIN],
        draws=ended[DRAW],
        losses=ended[LOSS],
        faults={kind: faults[kind] for kind in sorted(faults) if faults[kind]},
    )


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
