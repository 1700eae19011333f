"""Observations: what one role did and saw in one step of play."""

from __future__ import annotations

from dataclasses import dataclass

from fogspiel.core.ids import MoveId, PerceptId


@dataclass(frozen=True, slots=True)
class Observation:
    """A role's own move in a step, and the percepts that the step gave it."""

    move: MoveId
    percepts: tuple[PerceptId, ...]
