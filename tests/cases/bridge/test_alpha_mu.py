"""The αμ search: against the same recursion without any cut, and where pimc is deceived."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bridge_positions import card, hand, random_position

from fogspiel.cases.bridge.cards import DECK, NOTRUMP, Hands, card_name, cards_of, rank_of
from fogspiel.cases.bridge.double_dummy import is_made
from fogspiel.cases.bridge.players.alpha_mu import (
    AlphaMu,
    AlphaMuDeclarer,
    Deals,
    best_of,
    both,
    covers,
    either,
    mask_of,
    score,
)
from fogspiel.cases.bridge.players.pimc import best_card, prospects
from fogspiel.cases.bridge.table import CardTable, Contract, equal_groups, without
from fogspiel.cases.bridge.view import view_of

NORTH, SOUTH = 0, 2


def reachable(table: CardTable, deals: Deals) -> set[int]:
    """Every outcome that some way to play reaches: no bounds, no cuts, nothing left out."""
    if not any(hands[table.turn] for hands in deals.values()):
        return {mask_of(deals) if table.won >= table.contract.needed else 0}
    seat = table.turn
    legal = {world: table.legal(hands[seat]) for world, hands in deals.items()}
    moves = 0
    for cards in legal.values():
        moves |= cards
    after = {}
    for move in cards_of(moves):
        where = {w: without(deals[w], seat, move) for w in deals if legal[w] >> move & 1}
        elsewhere = mask_of(deals) & ~mask_of(where)
        after[move] = {outcome | elsewhere for outcome in reachable(table.play(move), where)}
    if table.is_declarers_turn:
        return set().union(*after.values())
    outcomes = {mask_of(deals)}
    for found in after.values():
        outcomes = {one & other for one in outcomes for other in found}
    return outcomes


def other_worlds(
    left: Hands, table: CardTable, rng: np.random.Generator, count: int
) -> list[Hands]:
    """Deals in which the defenders hold the same cards in other ways."""
    seats = [(table.contract.declarer + turn) % 4 for turn in (1, 3)]
    cards = [held for seat in seats for held in cards_of(left[seat])]
    first = left[seats[0]].bit_count()
    found = []
    for _ in range(count):
        mixed = [int(each) for each in rng.permutation(cards)]
        hands = list(left)
        hands[seats[0]] = sum(1 << each for each in mixed[:first])
        hands[seats[1]] = sum(1 << each for each in mixed[first:])
        found.append((hands[0], hands[1], hands[2], hands[3]))
    return found


def assert_like_without_cuts(table: CardTable, worlds: list[Hands]) -> tuple[int, ...]:
    deals = dict(enumerate(worlds))
    weights = np.full(len(worlds), 1 / len(worlds))
    front = AlphaMu(worlds, weights).front(table, deals, 99)
    assert set(front) == set(best_of(sorted(reachable(table, deals)))), table
    return front


def test_cuts_and_bounds_change_no_front_of_random_endings() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        _, left, table = random_position(rng, 40)
        contract = replace(table.contract, level=table.won + int(rng.integers(1, 3)) - 6)
        worlds = other_worlds(left, table, rng, 3)
        assert_like_without_cuts(replace(table, contract=contract), worlds)


@pytest.mark.parametrize("leader", [NORTH, SOUTH])
@pytest.mark.parametrize("wanted", [2, 3])
def test_cuts_and_bounds_change_no_front_where_there_is_a_guess(leader: int, wanted: int) -> None:
    """All three tricks are there for one who knows where the queen is; two without."""
    north, south = hand("AJ3..."), hand("KT2...")
    worlds = [
        (north, hand("Q98..."), south, hand("76..A.")),
        (north, hand("98..A."), south, hand("Q76...")),
        (north, hand("Q9..A."), south, hand("876...")),
    ]
    held = worlds[0][0] | worlds[0][1] | worlds[0][2] | worlds[0][3]
    contract = Contract(7, NOTRUMP, SOUTH)
    table = CardTable(contract, (), leader, 13 - wanted, DECK & ~held)
    front = assert_like_without_cuts(table, worlds)
    assert all(is_made(hands, table) for hands in worlds)
    assert (0b111 in front) == (wanted == 2)


def test_one_world_is_double_dummy() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        _, left, table = random_position(rng, 36)
        front = AlphaMu([left], np.ones(1)).front(table, {0: left}, 99)
        assert front == (int(is_made(left, table)),)


def two_queens() -> tuple[CardTable, list[Hands]]:
    """Four of five tricks are wanted, from dummy; the queen of spades is East's or West's.

    The ace drops it from West, and a lead from dummy finds it with East: cashing the ace first
    wins both ways. A low spade to start with leaves a guess between the ten and the king.
    """
    north, south = hand("AJ3.54.."), hand("KT2.AQ..")
    worlds = [
        (north, hand("Q98.J.A."), south, hand("7.KT9..K")),
        (north, hand("987.J.A."), south, hand("Q.KT9..K")),
    ]
    held = worlds[0][0] | worlds[0][1] | worlds[0][2] | worlds[0][3]
    return CardTable(Contract(7, NOTRUMP, SOUTH), (), NORTH, 9, DECK & ~held), worlds


def test_pimc_falls_for_a_guess_that_the_search_avoids() -> None:
    table, worlds = two_queens()
    weights = np.full(2, 0.5)
    cards = [group[0] for group in equal_groups(worlds[0][NORTH], worlds[0][NORTH], table)]
    order = sorted(cards, key=lambda each: (rank_of(each), each))
    found = prospects(order, table, worlds, weights)
    # Double dummy every guess is right, and pimc plays the lowest of equally good cards.
    assert all(prospect.made == pytest.approx(1.0) for prospect in found)
    assert card_name(best_card(found, "contract", order)) == "S3"
    search = AlphaMu(worlds, weights)
    assert search.best_card(table, order, 1) == card("S3")
    assert card_name(search.best_card(table, order, 2)) in {"SA", "H4"}
    deals = dict(enumerate(worlds))
    low = table.play(card("S3"))
    after = {world: without(hands, NORTH, card("S3")) for world, hands in deals.items()}
    assert sorted(search.front(low, after, 99)) == [0b01, 0b10]


def test_the_declarer_searches_only_near_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def best_card(search: AlphaMu, table: CardTable, cards: list[int], depth: int) -> int:
        asked.append((len(table.history), depth))
        return cards[0]

    monkeypatch.setattr(AlphaMu, "best_card", best_card)
    rng = np.random.default_rng(2)
    declarer = AlphaMuDeclarer(worlds=4, depth=3, tricks=5)
    declarer.start(1)
    for cards in (28, 36):
        while True:
            _, left, table = random_position(rng, cards)
            own = left[table.turn]
            if table.is_declarers_turn and len(equal_groups(own, table.legal(own), table)) > 1:
                break
        chosen = declarer.card(view_of(left, table))
        assert table.legal(own) >> chosen & 1
    assert asked == [(36, 3)]


def test_fronts_keep_what_nothing_covers() -> None:
    assert best_of([0b001, 0b011, 0b100, 0b011, 0b000]) == (0b011, 0b100)
    assert either((0b011,), (0b110, 0b010)) == (0b011, 0b110)
    assert both((0b011, 0b110), (0b101,)) == (0b001, 0b100)
    assert covers((0b011, 0b100), (0b001, 0b100))
    assert not covers((0b011, 0b100), (0b101,))
    assert score(0b101, np.array([0.5, 0.3, 0.2])) == pytest.approx(0.7)
