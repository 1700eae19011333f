"""The double-dummy solver against a search of our own, against endplay's own front, and misused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from bridge_positions import (
    SOUTH,
    WEST,
    card,
    figure_3,
    played,
    random_position,
    random_positions,
    with_level,
)

from fogspiel.cases.bridge import double_dummy
from fogspiel.cases.bridge.cards import Hands, cards_of
from fogspiel.cases.bridge.deals import hands_text
from fogspiel.cases.bridge.double_dummy import (
    best_cards,
    card_tricks,
    is_made,
    making_cards,
    tricks,
)
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.core.findings import PlayError, UsageError


def searched(hands: Hands, table: CardTable, known: dict[object, int]) -> int:
    """Declarer's tricks at the end, by looking at every line of play."""
    turn = table.turn
    if not hands[turn]:
        return table.won
    key = (hands, table.trick, table.trick_leader, table.won)
    if key not in known:
        values = []
        for choice in cards_of(table.legal(hands[turn])):
            north, east, south, west = (hand & ~(1 << choice) for hand in hands)
            values.append(searched((north, east, south, west), table.play(choice), known))
        known[key] = max(values) if table.is_declarers_turn else min(values)
    return known[key]


@pytest.mark.parametrize("seed", range(25))
def test_endings_are_solved_as_by_full_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, hands, table = random_position(rng, 52 - int(rng.integers(1, 18)))
    assert tricks(hands, table) == searched(hands, table, {})


@pytest.mark.parametrize("seed", range(8))
def test_every_card_is_valued_as_by_full_search(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    _, hands, table = random_position(rng, 52 - int(rng.integers(5, 17)))
    known: dict[object, int] = {}
    expected = {}
    for choice in cards_of(table.legal(hands[table.turn])):
        north, east, south, west = (hand & ~(1 << choice) for hand in hands)
        expected[choice] = searched((north, east, south, west), table.play(choice), known)
    assert card_tricks(hands, table) == expected
    assert list(card_tricks(hands, table)) == sorted(expected)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_full_deal_is_solved_as_by_the_front_of_endplay(seed: int) -> None:
    from endplay.dds import solve_board
    from endplay.types import Deal, Denom, Player

    _, hands, table = random_position(np.random.default_rng(seed), 0)
    deal = Deal(hands_text(hands))
    deal.first, deal.trump = Player(table.turn), Denom(table.contract.denomination)
    theirs = {
        13 * int(led.suit) + int(led.rank).bit_length() - 3: 13 - score
        for led, score in solve_board(deal)
    }
    assert card_tricks(hands, table) == theirs


@pytest.mark.parametrize("cards", [20, 25, 34, 47, 51])
def test_a_contract_is_made_if_its_tricks_are(cards: int) -> None:
    for hands, table in random_positions(cards, 5):
        total = tricks(hands, table)
        for level in range(1, 8):
            assert is_made(hands, with_level(table, level)) == (total >= level + 6)


@pytest.mark.parametrize("cards", [17, 26, 33, 40, 50])
def test_the_best_cards_are_those_of_the_highest_value(cards: int) -> None:
    for hands, table in random_positions(cards, 5):
        values = card_tricks(hands, table)
        best = max(values.values()) if table.is_declarers_turn else min(values.values())
        expected = sum(1 << each for each, value in values.items() if value == best)
        assert best_cards(hands, table) == (best, expected)


@pytest.mark.parametrize("cards", [20, 27, 32, 44])
def test_cards_that_make_the_contract_are_those_of_enough_value(cards: int) -> None:
    for hands, table in random_positions(cards, 5, ours=True):
        values = card_tricks(hands, table)
        for level in range(1, 8):
            enough = sum(1 << each for each, value in values.items() if value >= level + 6)
            assert making_cards(hands, with_level(table, level)) == enough


def test_the_figure_of_the_paper_makes_eleven_tricks() -> None:
    hands, table = played(figure_3(), CardTable.start(Contract(5, 0, SOUTH)), "D6 D2")
    assert tricks(hands, table) == 11
    assert is_made(hands, table)


def test_when_all_is_played_what_was_won_remains() -> None:
    _, hands, table = random_position(np.random.default_rng(3), 52)
    assert table.is_over
    assert tricks(hands, table) == table.won
    assert card_tricks(hands, table) == {}
    assert is_made(hands, table) == (table.won >= table.contract.needed)


def without_leads_card(hands: Hands) -> Hands:
    return hands[0], hands[1], hands[2], hands[WEST] & ~(1 << card("D6"))


def with_a_card_twice(hands: Hands) -> Hands:
    taken = hands[1] & ~(1 << card("S7")) | 1 << card("SA")
    return hands[0], taken, hands[2], hands[3]


@pytest.mark.parametrize("change", [without_leads_card, with_a_card_twice])
def test_hands_that_do_not_fit_the_play_are_refused(
    change: Callable[[Hands], Hands],
) -> None:
    with pytest.raises(PlayError) as caught:
        tricks(change(figure_3()), CardTable.start(Contract(5, 0, SOUTH)))
    assert caught.value.findings[0].code == "BRI002"


def test_what_the_solver_itself_refuses_is_told_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # the solver writes a file about it where it runs
    monkeypatch.setattr(double_dummy, "_fits", lambda hands, table: True)
    hands = (1 << card("SA"), 0, 0, 0)
    table = CardTable(Contract(1, 0, SOUTH), trick_leader=0)
    # Another seat's turn, which has no card: the solver finds that the counts cannot be.
    with pytest.raises(PlayError) as caught:
        double_dummy._solve(hands, table.play(card("S2")), -1, 1)
    finding = caught.value.findings[0]
    assert finding.code == "BRI002"
    assert "refuses this position: " in finding.message


def test_a_missing_extra_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, double_dummy.BINDING, raising=False)
    monkeypatch.setattr(double_dummy, "find_spec", lambda name: None)
    double_dummy._solver.cache_clear()
    try:
        with pytest.raises(UsageError) as caught:
            tricks(figure_3(), CardTable.start(Contract(5, 0, SOUTH)))
    finally:
        double_dummy._solver.cache_clear()
    finding = caught.value.findings[0]
    assert finding.code == "BRI001"
    assert "pip install 'fogspiel[bridge]'" in finding.fix


def test_threads_do_not_disturb_each_other() -> None:
    rng = np.random.default_rng(5)
    positions = [random_position(rng, 16)[1:] for _ in range(30)]
    alone = [tricks(*position) for position in positions]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda position: tricks(*position), positions))
    assert together == alone
