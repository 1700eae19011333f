"""Facts that declarer knows of the cards at one turn, and relations about the trick on the table.

Cards of a hand that nobody can tell apart in play (no card of another hand lies between) count as
one, called by the lowest of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from fogspiel.cases.bridge.cards import (
    NOTRUMP,
    Card,
    Hand,
    card_name,
    cards_of,
    hand_of,
    holding,
    length,
    suit_cards,
    suit_of,
)
from fogspiel.cases.bridge.table import winner_of
from fogspiel.cases.bridge.tignum.defence import least_needed

Row: TypeAlias = tuple[str, ...]  #: One tuple of a relation
HANDS = ("declarer", "dummy")


@dataclass(frozen=True, slots=True)
class Facts:
    """The cards that declarer knows of at one turn."""

    ours: tuple[Hand, Hand]
    unseen: Hand  #: Cards that defenders may still hold
    trump: int
    trick: tuple[Card, ...]
    turn: int  #: 0 for declarer's own hand, 1 for dummy
    opening_suit: int  #: The suit that was led first of all
    tricks_needed: int  #: Tricks that make the contract, from here

    @property
    def both(self) -> Hand:
        """The cards of both hands of declarer's side."""
        return self.ours[0] | self.ours[1]

    @property
    def led(self) -> int:
        """The suit of the trick; -1 for a lead."""
        return suit_of(self.trick[0]) if self.trick else -1

    def classes(self, hand: int, suit: int) -> list[Card]:
        """The lowest card of each group of equal cards, from low to high."""
        own = suit_cards(self.ours[hand], suit)
        # A card of the trick on the table still keeps the cards beside it apart.
        others = suit_cards(self.unseen | self.ours[1 - hand] | hand_of(self.trick), suit)
        groups: list[Card] = []
        last = -1
        for card in cards_of(own):
            between = others & ((1 << card) - 1) & ~((1 << (last + 1)) - 1)
            if last < 0 or between:
                groups.append(card)
            last = card
        return groups

    def above(self, card: Card) -> int:
        """The number of higher cards of the suit that defenders may hold."""
        return (holding(self.unseen, suit_of(card)) >> (card % 13 + 1)).bit_count()

    def masters(self, suit: int) -> int:
        """The number of cards of a suit, in both hands, that no defender can beat in it."""
        return sum(not self.above(card) for card in cards_of(suit_cards(self.both, suit)))

    def top(self, hand: int, suit: int) -> Card:
        """The highest card of a suit; -1 for a void."""
        return suit_cards(self.ours[hand], suit).bit_length() - 1

    def trumps(self, hand: int) -> int:
        """The number of trumps in a hand."""
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


def places(facts: Facts, place: int) -> Iterator[Row]:
    """The hand whose turn it is and the other one, if so many cards of the trick are played."""
    if len(facts.trick) == place:
        yield HANDS[facts.turn], HANDS[1 - facts.turn]


def takes_cheaply(facts: Facts, *, surely: bool = False) -> Iterator[Row]:
    """The lowest card of the suit led that takes the trick as it stands.

    surely: the lowest that no defender can beat in the suit.
    """
    if facts.trick and facts.follows():
        for card in facts.classes(facts.turn, facts.led):
            if facts.takes(card) and not (surely and facts.above(card)):
                yield HANDS[facts.turn], card_name(card)
                return


takes_surely = partial(takes_cheaply, surely=True)


def ruffs(facts: Facts) -> Iterator[Row]:
    """The lowest and the highest trump that take the trick, for a hand that cannot follow."""
    if not facts.trick or facts.follows() or facts.trump in (facts.led, NOTRUMP):
        return
    fit = [card for card in facts.classes(facts.turn, facts.trump) if facts.takes(card)]
    if fit:
        yield HANDS[facts.turn], "low", card_name(fit[0])
    if len(fit) > 1:
        yield HANDS[facts.turn], "high", card_name(fit[-1])


def taken_by(facts: Facts) -> Iterator[Row]:
    """Cards of the hand whose turn it is that take the trick as it stands."""
    if facts.trick:
        suit = facts.led if facts.follows() else facts.trump
        for card in cards_of(suit_cards(facts.ours[facts.turn], suit)):
            if facts.takes(card):
                yield HANDS[facts.turn], card_name(card)


def lowest(facts: Facts) -> Iterator[Row]:
    """The lowest card that follows suit; else the card that is needed least."""
    hand = facts.ours[facts.turn]
    suited = suit_cards(hand, facts.led) if facts.trick else 0
    if suited:
        yield HANDS[facts.turn], card_name(next(cards_of(suited)))
        return
    plain = hand & ~suit_cards(hand, facts.trump) if facts.trump != NOTRUMP else hand
    yield HANDS[facts.turn], card_name(least_needed(plain or hand, facts.unseen))


def winning_side(facts: Facts) -> Iterator[Row]:
    """The side that would win the trick as it stands."""
    if len(facts.trick) >= 2:
        place = winner_of(facts.trick, facts.trump)
        ours = (len(facts.trick) - place) % 2 == 0
        yield ("ours" if ours else "theirs",)
    elif facts.trick:
        yield ("theirs",)


def led_holds(facts: Facts) -> bool:
    """Whether the card that we led wins so far, and no defender can beat it in its suit."""
    led = facts.trick[0] if facts.trick else -1
    return len(facts.trick) == 2 and facts.best() == led and not facts.above(led)


def plays_next(facts: Facts) -> Iterator[Row]:
    """The defender who plays after each of our hands."""
    yield "declarer", "left"
    yield "dummy", "right"
