"""Standings, pairs of players, skills, and all results of a tournament in one record.

Mean shares with intervals, wins, draws, losses and faults. A share is a goal divided by 100, the
highest goal of GDL. Intervals of means are Student's, which take matches to be independent. Where
the seatings of a repetition share a seed they are not, but seats change too: the luck that helps a
player in one seat helps the other one next. Such intervals are rather too wide than too narrow;
whoever wants to tell two players apart looks at `differences`.

A tournament plays all seatings of a game in a repetition by one seed of chance, so that luck is
shared. Such matches are a block. The difference of two players within a block is free of the luck
they shared, and blocks have seeds of their own: so its interval is made of how much it scatters
between blocks. Where all blocks have as many matches this is Student's interval for paired samples;
where they do not, each weighs as much as it has (the estimator of a ratio: Cochran 1977, Sampling
Techniques, chapter 6).

Skills that matches of any number of players move one by one are those of OpenSkill.
Source: Weng & Lin (2011), Journal of Machine Learning Research 12, the model of Plackett and Luce,
as the library `openskill` computes it, with its own constants. A skill is a normal distribution of
mean mu and deviation sigma. Matches are taken in the order of their numbers, because each changes
the skills that earlier ones left: the same results give the same skills, whenever they were played.
Departures: none. A match in which a player has two seats is left out, since the model does not
allow a player to compete with itself.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from fogspiel.core.values import FULL_GOAL, bounded_interval, margin_text, student_half
from fogspiel.play.ratings.bradley_terry import (
    Rating,
    RatingHistory,
    Ratings,
    comparisons_of,
    played,
    rate,
    settling_of,
)
from fogspiel.play.series import DRAW, LOSS, WIN, outcomes_of
from fogspiel.play.tournament.schedule import FormatTable, MatchResult

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

    mean_share: float  #: The player's mean share in these matches
    interval: tuple[float, float] | None
    """Interval of the mean, at 95 %; None for a single match."""
    matches: int  #: Matches that both took part in


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference between the shares of two players."""

    player: str  #: The name of the player whose lead it is
    other: str  #: The name of the other one
    mean: float  #: Mean difference in these blocks: positive where the player is ahead
    interval: tuple[float, float] | None  #: Interval of the mean, at 95 %; None for a single block
    blocks: int  #: Repetitions of games that both took part in

    @property
    def margin(self) -> str:
        """The interval as text; empty for fewer than four blocks."""
        return margin_text(self.mean, self.interval, self.blocks)


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
        interval=bounded_interval(own, 1.0),
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
            interval=bounded_interval(np.array(met), 1.0),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """The skill of a player as a normal distribution."""

    player: str
    mu: float
    sigma: float
    ordinal: float  #: mu - 3 sigma: a skill that the player has almost surely
    matches: int  #: Matches that moved the skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Results of a set of matches."""

    played: int
    planned: int  #: Played, failed and still to come
    failures: tuple[MatchResult, ...]  #: Matches that came to no end
    seconds: float  #: Time of all matches together
    standings: tuple[Standing, ...]
    by_game: tuple[Standing, ...]
    by_seat: tuple[Standing, ...]
    ratings: Ratings
    skills: tuple[Skill, ...]
    cross: Mapping[tuple[str, str], Meeting]
    differences: tuple[Difference, ...]
    settling: RatingHistory
    table: FormatTable | None
    """Standings by the rules of the tournament's format, where it has rules of its own."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players in the order of the standings."""
        return tuple(standing.player for standing in self.standings)

    @property
    def finished(self) -> bool:
        """Whether every match was played or failed."""
        return self.played + len(self.failures) >= self.planned

    def rating(self, player: str) -> Rating:
        """The rating of one player."""
        return next(rating for rating in self.ratings.ratings if rating.player == player)

    def skill(self, player: str) -> Skill:
        """The skill of one player."""
        return next(skill for skill in self.skills if skill.player == player)

    def ahead(self, player: str, other: str) -> Difference | None:
        """The difference to another player; None where no block tells."""
        for own in self.differences:
            if (own.player, own.other) == (player, other):
                return own
            if (own.player, own.other) == (other, player):
                low, high = own.interval or (0.0, 0.0)
                interval = None if own.interval is None else (-high, -low)
                return replace(own, player=player, other=other, mean=-own.mean, interval=interval)
        return None


def summary_of(
    results: Iterable[MatchResult], *, planned: int | None = None, table: FormatTable | None = None
) -> Summary:
    """The summary of results. Without a plan, these are all the matches."""
    known = sorted(results, key=lambda result: result.number)
    ended, comparisons = played(known), comparisons_of(known)
    return Summary(
        played=len(ended),
        planned=len(known) if planned is None else planned,
        failures=tuple(result for result in known if result.failed is not None),
        seconds=sum(result.seconds for result in known),
        standings=standings_of(ended),
        by_game=standings_of(ended, "game"),
        by_seat=standings_of(ended, "seat"),
        ratings=rate(comparisons),
        skills=skills_of(known),
        cross=cross_table(ended),
        differences=differences(ended),
        settling=settling_of(comparisons, len(ended)),
        table=table,
    )


def skills_of(results: Iterable[MatchResult]) -> tuple[Skill, ...]:
    """The skills of all who took part, the highest ordinal first."""
    from openskill.models import PlackettLuce

    known = list(results)
    model = PlackettLuce()
    names = sorted({player for result in known for player in result.players})
    ratings = {name: model.rating(name=name) for name in names}
    moved = dict.fromkeys(names, 0)
    for result in played(known):
        if len(set(result.players)) < max(2, len(result.players)):
            continue
        teams = [[ratings[player]] for player in result.players]
        # The lowest rank is the best, and equal ranks are a draw.
        rated = model.rate(teams, ranks=[float(-goal) for goal in result.goals])
        for player, (rating,) in zip(result.players, rated, strict=True):
            ratings[player] = rating
            moved[player] += 1
    skills = [
        Skill(
            player=name,
            mu=rating.mu,
            sigma=rating.sigma,
            ordinal=rating.ordinal(),
            matches=moved[name],
        )
        for name, rating in ratings.items()
    ]
    return tuple(sorted(skills, key=lambda skill: (-skill.ordinal, skill.player)))
