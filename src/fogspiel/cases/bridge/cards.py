"""Cards as integers and hands as sets of bits.

A card is 13 times its suit plus its rank: suits are spades 0, hearts 1, diamonds 2, clubs 3 (the
order in which bridge writes them, and in which the double-dummy solver counts), ranks go from the
two, 0, to the ace, 12. A hand is an integer with one bit for each card.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

Card: TypeAlias = int
Hand: TypeAlias = int  #: A set of cards: bit `card` is set for each
Seat: TypeAlias = int  #: North 0, East 1, South 2, West 3: in the order of play
Hands: TypeAlias = tuple[Hand, Hand, Hand, Hand]
"""The cards that each seat still holds: North, East, South, West."""

SUITS = "SHDC"
RANKS = "23456789TJQKA"
SEATS = "NESW"
SEAT_NAMES = ("North", "East", "South", "West")
SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
SUIT_SIGNS = "♠♥♦♣"
NOTRUMP = 4
DENOMINATIONS = "SHDCN"
SUIT_MASK = (1 << 13) - 1
HAND_SIZE = 13
DECK: Hand = (1 << 52) - 1


def suit_of(card: Card) -> int:
    """The suit of a card, from 0 to 3."""
    return card // 13


def rank_of(card: Card) -> int:
    """The rank of a card: 0 for a two, 12 for an ace."""
    return card % 13


def hand_of(cards: Iterable[Card]) -> Hand:
    """The hand of some different cards."""
    return sum(1 << int(card) for card in cards)


def cards_of(hand: Hand) -> Iterator[Card]:
    """The cards of a hand: spades first, low before high in each suit."""
    while hand:
        lowest = hand & -hand
        yield lowest.bit_length() - 1
        hand ^= lowest


def holding(hand: Hand, suit: int) -> int:
    """The 13 bits of one suit."""
    return (hand >> (13 * suit)) & SUIT_MASK


def length(hand: Hand, suit: int) -> int:
    """The number of cards of a suit."""
    return holding(hand, suit).bit_count()


def suit_cards(hand: Hand, suit: int) -> Hand:
    """The part of a hand in one suit, as a hand."""
    return hand & (SUIT_MASK << (13 * suit))


def points(hand: Hand) -> int:
    """High-card points: ace 4, king 3, queen 2, jack 1."""
    return sum(
        (hand >> (13 * suit + rank) & 1) * (rank - 8) for suit in range(4) for rank in range(9, 13)
    )


def hands_by_seat(held: Mapping[Seat, Hand]) -> Hands:
    """The hands of all seats, from North on."""
    return held[0], held[1], held[2], held[3]


def card_name(card: Card) -> str:
    """`SA` for the ace of spades, as PBN writes it."""
    return SUITS[suit_of(card)] + RANKS[rank_of(card)]


def card_sign(card: Card) -> str:
    """`♠A`, as people read it."""
    return SUIT_SIGNS[suit_of(card)] + RANKS[rank_of(card)]


def parse_card(text: str) -> Card | None:
    """The card of `SA`, `s10` or `♠A`; None if it is none."""
    word = text.strip().upper().replace("10", "T")
    for suit, sign in enumerate(SUIT_SIGNS):
        word = word.replace(sign, SUITS[suit])
    if len(word) != 2 or word[0] not in SUITS or word[1] not in RANKS:
        return None
    return SUITS.index(word[0]) * 13 + RANKS.index(word[1])


def hand_text(hand: Hand) -> str:
    """A hand as PBN writes it: `AKQJ65.AK.AK.654`, high cards first."""
    return ".".join(suit_text(hand, suit) for suit in range(4))


def suit_text(hand: Hand, suit: int) -> str:
    """The ranks of a suit, high cards first."""
    return "".join(RANKS[rank] for rank in range(12, -1, -1) if holding(hand, suit) >> rank & 1)
