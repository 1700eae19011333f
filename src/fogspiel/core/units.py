"""Units in which the values of a game are counted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """What values are counted in: (payoff of the tree - offset) / scale."""

    name: str
    offset: float
    scale: float

    def of_payoff(self, payoff: float) -> float:
        """A value in this unit."""
        return (payoff - self.offset) / self.scale

    def exactly(self, payoff: Fraction) -> Fraction:
        """A value in this unit, not rounded."""
        return (payoff - Fraction(self.offset)) / Fraction(self.scale)

    def of_gain(self, gain: float) -> float:
        """A difference of two values in this unit."""
        return gain / self.scale


GOALS = Unit("goals", 0.0, 1.0)
PAYOFFS = Unit("as the rules count", 0.0, 1.0)
