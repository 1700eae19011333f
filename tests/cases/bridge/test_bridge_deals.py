"""Deals, contracts and records of play: what is right is read, what is wrong is told exactly."""

from __future__ import annotations

import numpy as np
import pytest
from bridge_positions import FIGURE_3, SOUTH, WEST, card, figure_3, random_position
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.cases.bridge.cards import DECK, card_name
from fogspiel.cases.bridge.deals import (
    hands_text,
    parse_cards,
    parse_contract,
    parse_hands,
    parse_seat,
    play_cards,
    random_hands,
    remaining,
)
from fogspiel.cases.bridge.table import Contract
from fogspiel.core.findings import RulesError


def said(caught: pytest.ExceptionInfo[RulesError]) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in caught.value.findings]


@given(seed=st.integers(0, 10**9), first=st.integers(0, 3))
def test_a_deal_reads_back_as_it_was_written(seed: int, first: int) -> None:
    hands = random_hands(np.random.default_rng(seed))
    assert hands[0] | hands[1] | hands[2] | hands[3] == DECK
    assert parse_hands(hands_text(hands, first)) == hands


def test_a_ten_may_be_written_with_two_digits() -> None:
    assert parse_hands(FIGURE_3.replace("T98", "1098").lower()) == figure_3()


BAD_DEALS = [
    ("", "BRI003", "does not begin with a seat"),
    ("N 432.5432.5432.32", "BRI003", "does not begin with a seat"),
    ("X:432.5432.5432.32", "BRI003", "does not begin with a seat"),
    ("N:" + 300 * "A", "BRI003", "does not begin with a seat"),
    ("N:432.5432.5432.32", "BRI003", "it has 1 hand, not four"),
    (FIGURE_3.replace("7.JT87", "7JT87"), "BRI003", "East's hand `7JT87.QJ97.KQJT` has 3 suits"),
    (FIGURE_3.replace("7.JT87", "7.1T87"), "BRI003", "East has `1` among the hearts"),
    (FIGURE_3.replace("AK.AK", "AAK.A"), "BRI005", "HA is twice in South's hand"),
    (FIGURE_3.replace("432.", "A32.", 1), "BRI005", "SA is with North and South"),
    (FIGURE_3.replace("T98.", "T9.", 1), "BRI004", "West has 12 cards, 1 too few"),
    (FIGURE_3.replace("T98.", "T9."), "BRI006", "1 card of the pack in nobody's hand: S8"),
    (
        FIGURE_3.replace("T98.Q96.T86.A987", "..."),
        "BRI006",
        "13 cards of the pack in nobody's hand: S8 S9 ST H6 H9 HQ …",
    ),
    (FIGURE_3.replace("T98.Q96.T86.A987", "..."), "BRI004", "West has 0 cards, 13 too few"),
    (FIGURE_3.replace("7.JT87", "87.JT87"), "BRI004", "East has 14 cards, 1 too many"),
]


@pytest.mark.parametrize(("text", "code", "message"), BAD_DEALS)
def test_a_bad_deal_says_which_hand_which_card_and_how_many(
    text: str, code: str, message: str
) -> None:
    with pytest.raises(RulesError) as caught:
        parse_hands(text)
    assert any(found == code and message in words for found, words in said(caught))


@given(st.text(alphabet="NESW:.AKQJT98765432 10x", max_size=90))
def test_no_text_breaks_the_reader_of_deals(text: str) -> None:
    codes: set[str] = set()
    hands = (0, 0, 0, 0)
    try:
        hands = parse_hands(text)
    except RulesError as error:
        codes = {finding.code for finding in error.findings}
    assert codes <= {"BRI003", "BRI004", "BRI005", "BRI006"}
    assert bool(codes) != (sum(hand.bit_count() for hand in hands) == 52)


@pytest.mark.parametrize(
    ("text", "declarer", "expected"),
    [
        ("5S", "S", Contract(5, 0, SOUTH)),
        ("3NTx", "west", Contract(3, 4, WEST, "X")),
        ("4HXX", "N", Contract(4, 1, 0, "XX")),
        (" 1c ", "East", Contract(1, 3, 1)),
        ("2N", "e", Contract(2, 4, 1)),
    ],
)
def test_contracts_are_read(text: str, declarer: str, expected: Contract) -> None:
    assert parse_contract(text, declarer) == expected


@pytest.mark.parametrize(
    ("text", "declarer", "codes"),
    [
        ("0S", "S", ["BRI007"]),
        ("8S", "S", ["BRI007"]),
        ("4Z", "S", ["BRI007"]),
        ("", "S", ["BRI007"]),
        ("NT", "S", ["BRI007"]),
        ("4HXXX", "S", ["BRI007"]),
        ("Pass", "S", ["BRI007"]),
        ("4H", "", ["BRI008"]),
        ("4H", "NS", ["BRI008"]),
        ("9H", "Q", ["BRI008", "BRI007"]),
    ],
)
def test_impossible_contracts_are_refused(text: str, declarer: str, codes: list[str]) -> None:
    with pytest.raises(RulesError) as caught:
        parse_contract(text, declarer)
    assert [finding.code for finding in caught.value.findings] == codes


def test_a_passed_out_deal_says_so() -> None:
    with pytest.raises(RulesError, match="passed out"):
        parse_contract("Pass", "N")


PLAYS = [
    ("DQ", "BRI009", "West leads and does not hold DQ, which is East's"),
    ("D6 D2 D9 DA S6 S8 S2 S8", "BRI010", "trick 2, card 4: S8 was played in trick 2 already"),
    ("D6 D2 D9 SA", "BRI011", "trick 1, card 4: South plays SA, and holds diamonds"),
    ("D6 D2 D8", "BRI012", "trick 1, card 3: it is East's turn, and D8 is West's"),
]


@pytest.mark.parametrize(("names", "code", "message"), PLAYS)
def test_a_record_against_the_rules_says_where_and_why(names: str, code: str, message: str) -> None:
    with pytest.raises(RulesError) as caught:
        play_cards(figure_3(), Contract(5, 0, SOUTH), parse_cards(names.split()))
    ((found, words),) = said(caught)
    assert found == code
    assert message in words


@given(seed=st.integers(0, 10**6), cards=st.integers(0, 52))
def test_every_legal_play_is_accepted_and_leaves_the_right_cards(seed: int, cards: int) -> None:
    dealt, hands, table = random_position(np.random.default_rng(seed), cards)
    assert play_cards(dealt, table.contract, table.history) == table
    assert remaining(dealt, table) == hands


def test_cards_are_read_by_letters_and_by_signs() -> None:
    assert parse_cards(["SA", "h10", "♦2", "CT"]) == [
        card("SA"),
        card("HT"),
        card("D2"),
        card("CT"),
    ]
    assert [card_name(each) for each in parse_cards(["h10"])] == ["HT"]


def test_every_word_that_is_no_card_is_told() -> None:
    with pytest.raises(RulesError) as caught:
        parse_cards(["SA", "1S", "", "ZZ"])
    assert [code for code, _ in said(caught)] == ["BRI013"] * 3


def test_seats_have_letters_and_names() -> None:
    assert [parse_seat(text) for text in ("n", "East", "SOUTH", " W ")] == [0, 1, 2, 3]
    assert parse_seat("NS") is None
    assert parse_seat("") is None
