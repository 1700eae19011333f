"""Deals that are consistent with declarer's view: all of them, or a sample.

The unseen cards are gone through one by one, suit by suit. How many ways there are to deal those
that follow, given what the left defender took so far (cards, cards of this suit, points), is
counted from the end. So every deal that fits has a number, and a number gives its deal: a sample is
a set of numbers. It is uniform without any rejection, however tight the limits are. How probable
each deal is after what the defenders played (`knowledge`) then chooses among them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Hand, Hands, cards_of, hands_by_seat, length, points
from fogspiel.cases.bridge.hand_limits import NO_LIMITS, HandLimits
from fogspiel.cases.bridge.knowledge import likelihoods, placed
from fogspiel.cases.bridge.view import DeclarerView
from fogspiel.core.native import native

POOL = 1_024
"""Deals among which those handed out are chosen by weight: all, where there are no more."""
RELAXATIONS = (
    "",
    "points widened by 3",
    "points dropped",
    "points dropped, lengths widened by 1",
    "all limits dropped",
)
"""Limits that are given up, in this order, where no deal fits what the auction said."""


@dataclass(frozen=True, slots=True)
class Worlds:
    """Hands that the defenders may hold, with their probabilities."""

    left: NDArray[np.uint64]  #: (worlds,) hands of the left defender
    right: NDArray[np.uint64]  #: (worlds,) hands of the right defender
    weights: NDArray[np.float64]  #: (worlds,) probabilities; they sum to 1
    is_complete: bool = False  #: Whether these are all the deals there are, with exact weights
    relaxed: str = ""  #: The limits that had to be given up: one of `RELAXATIONS`


def sample_worlds(view: DeclarerView, count: int, rng: np.random.Generator) -> Worlds:
    """Deals that fit what declarer knows: `count` different ones, or fewer.

    Where no more than `count` exist they are all there, with exact weights. Otherwise they are
    drawn, and the expected weight of a deal is its probability.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1; got {count}")
    splits = splits_of(view)
    pool = max(POOL, count)
    if splits.total <= pool:
        numbers = np.arange(splits.total, dtype=np.int64)
    else:
        numbers = np.sort(rng.choice(splits.total, pool, replace=False, shuffle=False))
    left = splits.deal(numbers)
    right = np.uint64(view.unseen) & ~left
    weights = likelihoods(view, left, right)
    if splits.total <= count:
        return Worlds(left, right, weights, True, splits.relaxed)
    chosen, weights = _choose(weights, count, rng)
    return Worlds(left[chosen], right[chosen], weights, False, splits.relaxed)


def all_hands(view: DeclarerView, worlds: Worlds) -> list[Hands]:
    """(worlds,) the four hands in each deal."""
    contract = view.table.contract
    known = {contract.declarer: view.declarer_hand, contract.dummy: view.dummy_hand}
    return [
        hands_by_seat({**known, view.left: left, view.right: right})
        for left, right in zip(worlds.left.tolist(), worlds.right.tolist(), strict=True)
    ]


def _choose(
    weights: NDArray[np.float64], count: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Systematic sampling: which are taken, and with what weight; both (chosen,).

    Each is taken as often as its weight says, up to rounding by chance. One that is taken several
    times is handed out once, with so much more weight.
    """
    ends = np.cumsum(weights)
    marks = (np.arange(count) + rng.random()) / count * ends[-1]
    taken = np.minimum(np.searchsorted(ends, marks, side="right"), len(weights) - 1)
    chosen, copies = np.unique(taken, return_counts=True)
    return chosen, copies / count


@dataclass(frozen=True, slots=True)
class Splits:
    """Every way to deal the unseen cards that fits voids, counts and limits, numbered from 0."""

    fixed: Hand  #: Cards that the left defender holds in every deal
    cards: NDArray[np.int64]  #: (n,) the cards that either may hold, by suit
    values: NDArray[np.int64]  #: (n,) high-card points of each; 0 where nothing is said of points
    counted: int  #: 1 where something is said of lengths, else 0
    ways: NDArray[np.int64]
    """(n + 1, taken, taken in this suit, points taken, 2) ways to deal the cards from here on if
    the left defender does not take the next one; and in all."""
    relaxed: str

    @property
    def total(self) -> int:
        """The number of deals."""
        return int(self.ways[0, 0, 0, 0, 1])

    def deal(self, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        """(n,) hands of the left defender in the deals of these numbers."""
        return _unrank(
            numbers, np.uint64(self.fixed), self.cards, self.values, self.counted, self.ways
        )


def splits_of(view: DeclarerView) -> Splits:
    """The deals that fit; limits that leave none are relaxed as little as `RELAXATIONS` allows."""
    places = view.cards_left(view.left) + view.cards_left(view.right)
    if view.unseen.bit_count() != places:
        raise ValueError(f"{places} cards should be unseen; {view.unseen.bit_count()} are")
    for relaxed in RELAXATIONS:
        left, right = (relax(limits, relaxed) for limits in view.limits)
        splits = _splits(view, left, right, relaxed)
        if splits.total:
            return splits
    raise ValueError("the cards played and the hands seen are not of one deal")


def relax(limits: HandLimits, relaxed: str) -> HandLimits:
    """Limits, loosened as one of `RELAXATIONS` says."""
    low, high = limits.points
    lengths = tuple((least - 1, most + 1) for least, most in limits.lengths)
    return {
        RELAXATIONS[0]: limits,
        RELAXATIONS[1]: replace(limits, points=(low - 3, high + 3)),
        RELAXATIONS[2]: replace(limits, points=NO_LIMITS.points),
        RELAXATIONS[3]: replace(limits, points=NO_LIMITS.points, lengths=lengths),
        RELAXATIONS[4]: NO_LIMITS,
    }[relaxed]


def _splits(view: DeclarerView, left: HandLimits, right: HandLimits, relaxed: str) -> Splits:
    known = placed(view)
    free = view.unseen & ~(known.left | known.right)
    # The right defender has what the left one has not: one pair of bounds says it for both.
    held = view.played_by(view.left) | known.left
    other = view.played_by(view.right) | known.right
    bounds = [_share(left.points, right.points, points(held), points(other), points(free))]
    for suit, (ours, theirs) in enumerate(zip(left.lengths, right.lengths, strict=True)):
        counts = (length(hand, suit) for hand in (held, other, free))
        bounds.append(_share(ours, theirs, *counts))
    cards = np.fromiter(cards_of(free), np.int64)
    # What no limit speaks of is not counted: the table stays small.
    by_points = bounds[0] != (0, points(free))
    counted = any(bounds[suit + 1] != (0, length(free, suit)) for suit in range(4))
    values = np.maximum(cards % 13 - 8, 0) if by_points else np.zeros_like(cards)
    shape = (
        len(cards) + 1,
        view.cards_left(view.left) - known.left.bit_count() + 1,
        max(length(free, suit) for suit in range(4)) + 1 if counted else 1,
        points(free) + 1 if by_points else 1,
        2,
    )
    ways = np.zeros(shape, np.int64)
    if all(low <= high for low, high in bounds):
        _count_ways(cards // 13, values, counted, np.array(bounds), ways)
    return Splits(known.left, cards, values, int(counted), ways, relaxed)


def _share(
    ours: tuple[int, int], theirs: tuple[int, int], held: int, other: int, free: int
) -> tuple[int, int]:
    """The bounds on how much of what is free the left defender may take.

    No amount is possible if the first is the greater.

    ours, theirs: bounds for what the left and the right defender were dealt.
    held, other: what each of them is known to have been dealt.
    """
    return (
        max(0, ours[0] - held, other + free - theirs[1]),
        min(free, ours[1] - held, other + free - theirs[0]),
    )


@native
def _count_ways(
    suits: NDArray[np.int64],
    values: NDArray[np.int64],
    counted: bool,
    bounds: NDArray[np.int64],
    ways: NDArray[np.int64],
) -> None:
    """Fill in `Splits.ways`, from the last card back.

    bounds: (5, 2) least and most that the left defender takes: points, then cards of each suit.
    """
    cards, all_taken, all_in_suit, all_points, _ = ways.shape
    for total in range(all_points):
        if all_points == 1 or bounds[0, 0] <= total <= bounds[0, 1]:
            ways[cards - 1, all_taken - 1, 0, total, 1] = 1
    for place in range(cards - 2, -1, -1):
        suit = suits[place]
        is_last = place == cards - 2 or suits[place + 1] != suit
        for taken in range(all_taken):
            for in_suit in range(all_in_suit):
                for total in range(all_points):
                    for take in range(2):
                        after = in_suit + take * counted
                        value = total + take * values[place]
                        if taken + take == all_taken or after == all_in_suit or value >= all_points:
                            continue
                        if is_last and counted:
                            if not bounds[suit + 1, 0] <= after <= bounds[suit + 1, 1]:
                                continue
                            after = 0
                        found = ways[place + 1, taken + take, after, value, 1]
                        ways[place, taken, in_suit, total, 1] += found
                        if not take:
                            ways[place, taken, in_suit, total, 0] = found


@native
def _unrank(
    numbers: NDArray[np.int64],
    fixed: np.uint64,
    cards: NDArray[np.int64],
    values: NDArray[np.int64],
    counted: int,
    ways: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """(n,) the left defender's hands: deals in which it lacks a card come before those with it."""
    hands = np.empty(len(numbers), np.uint64)
    for index in range(len(numbers)):
        number = numbers[index]
        hand, taken, in_suit, total = fixed, 0, 0, 0
        for place in range(len(cards)):
            without = ways[place, taken, in_suit, total, 0]
            if number >= without:
                number -= without
                hand |= np.uint64(1) << np.uint64(cards[place])
                taken += 1
                in_suit += counted
                total += values[place]
            if place + 1 < len(cards) and cards[place + 1] // 13 != cards[place] // 13:
                in_suit = 0
        hands[index] = hand
    return hands
