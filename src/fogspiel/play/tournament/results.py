"""What is kept of a match of a tournament: all that standings, ratings and reports are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fogspiel.play.tournament.plan import GameRules
from fogspiel.play.tournament.schedule import ScheduledMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """What one match came to. Everything by seat is in the order of the roles, chance left out."""

    number: int
    """In the schedule, from 0."""
    game: str
    """As the plan names it."""
    roles: tuple[str, ...]
    """Of the seats."""
    players: tuple[str, ...]
    """By seat, as the plan names them."""
    seed: int
    """Of chance: all seatings of the same players in a repetition share it."""
    goals: tuple[int, ...]
    """By seat and by the scale of the machine; empty where the match failed."""
    goal_scale: int
    """A goal g stands for the payoff g / goal_scale."""
    steps: int
    faults: tuple[Mapping[str, int], ...]
    """By seat: how often a move was replaced, by the kind of fault."""
    seconds: float
    """From the start of the match to its end."""
    failed: str | None = None
    """Why there are no goals: the rules broke down, or every try ended in a crash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """How long a seat thought for its moves."""

    seconds: float
    """Altogether."""
    slowest_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMatch:
    """What a match came to, with what only its journal keeps."""

    result: MatchResult
    thinking: tuple[Thinking, ...] = ()
    """By seat; nothing where the match failed."""
    record: bytes | None = None
    """Every move, as compressed JSON lines."""


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
