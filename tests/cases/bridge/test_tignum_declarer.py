"""Tignum at the table: figure 3 against many defences, repeatable, and blind to hidden cards."""

from __future__ import annotations

import numpy as np
import pytest
from bridge_positions import SOUTH, card, figure_3

from fogspiel.cases.bridge.cards import cards_of
from fogspiel.cases.bridge.deals import BoardRecord
from fogspiel.cases.bridge.matches.board_play import play_board
from fogspiel.cases.bridge.pbn.files import problem_schemes, problems_of
from fogspiel.cases.bridge.players.catalogue import make_declarer, make_defender
from fogspiel.cases.bridge.sampling import sample_worlds
from fogspiel.cases.bridge.table import CardTable, Contract, without
from fogspiel.cases.bridge.tignum.declarer import Tignum
from fogspiel.cases.bridge.tignum.planning import natural_lead, plan_deal
from fogspiel.cases.bridge.view import view_of
from fogspiel.lab.tignum.declarer_play import LotDefender, ruffs_in_dummy

FIVE_SPADES = Contract(5, 0, SOUTH)


def defended(seed: int, *, sound: bool) -> CardTable:
    """Figure 3 after the lead, against defenders who draw lots: among the cards that the solver
    finds best, or among all."""
    record = BoardRecord(hands=figure_3(), contract=FIVE_SPADES, play=(card("D6"),))
    defenders = [LotDefender(sound=sound) for _ in range(2)]
    return play_board(record, Tignum(), defenders, seed=seed).table


@pytest.mark.parametrize("sound", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 7, 45])
def test_figure_3_is_made_by_the_club_ruff_whatever_the_defenders_do(
    seed: int, sound: bool
) -> None:
    """Smith and Nau (1993), figure 3: eleven tricks by a club ruff in dummy."""
    table = defended(seed, sound=sound)
    assert table.won >= 11
    assert ruffs_in_dummy(table) > 0


def test_the_same_seed_gives_the_same_cards() -> None:
    assert defended(1, sound=True) == defended(1, sound=True)


def test_a_choice_depends_on_what_declarer_sees_and_on_nothing_else() -> None:
    hands = without(figure_3(), FIVE_SPADES.leader, card("D6"))
    table = CardTable.start(FIVE_SPADES).play(card("D6"))
    view = view_of(hands, table)
    other = sample_worlds(view, 1, np.random.default_rng(5))
    swapped = (hands[0], int(other.right[0]), hands[2], int(other.left[0]))
    assert swapped != hands
    plays = []
    for four in (hands, swapped):
        declarer = Tignum()
        declarer.start(3)
        plays.append(declarer.card(view_of(four, table)))
    assert plays[0] == plays[1]


def test_a_card_without_a_choice_is_played_without_thought() -> None:
    declarer = Tignum()
    declarer.start(0)
    hands = without(figure_3(), FIVE_SPADES.leader, card("D6"))
    table = CardTable.start(FIVE_SPADES).play(card("D6"))
    # North's diamonds are equals.
    assert declarer.card(view_of(hands, table)) == card("D2")
    assert declarer.last is None
    assert declarer.scheme == ""


def test_the_plan_of_figure_3_is_the_club_ruff() -> None:
    plan = plan_deal(BoardRecord(hands=figure_3(), contract=FIVE_SPADES, play=(card("D6"),)))
    assert "Ruffing in the short hand" in [stage.scheme.title for stage in plan.stages]
    assert plan.nodes <= 1_301
    assert 10.0 <= plan.tricks <= 11.5
    assert 0.5 <= plan.chance <= 1.0
    assert [stage.trick for stage in plan.stages] == sorted({s.trick for s in plan.stages})
    assert plan.imagined.is_over


def test_a_plan_does_not_know_the_defenders_cards() -> None:
    hands = figure_3()
    table = CardTable.start(FIVE_SPADES).play(card("D6"))
    view = view_of(without(hands, FIVE_SPADES.leader, card("D6")), table)
    other = sample_worlds(view, 1, np.random.default_rng(9))
    swapped = (hands[0], int(other.right[0]), hands[2], int(other.left[0]) | 1 << card("D6"))
    assert swapped != hands
    plans = [
        plan_deal(BoardRecord(hands=four, contract=FIVE_SPADES, play=(card("D6"),)), seed=4)
        for four in (hands, swapped)
    ]
    assert plans[0].stages == plans[1].stages
    assert plans[0].tricks == plans[1].tricks


def test_a_plan_without_a_lead_takes_the_natural_one() -> None:
    plan = plan_deal(BoardRecord(hands=figure_3(), contract=FIVE_SPADES))
    assert plan.lead == natural_lead(plan.record)
    assert figure_3()[FIVE_SPADES.leader] >> plan.lead & 1


@pytest.mark.parametrize("scheme", ["elimination", "hold-up", "simple-squeeze"])
def test_problems_are_solved_single_dummy(scheme: str) -> None:
    assert scheme in problem_schemes()
    solved = [
        play_board(
            record,
            make_declarer("tignum", "contract"),
            [make_defender("double-dummy") for _ in range(2)],
            seed=1,
        ).is_made
        for record in problems_of(scheme)[1:2]
    ]
    assert solved == [True]


def test_all_choices_are_legal_to_the_last_card() -> None:
    table = defended(7, sound=False)
    assert len(set(table.history)) == 52
    assert set(cards_of((1 << 52) - 1)) == set(table.history)
