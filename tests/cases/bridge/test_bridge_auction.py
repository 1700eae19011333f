"""What calls show, what words say, and auctions that cannot be."""

from __future__ import annotations

import pytest
from bridge_positions import EAST, NORTH, SOUTH, WEST
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.cases.bridge.auction import (
    MEANINGS,
    check_calls,
    contract_of,
    limits_from_auction,
    meaning_of,
    row_for,
)
from fogspiel.cases.bridge.hand_limits import (
    NO_LIMITS,
    HandLimits,
    limits_text,
    narrowed,
    overridden,
    parse_limits,
)
from fogspiel.cases.bridge.table import Contract
from fogspiel.core.findings import RulesError

BIDS = [f"{level}{suit}" for level in range(1, 8) for suit in ("C", "D", "H", "S", "NT")]

SHOWN = [
    ("Pass", "points 0-11"),
    ("Pass Pass Pass", "points 0-11"),
    ("1S", "points 11-21, spades 5+"),
    ("1D", "points 11-21, diamonds 3+"),
    ("1NT", "points 15-17, spades 2-5, hearts 2-5, diamonds 2-5, clubs 2-5"),
    ("2NT", "points 20-21, spades 2-5, hearts 2-5, diamonds 2-5, clubs 2-5"),
    ("2C", "points 20+"),
    ("2H", "points 5-10, hearts 6-7"),
    ("3C", "points 5-11, clubs 7+"),
    ("4S", "points 5-12, spades 7+"),
    ("1S Pass", "points 0-16"),
    ("1S X", "points 12+, spades 0-3"),
    ("1C 1H", "points 8-16, hearts 5+"),
    ("1S 2D", "points 10-17, diamonds 5+"),
    ("1C 2S", "points 5-11, spades 6+"),
    ("1D 1NT", "points 15-18, spades 2-5, hearts 2-5, diamonds 2-5, clubs 2-5"),
    ("1H Pass 2H", "points 6-10, hearts 3+"),
    ("1H Pass 4H", "hearts 4+"),
    ("1C Pass 1S", "points 6+, spades 4+"),
    ("1S Pass 2D", "points 10+, diamonds 4+"),
    ("1D Pass 1NT", "points 6-10"),
    # These say nothing: a cue bid, a double of notrump, a second bid, a redouble, a bid of game.
    ("1S 2S", ""),
    ("1NT X", ""),
    ("1S Pass 1NT Pass 2H", ""),
    ("1S X XX", ""),
    ("1S Pass 3NT", ""),
]


@pytest.mark.parametrize(("calls", "expected"), SHOWN)
def test_a_call_shows_what_the_table_says(calls: str, expected: str) -> None:
    assert limits_text(meaning_of(calls.split())) == expected


def test_every_row_of_the_table_is_tried_above() -> None:
    tried = {row.name for calls, _ in SHOWN if (row := row_for(calls.split()))}
    assert tried == {row.name for row in MEANINGS}


def test_the_calls_of_a_player_are_taken_together() -> None:
    calls = ["Pass", "1C", "1S", "Pass", "Pass"]
    assert limits_text(limits_from_auction(calls, WEST, WEST)) == "points 0-11"
    assert limits_text(limits_from_auction(calls, WEST, EAST)) == "points 8-16, spades 5+"
    passed = ["Pass", "Pass", "1C", "Pass", "1D", "1S"]
    assert limits_from_auction(passed, SOUTH, WEST).points == (8, 11)


def test_a_call_that_contradicts_an_earlier_one_shows_nothing_more() -> None:
    calls = ["Pass", "1S", "Pass", "Pass", "1NT"]
    assert limits_text(limits_from_auction(calls, NORTH, NORTH)) == "points 0-11"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("points 12-21, spades 5+", HandLimits((12, 21), ((5, 13), (0, 13), (0, 13), (0, 13)))),
        ("Clubs 4", HandLimits((0, 37), ((0, 13), (0, 13), (0, 13), (4, 4)))),
        ("hearts 0-2,diamonds 6+", HandLimits((0, 37), ((0, 13), (0, 2), (6, 13), (0, 13)))),
    ],
)
def test_words_are_read_as_limits(text: str, expected: HandLimits) -> None:
    assert parse_limits(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not of the form"),
        ("strong", "not of the form"),
        ("spades five", "not of the form"),
        ("spades 14+", "no hand has that; 13 is the most"),
        ("points 30-45", "no hand has that; 37 is the most"),
        ("points 12-8", "no hand has that"),
        ("spades 7+, hearts 7+", "longer together than a hand"),
        ("spades 0-3, hearts 0-3, diamonds 0-3, clubs 0-3", "shorter together than a hand"),
    ],
)
def test_words_that_are_no_limits_are_refused(text: str, why: str) -> None:
    with pytest.raises(RulesError, match=why) as caught:
        parse_limits(text)
    assert {finding.code for finding in caught.value.findings} == {"BRI018"}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=5, max_size=5))
def test_limits_read_back_as_they_were_written(pairs: list[tuple[int, int]]) -> None:
    bounds = [(low, low + more) for low, more in pairs]
    lengths = tuple((low // 3, min(13, high + 4)) for low, high in bounds[1:])
    limits = HandLimits(bounds[0], lengths)
    assert parse_limits(limits_text(limits)) == limits


def test_words_count_more_than_calls() -> None:
    calls = parse_limits("points 11-21, spades 5+, hearts 0-4")
    words = parse_limits("points 13-14, spades 6")
    assert overridden(calls, words) == parse_limits("points 13-14, spades 6, hearts 0-4")


def test_limits_that_exclude_each_other_leave_nothing() -> None:
    assert narrowed(parse_limits("points 0-11"), parse_limits("points 12+")) is None
    assert narrowed(parse_limits("points 0-11"), NO_LIMITS) == parse_limits("points 0-11")


@pytest.mark.parametrize(
    ("calls", "dealer", "expected"),
    [
        ("1S Pass Pass Pass", SOUTH, Contract(1, 0, SOUTH)),
        ("Pass 1H X 2H 4S X XX Pass Pass Pass", NORTH, Contract(4, 0, NORTH, "XX")),
        # Partner named notrump first.
        ("1NT Pass 3NT Pass Pass Pass", WEST, Contract(3, 4, WEST)),
        ("1C X 2C Pass Pass 2S Pass 3S X Pass Pass Pass", EAST, Contract(3, 0, SOUTH, "X")),
        ("Pass Pass Pass Pass", EAST, None),
        ("1S Pass", EAST, None),
        ("", EAST, None),
    ],
)
def test_an_auction_comes_to_a_contract(calls: str, dealer: int, expected: Contract | None) -> None:
    assert check_calls(calls.split(), dealer) == []
    assert contract_of(calls.split(), dealer) == expected


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ("1S 1H", "East cannot call 1H: it is not higher than 1S"),
        ("1S 1S", "not higher"),
        ("X", "North cannot call X: there is no bid of the other side to double"),
        ("1S Pass X", "South cannot call X"),
        ("1S X Pass X", "West cannot call X"),
        ("1S XX", "there is no double to redouble"),
        ("1S X Pass XX", "there is no double to redouble"),
        ("1S Pass Pass Pass 2S", "the auction was over"),
        ("Pass Pass Pass Pass 1S", "the auction was over"),
    ],
)
def test_calls_against_the_rules_are_told(calls: str, message: str) -> None:
    findings = check_calls(calls.split(), NORTH)
    assert [finding.code for finding in findings] == ["BRI019"]
    assert message in findings[0].message


@given(st.lists(st.sampled_from(["Pass", "X", "XX", *BIDS]), max_size=12), st.integers(0, 3))
def test_no_auction_breaks_the_table(calls: list[str], dealer: int) -> None:
    check_calls(calls, dealer)
    for seat in range(4):
        limits = limits_from_auction(calls, dealer, seat)
        assert limits.points[0] <= limits.points[1]
        assert all(low <= high for low, high in limits.lengths)
