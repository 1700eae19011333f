"""Matches of a tournament: those to be played, those that were played, and the order they come in.

A format (`formats`) makes the schedule of a plan. Matches are numbered, and the same plan and the
same results always make the same ones: that is how a tournament goes on after a crash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fogspiel.core.findings import LimitError
from fogspiel.play.tournament.plan import GameRules

MOST_MATCHES = 1_000_000
SEED_BYTES = 4


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """A match to be played."""

    number: int  #: Number in the schedule, from 0
    game: str
    players: tuple[str, ...]  #: The players by seat
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The result of one match. Everything by seat is in the order of the roles without chance."""

    number: int  #: Number in the schedule, from 0
    game: str  #: The name of the game in the plan
    roles: tuple[str, ...]  #: The role of each seat
    players: tuple[str, ...]  #: The names of the players in the plan, by seat
    seed: int  #: The seed of chance, which all matches of a block share
    goals: tuple[int, ...]
    """Goals by seat and by the scale of the machine; empty where the match failed."""
    goal_scale: int  #: A goal g stands for the payoff g / goal_scale
    steps: int
    faults: tuple[Mapping[str, int], ...]  #: The number of replaced moves by seat and kind of fault
    seconds: float  #: Seconds from the start of the match to its end
    failed: str | None = None
    """The reason why there are no goals: the rules broke down, or every try ended in a crash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The time that a seat took for its moves."""

    seconds: float  #: The time for all moves
    slowest_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMatch:
    """The result of a match, with what only its journal keeps."""

    result: MatchResult
    thinking: tuple[Thinking, ...] = ()
    """The thinking time by seat; nothing where the match failed."""
    record: bytes | None = None  #: Every move, as compressed JSON lines


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatTable:
    """Standings by the rules of a format, where it has rules of its own."""

    title: str  #: The title, such as `Swiss standings`
    columns: tuple[str, ...]  #: The names of the columns, the player's first
    rows: tuple[tuple[str | float, ...], ...]  #: The best player first


class Schedule(Protocol):
    """The matches of a plan, as its format has them."""

    @property
    def planned(self) -> int:
        """The number of all matches."""

    def settled(self, results: Sequence[MatchResult]) -> Sequence[ScheduledMatch]:
        """The matches that are known once these results are, by number, from the first match on."""

    def first_repeatable(self, results: Sequence[MatchResult]) -> int:
        """The number of the first match on whose result no match that was played depends."""

    def table(self, results: Sequence[MatchResult]) -> FormatTable | None:
        """Standings by the rules of the format; None where mean shares say all."""


def failed_match(
    match: ScheduledMatch, game: GameRules, why: str, seconds: float = 0.0
) -> PlayedMatch:
    """A match without goals."""
    return PlayedMatch(
        result=MatchResult(
            number=match.number,
            game=match.game,
            roles=game.roles,
            players=match.players,
            seed=match.seed,
            goals=(),
            goal_scale=1,
            steps=0,
            faults=tuple({} for _ in game.roles),
            seconds=seconds,
            failed=why,
        )
    )


def fingerprint(plan_text: str, matches: Sequence[ScheduledMatch]) -> str:
    """The SHA-256 of a plan and of all matches that are known before the first result.

    The matches as well, so that a version that seats players otherwise does not mix with this one.
    """
    total = hashlib.sha256(plan_text.encode("utf-8", "backslashreplace"))
    for match in matches:
        total.update(repr((match.number, match.game, match.players, match.seed)).encode())
    return total.hexdigest()


def seed_of(seed: int, game: str, repetition: int) -> int:
    """The seed of chance in a repetition. A game keeps its seeds when others come or go."""
    digest = hashlib.sha256(f"{seed}\n{repetition}\n{game}".encode()).digest()
    return int.from_bytes(digest[:SEED_BYTES], "big")


def refuse_too_many(matches: int, lower: str) -> None:
    """Raise `LimitError` TOU005 for more matches than a tournament may have.

    lower: what the plan should have less of.
    """
    if matches > MOST_MATCHES:
        raise LimitError.of(
            "TOU005",
            f"the plan makes {matches:,} matches; at most {MOST_MATCHES:,} are played",
            fix=f"lower {lower}, or leave out players or games",
        )
