"""Defenders by rule of thumb: each maxim on a position that is made for it."""

from __future__ import annotations

import numpy as np
from bridge_positions import EAST, FIGURE_3, WEST, card, hand, random_position

from fogspiel.cases.bridge.cards import NOTRUMP, Card, card_name, cards_of
from fogspiel.cases.bridge.deals import parse_hands, remaining
from fogspiel.cases.bridge.players.natural.defender import NaturalDefender, preferences
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.view import DefenderView

SPADES, HEARTS = 0, 1
SOUTH = 2
NOTRUMP_GAME = Contract(3, NOTRUMP, SOUTH)
SPADE_GAME = Contract(4, SPADES, SOUTH)
COVERING = "N:A2.432.65432.QT9 543.765.A87.K432 876.AKQJ.KQ.AJ87 KQJT9.T98.JT9.65"
"""East has the king of clubs over dummy's queen, and the ace of diamonds."""


def natural(deal: str, contract: Contract, cards: str) -> str:
    """What the defender whose turn it is plays after some cards of a deal."""
    hands = parse_hands(deal)
    table = CardTable.start(contract)
    for name in cards.split():
        table = table.play(card(name))
    left = remaining(hands, table)
    dummy = left[contract.dummy] if table.history else 0
    return card_name(
        NaturalDefender().card(DefenderView(table, table.turn, left[table.turn], dummy))
    )


def opening(contract: Contract, text: str) -> str:
    view = DefenderView(CardTable.start(contract), WEST, hand(text), 0)
    return card_name(NaturalDefender().card(view))


def third(contract: Contract, cards: str, own: str, dummy: str) -> str:
    """What East plays after a lead by West and a card of dummy's."""
    table = CardTable.start(contract)
    for name in cards.split():
        table = table.play(card(name))
    return card_name(NaturalDefender().card(DefenderView(table, EAST, hand(own), hand(dummy))))


def test_the_top_of_a_sequence_is_led() -> None:
    assert opening(NOTRUMP_GAME, "KQJT9.T98.JT9.65") == "SK"


def test_fourth_best_is_led_against_notrump() -> None:
    assert opening(NOTRUMP_GAME, "KJ852.T98.964.65") == "S5"


def test_no_lead_goes_away_from_an_ace_against_a_suit() -> None:
    assert opening(Contract(4, HEARTS, SOUTH), "AQ763.82.KQ4.J95") == "DK"


def test_a_singleton_is_led_when_it_can_be_ruffed() -> None:
    assert opening(Contract(4, HEARTS, SOUTH), "Q873.82.4.KJ9652") == "D4"


def test_second_hand_plays_low() -> None:
    assert natural(COVERING, NOTRUMP_GAME, "SK SA S3 S6 D2") == "D7"


def test_an_honour_is_covered() -> None:
    assert natural(COVERING, NOTRUMP_GAME, "SK SA S3 S6 CQ") == "CK"


def test_fourth_hand_wins_what_declarer_would_win() -> None:
    assert natural(COVERING, NOTRUMP_GAME, "SK SA S3 S6 D2 D7 DK D9 DQ DT D3") == "DA"


def test_partners_suit_is_returned() -> None:
    after = "SK SA S3 S6 D2 D7 DK D9 DQ DT D3 DA"
    assert natural(COVERING, NOTRUMP_GAME, after) == "S5"


def test_third_hand_plays_the_lowest_of_equal_high_cards() -> None:
    assert natural(FIGURE_3, Contract(5, SPADES, SOUTH), "D6 D2") == "DJ"


def test_third_hand_keeps_the_king_over_dummys_queen() -> None:
    assert third(NOTRUMP_GAME, "S4 S2", "KJ3.765.A87.K432", "Q6.432.65432.QT9") == "SJ"
    # Without the queen in dummy it may be with declarer, and third hand plays high.
    assert third(NOTRUMP_GAME, "S4 S2", "KJ3.765.A87.K432", "96.432.65432.QT9") == "SK"


def test_a_winner_of_dummys_is_ruffed_low() -> None:
    assert third(SPADE_GAME, "H5 HA", "T43..K2.8765", "Q52.J9.A43.KQ") == "S3"


def test_partners_winner_is_not_ruffed_and_a_guard_is_kept() -> None:
    assert third(SPADE_GAME, "HA H9", "T43..K2.8765", "Q52.J.A43.KQ") == "C5"


def test_the_setting_trick_is_taken_in_second_hand() -> None:
    """Six hearts need twelve tricks; the defence has one, and East the ace of diamonds."""
    contract = Contract(6, HEARTS, SOUTH)
    # West wins the first trick with the king of spades, and a spade to the ace follows.
    after = "SK S2 S3 S6 SQ SA S4 S7 D2"
    assert natural(COVERING, contract, after) == "DA"


def test_an_even_length_is_shown_by_a_high_spot_card() -> None:
    even = "N:A2.432.65432.QT9 543.765.A87.K832 T76.AKQJ.KQ.AJ74 KQJ98.T98.JT9.65"
    assert natural(even, NOTRUMP_GAME, "SK SA S3 S6 C9") == "C8"


def test_preferences_are_the_legal_cards_each_once() -> None:
    rng = np.random.default_rng(7)
    defended = 0
    for _ in range(300):
        _, left, table = random_position(rng, int(rng.integers(52)))
        if table.is_declarers_turn:
            continue
        defended += 1
        dummy = left[table.contract.dummy] if table.history else 0
        view = DefenderView(table, table.turn, left[table.turn], dummy)
        order: list[Card] = preferences(view)
        assert sorted(order) == list(cards_of(view.legal))
    assert defended > 50
