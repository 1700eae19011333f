"""What passes between the server and a process that thinks: tasks one way, reports the other.

Deadlines are moments on the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from fogspiel.core.budget import Budget
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.messages import Told


@dataclass(frozen=True, slots=True)
class Prepare:
    """Load some rules: a match may come."""

    rules: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Load the rules and get ready to play a role."""

    rules: str = field(repr=False)
    role: str
    seed: int
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTask:
    """Take note of what was told, and choose a move."""

    told: Told
    answered: GroundTerm | None
    """What was answered when we were asked last; None for the first turn."""
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTask:
    """Take note of what was told, and let go of the match."""

    told: Told
    answered: GroundTerm | None


Task: TypeAlias = Prepare | Begin | TurnTask | EndTask


@dataclass(frozen=True, slots=True)
class Done:
    """The task is done; it asked for no move."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The task cannot be done."""

    why: str


@dataclass(frozen=True, slots=True)
class Fallback:
    """A legal move, in case thinking takes too long. The chosen one follows."""

    move: GroundTerm


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The move that the player chose."""

    move: GroundTerm
    at: float
    """When the player came back."""
    late_seconds: float
    """After the deadline; negative where it came before."""


Report: TypeAlias = Done | Failed | Fallback | Chosen
