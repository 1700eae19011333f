"""What the play tells: voids, counts, restricted choice, and what it does not tell."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest
from bridge_positions import EAST, SOUTH, WEST, card, played, random_position
from numpy.typing import NDArray

from fogspiel.plan.bridge.cards import Hand, length
from fogspiel.plan.bridge.deals import parse_hands
from fogspiel.plan.bridge.knowledge import likelihoods, placed, vacant_places
from fogspiel.plan.bridge.sampling import sample_worlds, splits_of
from fogspiel.plan.bridge.table import Contract, Table
from fogspiel.plan.bridge.view import Habits, View, view_of

Array = NDArray[Any]
EQUALS_ONLY = Habits(equals=True, leads=False)
NO_HABITS = Habits(equals=False, leads=False)

# Spades AKT98 opposite 7654: QJ32 are missing, of which West has J32. He has no heart.
DEAL = "N:7654.AKQ5.432.32 Q.J9876.QJT9.QJ9 AKT98.T432.AK.A4 J32..8765.KT8765"
HEARTS = 0x1FFF << 13


def everything(view: View) -> tuple[Array, Array]:
    """(n,) the left defender's hands in every deal that fits, and their weights."""
    splits = splits_of(view)
    left = splits.deal(np.arange(splits.total))
    return left, likelihoods(view, left, np.uint64(view.unseen) & ~left)


def mass(left: Array, weights: Array, where: Hand, holding: Hand) -> float:
    """Of the deals in which the left defender holds exactly these cards out of some."""
    return float(weights[left & np.uint64(where) == np.uint64(holding)].sum())


def after_the_queen_fell(habits: Habits) -> View:
    """After a club to the ace, and the ace of spades: West follows with the two, East the queen."""
    start = Table.start(Contract(4, 0, SOUTH))
    hands, table = played(parse_hands(DEAL), start, "C5 C2 CQ CA SA S2 S4 SQ")
    return view_of(hands, table, habits=habits)


# By vacant places West has J32 and ten of the other 22 cards, or 32 and eleven: 11 to 12. East
# plays the queen always from the queen alone, and half of the time from queen and jack.
ODDS = comb(22, 10) / comb(22, 11)


@pytest.mark.parametrize(("habits", "odds"), [(EQUALS_ONLY, 2 * ODDS), (NO_HABITS, ODDS)])
def test_after_an_honour_falls_the_finesse_is_nearly_twice_as_good(
    habits: Habits, odds: float
) -> None:
    jack, three = 1 << card("SJ"), 1 << card("S3")
    left, weights = everything(after_the_queen_fell(habits))
    finesse = mass(left, weights, jack | three, jack | three)
    drop = mass(left, weights, jack | three, three)
    # A club was played too, which moves the odds a little.
    assert finesse / drop == pytest.approx(odds, rel=0.08)


def test_small_cards_that_are_played_leave_the_odds_of_a_break_as_they_were() -> None:
    """Seven are missing: 4-3 has 62.17 %, 5-2 has 30.52 % before a card is played, and after."""
    deal = parse_hands("N:AT9.AK32.432.432 876.QJT.QJT9.QJT KQJ.9876.AK.A987 5432.54.8765.K65")
    hands, table = played(deal, Table.start(Contract(3, 4, SOUTH)), "S3 S9 S7 SJ")
    left, weights = everything(view_of(hands, table, habits=EQUALS_ONLY))
    lengths = np.array([length(int(hand), 0) for hand in left]) + 1
    four_three = float(weights[(lengths == 4) | (lengths == 3)].sum())
    five_two = float(weights[(lengths == 5) | (lengths == 2)].sum())
    assert four_three / five_two == pytest.approx(62.17 / 30.52, rel=0.002)


@pytest.mark.parametrize(
    ("habits", "bounds"), [(EQUALS_ONLY, (0.02, 0.12)), (NO_HABITS, (0.4, 0.6))]
)
def test_a_defender_seldom_throws_an_honour_under_one_that_beats_it(
    habits: Habits, bounds: tuple[float, float]
) -> None:
    """East played the queen under the ace: with the three beside it, he would have played that."""
    left, weights = everything(after_the_queen_fell(habits))
    with_east = mass(left, weights, 1 << card("S3"), 0)
    assert bounds[0] < with_east < bounds[1]


def test_who_does_not_follow_has_none_and_the_other_all() -> None:
    deal = parse_hands(DEAL)
    hands, table = played(deal, Table.start(Contract(4, 0, SOUTH)), "C5 C2 CQ CA H2 S2")
    view = view_of(hands, table)
    assert view.shown_out(WEST) == {1}
    assert view.shown_out(EAST) == frozenset()
    assert placed(view).right == deal[EAST] & HEARTS
    assert placed(view).left == 0
    assert vacant_places(view) == (11, 12 - 5)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_placed_is_where_every_deal_has_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, hands, table = random_position(rng, int(rng.integers(28, 50)))
    view = view_of(hands, table)
    worlds = sample_worlds(view, 10**5, rng)
    assert worlds.is_complete
    known = placed(view)
    # By voids and by counts: once all cards of one defender are known, so are the other's.
    assert int(np.bitwise_and.reduce(worlds.left)) == known.left
    assert int(np.bitwise_and.reduce(worlds.right)) == known.right


def test_vacant_places_give_the_odds_of_a_card() -> None:
    rng = np.random.default_rng(4)
    _, hands, table = random_position(rng, 30)
    view = view_of(hands, table, habits=NO_HABITS)
    worlds = sample_worlds(view, 10**5, rng)
    left, right = vacant_places(view)
    known = placed(view)
    free = view.unseen & ~(known.left | known.right)
    lowest = free & -free
    share = float(worlds.weights[worlds.left & np.uint64(lowest) > 0].sum())
    assert worlds.is_complete
    assert left != right
    assert share == pytest.approx(left / (left + right))
