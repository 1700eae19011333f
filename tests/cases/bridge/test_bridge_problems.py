"""The problem deals: each can be made, the right line makes it, and the hasty one does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fogspiel.cases.bridge.cards import SUIT_NAMES, length, points
from fogspiel.cases.bridge.deals import BoardRecord, hands_text, parse_cards, play_cards, remaining
from fogspiel.cases.bridge.double_dummy import is_made
from fogspiel.cases.bridge.pbn.files import problem_schemes, problems_of
from fogspiel.cases.bridge.table import CardTable

pytest.importorskip("endplay", reason="the extra `bridge` is not installed")

FEWEST = 4
"""Problems of each scheme."""
PAGE = Path(__file__).resolve().parents[3] / "docs" / "bridge-problems.md"

PROBLEMS = [(scheme, record) for scheme in problem_schemes() for record in problems_of(scheme)]
each_problem = pytest.mark.parametrize(
    ("scheme", "record"), PROBLEMS, ids=[f"{scheme}-{record.number}" for scheme, record in PROBLEMS]
)


def line(record: BoardRecord, tag: str) -> CardTable:
    """The table after the cards of `KeyPlay` or `NaivePlay`; every card is checked on the way."""
    return play_cards(record.hands, record.contract, parse_cards((record.tag(tag) or "").split()))


def makes(record: BoardRecord, table: CardTable) -> bool:
    """Whether the contract is made from here if everybody sees all cards."""
    return is_made(remaining(record.hands, table), table)


def before_last_card(record: BoardRecord, table: CardTable) -> CardTable:
    return play_cards(record.hands, record.contract, table.history[:-1])


@each_problem
def test_a_problem_says_what_is_to_be_done_and_what_not(scheme: str, record: BoardRecord) -> None:
    assert record.tag("Event") == "Fogspiel problems"
    assert record.tag("Scheme") == scheme
    assert record.dealer is not None
    assert record.vulnerable is not None
    for tag in ("Right", "Naive"):
        assert (record.tag(tag) or "").endswith(".")


@each_problem
def test_the_lead_and_nothing_else_is_played(scheme: str, record: BoardRecord) -> None:
    assert len(record.play) == 1
    assert line(record, "KeyPlay").history[:1] == record.play
    assert line(record, "NaivePlay").history[:1] == record.play


@each_problem
def test_the_defenders_hands_fit_what_the_auction_told(scheme: str, record: BoardRecord) -> None:
    for seat in ((record.contract.declarer + 1) % 4, (record.contract.declarer + 3) % 4):
        hand, limits = record.hands[seat], record.limits[seat]
        assert limits.points[0] <= points(hand) <= limits.points[1]
        for suit, (least, most) in enumerate(limits.lengths):
            assert least <= length(hand, suit) <= most, SUIT_NAMES[suit]


@each_problem
def test_the_right_line_makes_the_contract_against_every_defence(
    scheme: str, record: BoardRecord
) -> None:
    key = line(record, "KeyPlay")
    assert before_last_card(record, key).is_declarers_turn
    assert makes(record, record.table)
    assert makes(record, key)


@each_problem
def test_the_hasty_line_lets_the_contract_go(scheme: str, record: BoardRecord) -> None:
    naive = line(record, "NaivePlay")
    assert before_last_card(record, naive).is_declarers_turn
    assert not makes(record, naive)


def test_every_scheme_has_enough_problems_and_no_deal_comes_twice() -> None:
    schemes = problem_schemes()
    assert {scheme for scheme in schemes if len(problems_of(scheme)) < FEWEST} == set()
    assert len({hands_text(record.hands) for _, record in PROBLEMS}) == len(PROBLEMS)
    for scheme in schemes:
        numbers = [record.number for record in problems_of(scheme)]
        assert numbers == list(range(1, len(numbers) + 1))


def test_contracts_of_all_kinds_are_declared_in_all_seats() -> None:
    contracts = [record.contract for _, record in PROBLEMS]
    assert {contract.declarer for contract in contracts} == {0, 1, 2, 3}
    assert {contract.denomination for contract in contracts} == {0, 1, 2, 3, 4}
    needed = {contract.needed for contract in contracts}
    assert min(needed) <= 8
    assert max(needed) >= 12


def test_the_page_has_a_section_for_every_scheme() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^<!-- generate: problems ([a-z-]+) -->$", text, re.MULTILINE) == sorted(
        problem_schemes()
    )
