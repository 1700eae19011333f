"""The defender `pimc`: perfect information in each of many deals that it holds possible.

Source: as in `choosing`. A defender sees its own hand, dummy and the play. It knows which suits
declarer and its partner have no more of, and takes it that declarer's side has about the points
that its contract asks for (`POINTS`); of its partner's lead it reads nothing.
"""

from __future__ import annotations

import numpy as np

from fogspiel.cases.bridge.cards import DECK, Card, Seat, cards_of, points
from fogspiel.cases.bridge.double_dummy import Hands
from fogspiel.cases.bridge.players.choosing import best_for_defence, prospects
from fogspiel.cases.bridge.players.natural.defender import preferences
from fogspiel.cases.bridge.players.protocol import DefenderView, Objective, equal_groups
from fogspiel.cases.bridge.sampling import splits_of
from fogspiel.cases.bridge.table import Contract
from fogspiel.cases.bridge.view import HAND_SIZE, MAX_POINTS, NO_LIMITS, DeclarerView, HandLimits

DEFAULT_WORLDS = 50
POINTS = {1: 17, 2: 18, 3: 20, 4: 22, 5: 23, 6: 28, 7: 31}
"""By level: points that a side hardly ever bids with fewer than."""
ATTEMPTS = 40
"""Before dummy is seen: deals drawn for each that is wanted, to find those with enough points."""


class PimcDefender:
    """Plays the card that leaves declarer least on average if all cards were seen from then on."""

    def __init__(self, worlds: int = DEFAULT_WORLDS, objective: Objective = "tricks") -> None:
        self._worlds = worlds
        self._objective = objective
        self._seed = 0

    def start(self, seed: int) -> None:
        """Every card is chosen by the seed and the sight alone, whatever was asked before."""
        self._seed = seed

    def card(self, sight: DefenderView) -> Card:
        """The most natural of the best cards."""
        order = preferences(sight)
        groups = equal_groups(sight.hand, sight.legal, sight.table)
        if len(groups) == 1:
            return order[0]
        cards = [min(group, key=order.index) for group in groups]
        rng = np.random.default_rng([self._seed, sight.seat, len(sight.table.history)])
        worlds = possible_hands(sight, self._worlds, rng)
        weights = np.full(len(worlds), 1.0 / len(worlds))
        found = prospects(cards, sight.table, worlds, weights)
        return best_for_defence(found, self._objective, order)


def possible_hands(sight: DefenderView, count: int, rng: np.random.Generator) -> list[Hands]:
    """At most `count` deals that fit what a defender sees, all of them if there are no more."""
    contract = sight.table.contract
    if not sight.table.history:
        return _before_dummy(sight, count, rng)
    least = POINTS[contract.level] - points(_dealt_to_dummy(sight))
    limits = HandLimits(points=(max(least, 0), MAX_POINTS))
    beside = _Beside(sight.table, sight.hand, sight.dummy_hand, (limits, NO_LIMITS))
    splits = splits_of(beside)
    numbers = np.arange(splits.total, dtype=np.int64)
    if splits.total > count:
        numbers = np.sort(rng.choice(splits.total, count, replace=False, shuffle=False))
    return [
        _hands(
            {
                sight.seat: sight.hand,
                contract.dummy: sight.dummy_hand,
                contract.declarer: held,
                sight.partner: sight.unseen & ~held,
            }
        )
        for held in splits.deal(numbers).tolist()
    ]


class _Beside(DeclarerView):
    """A view from beside dummy: the hands out of sight are declarer's and the partner's.

    The deals that fit are counted as for declarer, with declarer in the place of the left
    defender, partner in that of the right one, and the defender's own hand in declarer's.
    """

    @property
    def left(self) -> Seat:
        """Declarer."""
        return self.table.contract.declarer

    @property
    def right(self) -> Seat:
        """The one whose turn it is sees its partner's hand as little as declarer's."""
        return (self.table.turn + 2) % 4


def _dealt_to_dummy(sight: DefenderView) -> int:
    beside = _Beside(sight.table, sight.hand, sight.dummy_hand)
    return sight.dummy_hand | beside.played_by(sight.table.contract.dummy)


def _before_dummy(sight: DefenderView, count: int, rng: np.random.Generator) -> list[Hands]:
    """Deals of the 39 cards that the leader does not hold, with enough points for the contract.

    If too few of those that are drawn have enough, the ones with most points are taken as well.
    """
    contract = sight.table.contract
    cards = np.fromiter(cards_of(DECK & ~sight.hand), np.int64)
    bits = np.int64(1) << cards
    worth = np.maximum(cards % 13 - 8, 0)
    drawn = rng.permuted(np.tile(np.arange(len(cards)), (count * ATTEMPTS, 1)), axis=1)
    total = worth[drawn[:, : 2 * HAND_SIZE]].sum(axis=1)
    least = POINTS[contract.level]
    order = np.argsort(-np.minimum(total, least), kind="stable")[:count]
    held = bits[drawn[order]].reshape(len(order), 3, HAND_SIZE).sum(axis=2)
    return [_leaders_world(sight, contract, row) for row in held.tolist()]


def _leaders_world(sight: DefenderView, contract: Contract, row: list[int]) -> Hands:
    declarer, dummy, partner = row
    return _hands(
        {
            sight.seat: sight.hand,
            contract.declarer: declarer,
            contract.dummy: dummy,
            sight.partner: partner,
        }
    )


def _hands(held: dict[Seat, int]) -> Hands:
    return held[0], held[1], held[2], held[3]
