"""From a plan to its matches, numbered: the same plan always makes the same list.

In a game with k roles every choice of k players meets, and each such group sits in all k rotations
of its order in the plan: pairs play both ways round, and in a game for one each plays alone. All
seatings of a repetition get the same seed of chance, so that no player is better off by luck alone.
Repetitions come after each other: what a tournament has come to is fair at any moment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from fogspiel.core.findings import Finding, LimitError, UsageError
from fogspiel.play.tournament.plan import GameRules, TournamentPlan

MOST_MATCHES = 1_000_000
SEED_BYTES = 4


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """A match to be played."""

    number: int
    """From 0."""
    game: str
    players: tuple[str, ...]
    """By seat."""
    seed: int


def schedule_of(plan: TournamentPlan, games: Sequence[GameRules]) -> list[ScheduledMatch]:
    """All matches of a plan. games: its games, in its order.

    Raises `UsageError` TOU004 for a game with more roles than there are players or with none, and
    `LimitError` TOU005 for more matches than a tournament may have.
    """
    _refuse(plan, games)
    seatings = {game.name: _seatings(plan, len(game.roles)) for game in games}
    matches: list[ScheduledMatch] = []
    for repetition in range(plan.repetitions):
        for game in games:
            seed = seed_of(plan.seed, game.name, repetition)
            matches += [
                ScheduledMatch(number, game.name, seating, seed)
                for number, seating in enumerate(seatings[game.name], len(matches))
            ]
    return matches


def fingerprint(plan_text: str, matches: Sequence[ScheduledMatch]) -> str:
    """What tells a tournament from others: the SHA-256 of its plan and of all its matches.

    The matches as well, so that a version that seats players otherwise does not mix with this one.
    """
    total = hashlib.sha256(plan_text.encode("utf-8", "backslashreplace"))
    for match in matches:
        total.update(repr((match.number, match.game, match.players, match.seed)).encode())
    return total.hexdigest()


def seed_of(seed: int, game: str, repetition: int) -> int:
    """Of chance. A game keeps its seeds when others come or go."""
    digest = hashlib.sha256(f"{seed}\n{repetition}\n{game}".encode()).digest()
    return int.from_bytes(digest[:SEED_BYTES], "big")


def _seatings(plan: TournamentPlan, roles: int) -> list[tuple[str, ...]]:
    names = [player.name for player in plan.players]
    return [
        group[first:] + group[:first]
        for group in combinations(names, roles)
        for first in range(roles)
    ]


def _refuse(plan: TournamentPlan, games: Sequence[GameRules]) -> None:
    count = len(plan.players)
    findings = [_unfit(game, count) for game in games if not 0 < len(game.roles) <= count]
    if findings:
        raise UsageError(findings)
    matches = plan.repetitions * sum(
        comb(count, len(game.roles)) * len(game.roles) for game in games
    )
    if matches > MOST_MATCHES:
        raise LimitError.of(
            "TOU005",
            f"the plan makes {matches:,} matches; at most {MOST_MATCHES:,} are played",
            fix="lower `repetitions`, or leave out players or games",
        )


def _unfit(game: GameRules, players: int) -> Finding:
    if not game.roles:
        return Finding(
            "TOU004", f"nobody can play {game.name}: every role is chance", fix="leave the game out"
        )
    return Finding(
        "TOU004",
        f"{game.name} has {len(game.roles)} roles; the plan has {players} players",
        fix="add players (the same kind may enter under several names), or leave the game out",
    )
