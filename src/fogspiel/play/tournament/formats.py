"""Formats of tournaments: which matches a plan makes. Round robin is here, others have a module.

In a game with k roles every choice of k players meets, and each such group sits in all k rotations
of its order in the plan: pairs play both ways round, and in a game for one each plays alone. All
seatings of a repetition get the same seed of chance, so that no player is better off by luck alone.
Repetitions come after each other: standings are fair at any moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from types import MappingProxyType

from fogspiel.core.findings import Finding, UsageError
from fogspiel.play.tournament.plan import DEFAULT_FORMAT, GameRules, TournamentPlan
from fogspiel.play.tournament.schedule import (
    FormatTable,
    MatchResult,
    Schedule,
    ScheduledMatch,
    refuse_too_many,
    seed_of,
)
from fogspiel.play.tournament.swiss import SwissSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFormat:
    """An entry of the table of formats."""

    make: Callable[[TournamentPlan, Sequence[GameRules]], Schedule]
    """Makes the schedule of a plan from its games. Raises `UsageError` TOU004 for games that do not
    fit, and `LimitError` TOU005."""
    options: tuple[str, ...] = ()
    """Whole numbers that the plan must give for this format, and for no other."""


class RoundRobin:
    """Everybody meets everybody. Implements `Schedule`."""

    def __init__(self, plan: TournamentPlan, games: Sequence[GameRules]) -> None:
        names = [player.name for player in plan.players]
        unfit = [own for own in games if not 0 < len(own.roles) <= len(names)]
        if unfit:
            raise UsageError(_unfit(own, len(names)) for own in unfit)
        groups = [comb(len(names), len(own.roles)) * len(own.roles) for own in games]
        self.planned = plan.repetitions * sum(groups)
        refuse_too_many(self.planned, "`repetitions`")
        self._plan, self._games, self._names = plan, games, names

    def settled(self, results: Sequence[MatchResult]) -> Sequence[ScheduledMatch]:
        """All matches, whatever the results are."""
        matches: list[ScheduledMatch] = []
        for repetition in range(self._plan.repetitions):
            for game in self._games:
                seed, roles = seed_of(self._plan.seed, game.name, repetition), len(game.roles)
                seatings = (
                    group[first:] + group[:first]
                    for group in combinations(self._names, roles)
                    for first in range(roles)
                )
                matches += [
                    ScheduledMatch(number, game.name, seating, seed)
                    for number, seating in enumerate(seatings, len(matches))
                ]
        return matches

    def first_repeatable(self, results: Sequence[MatchResult]) -> int:
        """The first match: none depends on others."""
        return 0

    def table(self, results: Sequence[MatchResult]) -> FormatTable | None:
        """No table: everybody has the same opponents, so that mean shares say all."""
        return None


def _unfit(game: GameRules, players: int) -> Finding:
    if not game.roles:
        return Finding(
            "TOU004",
            f"nobody can play {game.name}: every role is chance",
            fix="leave the game out",
        )
    return Finding(
        "TOU004",
        f"{game.name} has {len(game.roles)} roles; the plan has {players} players",
        fix="add players (the same kind may enter under several names), or leave the game out",
    )


FORMATS: Mapping[str, TournamentFormat] = MappingProxyType(
    {
        DEFAULT_FORMAT: TournamentFormat(make=RoundRobin),
        "swiss": TournamentFormat(make=SwissSchedule, options=("rounds",)),
    }
)


def schedule_of(plan: TournamentPlan, games: Sequence[GameRules]) -> Schedule:
    """The schedule of a plan. games: its games, in its order.

    Raises `UsageError` TOU004 for games that do not fit the format or the players, and `LimitError`
    TOU005 for more matches than a tournament may have.
    """
    return FORMATS[plan.format].make(plan, games)
