"""Views of the players: all that declarer and a defender may see when they choose a card."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from fogspiel.cases.bridge.cards import DECK, HAND_SIZE, Hand, Seat, suit_of
from fogspiel.cases.bridge.hand_limits import NO_LIMITS, HandLimits
from fogspiel.cases.bridge.table import CardTable, plays_of


@dataclass(frozen=True, slots=True)
class Habits:
    """Assumptions on how the defenders choose their cards; see `knowledge`."""

    equals: bool = True
    """They play all of equal cards equally often, so that one without an equal tells more."""
    leads: bool = True  #: The opening lead mostly follows the usual conventions


@dataclass(frozen=True)
class DeclarerView:
    """All that declarer knows: both own hands, the table, and limits by the auction."""

    table: CardTable
    declarer_hand: Hand  #: Cards that declarer still holds
    dummy_hand: Hand
    limits: tuple[HandLimits, HandLimits] = (NO_LIMITS, NO_LIMITS)
    """Limits of the left and the right defender."""
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
        """The cards that the defenders hold between them."""
        return DECK & ~(self.table.played | self.declarer_hand | self.dummy_hand)

    def hand_of(self, seat: Seat) -> Hand:
        """The cards that declarer or dummy still holds; those of defenders are hidden."""
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
        """The number of cards that a player still holds."""
        return HAND_SIZE - self._plays.cards[seat].bit_count()

    @cached_property
    def _plays(self) -> _Plays:
        return _plays_of(self.table)


@dataclass(frozen=True, slots=True)
class DefenderView:
    """All that a defender knows when it has to play."""

    table: CardTable
    seat: Seat
    hand: Hand  #: Cards that the defender still holds
    dummy_hand: Hand  #: Cards that dummy still holds; none before the opening lead

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
        """Cards in the hidden hands."""
        return DECK & ~(self.table.played | self.hand | self.dummy_hand)


def view_of(
    hands: tuple[Hand, ...],
    table: CardTable,
    limits: tuple[HandLimits, HandLimits] = (NO_LIMITS, NO_LIMITS),
    habits: Habits | None = None,
) -> DeclarerView:
    """Declarer's view of four hands (as they are now, without cards played)."""
    contract = table.contract
    own, dummy = hands[contract.declarer], hands[contract.dummy]
    return DeclarerView(table, own, dummy, limits, habits or Habits())


@dataclass(frozen=True, slots=True)
class _Plays:
    """The cards and voids that the play has shown of each seat."""

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
