"""Judgements of a defender on a trick and a suit, without any search."""

from __future__ import annotations

from fogspiel.cases.bridge.cards import (
    NOTRUMP,
    Card,
    Hand,
    Seat,
    cards_of,
    suit_cards,
    suit_of,
)
from fogspiel.cases.bridge.table import CardTable, plays_of, winner_of
from fogspiel.cases.bridge.view import DefenderView

TEN, JACK, QUEEN, KING, ACE = range(8, 13)
TRICKS = 13


def best_card(table: CardTable) -> Card:
    """The card that wins the trick so far. There must be one."""
    trick = table.trick
    return trick[winner_of(trick, table.contract.denomination)]


def partner_wins(view: DefenderView) -> bool:
    """Whether the trick belongs to the defender's partner so far."""
    table = view.table
    place = winner_of(table.trick, table.contract.denomination)
    return (table.trick_leader + place) % 4 == view.partner


def winners_among(cards: Hand, table: CardTable) -> Hand:
    """The cards that would win the trick as it lies."""
    best = best_card(table)
    higher = suit_cards(cards, suit_of(best)) >> best << best
    trump = table.contract.denomination
    if trump in (NOTRUMP, suit_of(best)):
        return higher
    return higher | suit_cards(cards, trump)


def masters(view: DefenderView) -> Hand:
    """The defender's cards that no card of the same suit elsewhere can beat."""
    elsewhere = view.unseen | view.dummy_hand
    found = 0
    for suit in range(4):
        others = suit_cards(elsewhere, suit)
        mine = suit_cards(view.hand, suit)
        found |= mine >> others.bit_length() << others.bit_length()
    return found


def setting_tricks(table: CardTable) -> int:
    """Tricks that the defence still needs to beat the contract; 0 or less if it has."""
    lost = table.tricks_played - table.won
    return TRICKS + 1 - table.contract.needed - lost


def is_dummy_next(view: DefenderView) -> bool:
    """Whether dummy plays after the defender, so that a lead goes through it."""
    return (view.seat + 1) % 4 == view.table.contract.dummy


def shown_void(table: CardTable, seat: Seat) -> frozenset[int]:
    """The suits to which a player did not follow."""
    return frozenset(
        suit_of(play.led)
        for play in plays_of(table)
        if play.seat == seat and suit_of(play.card) != suit_of(play.led)
    )


def suits_led(table: CardTable, seat: Seat) -> list[int]:
    """The suits in which a player led, in the order of the first time."""
    leads = [play for play in plays_of(table) if play.seat == seat and play.card == play.led]
    return list(dict.fromkeys(suit_of(play.card) for play in leads))


def has_played(table: CardTable, seat: Seat, suit: int) -> bool:
    """Whether a player has already shown a card of a suit."""
    return any(play.seat == seat and suit_of(play.card) == suit for play in plays_of(table))


def low_first(cards: Hand) -> list[Card]:
    """Cards from the lowest rank up; spades before hearts and so on in a rank."""
    return sorted(cards_of(cards), key=lambda card: (card % 13, card))
