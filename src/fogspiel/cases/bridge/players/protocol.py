"""The protocols of declarers and defenders.

A declarer gets a `DeclarerView`: both hands of its side and the table. A defender gets a
`DefenderView`: its own hand, dummy once the opening lead is on the table, and the table. Nothing
else reaches them, except those that say by a method `reveal` that they look into all hands: they
are bounds, not players.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias, runtime_checkable

from fogspiel.cases.bridge.cards import Card, Hands
from fogspiel.cases.bridge.view import DeclarerView, DefenderView

Objective: TypeAlias = Literal["tricks", "contract"]
"""The aim: as many tricks as can be had, or the contract first and tricks only after it."""


class Declarer(Protocol):
    """A player of declarer's two hands."""

    def start(self, seed: int) -> None:
        """Get ready for a deal. All that is left to chance follows from the seed."""

    def card(self, view: DeclarerView) -> Card:
        """A legal card of the hand whose turn it is, declarer's or dummy's."""


class Defender(Protocol):
    """A player of one defender's hand."""

    def start(self, seed: int) -> None:
        """Get ready for a deal. All that is left to chance follows from the seed."""

    def card(self, view: DefenderView) -> Card:
        """A legal card."""


@runtime_checkable
class SeesAllHands(Protocol):
    """A player that looks into every hand: what it achieves is a bound for the others."""

    def reveal(self, hands: Hands) -> None:
        """The four hands that are left before a card is asked for."""


@runtime_checkable
class TellsSchemes(Protocol):
    """A declarer that can say why it played its last card."""

    @property
    def scheme(self) -> str:
        """The name of the scheme to which the last card belonged; empty if to none."""
