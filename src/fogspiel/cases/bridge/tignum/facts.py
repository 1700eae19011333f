"""What declarer knows of the cards at one turn of his: the facts that relations are made of.

Cards of a hand that nobody can tell apart in play (no card of another hand lies between) count as
one, called by the lowest of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.cases.bridge.cards import (
    NOTRUMP,
    Card,
    Hand,
    cards_of,
    holding,
    length,
    suit_cards,
    suit_of,
)
from fogspiel.cases.bridge.table import winner_of

Row: TypeAlias = tuple[str, ...]
"""One tuple of a relation."""
HANDS = ("declarer", "dummy")


@dataclass(frozen=True, slots=True)
class Facts:
    """What declarer knows at one turn of his."""

    ours: tuple[Hand, Hand]
    unseen: Hand
    """What defenders may still hold."""
    trump: int
    trick: tuple[Card, ...]
    turn: int
    """0 for declarer's own hand, 1 for dummy."""
    opening_suit: int
    """The suit that was led first of all."""
    tricks_needed: int
    """To make the contract, from here."""

    @property
    def table_cards(self) -> Hand:
        """The cards of the trick, as a set."""
        return sum(1 << card for card in self.trick)

    @property
    def led(self) -> int:
        """The suit of the trick; -1 for a lead."""
        return suit_of(self.trick[0]) if self.trick else -1

    def classes(self, hand: int, suit: int) -> list[Card]:
        """The lowest card of each group of equal cards, from low to high."""
        own = suit_cards(self.ours[hand], suit)
        # A card of the trick on the table still keeps the cards beside it apart.
        others = suit_cards(self.unseen | self.ours[1 - hand] | self.table_cards, suit)
        groups: list[Card] = []
        last = -1
        for card in cards_of(own):
            between = others & ((1 << card) - 1) & ~((1 << (last + 1)) - 1)
            if last < 0 or between:
                groups.append(card)
            last = card
        return groups

    def above(self, card: Card) -> int:
        """How many higher cards of the suit defenders may hold."""
        return (holding(self.unseen, suit_of(card)) >> (card % 13 + 1)).bit_count()

    def top(self, hand: int, suit: int) -> Card:
        """The highest card of a suit; -1 for a void."""
        return suit_cards(self.ours[hand], suit).bit_length() - 1

    def trumps(self, hand: int) -> int:
        """How many trumps a hand has."""
        return length(self.ours[hand], self.trump) if self.trump != NOTRUMP else 0

    def best(self) -> Card:
        """The card that would win the trick if it ended now."""
        return self.trick[winner_of(self.trick, self.trump)]

    def takes(self, card: Card) -> bool:
        """Whether a card takes the trick from those before it."""
        best = self.best()
        if suit_of(card) == suit_of(best):
            return card > best
        return suit_of(card) == self.trump

    @property
    def tricks_left(self) -> int:
        """Tricks that are still to be played, with the one on the table."""
        return max(hand.bit_count() for hand in self.ours)

    def follows(self) -> bool:
        """Whether the hand whose turn it is has the suit that was led."""
        return bool(suit_cards(self.ours[self.turn], self.led))
