"""Which card to follow suit with: second hand low, third hand high, cover honours, show count.

Source: the maxims of whist and bridge, as every primer has them.
"""

from __future__ import annotations

from fogspiel.cases.bridge.cards import Card, Hand, rank_of, suit_cards, suit_of
from fogspiel.cases.bridge.players.natural.judgement import (
    TEN,
    has_played,
    is_dummy_next,
    low_first,
    masters,
    partner_wins,
    setting_tricks,
    winners_among,
)
from fogspiel.cases.bridge.players.protocol import DefenderView, equal_groups

HIGHEST_SIGNAL = 6
"""The eight: a higher spot may be worth a trick and is not spent to show length."""


def follow(sight: DefenderView) -> list[Card]:
    """The cards of the suit that was led, the most natural first."""
    legal = sight.legal
    winners = winners_among(legal, sight.table)
    place = len(sight.table.trick)
    if not winners:
        return low_cards(sight, legal)
    if place == 1:
        return _second_hand(sight, winners)
    if place == 2:
        return _third_hand(sight, winners)
    if partner_wins(sight):
        return low_cards(sight, legal)
    return _with_first(low_first(winners), low_cards(sight, legal))


def _second_hand(sight: DefenderView, winners: Hand) -> list[Card]:
    """Low, unless an honour is there to be covered or the setting trick to be taken."""
    low = low_cards(sight, sight.legal)
    certain = low_first(winners & masters(sight))
    if certain and setting_tricks(sight.table) == 1:
        return _with_first(certain, low)
    led = sight.table.trick[0]
    honours = [card for card in low_first(winners) if rank_of(card) > TEN]
    if honours and rank_of(led) >= TEN and not _has_touching_below(sight, led):
        return _with_first(honours[:1], low)
    return low


def _has_touching_below(sight: DefenderView, led: Card) -> bool:
    """Whether dummy led one of touching honours: then the last of them is the one to cover."""
    leader, dummy = sight.table.trick_leader, sight.table.contract.dummy
    return leader == dummy and rank_of(led) > TEN and bool(sight.dummy_hand >> (led - 1) & 1)


def _third_hand(sight: DefenderView, winners: Hand) -> list[Card]:
    """High, but no higher than it helps."""
    low = low_cards(sight, sight.legal)
    suit = suit_of(sight.table.trick[0])
    unseen = suit_cards(sight.unseen, suit)
    if is_dummy_next(sight):
        # All that can still beat the trick lies on the table: win just above it, or give up.
        threats = suit_cards(sight.dummy_hand, suit)
        enough = low_first(winners >> threats.bit_length() << threats.bit_length())
        if partner_wins(sight) and not winners_among(threats, sight.table):
            return low
        return _with_first(enough[:1], low) if enough else low
    if partner_wins(sight) and not winners_among(unseen, sight.table):
        return low
    # Declarer plays last: only cards that it may hold make one of ours better than another.
    highest = winners.bit_length() - 1
    between = unseen & ((1 << highest) - 1)
    cheapest = winners >> between.bit_length() << between.bit_length()
    return _with_first(low_first(cheapest)[:1], low)


def low_cards(sight: DefenderView, cards: Hand) -> list[Card]:
    """Low cards first; the first card in a suit that declarer leads shows an even length high."""
    order = low_first(cards)
    table = sight.table
    suit = suit_of(table.trick[0])
    ours_led = (table.trick_leader - sight.seat) % 2 == 0
    if ours_led or len(order) % 2 or has_played(table, sight.seat, suit):
        return order
    spots = [card for card in order if rank_of(card) <= HIGHEST_SIGNAL]
    if len(spots) < 2:
        return order
    groups = equal_groups(sight.hand, cards, table)
    # The lowest of its equals: it tells as much.
    signal = next(group[0] for group in groups if spots[-1] in group)
    return _with_first([signal], order)


def _with_first(first: list[Card], order: list[Card]) -> list[Card]:
    return [*first, *(card for card in order if card not in first)]
