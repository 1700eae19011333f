"""A deal from the lead to the last trick: who is asked, what is checked, what is recorded."""

from __future__ import annotations

from dataclasses import fields

import pytest
from bridge_positions import EAST, SOUTH, WEST, card, figure_3

from fogspiel.cases.bridge.cards import Card, cards_of
from fogspiel.cases.bridge.deals import BoardRecord, play_cards
from fogspiel.cases.bridge.matches.board_play import PlayedDeal, play_board
from fogspiel.cases.bridge.pbn.files import read_records, write_records
from fogspiel.cases.bridge.players.catalogue import make_declarer, make_defender
from fogspiel.cases.bridge.players.natural.defender import NaturalDefender
from fogspiel.cases.bridge.players.protocol import Declarer
from fogspiel.cases.bridge.table import Contract
from fogspiel.cases.bridge.view import DeclarerView, DefenderView, Habits
from fogspiel.core.findings import PlayError
from fogspiel.core.source import Source

RECORD = BoardRecord(hands=figure_3(), contract=Contract(5, 0, SOUTH), play=(card("D6"),))


class Lowest:
    """Plays its lowest legal card, and tells the scheme of it."""

    scheme = "lowest"

    def __init__(self) -> None:
        self.views: list[DeclarerView] = []

    def start(self, seed: int) -> None:
        self.seed = seed

    def card(self, view: DeclarerView) -> Card:
        self.views.append(view)
        hand = view.hand_of(view.table.turn)
        return next(cards_of(view.table.legal(hand)))


class Watching(NaturalDefender):
    """Keeps what it is shown."""

    def __init__(self) -> None:
        self.sights: list[DefenderView] = []

    def card(self, view: DefenderView) -> Card:
        self.sights.append(view)
        return super().card(view)


def play(declarer: Declarer, record: BoardRecord = RECORD) -> PlayedDeal:
    return play_board(record, declarer, [NaturalDefender(), NaturalDefender()], seed=5)


def test_all_cards_are_played_by_the_rules_and_counted() -> None:
    done = play(Lowest())
    table = play_cards(RECORD.hands, RECORD.contract, done.table.history)
    assert table.is_over
    assert done.tricks == table.won
    assert done.is_made == (table.won >= 11)
    assert done.lost == 11 - table.won
    assert (done.double_dummy_before, done.double_dummy) == (11, 11)


def test_the_lead_is_the_one_of_the_record_or_the_defences() -> None:
    assert play(Lowest()).table.history[0] == card("D6")
    open_lead = BoardRecord(hands=RECORD.hands, contract=RECORD.contract)
    # A sequence is led: West has ten, nine, eight of trumps, and 987 of clubs below the ace.
    led = play(Lowest(), open_lead).table.history[0]
    assert RECORD.hands[WEST] >> led & 1
    assert led == play(make_declarer("double-dummy"), open_lead).table.history[0]


def test_decisions_are_declarers_with_times_and_schemes() -> None:
    declarer = Lowest()
    done = play(declarer)
    assert len(done.decisions) == 26
    assert declarer.seed == 5
    assert {decision.scheme for decision in done.decisions} == {"lowest"}
    assert all(decision.seconds >= 0.0 for decision in done.decisions)
    assert done.seconds == sum(decision.seconds for decision in done.decisions)
    # Dummy's first card is no choice, since all its diamonds are equals.
    assert not done.decisions[0].is_free
    assert len(done.free_seconds) == sum(decision.is_free for decision in done.decisions) < 26
    assert [decision.card for decision in done.decisions] == [
        played for played in done.table.history if (RECORD.hands[0] | RECORD.hands[2]) >> played & 1
    ]


def test_declarer_is_shown_its_two_hands_and_the_habits_only() -> None:
    declarer = Lowest()
    habits = Habits(leads=False)
    play_board(RECORD, declarer, [NaturalDefender()] * 2, seed=0, habits=habits)
    assert len(declarer.views) == 26
    for view in declarer.views:
        shown = view.declarer_hand | view.dummy_hand
        assert shown & (RECORD.hands[EAST] | RECORD.hands[WEST]) == 0
        assert view.habits == habits


def test_defenders_are_shown_their_hand_and_dummy_after_the_lead() -> None:
    left, right = Watching(), Watching()
    record = BoardRecord(hands=RECORD.hands, contract=RECORD.contract)
    play_board(record, Lowest(), [left, right], seed=0)
    assert {field.name for field in fields(DefenderView)} == {"table", "seat", "hand", "dummy_hand"}
    assert left.sights[0].dummy_hand == 0
    for mind, seat in ((left, WEST), (right, EAST)):
        assert len(mind.sights) == 13
        for view in mind.sights:
            assert view.seat == seat
            assert view.hand == RECORD.hands[seat] & ~view.table.played
            if view.table.history:
                assert view.dummy_hand == RECORD.hands[0] & ~view.table.played


class Cheat(Lowest):
    """Revokes."""

    def card(self, view: DeclarerView) -> Card:
        return next(cards_of(view.hand_of(view.table.turn)))


class Dreamer(Lowest):
    """Plays no card at all."""

    def card(self, view: DeclarerView) -> Card:
        return 52


@pytest.mark.parametrize(
    ("declarer", "said"), [(Cheat(), "played S2 for North"), (Dreamer(), "played 52 for North")]
)
def test_a_card_against_the_rules_ends_the_play(declarer: Declarer, said: str) -> None:
    with pytest.raises(PlayError) as caught:
        play(declarer)
    (finding,) = caught.value.findings
    assert finding.code == "BRI030"
    assert said in finding.message


def test_what_was_played_can_be_written_and_read() -> None:
    done = play_board(RECORD, make_declarer("double-dummy"), [make_defender("natural")] * 2, seed=1)
    (read,) = read_records(Source("played.pbn", write_records([done.record])))
    assert read.play == done.table.history
    assert read.hands == RECORD.hands
    assert read.contract == RECORD.contract
