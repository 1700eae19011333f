"""What declarer sees, and that it holds nothing else."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from bridge_positions import EAST, NORTH, SOUTH, WEST, card, figure_3, played, random_position
from hypothesis import given
from hypothesis import strategies as st

from fogspiel.cases.bridge.sampling import sample_worlds
from fogspiel.cases.bridge.table import CardTable, Contract, plays_of
from fogspiel.cases.bridge.view import view_of

START = CardTable.start(Contract(5, 0, SOUTH))


def test_defenders_sit_beside_declarer() -> None:
    view = view_of(figure_3(), START)
    assert (view.left, view.right) == (WEST, EAST)
    north = view_of(figure_3(), CardTable.start(Contract(5, 0, NORTH)))
    assert (north.left, north.right) == (EAST, WEST)


def test_declarer_sees_two_hands_and_no_other() -> None:
    view = view_of(figure_3(), START)
    assert view.hand_of(SOUTH) == figure_3()[SOUTH]
    assert view.hand_of(NORTH) == figure_3()[NORTH]
    assert view.unseen == figure_3()[EAST] | figure_3()[WEST]
    for seat in (EAST, WEST):
        with pytest.raises(ValueError, match="is a defender"):
            view.hand_of(seat)


def test_voids_are_seen_when_somebody_does_not_follow() -> None:
    hands, table = played(figure_3(), START, "D6 D2 D9 DA SA S8 S2 S7 SK S9 S3 H7")
    view = view_of(hands, table)
    assert view.shown_out(EAST) == {0}
    assert view.shown_out(WEST) == view.shown_out(NORTH) == frozenset()
    assert view.played_by(EAST) == 1 << card("D9") | 1 << card("S7") | 1 << card("H7")
    assert view.cards_left(EAST) == 10
    assert view.cards_left(SOUTH) == 10


def test_plays_name_who_played_and_what_was_led() -> None:
    _, table = played(figure_3(), START, "D6 D2 D9 DA SA S8")
    plays = plays_of(table)
    assert [play.seat for play in plays] == [WEST, NORTH, EAST, SOUTH, SOUTH, WEST]
    assert [play.led for play in plays] == [card("D6")] * 4 + [card("SA")] * 2


@given(seed=st.integers(0, 10**6), cards=st.integers(0, 52))
def test_counts_and_voids_are_true(seed: int, cards: int) -> None:
    _, hands, table = random_position(np.random.default_rng(seed), cards)
    view = view_of(hands, table)
    for seat in range(4):
        assert view.cards_left(seat) == hands[seat].bit_count()
        assert not any(hands[seat] >> 13 * suit & 0x1FFF for suit in view.shown_out(seat))
    assert view.unseen == hands[view.left] | hands[view.right]


def test_what_declarer_sees_and_samples_does_not_depend_on_the_hidden_hands() -> None:
    """Two deals that differ only in cards which the defenders have not shown."""
    hands, table = played(figure_3(), START, "D6 D2 D9 DA")
    seven_of_hearts, six_of_hearts = 1 << card("H7"), 1 << card("H6")
    swapped = (
        hands[NORTH],
        hands[EAST] ^ seven_of_hearts ^ six_of_hearts,
        hands[SOUTH],
        hands[WEST] ^ seven_of_hearts ^ six_of_hearts,
    )
    assert swapped != hands
    seen = []
    for each in (hands, swapped):
        view = view_of(each, table)
        worlds = sample_worlds(view, 30, np.random.default_rng(1))
        seen.append(pickle.dumps(view) + worlds.left.tobytes() + worlds.weights.tobytes())
    assert seen[0] == seen[1]
