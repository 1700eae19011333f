"""What to play when the suit led is not held: a ruff, or the card that is least missed."""

from __future__ import annotations

from fogspiel.cases.bridge.cards import (
    NOTRUMP,
    Card,
    Hand,
    cards_of,
    holding,
    length,
    rank_of,
    suit_cards,
    suit_of,
)
from fogspiel.cases.bridge.players.natural.judgement import (
    ACE,
    JACK,
    low_first,
    masters,
    partner_wins,
    winners_among,
)
from fogspiel.cases.bridge.players.protocol import DefenderView

MASTER, TRUMP, GUARD, DUMMYS_LENGTH = 10.0, 8.0, 5.0, 3.0
"""What a discard gives up: a sure trick, a trump, a guard, as many cards as dummy has."""


def ruff_or_discard(sight: DefenderView) -> list[Card]:
    """All cards, the most natural first."""
    discards = sorted(cards_of(sight.hand), key=lambda card: (_cost(sight, card), card))
    if partner_wins(sight):
        return discards
    # Only trumps can win here; the cheapest that does.
    ruffs = low_first(winners_among(sight.hand, sight.table))
    return [*ruffs, *(card for card in discards if card not in ruffs)]


def _cost(sight: DefenderView, card: Card) -> float:
    """How much a card would be missed: sums of small judgements, compared only among each other."""
    suit = suit_of(card)
    held = length(sight.hand, suit)
    beside = length(sight.dummy_hand, suit)
    cost = 0.1 * rank_of(card) - 0.3 * held
    if masters(sight) >> card & 1:
        cost += MASTER
    if suit == sight.table.contract.denomination != NOTRUMP:
        cost += TRUMP
    if _guards(sight.hand, suit) and not _guards(sight.hand & ~(1 << card), suit):
        cost += GUARD
    if held == beside >= 4:
        cost += DUMMYS_LENGTH
    return cost


def _guards(hand: Hand, suit: int) -> bool:
    """Whether an honour is long enough to take a trick: king second, queen third, jack fourth."""
    if not suit_cards(hand, suit):
        return False
    top = holding(hand, suit).bit_length() - 1
    return top >= JACK and length(hand, suit) > ACE - top
