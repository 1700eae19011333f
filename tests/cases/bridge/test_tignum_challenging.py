"""Few questions, and the answer of many: the champion, its challengers, and what they ask."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from bridge_positions import SOUTH, random_positions
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import NOTRUMP, Card, Hand
from fogspiel.cases.bridge.double_dummy import card_tricks
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.tignum.champion import (
    Challenge,
    ContractQuestions,
    Judgement,
    TricksQuestions,
)
from fogspiel.cases.bridge.tignum.declarer import worlds_for
from fogspiel.cases.bridge.view import DeclarerView


@dataclass
class Answers:
    """Questions whose answers are known: by world, whether each card wins."""

    wins: NDArray[np.bool_]
    """(worlds, cards)"""
    unit: float = 1.0
    asked: Counter[tuple[str, Card]] = field(default_factory=Counter)

    def judge(self, world: int, card: Card) -> Judgement:
        self.asked["judge", card] += 1
        value = float(self.wins[world, card])
        return Judgement(value, self.better(world, value))

    def better(self, world: int, value: float) -> Hand:
        return 0 if value else sum(1 << int(card) for card in np.flatnonzero(self.wins[world]))

    def reaches(self, world: int, card: Card, value: float) -> bool:
        self.asked["reaches", card] += 1
        return not value or bool(self.wins[world, card])


def challenged(wins: NDArray[np.bool_]) -> tuple[Challenge, Answers]:
    worlds, cards = wins.shape
    answers = Answers(wins)
    weights = np.full(worlds, 1 / worlds)
    return Challenge(0, list(range(1, cards)), range(worlds), weights, answers), answers


def test_where_the_champion_always_wins_nothing_else_is_asked() -> None:
    race, answers = challenged(np.array([[1, 0, 1]] * 10, np.bool_))
    race.look(10)
    assert answers.asked == {("judge", 0): 10}
    assert race.challengers() == []


def test_a_card_that_wins_once_is_asked_until_it_has_lost_as_often() -> None:
    wins = np.ones((20, 2), np.bool_)
    wins[3, 0] = wins[7, 1] = False
    race, answers = challenged(wins)
    race.look(20)
    # In worlds 0, 1, 2, 4, 5, 6 and 7.
    assert answers.asked["reaches", 1] == 7
    assert race.challengers() == []


def test_of_challengers_that_win_in_the_same_worlds_the_first_alone_is_judged() -> None:
    wins = np.ones((20, 4), np.bool_)
    wins[3, 0] = False
    race, answers = challenged(wins)
    race.look(20)
    assert race.challengers() == [1]
    assert answers.asked == {("judge", 0): 20, ("reaches", 1): 19}


@given(
    st.integers(1, 5).flatmap(
        lambda cards: st.lists(
            st.lists(st.booleans(), min_size=cards, max_size=cards), min_size=1, max_size=24
        )
    )
)
def test_the_best_of_those_judged_is_the_best_of_all(rows: list[list[bool]]) -> None:
    wins = np.array(rows)
    race, _ = challenged(wins)
    while race.looked < len(rows):
        race.look(4)
        race.drop_out()
    judged = [race.champion, *race.challengers()]
    assert max(wins[:, card].mean() for card in judged) == wins.mean(axis=0).max()
    for card in judged:
        assert race.seen(card).tolist() == wins[:, card].tolist()


def test_a_champion_that_is_clearly_beaten_is_replaced() -> None:
    wins = np.ones((16, 2), np.bool_)
    wins[::2, 0] = False
    race, answers = challenged(wins)
    race.look(8)
    race.drop_out()
    assert race.champion == 1
    race.look(8)
    assert answers.asked["judge", 0] == 8


def test_a_champion_worth_less_than_it_seemed_meets_its_challengers() -> None:
    wins = np.ones((8, 3), np.bool_)
    wins[5, 2] = False
    race, _ = challenged(wins)
    race.look(8)
    assert race.challengers() == []
    race.devalue(0, [1.0] * 5 + [0.0] * 3)
    assert race.challengers() == [1]
    assert race.seen(0).sum() == 5.0
    assert race.seen(1).sum() == 8.0


@pytest.mark.parametrize("cards", [20, 28, 35, 41])
def test_questions_are_answered_as_by_the_tricks_of_each_card(cards: int) -> None:
    for hands, table in random_positions(cards, 4, ours=True):
        won = card_tricks(hands, table)
        needed = table.contract.needed
        leaves = [(hands, table)]
        contract, by_tricks = (
            ContractQuestions(leaves.__getitem__),
            TricksQuestions(leaves.__getitem__),
        )
        for card, total in won.items():
            more = sum(1 << other for other, value in won.items() if value > total)
            made = total >= needed
            making = sum(1 << other for other, value in won.items() if value >= needed)
            assert contract.judge(0, card) == Judgement(float(made), 0 if made else making)
            found = by_tricks.judge(0, card)
            assert round(found.value * 13) == total
            assert found.better == more
            assert by_tricks.reaches(0, card, total / 13)
            assert not by_tricks.reaches(0, card, (total + 1) / 13)


@pytest.mark.parametrize("place", range(4))
def test_second_and_last_to_play_half_the_worlds_do_for_tricks(place: int) -> None:
    # The cards of the trick and the size of the hands are all that counts here.
    table = CardTable(Contract(1, NOTRUMP, SOUTH), (), SOUTH, 0, 0)
    hands = ((1 << 12) - 1 << 13, (1 << 12) - 1 << 26)
    lead = DeclarerView(table, *hands)
    view = DeclarerView(replace(table, history=tuple(range(place))), *hands)
    assert worlds_for(view, "contract") == worlds_for(lead, "contract")
    enough, most = worlds_for(lead, "tricks")
    half = (enough // 2, most // 2)
    assert worlds_for(view, "tricks") == (half if place in (1, 3) else (enough, most))
