"""Registers: the numbers of a game as fluents for their bits, and the faults of numbers.

Below grounding nobody knows of numbers, except by the list of registers that says which fluents
make up which value, and by fluents that hold where a step could not be carried out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from fogspiel.core.terms import GroundTerm

OVERFLOW = " overflow"
CONFLICT = " conflict"
TURNS = " turns"
"""Names that no text can write: a fluent (OVERFLOW, value) holds where the step before led the
value beyond its register, (CONFLICT, value) where it set it to two values at once, (TURNS, role)
where it gave the turn to that role and to another."""
FAULTS = {OVERFLOW: 1, CONFLICT: 1 << 20, TURNS: 1 << 40}
"""What each counts for in playouts, so that one sum tells them apart."""


def is_fault(fluent: GroundTerm) -> bool:
    """Whether a fluent says that something went wrong."""
    return isinstance(fluent, tuple) and fluent[0] in FAULTS


def bit_fluents(term: GroundTerm, most: int) -> tuple[GroundTerm, ...]:
    """The fluents for the bits of a value that comes to `most`, lowest first."""
    return tuple(("bit", term, str(place)) for place in range(most.bit_length()))


@dataclass(frozen=True, slots=True)
class Register:
    """A value that play changes: (low + 1·bit0 + 2·bit1 + …) / scale."""

    term: GroundTerm
    low: int
    scale: int
    bits: tuple[GroundTerm, ...]  #: The fluents, lowest first
    most: int  #: What the bits come to at most; more is an overflow
    is_sure: bool = True  #: Whether the rules keep to the range; otherwise play may pass it
    is_listed: bool = True  #: Whether states show it where it is 0, too

    @property
    def least(self) -> Fraction:
        """The smallest value that it can hold."""
        return Fraction(self.low, self.scale)

    @property
    def greatest(self) -> Fraction:
        """The largest value that it can hold."""
        return Fraction(self.low + self.most, self.scale)

    def value(self, holds: Iterable[bool]) -> Fraction:
        """The value when just some of the bits hold."""
        total = sum(1 << place for place, held in enumerate(holds) if held)
        return Fraction(self.low + total, self.scale)

    def is_set(self, value: Fraction) -> list[bool] | None:
        """The bits that hold for a value; None if it does not fit."""
        number = value * self.scale - self.low
        if number.denominator != 1 or not 0 <= number <= self.most:
            return None
        return [bool(int(number) >> place & 1) for place in range(len(self.bits))]
