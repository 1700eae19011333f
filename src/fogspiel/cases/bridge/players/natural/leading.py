"""Which card a defender leads: which suit is worth it, and which card of the suit.

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
from fogspiel.cases.bridge.players.protocol import DefenderView, equal_groups

PARTNERS_SUIT, SET_NOW, RUFF_AND_DISCARD = 6.0, 12.0, 6.0


def lead(sight: DefenderView) -> list[Card]:
    """All cards, the most natural first."""
    hand = sight.hand
    suits = [suit for suit in range(4) if suit_cards(hand, suit)]
    suits.sort(key=lambda suit: (-_worth(sight, suit), suit))
    certain = _sure_tricks(sight)
    order = [card for suit in suits for card in _cards_in_order(sight, suit)]
    if certain.bit_count() >= setting_tricks(sight.table) > 0:
        # Enough is there to beat the contract: it is taken before anything can happen.
        return sorted(order, key=lambda card: not certain >> card & 1)
    return order


def _sure_tricks(sight: DefenderView) -> Hand:
    """Masters that nobody is known to ruff."""
    table = sight.table
    trump = table.contract.denomination
    sure = masters(sight)
    if trump == NOTRUMP:
        return sure
    for suit in range(4):
        ruffs = trump != suit and suit_cards(sight.dummy_hand, trump)
        if (ruffs and not suit_cards(sight.dummy_hand, suit)) or (
            suit != trump and suit in shown_void(table, table.contract.declarer)
        ):
            sure &= ~suit_cards(sure, suit)
    return sure


def _worth(sight: DefenderView, suit: int) -> float:
    """How good a suit is to lead."""
    notrump = sight.table.contract.denomination == NOTRUMP
    if suit == sight.table.contract.denomination:
        worth = _trump_lead(sight, suit)
    elif notrump:
        worth = _notrump_lead(sight, suit)
    else:
        worth = _side_lead(sight, suit)
    if sight.table.history and suit != sight.table.contract.denomination:
        worth += _by_dummy(sight, suit)
        if suit in suits_led(sight.table, sight.partner)[:1]:
            worth += PARTNERS_SUIT
    return worth


def _notrump_lead(sight: DefenderView, suit: int) -> float:
    """Length is what makes tricks in notrump, and top cards of a sequence make it safe."""
    held = suit_cards(sight.hand, suit)
    return (
        1.5 * held.bit_count()
        + 0.5 * _honours(held, suit)
        + 1.5 * (len(_sequence(sight, suit)) >= 2)
        + 1.0 * (masters(sight) & held).bit_count()
    )


def _side_lead(sight: DefenderView, suit: int) -> float:
    """Against a suit: sequences and singletons; not away from an ace, nor from a lone honour."""
    held = suit_cards(sight.hand, suit)
    top = holding(held, suit).bit_length() - 1
    trumps = length(sight.hand, sight.table.contract.denomination)
    worth = 0.3 * held.bit_count()
    if len(_sequence(sight, suit)) >= 2:
        worth += 3.0 + 0.5 * (top - TEN)
    elif top == ACE:
        worth -= 2.0
    elif top >= JACK:
        worth -= 1.0
    if held.bit_count() == 1 and trumps and top < JACK:
        worth += 2.5
    return worth


def _trump_lead(sight: DefenderView, suit: int) -> float:
    """Passive; good where dummy is short in a side suit and could ruff."""
    dummy = sight.dummy_hand
    short = any(length(dummy, side) <= 1 for side in range(4) if side != suit)
    top = holding(sight.hand, suit).bit_length() - 1
    return 1.0 * (short and length(dummy, suit) > 0) - 1.0 * (top >= JACK and top != ACE)


def _by_dummy(sight: DefenderView, suit: int) -> float:
    """Through strength and up to weakness, and no ruff and discard."""
    dummy, table = sight.dummy_hand, sight.table
    trump = table.contract.denomination
    honours = _honours(suit_cards(dummy, suit), suit)
    worth = 0.7 * min(honours, 2) if is_dummy_next(sight) else 1.2 * (honours == 0)
    if trump != NOTRUMP and length(dummy, trump) and not length(dummy, suit):
        both = suit in shown_void(table, table.contract.declarer)
        worth -= RUFF_AND_DISCARD if both else 2.0
    return worth


def _cards_in_order(sight: DefenderView, suit: int) -> list[Card]:
    """The cards of a suit, the proper lead first."""
    held = suit_cards(sight.hand, suit)
    rising = low_first(held)
    first = _proper(sight, suit, rising)
    return [first, *(card for card in rising if card != first)]


def _proper(sight: DefenderView, suit: int, rising: list[Card]) -> Card:
    top = rising[-1]
    notrump = sight.table.contract.denomination == NOTRUMP
    opening = not sight.table.history
    if len(_sequence(sight, suit)) >= (3 if notrump and opening else 2):
        return top
    if rank_of(top) == ACE and not notrump:
        return top
    if len(rising) == 2 and rank_of(top) < JACK:
        return top
    if len(rising) >= 4:
        return rising[-4]
    return rising[0]


def _sequence(sight: DefenderView, suit: int) -> tuple[Card, ...]:
    """The touching cards at the top of a suit, if they begin with an honour."""
    groups = equal_groups(sight.hand, suit_cards(sight.hand, suit), sight.table)
    top = groups[-1]
    return tuple(top) if rank_of(top[-1]) >= TEN else ()


def _honours(cards: Hand, suit: int) -> int:
    """How many of ace, king, queen and jack there are."""
    return sum(rank_of(card) >= JACK and suit_of(card) == suit for card in cards_of(cards))
