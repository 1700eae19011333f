"""What declarer sees: both own hands, the table, and what the auction told of the defenders."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from fogspiel.cases.bridge.cards import DECK, Card, Hand, Seat, suit_of
from fogspiel.cases.bridge.table import CardTable

HAND_SIZE = 13
MAX_POINTS = 37
"""High-card points of the best hand: four aces, four kings, four queens and a jack."""


@dataclass(frozen=True, slots=True)
class HandLimits:
    """What the auction says of the thirteen cards that a defender was dealt; bounds inclusive."""

    points: tuple[int, int] = (0, MAX_POINTS)
    lengths: tuple[tuple[int, int], ...] = ((0, HAND_SIZE),) * 4
    """For spades, hearts, diamonds, clubs."""

    @property
    def says_nothing(self) -> bool:
        """Whether every hand fits."""
        return self == NO_LIMITS


NO_LIMITS = HandLimits()


@dataclass(frozen=True, slots=True)
class Habits:
    """How the defenders are taken to choose cards; see `knowledge`."""

    equals: bool = True
    """They play any of equal cards alike, and so one that could not be chosen tells more."""
    leads: bool = True
    """The opening lead mostly follows the usual conventions."""


@dataclass(frozen=True)
class DeclarerView:
    """All that declarer knows. It holds no card that declarer does not see."""

    table: CardTable
    declarer_hand: Hand
    """Cards that declarer still holds."""
    dummy_hand: Hand
    limits: tuple[HandLimits, HandLimits] = (NO_LIMITS, NO_LIMITS)
    """Of the left and the right defender."""
    habits: Habits = field(default_factory=Habits)

    @property
    def left(self) -> Seat:
        """The defender who plays after declarer, and led to the first trick."""
        return (self.table.contract.declarer + 1) % 4

    @property
    def right(self) -> Seat:
        """The defender who plays before declarer."""
        return (self.table.contract.declarer + 3) % 4

    @property
    def unseen(self) -> Hand:
        """What the defenders hold between them."""
        return DECK & ~(self.table.played | self.declarer_hand | self.dummy_hand)

    def hand_of(self, seat: Seat) -> Hand:
        """What declarer or dummy still holds; a defender's cards are not to be seen."""
        if seat == self.table.contract.declarer:
            return self.declarer_hand
        if seat == self.table.contract.dummy:
            return self.dummy_hand
        raise ValueError(f"declarer sees the hands of two seats; seat {seat} is a defender")

    def shown_out(self, seat: Seat) -> frozenset[int]:
        """The suits that a player is known to have no more of: it did not follow to a lead."""
        return self._plays.voids[seat]

    def played_by(self, seat: Seat) -> Hand:
        """The cards that a player has played."""
        return self._plays.cards[seat]

    def cards_left(self, seat: Seat) -> int:
        """How many cards a player still holds."""
        return HAND_SIZE - self._plays.cards[seat].bit_count()

    @cached_property
    def _plays(self) -> _Plays:
        return _plays_of(self.table)


def view_of(
    hands: tuple[Hand, ...],
    table: CardTable,
    limits: tuple[HandLimits, HandLimits] = (NO_LIMITS, NO_LIMITS),
    habits: Habits | None = None,
) -> DeclarerView:
    """What declarer sees of four hands (as they are now, without cards played)."""
    contract = table.contract
    own, dummy = hands[contract.declarer], hands[contract.dummy]
    return DeclarerView(table, own, dummy, limits, habits or Habits())


@dataclass(frozen=True, slots=True)
class PlayedCard:
    """A card with who played it and what was led."""

    seat: Seat
    card: Card
    led: Card
    """The first card of the trick; the card itself if it is that."""


def plays_of(table: CardTable) -> list[PlayedCard]:
    """The cards of a table with those who played them, in order."""
    replay = CardTable.start(table.contract)
    plays = []
    for card in table.history:
        led = replay.trick[0] if replay.trick else card
        plays.append(PlayedCard(replay.turn, card, led))
        replay = replay.play(card)
    return plays


@dataclass(frozen=True, slots=True)
class _Plays:
    """What the play has shown of each seat."""

    cards: tuple[Hand, ...]
    voids: tuple[frozenset[int], ...]


def _plays_of(table: CardTable) -> _Plays:
    cards = [0, 0, 0, 0]
    voids: list[set[int]] = [set(), set(), set(), set()]
    for play in plays_of(table):
        cards[play.seat] |= 1 << play.card
        if suit_of(play.card) != suit_of(play.led):
            voids[play.seat].add(suit_of(play.led))
    return _Plays(tuple(cards), tuple(frozenset(suits) for suits in voids))
