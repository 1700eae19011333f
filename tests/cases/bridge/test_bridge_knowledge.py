"""What the play tells: voids, counts, restricted choice, and what it does not tell."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest
from bridge_positions import EAST, SOUTH, WEST, card, played, random_position
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Hand
from fogspiel.cases.bridge.deals import parse_hands
from fogspiel.cases.bridge.knowledge import WASTES, _weigh_plays, likelihoods, placed
from fogspiel.cases.bridge.sampling import sample_worlds, splits_of
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.view import DeclarerView, Habits, view_of

Array = NDArray[Any]
EQUALS_ONLY = Habits(equals=True, leads=False)
NO_HABITS = Habits(equals=False, leads=False)

# Spades AKT98 opposite 7654: QJ32 are missing, of which West has J32. Each defender has one heart.
DEAL = "N:7654.T987654.2.2 Q.3.76543.876543 AKT98.AKQJ.AK.AK J32.2.QJT98.QJT9"


def everything(view: DeclarerView) -> tuple[Array, Array]:
    """(n,) the left defender's hands in every deal that fits, and their weights."""
    splits = splits_of(view)
    left = splits.deal(np.arange(splits.total))
    return left, likelihoods(view, left, np.uint64(view.unseen) & ~left)


def mass(left: Array, weights: Array, where: Hand, holding: Hand) -> float:
    """The probability that the left defender holds exactly these cards out of some."""
    return float(weights[left & np.uint64(where) == np.uint64(holding)].sum())


def after_the_queen_fell(habits: Habits) -> DeclarerView:
    """The view after a heart to the ace, and the ace of spades, on which West plays the two."""
    start = CardTable.start(Contract(6, 0, SOUTH))
    hands, table = played(parse_hands(DEAL), start, "H2 H4 H3 HA SA S2 S4 SQ")
    return view_of(hands, table, habits=habits)


# By vacant places West has J32 and nine of the other 20 cards, or 32 and ten: 10 to 11. East plays
# the queen always from the queen alone, and half of the time from queen and jack.
ODDS = comb(20, 9) / comb(20, 10)


@pytest.mark.parametrize(("habits", "odds"), [(EQUALS_ONLY, 2 * ODDS), (NO_HABITS, ODDS)])
def test_after_an_honour_falls_the_finesse_is_nearly_twice_as_good(
    habits: Habits, odds: float
) -> None:
    jack, three = 1 << card("SJ"), 1 << card("S3")
    left, weights = everything(after_the_queen_fell(habits))
    finesse = mass(left, weights, jack | three, jack | three)
    drop = mass(left, weights, jack | three, three)
    assert finesse / drop == pytest.approx(odds)


def probability(hand: str, name: str, before: str = "") -> float:
    """The probability of a card under one that beats it, from these spades."""
    held, gone = (sum(1 << card(each) for each in text.split()) for text in (hand, before))
    weights = np.ones(1)
    numbers = np.array([[0, card(name), 0]])
    sets = np.array([[held, gone]], np.uint64)
    nothing = np.zeros(1, np.uint64)
    _weigh_plays(numbers, sets, nothing, nothing, weights)
    return float(weights[0])


@pytest.mark.parametrize(
    ("hand", "before", "played_cards"),
    [
        ("S2", "", "S2"),
        ("S2 S5 S8", "", "S2 S5 S8"),  # small cards, whatever lies between them
        ("SJ SQ SK", "", "SJ SQ SK"),
        ("ST SQ", "SJ", "ST SQ"),  # equal once the jack is gone
        ("S3 S4 SK", "", "S3 S4"),
        ("S7 S8 S9", "", "S7 S8 S9"),
    ],
)
def test_the_cards_that_a_hand_may_follow_with_have_probability_one_together(
    hand: str, before: str, played_cards: str
) -> None:
    """So that, on average over what is played, nothing is told."""
    total = sum(probability(hand, name, before) for name in played_cards.split())
    assert total == pytest.approx(1.0)


def test_equal_honours_are_played_alike_and_small_cards_rather_low() -> None:
    assert probability("SJ SQ", "SJ") == probability("SJ SQ", "SQ") == 1 / 2
    assert probability("S2 S5", "S2") == 1 / 4 + 1 / 2
    assert probability("S2 S5", "S5") == 1 / 4


def test_only_cards_without_another_hand_s_between_them_are_equal() -> None:
    assert probability("ST SQ", "ST") == 1.0
    assert probability("ST SQ", "SQ") == WASTES
    assert probability("ST SQ", "SQ", before="SJ") == 1 / 2


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
    start = CardTable.start(Contract(6, 0, SOUTH))
    hands, table = played(parse_hands(DEAL), start, "H2 H4 H3 HA SA S2 S4 SQ SK S3 S5 D3")
    view = view_of(hands, table)
    assert view.shown_out(EAST) == {0}
    assert view.shown_out(WEST) == frozenset()
    assert placed(view).left == 1 << card("SJ")
    assert placed(view).right == 0


@pytest.mark.parametrize("seed", range(20))
def test_what_is_placed_is_where_every_deal_has_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, hands, table = random_position(rng, int(rng.integers(28, 50)))
    view = view_of(hands, table)
    worlds = sample_worlds(view, 10**5, rng)
    assert worlds.is_complete
    known = placed(view)
    # Voids and counts: once all cards of one defender are known, so are the other's.
    assert int(np.bitwise_and.reduce(worlds.left)) == known.left
    assert int(np.bitwise_and.reduce(worlds.right)) == known.right


def test_vacant_places_give_the_odds_of_a_card() -> None:
    rng = np.random.default_rng(4)
    _, hands, table = random_position(rng, 30)
    view = view_of(hands, table, habits=NO_HABITS)
    worlds = sample_worlds(view, 10**5, rng)
    known = placed(view)
    left = view.cards_left(view.left) - known.left.bit_count()
    right = view.cards_left(view.right) - known.right.bit_count()
    free = view.unseen & ~(known.left | known.right)
    lowest = free & -free
    share = float(worlds.weights[worlds.left & np.uint64(lowest) > 0].sum())
    assert worlds.is_complete
    assert left != right
    assert share == pytest.approx(left / (left + right))
