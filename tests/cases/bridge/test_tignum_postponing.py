"""A winner cashed first is worth what the best single lead after it is worth."""

from __future__ import annotations

import numpy as np
import pytest
from bridge_positions import NORTH, SOUTH, WEST, card, hand

from fogspiel.cases.bridge.cards import NOTRUMP, Card, Hands
from fogspiel.cases.bridge.sampling import Worlds
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.tignum.deferred_lead import Later, Postponed, chosen_once, natural_card
from fogspiel.cases.bridge.tignum.position import TrickPosition
from fogspiel.cases.bridge.view import DeclarerView

TABLE = CardTable(Contract(3, NOTRUMP, SOUTH), (card("C4"),) * 36, SOUTH, 8, 0)
OWN, DUMMY = hand("32.A..2"), hand("K4.2..K")
EVEN = np.array([0.5, 0.5])


def ending(left: list[str], right: list[str]) -> TrickPosition:
    """Four tricks are left; South leads, and has the ace of hearts beside two guesses."""
    worlds = Worlds(
        np.array([hand(text) for text in left], np.uint64),
        np.array([hand(text) for text in right], np.uint64),
        np.full(len(left), 1 / len(left)),
    )
    return TrickPosition.of(DeclarerView(TABLE, OWN, DUMMY), worlds, lambda leaf: 0.0)


def worth(hands: Hands, table: CardTable) -> dict[Card, float]:
    """A spade is right where West has the ace of spades, else a club."""
    assert table.turn == SOUTH
    assert table.won == 9
    has_ace = float(hands[WEST] >> card("SA") & 1)
    return {card("S2"): has_ace, card("S3"): has_ace, card("C2"): 1.0 - has_ace}


def test_worlds_that_look_alike_get_the_same_lead() -> None:
    position = ending(["A5.3..3", "75.3..A"], ["76.4..A", "A6.4..3"])
    weights = np.array([0.4, 0.6])
    assert Postponed(position, worth).values(card("HA"), [0, 1], [1.0, 1.0], weights) == [0.0, 1.0]


def test_worlds_that_a_defender_tells_apart_may_get_different_leads() -> None:
    # In the second world West shows out of hearts.
    position = ending(["A5.3..3", "75...A3"], ["76.4..A", "A6.43.."])
    assert Postponed(position, worth).values(card("HA"), [0, 1], [1.0, 1.0], EVEN) == [1.0, 1.0]


def test_what_is_lost_double_dummy_stays_lost_and_does_not_vote() -> None:
    position = ending(["A5.3..3", "75.3..A", "75.3..A"], ["76.4..A", "A6.4..3", "A6.4..3"])
    weights = np.full(3, 1 / 3)
    found = Postponed(position, worth).values(card("HA"), [0, 1, 2], [1.0, 0.0, 0.0], weights)
    assert found == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("name", "expected"), [("HA", True), ("S2", False), ("C2", False), ("S3", False)]
)
def test_only_sure_winners_put_decisions_off(name: str, expected: bool) -> None:
    position = ending(["A5.3..3"], ["76.4..A"])
    assert Postponed(position, worth).postpones(card(name)) == expected


def test_a_winner_on_which_the_other_hand_throws_is_no_delay() -> None:
    worlds = Worlds(
        np.array([hand("A5.3..3")], np.uint64), np.array([hand("76.4..A")], np.uint64), EVEN[:1]
    )
    position = TrickPosition.of(DeclarerView(TABLE, OWN, hand("K4...KQ")), worlds, lambda leaf: 0.0)
    assert not Postponed(position, worth).postpones(card("HA"))


def test_numbers_are_taken_as_they_are() -> None:
    later: list[Later | float] = [
        Later((0,), {1: 1.0, 2: 0.0}),
        0.5,
        Later((0,), {1: 0.0, 2: 1.0}),
    ]
    assert chosen_once(later, np.array([0.2, 0.3, 0.5])) == [0.0, 0.5, 1.0]


def test_a_defender_follows_low_and_throws_from_his_longest_suit_but_trumps() -> None:
    table = CardTable(Contract(4, 0, SOUTH), (0,) * 40, NORTH, 8, 0)
    assert natural_card(hand("A5.93..3"), table, 1) == card("H3")
    assert natural_card(hand("A542..93.8"), table, 1) == card("D3")
    assert natural_card(hand("A5..."), table, 1) == card("S5")
