"""What a declarer and a defender are, and what each of them is shown.

A declarer gets a `DeclarerView`: both hands of its side and the table. A defender gets a
`DefenderView`: its own hand, dummy once the opening lead is on the table, and the table. Nothing
else reaches them, except those that say by a method `reveal` that they look into all hands: they
are bounds, not players.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from fogspiel.cases.bridge.cards import DECK, Card, Hand, Seat
from fogspiel.cases.bridge.double_dummy import Hands
from fogspiel.cases.bridge.table import CardTable
from fogspiel.cases.bridge.view import DeclarerView

Objective: TypeAlias = Literal["tricks", "contract"]
"""As many tricks as can be had, or the contract first and tricks only after it."""


@dataclass(frozen=True, slots=True)
class DefenderView:
    """What a defender sees when it has to play."""

    table: CardTable
    seat: Seat
    hand: Hand
    """Cards that the defender still holds."""
    dummy_hand: Hand
    """Cards that dummy still holds; none before the opening lead."""

    @property
    def partner(self) -> Seat:
        """The other defender."""
        return (self.seat + 2) % 4

    @property
    def legal(self) -> Hand:
        """The cards that may be played."""
        return self.table.legal(self.hand)

    @property
    def unseen(self) -> Hand:
        """Cards that others hold out of sight."""
        return DECK & ~(self.table.played | self.hand | self.dummy_hand)


class Declarer(Protocol):
    """The mind of declarer, who plays two hands."""

    def start(self, seed: int) -> None:
        """Get ready for a deal. All that is left to chance follows from the seed."""

    def card(self, view: DeclarerView) -> Card:
        """A legal card of the hand whose turn it is, declarer's or dummy's."""


class Defender(Protocol):
    """The mind of one defender."""

    def start(self, seed: int) -> None:
        """Get ready for a deal. All that is left to chance follows from the seed."""

    def card(self, sight: DefenderView) -> Card:
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


def equal_groups(hand: Hand, legal: Hand, table: CardTable) -> list[tuple[Card, ...]]:
    """The legal cards in groups that take the same tricks, low cards first in each.

    Two cards of a hand are equals when every card between them is in the same hand or in a
    finished trick. A card of the trick that is being played still keeps them apart.
    """
    trick = 0
    for card in table.trick:
        trick |= 1 << card
    joining = hand | (table.played & ~trick)
    groups: list[list[Card]] = []
    last = -2
    for card in range(52):
        if not joining >> card & 1 or card % 13 == 0:
            last = -2
        if legal >> card & 1:
            if last >= 0:
                groups[-1].append(card)
            else:
                groups.append([card])
            last = card
    return [tuple(group) for group in groups]


def without(hands: Hands, seat: Seat, card: Card) -> Hands:
    """The hands after a card has left one of them."""
    left = list(hands)
    left[seat] &= ~(1 << card)
    return left[0], left[1], left[2], left[3]
