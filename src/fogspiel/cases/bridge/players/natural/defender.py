"""The defender `natural`: rules of thumb, at once, without search.

Source: the maxims of whist and bridge, as every primer has them: second hand low, third hand high,
cover honours, show count; a defender who cannot follow ruffs, or throws the card that is least
missed. Leads are those of rubber bridge: top of a sequence, fourth best against notrump, low from
an honour, an ace rather than away from it against a suit, partner's suit back, through strength and
up to weakness. The numbers only weigh these against each other.
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
    has_played,
    is_dummy_next,
    low_first,
    masters,
    partner_wins,
    setting_tricks,
    shown_void,
    suits_led,
    winners_among,
)
from fogspiel.cases.bridge.table import equal_groups
from fogspiel.cases.bridge.view import DefenderView

HIGHEST_SIGNAL = 6  #: The eight: a higher spot may be worth a trick and is not spent to show length
MASTER, TRUMP, GUARD, DUMMYS_LENGTH = 10.0, 8.0, 5.0, 3.0
"""Costs of a discard: a sure trick, a trump, a guard, as many cards as dummy has."""
PARTNERS_SUIT, RUFF_AND_DISCARD = 6.0, 6.0
"""Scores of a lead: of partner's suit, and that a ruff and discard costs."""


def preferences(view: DefenderView) -> list[Card]:
    """All legal cards, the most natural first. The same view gives the same order."""
    trick = view.table.trick
    if not trick:
        return lead(view)
    if suit_cards(view.hand, suit_of(trick[0])):
        return follow(view)
    return ruff_or_discard(view)


class NaturalDefender:
    """Plays the most natural card."""

    def start(self, seed: int) -> None:
        """Nothing is left to chance."""

    def card(self, view: DefenderView) -> Card:
        """The first of the preferences."""
        return preferences(view)[0]


def follow(view: DefenderView) -> list[Card]:
    """The cards of the suit that was led, the most natural first."""
    legal = view.legal
    winners = winners_among(legal, view.table)
    place = len(view.table.trick)
    if not winners:
        return low_cards(view, legal)
    if place == 1:
        return _second_hand(view, winners)
    if place == 2:
        return _third_hand(view, winners)
    if partner_wins(view):
        return low_cards(view, legal)
    return _with_first(low_first(winners), low_cards(view, legal))


def _second_hand(view: DefenderView, winners: Hand) -> list[Card]:
    """Low, unless an honour is there to be covered or the setting trick to be taken."""
    low = low_cards(view, view.legal)
    certain = low_first(winners & masters(view))
    if certain and setting_tricks(view.table) == 1:
        return _with_first(certain, low)
    led = view.table.trick[0]
    honours = [card for card in low_first(winners) if rank_of(card) > TEN]
    if honours and rank_of(led) >= TEN and not _has_touching_below(view, led):
        return _with_first(honours[:1], low)
    return low


def _has_touching_below(view: DefenderView, led: Card) -> bool:
    """Whether dummy led one of touching honours: then the last of them is the one to cover."""
    leader, dummy = view.table.trick_leader, view.table.contract.dummy
    return leader == dummy and rank_of(led) > TEN and bool(view.dummy_hand >> (led - 1) & 1)


def _third_hand(view: DefenderView, winners: Hand) -> list[Card]:
    """High, but no higher than it helps."""
    low = low_cards(view, view.legal)
    suit = suit_of(view.table.trick[0])
    unseen = suit_cards(view.unseen, suit)
    if is_dummy_next(view):
        # All that can still beat the trick lies on the table: win just above it, or give up.
        threats = suit_cards(view.dummy_hand, suit)
        enough = low_first(winners >> threats.bit_length() << threats.bit_length())
        if partner_wins(view) and not winners_among(threats, view.table):
            return low
        return _with_first(enough[:1], low) if enough else low
    if partner_wins(view) and not winners_among(unseen, view.table):
        return low
    # Declarer plays last: only cards that it may hold make one of ours better than another.
    highest = winners.bit_length() - 1
    between = unseen & ((1 << highest) - 1)
    cheapest = winners >> between.bit_length() << between.bit_length()
    return _with_first(low_first(cheapest)[:1], low)


def low_cards(view: DefenderView, cards: Hand) -> list[Card]:
    """Low cards first; the first card in a suit that declarer leads shows an even length high."""
    order = low_first(cards)
    table = view.table
    suit = suit_of(table.trick[0])
    ours_led = (table.trick_leader - view.seat) % 2 == 0
    if ours_led or len(order) % 2 or has_played(table, view.seat, suit):
        return order
    spots = [card for card in order if rank_of(card) <= HIGHEST_SIGNAL]
    if len(spots) < 2:
        return order
    groups = equal_groups(view.hand, cards, table)
    # The lowest of its equals: it tells as much.
    signal = next(group[0] for group in groups if spots[-1] in group)
    return _with_first([signal], order)


def _with_first(first: list[Card], order: list[Card]) -> list[Card]:
    return [*first, *(card for card in order if card not in first)]


def ruff_or_discard(view: DefenderView) -> list[Card]:
    """All cards, the most natural first."""
    discards = sorted(cards_of(view.hand), key=lambda card: (_cost(view, card), card))
    if partner_wins(view):
        return discards
    # Only trumps can win here; the cheapest that does.
    ruffs = low_first(winners_among(view.hand, view.table))
    return [*ruffs, *(card for card in discards if card not in ruffs)]


def _cost(view: DefenderView, card: Card) -> float:
    """The cost of a discard: a sum of small judgements, compared only with each other."""
    suit = suit_of(card)
    held = length(view.hand, suit)
    beside = length(view.dummy_hand, suit)
    cost = 0.1 * rank_of(card) - 0.3 * held
    if masters(view) >> card & 1:
        cost += MASTER
    if suit == view.table.contract.denomination != NOTRUMP:
        cost += TRUMP
    if _guards(view.hand, suit) and not _guards(view.hand & ~(1 << card), suit):
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
