"""Declarer and defender `pimc`: perfect information Monte Carlo over sampled deals.

Source: Levy (1989), "The million pound bridge program"; Ginsberg (2001), "GIB: Imperfect
Information in a Computationally Challenging Game", Journal of Artificial Intelligence Research 14,
section 3 ("Monte Carlo card play").
Declarer sees what declarer sees, and knows of the defenders' hands what voids, the auction, the
lead and restricted choice tell; it is the yardstick of the others. A defender sees its own hand,
dummy and the play. It knows which suits declarer and its partner have no more of, and assumes that
declarer's side has about the points that its contract asks for (`POINTS`); it concludes nothing
from its partner's lead.
Departures: equal cards are evaluated once, and a card without an alternative is played at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import (
    DECK,
    HAND_SIZE,
    Card,
    Hands,
    Seat,
    cards_of,
    hands_by_seat,
    length,
    points,
    rank_of,
    suit_of,
)
from fogspiel.cases.bridge.double_dummy import card_tricks
from fogspiel.cases.bridge.hand_limits import MAX_POINTS, NO_LIMITS, HandLimits
from fogspiel.cases.bridge.players.natural.defender import preferences
from fogspiel.cases.bridge.players.protocol import Objective
from fogspiel.cases.bridge.sampling import all_hands, sample_worlds, splits_of
from fogspiel.cases.bridge.table import CardTable, equal_groups
from fogspiel.cases.bridge.view import DeclarerView, DefenderView

DEFAULT_WORLDS = 50
NEAR = 1e-9  #: Means that differ by less differ by rounding alone
POINTS = {1: 17, 2: 18, 3: 20, 4: 22, 5: 23, 6: 28, 7: 31}
"""Points, by level, below which a side hardly ever bids it."""
ATTEMPTS = 40
"""Deals drawn for each that is wanted before dummy is seen, to find those with enough points."""


class SamplingPlayer:
    """A player that evaluates its cards on sampled deals."""

    def __init__(self, worlds: int = DEFAULT_WORLDS, objective: Objective = "tricks") -> None:
        self._worlds = worlds
        self._objective = objective
        self._seed = 0

    def start(self, seed: int) -> None:
        """Every card is chosen by the seed and the view alone, whatever was asked before."""
        self._seed = seed


class PimcDeclarer(SamplingPlayer):
    """Plays the card that is best on average if all cards were seen from then on."""

    def card(self, view: DeclarerView) -> Card:
        """The lowest of the best group of equals; ties as `declarers_order` has them."""
        order = declarers_order(view)
        if len(order) == 1:
            return order[0]
        return best_card(self.prospects(view), self._objective, order)

    def prospects(self, view: DeclarerView) -> list[Prospect]:
        """The prospects of the lowest card of each group of equals, low cards first."""
        rng = np.random.default_rng([self._seed, len(view.table.history)])
        worlds = sample_worlds(view, self._worlds, rng)
        return prospects(
            sorted(declarers_order(view)), view.table, all_hands(view, worlds), worlds.weights
        )


class PimcDefender(SamplingPlayer):
    """Plays the card that leaves declarer least on average if all cards were seen from then on."""

    def card(self, view: DefenderView) -> Card:
        """The most natural of the best cards."""
        order = preferences(view)
        groups = equal_groups(view.hand, view.legal, view.table)
        if len(groups) == 1:
            return order[0]
        cards = [min(group, key=order.index) for group in groups]
        rng = np.random.default_rng([self._seed, view.seat, len(view.table.history)])
        worlds = possible_hands(view, self._worlds, rng)
        weights = np.full(len(worlds), 1.0 / len(worlds))
        found = prospects(cards, view.table, worlds, weights)
        return best_card(found, self._objective, order, for_defence=True)


@dataclass(frozen=True, slots=True)
class Prospect:
    """The mean results of a card for declarer's side over the deals that were evaluated."""

    card: Card
    tricks: float  #: Mean number of tricks at the end of play
    made: float  #: Probability that the contract is made


def prospects(
    cards: Sequence[Card], table: CardTable, worlds: Sequence[Hands], weights: NDArray[np.float64]
) -> list[Prospect]:
    """The prospects of each card, in the order of the cards.

    worlds: the four hands in each deal, as they are now; weights: (worlds,) summing to 1.
    """
    tricks = np.empty((len(worlds), len(cards)))
    for row, hands in zip(tricks, worlds, strict=True):
        found = card_tricks(hands, table)
        row[:] = [found[card] for card in cards]
    means = weights @ tricks
    made = weights @ (tricks >= table.contract.needed)
    return [
        Prospect(card, float(mean), float(probability))
        for card, mean, probability in zip(cards, means, made, strict=True)
    ]


def best_card(
    found: Sequence[Prospect],
    objective: Objective,
    order: Sequence[Card],
    *,
    for_defence: bool = False,
) -> Card:
    """The card with the best prospect; among equally good ones the first of the order."""
    sign = -1.0 if for_defence else 1.0
    left = {prospect.card: (sign * prospect.tricks, sign * prospect.made) for prospect in found}
    for part in (0, 1) if objective == "tricks" else (1, 0):
        best = max(values[part] for values in left.values())
        left = {card: values for card, values in left.items() if values[part] > best - NEAR}
    return next(card for card in order if card in left)


def declarers_order(view: DeclarerView) -> list[Card]:
    """The lowest card of each group of equals, in the order in which ties are broken.

    Low cards come first, since a high one may still be wanted; of these the suit in which both
    hands together are longest, and then spades before hearts, diamonds and clubs.
    """
    table = view.table
    hand = view.hand_of(table.turn)
    both = view.declarer_hand | view.dummy_hand
    lowest = [group[0] for group in equal_groups(hand, table.legal(hand), table)]
    return sorted(lowest, key=lambda card: (rank_of(card), -length(both, suit_of(card)), card))


def possible_hands(view: DefenderView, count: int, rng: np.random.Generator) -> list[Hands]:
    """Deals that fit what a defender sees: `count` of them, or all if there are no more."""
    contract = view.table.contract
    if not view.table.history:
        return _before_dummy(view, count, rng)
    seen = _Beside(view.table, view.hand, view.dummy_hand)
    least = POINTS[contract.level] - points(view.dummy_hand | seen.played_by(contract.dummy))
    limits = HandLimits(points=(max(least, 0), MAX_POINTS))
    splits = splits_of(_Beside(view.table, view.hand, view.dummy_hand, (limits, NO_LIMITS)))
    numbers = np.arange(splits.total, dtype=np.int64)
    if splits.total > count:
        numbers = np.sort(rng.choice(splits.total, count, replace=False, shuffle=False))
    known = {view.seat: view.hand, contract.dummy: view.dummy_hand}
    return [
        hands_by_seat({**known, contract.declarer: held, view.partner: view.unseen & ~held})
        for held in splits.deal(numbers).tolist()
    ]


class _Beside(DeclarerView):
    """A view from beside dummy: the hidden hands are declarer's and the partner's.

    The deals that fit are counted as for declarer, with declarer in the place of the left
    defender, partner in that of the right one, and the defender's own hand in declarer's.
    """

    @property
    def left(self) -> Seat:
        """Declarer."""
        return self.table.contract.declarer

    @property
    def right(self) -> Seat:
        """The partner of the defender whose turn it is."""
        return (self.table.turn + 2) % 4


def _before_dummy(view: DefenderView, count: int, rng: np.random.Generator) -> list[Hands]:
    """Deals of the 39 cards that the leader does not hold, with enough points for the contract.

    If too few of those that are drawn have enough, the ones with most points are taken as well.
    """
    contract = view.table.contract
    cards = np.fromiter(cards_of(DECK & ~view.hand), np.int64)
    values = np.maximum(cards % 13 - 8, 0)
    drawn = rng.permuted(np.tile(np.arange(len(cards)), (count * ATTEMPTS, 1)), axis=1)
    total = values[drawn[:, : 2 * HAND_SIZE]].sum(axis=1)
    least = POINTS[contract.level]
    order = np.argsort(-np.minimum(total, least), kind="stable")[:count]
    held = (np.int64(1) << cards)[drawn[order]].reshape(len(order), 3, HAND_SIZE).sum(axis=2)
    seats = (contract.declarer, contract.dummy, view.partner)
    return [
        hands_by_seat({view.seat: view.hand, **dict(zip(seats, row, strict=True))})
        for row in held.tolist()
    ]
