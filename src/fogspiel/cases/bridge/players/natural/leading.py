"""Leads of the defender `natural`: the choice of a suit, and of a card of the suit.

Source: the usual leads of rubber bridge: top of a sequence, fourth best against notrump, low from
an honour, an ace rather than away from it against a suit, partner's suit back, through strength
and up to weakness. The numbers only weigh these against each other.
"""

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
    TEN,
    is_dummy_next,
    low_first,
    masters,
    setting_tricks,
    shown_void,
    suits_led,
)
from fogspiel.cases.bridge.table import equal_groups
from fogspiel.cases.bridge.view import DefenderView

PARTNERS_SUIT, SET_NOW, RUFF_AND_DISCARD = 6.0, 12.0, 6.0


def lead(view: DefenderView) -> list[Card]:
    """All cards, the most natural first."""
    hand = view.hand
    suits = [suit for suit in range(4) if suit_cards(hand, suit)]
    suits.sort(key=lambda suit: (-_score(view, suit), suit))
    certain = _sure_tricks(view)
    order = [card for suit in suits for card in _cards_in_order(view, suit)]
    if certain.bit_count() >= setting_tricks(view.table) > 0:
        # Enough is there to beat the contract: it is taken before anything can happen.
        return sorted(order, key=lambda card: not certain >> card & 1)
    return order


def _sure_tricks(view: DefenderView) -> Hand:
    """Masters that nobody is known to ruff."""
    table = view.table
    trump = table.contract.denomination
    sure = masters(view)
    if trump == NOTRUMP:
        return sure
    for suit in range(4):
        ruffs = trump != suit and suit_cards(view.dummy_hand, trump)
        if (ruffs and not suit_cards(view.dummy_hand, suit)) or (
            suit != trump and suit in shown_void(table, table.contract.declarer)
        ):
            sure &= ~suit_cards(sure, suit)
    return sure


def _score(view: DefenderView, suit: int) -> float:
    """The score of a suit as a lead."""
    notrump = view.table.contract.denomination == NOTRUMP
    if suit == view.table.contract.denomination:
        score = _trump_lead(view, suit)
    elif notrump:
        score = _notrump_lead(view, suit)
    else:
        score = _side_lead(view, suit)
    if view.table.history and suit != view.table.contract.denomination:
        score += _by_dummy(view, suit)
        if suit in suits_led(view.table, view.partner)[:1]:
            score += PARTNERS_SUIT
    return score


def _notrump_lead(view: DefenderView, suit: int) -> float:
    """Length is what makes tricks in notrump, and top cards of a sequence make it safe."""
    held = suit_cards(view.hand, suit)
    return (
        1.5 * held.bit_count()
        + 0.5 * _honours(held, suit)
        + 1.5 * (len(_sequence(view, suit)) >= 2)
        + 1.0 * (masters(view) & held).bit_count()
    )


def _side_lead(view: DefenderView, suit: int) -> float:
    """Against a suit: sequences and singletons; not away from an ace, nor from a lone honour."""
    held = suit_cards(view.hand, suit)
    top = holding(held, suit).bit_length() - 1
    trumps = length(view.hand, view.table.contract.denomination)
    score = 0.3 * held.bit_count()
    if len(_sequence(view, suit)) >= 2:
        score += 3.0 + 0.5 * (top - TEN)
    elif top == ACE:
        score -= 2.0
    elif top >= JACK:
        score -= 1.0
    if held.bit_count() == 1 and trumps and top < JACK:
        score += 2.5
    return score


def _trump_lead(view: DefenderView, suit: int) -> float:
    """Passive; good where dummy is short in a side suit and could ruff."""
    dummy = view.dummy_hand
    short = any(length(dummy, side) <= 1 for side in range(4) if side != suit)
    top = holding(view.hand, suit).bit_length() - 1
    return 1.0 * (short and length(dummy, suit) > 0) - 1.0 * (top >= JACK and top != ACE)


def _by_dummy(view: DefenderView, suit: int) -> float:
    """Through strength and up to weakness, and no ruff and discard."""
    dummy, table = view.dummy_hand, view.table
    trump = table.contract.denomination
    honours = _honours(suit_cards(dummy, suit), suit)
    score = 0.7 * min(honours, 2) if is_dummy_next(view) else 1.2 * (honours == 0)
    if trump != NOTRUMP and length(dummy, trump) and not length(dummy, suit):
        both = suit in shown_void(table, table.contract.declarer)
        score -= RUFF_AND_DISCARD if both else 2.0
    return score


def _cards_in_order(view: DefenderView, suit: int) -> list[Card]:
    """The cards of a suit, the proper lead first."""
    held = suit_cards(view.hand, suit)
    rising = low_first(held)
    first = _proper(view, suit, rising)
    return [first, *(card for card in rising if card != first)]


def _proper(view: DefenderView, suit: int, rising: list[Card]) -> Card:
    top = rising[-1]
    notrump = view.table.contract.denomination == NOTRUMP
    opening = not view.table.history
    if len(_sequence(view, suit)) >= (3 if notrump and opening else 2):
        return top
    if rank_of(top) == ACE and not notrump:
        return top
    if len(rising) == 2 and rank_of(top) < JACK:
        return top
    if len(rising) >= 4:
        return rising[-4]
    return rising[0]


def _sequence(view: DefenderView, suit: int) -> tuple[Card, ...]:
    """The touching cards at the top of a suit, if they begin with an honour."""
    groups = equal_groups(view.hand, suit_cards(view.hand, suit), view.table)
    top = groups[-1]
    return tuple(top) if rank_of(top[-1]) >= TEN else ()


def _honours(cards: Hand, suit: int) -> int:
    """The number of aces, kings, queens and jacks."""
    return sum(rank_of(card) >= JACK and suit_of(card) == suit for card in cards_of(cards))
