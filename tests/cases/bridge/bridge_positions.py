"""Positions that several tests of bridge look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fogspiel.cases.bridge.cards import RANKS, Card, Hand, Hands, cards_of, parse_card
from fogspiel.cases.bridge.deals import parse_hands, random_hands, remaining
from fogspiel.cases.bridge.table import CardTable, Contract

FIGURE_3 = "N:432.5432.5432.32 7.JT87.QJ97.KQJT AKQJ65.AK.AK.654 T98.Q96.T86.A987"
"""Smith and Nau (1993), figure 3: five spades by South, the six of diamonds led."""
NORTH, EAST, SOUTH, WEST = range(4)


def card(name: str) -> Card:
    found = parse_card(name)
    assert found is not None
    return found


def hand(text: str) -> Hand:
    """Any number of cards, written as a hand of a deal is."""
    return sum(
        1 << (13 * suit + RANKS.index(rank))
        for suit, word in enumerate(text.split("."))
        for rank in word
    )


def figure_3() -> Hands:
    return parse_hands(FIGURE_3)


def played(hands: Hands, table: CardTable, names: str) -> tuple[Hands, CardTable]:
    """What is left of hands and the table after more cards."""
    for name in names.split():
        assert table.legal(hands[table.turn] & ~table.played) >> card(name) & 1, name
        table = table.play(card(name))
    return remaining(hands, table), table


def random_position(rng: np.random.Generator, cards: int) -> tuple[Hands, Hands, CardTable]:
    """A deal and what is left of it after so many cards, each chosen at random."""
    dealt = random_hands(rng)
    contract = Contract(int(rng.integers(1, 8)), int(rng.integers(5)), int(rng.integers(4)))
    table = CardTable.start(contract)
    for _ in range(cards):
        choice = list(cards_of(table.legal(dealt[table.turn] & ~table.played)))
        table = table.play(int(rng.choice(choice)))
    return dealt, remaining(dealt, table), table


def random_positions(
    cards: int, count: int, *, ours: bool = False
) -> Iterator[tuple[Hands, CardTable]]:
    """Hands and tables after so many random cards, by a seed of that number.

    ours: only positions in which declarer chooses the next card.
    """
    rng = np.random.default_rng(cards)
    while count:
        _, hands, table = random_position(rng, cards)
        if table.is_declarers_turn or not ours:
            count -= 1
            yield hands, table


def with_level(table: CardTable, level: int) -> CardTable:
    """The same table in a contract of another level."""
    return replace(table, contract=replace(table.contract, level=level))
