"""What translation asks of a grounded game: its start, its goals, and how large numbers become.

Grounding stands above the languages, so translations know it by these protocols alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from fogspiel.core.terms import GroundTerm


class NumberRange(Protocol):
    """A number that play changes, with the values that it can take: (low … low + most) / scale."""

    @property
    def term(self) -> GroundTerm:
        """The function and its arguments."""

    @property
    def low(self) -> int:
        """Smallest value, times the scale."""

    @property
    def most(self) -> int:
        """Largest value minus the smallest, times the scale."""

    @property
    def scale(self) -> int:
        """Factor by which values are multiplied so that they are whole numbers."""


class GroundedGame(Protocol):
    """A game whose possible fluents, goals and numbers are known."""

    @property
    def registers(self) -> Sequence[NumberRange]:
        """Numbers that play changes."""

    @property
    def initial(self) -> AbstractSet[GroundTerm]:
        """Fluents that hold at the start."""

    @property
    def fluents(self) -> Mapping[GroundTerm, int]:
        """Fluents that may hold at some time."""

    @property
    def goals(self) -> Mapping[tuple[str, GroundTerm], int]:
        """Goals that roles may get."""
