"""Sampled deals against counting by hand and enumeration."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest
from bridge_positions import SOUTH, figure_3, played, random_position
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from fogspiel.cases.bridge.cards import HAND_SIZE, cards_of, length, points, suit_cards
from fogspiel.cases.bridge.deals import parse_hands
from fogspiel.cases.bridge.hand_limits import NO_LIMITS, HandLimits
from fogspiel.cases.bridge.knowledge import likelihoods
from fogspiel.cases.bridge.sampling import RELAXATIONS, Worlds, sample_worlds, splits_of
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.view import DeclarerView, Habits, view_of

NO_HABITS = Habits(equals=False, leads=False)
LEFT, RIGHT = 0, 1


def with_length(suit: int, low: int, high: int) -> HandLimits:
    lengths = list(NO_LIMITS.lengths)
    lengths[suit] = (low, high)
    return HandLimits(NO_LIMITS.points, tuple(lengths))


def before_the_lead(limits: HandLimits = NO_LIMITS) -> DeclarerView:
    """Declarer's side has seven spades and nine hearts: six and four are missing."""
    hands = parse_hands("N:A432.A5432.432.2 QJ98.KQ.A9.KQJT9 K65.9876.KQJ.A87 T7.JT.T8765.6543")
    return view_of(hands, CardTable.start(Contract(4, 1, SOUTH)), (limits, NO_LIMITS), NO_HABITS)


# Vacant places: C(6,3) C(20,10) / C(26,13) and so on; the figures stand in every book on the odds.
BREAKS = [
    (0, (3,), 35.53),
    (0, (4, 2), 48.45),
    (0, (5, 1), 14.53),
    (0, (6, 0), 1.49),
    (1, (2,), 40.70),
    (1, (3, 1), 49.74),
    (1, (4, 0), 9.57),
]


@pytest.mark.parametrize(("suit", "lengths", "percent"), BREAKS)
def test_suits_break_with_the_odds_of_the_books(
    suit: int, lengths: tuple[int, ...], percent: float
) -> None:
    every = splits_of(before_the_lead()).total
    fitting = sum(splits_of(before_the_lead(with_length(suit, n, n))).total for n in lengths)
    assert every == 10_400_600  # C(26, 13)
    assert 100 * fitting / every == pytest.approx(percent, abs=0.005)


def test_a_sample_breaks_with_the_same_odds() -> None:
    worlds = sample_worlds(before_the_lead(), 20_000, np.random.default_rng(1))
    lengths = np.array([length(int(hand), 0) for hand in worlds.left])
    counts = np.bincount(lengths, minlength=7)
    exact = np.array([1.49 / 2, 14.53 / 2, 48.45 / 2, 35.53, 48.45 / 2, 14.53 / 2, 1.49 / 2])
    expected = exact / exact.sum() * len(worlds.left)
    assert ((counts - expected) ** 2 / expected).sum() < chi2.ppf(0.999, 6)


def enumerated(view: DeclarerView) -> set[int]:
    """Every hand of the left defender that fits, by trying all."""
    cards = list(cards_of(view.unseen))
    found = set()
    for chosen in combinations(cards, view.cards_left(view.left)):
        left = sum(1 << card for card in chosen)
        right = view.unseen & ~left
        if fits(view, left, LEFT) and fits(view, right, RIGHT):
            found.add(left)
    return found


def fits(view: DeclarerView, hand: int, side: int) -> bool:
    seat = (view.left, view.right)[side]
    limits = view.limits[side]
    dealt = hand | view.played_by(seat)
    return (
        not any(suit_cards(hand, suit) for suit in view.shown_out(seat))
        and limits.points[0] <= points(dealt) <= limits.points[1]
        and all(low <= length(dealt, s) <= high for s, (low, high) in enumerate(limits.lengths))
    )


def limits_around(rng: np.random.Generator, dealt: int) -> HandLimits:
    """Limits that a hand fits, some of them tight."""
    loose = rng.integers(0, 5, 10)
    truth = points(dealt)
    lengths = tuple(
        (max(0, length(dealt, s) - int(loose[2 * s])), length(dealt, s) + int(loose[2 * s + 1]))
        for s in range(4)
    )
    return HandLimits((truth - int(loose[8]), truth + int(loose[9])), lengths)


@pytest.mark.parametrize("seed", range(30))
def test_an_ending_has_exactly_the_deals_that_fit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dealt, hands, table = random_position(rng, int(rng.integers(30, 45)))
    left, right = (table.contract.declarer + 1) % 4, (table.contract.declarer + 3) % 4
    limits = limits_around(rng, dealt[left]), limits_around(rng, dealt[right])
    if seed % 3 == 0:
        limits = NO_LIMITS, NO_LIMITS
    view = view_of(hands, table, limits, NO_HABITS)
    worlds = sample_worlds(view, 1_000, rng)
    expected = enumerated(view)
    assert worlds.is_complete
    assert set(map(int, worlds.left)) == expected
    assert len(worlds.left) == len(expected)
    assert hands[left] in expected
    assert np.all(worlds.left | worlds.right == np.uint64(view.unseen))
    assert np.allclose(worlds.weights, 1 / len(expected))


@given(seed=st.integers(0, 10**6), cards=st.integers(1, 40), count=st.integers(1, 60))
def test_every_sampled_deal_fits_what_is_known(seed: int, cards: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    dealt, hands, table = random_position(rng, cards)
    left, right = (table.contract.declarer + 1) % 4, (table.contract.declarer + 3) % 4
    limits = limits_around(rng, dealt[left]), limits_around(rng, dealt[right])
    view = view_of(hands, table, limits)
    worlds = sample_worlds(view, count, rng)
    assert 1 <= len(worlds.left) <= count
    assert len(set(map(int, worlds.left))) == len(worlds.left)
    assert worlds.weights.sum() == pytest.approx(1.0)
    assert worlds.relaxed == ""
    for one, other in zip(map(int, worlds.left), map(int, worlds.right), strict=True):
        assert one & other == 0
        assert one | other == view.unseen
        assert one.bit_count() == view.cards_left(view.left)
        assert fits(view, one, LEFT)
        assert fits(view, other, RIGHT)


def all_worlds(rng: np.random.Generator, cards: int) -> tuple[DeclarerView, Worlds]:
    """A view after so many random cards, with all deals that fit it."""
    _, hands, table = random_position(rng, cards)
    view = view_of(hands, table)
    worlds = sample_worlds(view, 10**4, rng)
    assert worlds.is_complete
    return view, worlds


def test_samples_have_the_probabilities_of_the_enumeration() -> None:
    rng = np.random.default_rng(8)
    view, every = all_worlds(rng, 34)
    assert 50 < len(every.left) < 1_000
    places = {int(hand): place for place, hand in enumerate(every.left)}
    draws, count = 3_000, 8
    totals = np.zeros(len(places))
    for _ in range(draws):
        some = sample_worlds(view, count, rng)
        assert not some.is_complete
        totals[[places[int(hand)] for hand in some.left]] += some.weights
    # One random number places all marks of a draw, so that `count` deals come and go together: the
    # statistic is that of so many fewer deals, times their number.
    statistic = ((totals - every.weights * draws) ** 2 / (every.weights * draws)).sum()
    bound = chi2.ppf(0.999, (len(places) - 1) / count)
    assert statistic < bound
    # It does tell: if all deals were drawn alike, it would be far beyond.
    alike = np.full(len(places), draws / len(places))
    assert ((alike - every.weights * draws) ** 2 / (every.weights * draws)).sum() > 10 * bound


def test_weights_are_those_of_bayes() -> None:
    view, worlds = all_worlds(np.random.default_rng(9), 36)
    assert np.ptp(worlds.weights) > 0
    assert np.array_equal(worlds.weights, likelihoods(view, worlds.left, worlds.right))


def test_every_number_names_another_deal() -> None:
    _, hands, table = random_position(np.random.default_rng(2), 8)
    splits = splits_of(view_of(hands, table))
    numbers = np.arange(splits.total)
    assert len(np.unique(splits.deal(numbers))) == splits.total > 10_000


def test_the_same_seed_gives_the_same_bytes() -> None:
    hands, table = played(figure_3(), CardTable.start(Contract(5, 0, SOUTH)), "D6")
    view = view_of(hands, table)
    first, second, other = (
        sample_worlds(view, 50, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    for name in ("left", "right", "weights"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()
    assert first.left.tobytes() != other.left.tobytes()


@pytest.mark.parametrize(
    ("limits", "relaxed"),
    [
        (HandLimits((0, 20)), 0),
        (HandLimits((22, 37)), 1),  # the defenders have 19 points between them
        (HandLimits((30, 37)), 2),
        (with_length(0, 7, 13), 3),  # six spades are missing
        (with_length(0, 9, 13), 4),
    ],
)
def test_limits_that_no_deal_fits_are_given_up_in_the_stated_order(
    limits: HandLimits, relaxed: int
) -> None:
    worlds = sample_worlds(before_the_lead(limits), 20, np.random.default_rng(0))
    assert worlds.relaxed == RELAXATIONS[relaxed]
    assert len(worlds.left) == 20


def test_a_world_more_than_none_must_be_asked_for() -> None:
    with pytest.raises(ValueError, match="at least 1; got 0"):
        sample_worlds(before_the_lead(), 0, np.random.default_rng(0))


def test_hands_of_two_deals_are_a_mistake_of_ours() -> None:
    view = before_the_lead()
    spades = suit_cards((1 << 52) - 1, 0)
    torn = DeclarerView(view.table, view.declarer_hand | spades, view.dummy_hand)
    assert torn.unseen.bit_count() < 2 * HAND_SIZE
    with pytest.raises(ValueError, match="26 cards should be unseen; 20 are"):
        splits_of(torn)


def test_fifty_worlds_at_the_first_trick_take_a_few_milliseconds() -> None:
    hands, table = played(figure_3(), CardTable.start(Contract(5, 0, SOUTH)), "D6")
    view = view_of(hands, table)
    rng = np.random.default_rng(0)
    sample_worlds(view, 50, rng)
    seconds = []
    for _ in range(20):
        start = time.process_time()
        sample_worlds(view, 50, rng)
        seconds.append(time.process_time() - start)
    # About 1 ms on a machine of 2024; the bound leaves room for slower ones.
    assert min(seconds) < 0.005
