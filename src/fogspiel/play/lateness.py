"""Whether players keep to their clocks: what is measured, and what is told of it.

Players of one process cannot be stopped from outside, so a match waits for the one that is late,
takes its move, and reports by how much it came too late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fogspiel.core.ids import RoleId

START = 0
"""The number of getting ready, before the first step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How a player kept to one of its clocks."""

    role: RoleId
    step: int
    """From 1; `START` for getting ready."""
    allowed_seconds: float
    over_seconds: float
    """Beyond the deadline; negative where it was in time."""


OnTiming = Callable[[Timing], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """How often a player was late, and by how much at most."""

    late: int = 0
    most_seconds: float = 0.0


def lateness_of(timings: Iterable[Timing], role: RoleId) -> Lateness:
    """Of one role, over a match."""
    over = [t.over_seconds for t in timings if t.role == role and t.over_seconds > 0.0]
    return Lateness(late=len(over), most_seconds=max(over, default=0.0))
