"""Units in which the values of a game are counted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

AS_THE_RULES_COUNT = "as the rules count"
"""The name of a unit in which payoffs are those that the rules state."""
FULL_GOAL = 100
"""The largest goal value of GDL. Goals of a machine are multiplied by its `goal_scale`."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a game's payoffs: value = (goal - offset) / scale.

    Goals may be means, or payoffs of a tree; whoever makes the unit says which.
    """

    name: str
    offset: float
    scale: float

    def value(self, goal: float) -> float:
        """The value of a goal."""
        return (goal - self.offset) / self.scale

    def exact_value(self, goal: Fraction) -> Fraction:
        """The value of a goal, not rounded."""
        return (goal - Fraction(self.offset)) / Fraction(self.scale)

    def difference(self, goals: float) -> float:
        """The difference of two values, from that of their goals."""
        return goals / self.scale


GOALS = Unit("goals", 0.0, 1.0)
PAYOFFS = Unit(AS_THE_RULES_COUNT, 0.0, 1.0)
