"""The table as everybody sees it: the contract and every card played, in order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fogspiel.cases.bridge.cards import (
    DENOMINATIONS,
    NOTRUMP,
    SEATS,
    Card,
    Hand,
    Hands,
    Seat,
    hand_of,
    suit_cards,
    suit_of,
)


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract: the number of tricks that declarer promised, and in which suit."""

    level: int
    denomination: int  #: The trump suit, or `NOTRUMP`
    declarer: Seat
    risk: str = ""  #: Empty, `X` or `XX`

    @property
    def needed(self) -> int:
        """Tricks that make the contract."""
        return self.level + 6

    @property
    def dummy(self) -> Seat:
        """Declarer's partner."""
        return (self.declarer + 2) % 4

    @property
    def leader(self) -> Seat:
        """The seat that leads to the first trick."""
        return (self.declarer + 1) % 4

    @property
    def bid(self) -> str:
        """`5S`, `3NT`: level and denomination."""
        name = "NT" if self.denomination == NOTRUMP else DENOMINATIONS[self.denomination]
        return f"{self.level}{name}"

    def __str__(self) -> str:
        """`5SS`: level, denomination, risk, declarer; PBN's form with the declarer behind it."""
        return f"{self.bid}{self.risk}{SEATS[self.declarer]}"


@dataclass(frozen=True, slots=True)
class CardTable:
    """The play so far, without anybody's hand."""

    contract: Contract
    history: tuple[Card, ...] = ()  #: All cards played, in order
    trick_leader: Seat = -1
    """The seat that led to the trick that is being played (or leads to the next)."""
    won: int = 0  #: Tricks that declarer's side has won
    played: Hand = 0  #: All cards played, as a set

    @classmethod
    def start(cls, contract: Contract) -> CardTable:
        """The table before the opening lead."""
        return cls(contract, trick_leader=contract.leader)

    @property
    def trick(self) -> tuple[Card, ...]:
        """The cards of the trick that is being played."""
        return self.history[len(self.history) // 4 * 4 :]

    @property
    def turn(self) -> Seat:
        """The seat whose card comes next."""
        return (self.trick_leader + len(self.history) % 4) % 4

    @property
    def tricks_played(self) -> int:
        """The number of complete tricks."""
        return len(self.history) // 4

    @property
    def is_over(self) -> bool:
        """Whether all 52 cards are played."""
        return len(self.history) == 52

    @property
    def is_declarers_turn(self) -> bool:
        """Whether declarer chooses the next card, for hand or dummy."""
        return (self.turn - self.contract.declarer) % 2 == 0

    def legal(self, hand: Hand) -> Hand:
        """The cards that a hand may play: it follows suit if it can."""
        trick = self.trick
        if not trick:
            return hand
        return suit_cards(hand, suit_of(trick[0])) or hand

    def play(self, card: Card) -> CardTable:
        """The table after the next card."""
        history = (*self.history, card)
        played = self.played | 1 << card
        if len(history) % 4:
            return replace(self, history=history, played=played)
        winner = (self.trick_leader + winner_of(history[-4:], self.contract.denomination)) % 4
        ours = (winner - self.contract.declarer) % 2 == 0
        return CardTable(self.contract, history, winner, self.won + ours, played)


def winner_of(trick: tuple[Card, ...], trump: int) -> int:
    """The place of the winning card in a trick, counted from the lead."""
    best = 0
    for place, card in enumerate(trick):
        leads = trick[best]
        if suit_of(card) == suit_of(leads):
            if card > leads:
                best = place
        elif suit_of(card) == trump:
            best = place
    return best


def equal_groups(hand: Hand, legal: Hand, table: CardTable) -> list[tuple[Card, ...]]:
    """The legal cards in groups that take the same tricks, low cards first in each.

    Two cards of a hand are equals when every card between them is in the same hand or in a
    finished trick. A card of the trick that is being played still keeps them apart.
    """
    joining = hand | (table.played & ~hand_of(table.trick))
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


@dataclass(frozen=True, slots=True)
class PlayedCard:
    """A card with who played it and what was led."""

    seat: Seat
    card: Card
    led: Card  #: The first card of the trick; the card itself if it is that


def plays_of(table: CardTable) -> list[PlayedCard]:
    """The cards of a table with those who played them, in order."""
    replay = CardTable.start(table.contract)
    plays = []
    for card in table.history:
        led = replay.trick[0] if replay.trick else card
        plays.append(PlayedCard(replay.turn, card, led))
        replay = replay.play(card)
    return plays
