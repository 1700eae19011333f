"""Declarer `alpha-mu`: the αμ search near the end of a deal, `pimc` before.

Source: Cazenave and Ventos (2021), "The αμ Search Algorithm for the Game of Bridge", in Monte Carlo
Search, CCIS 1379: sections 3.2 to 3.4 (Pareto fronts), 3.5 (the search), 4.1 (early cut) and 4.2
(root cut). Declarer's moves are the same in all worlds, those of the defenders need not be.
An outcome is an integer with bit w set where the goal is reached in world w; a front is a set of
outcomes of which none is at least as good as another in every world. The goal is a number of
tricks: the contract while it is in doubt and the objective is the contract, otherwise what `pimc`
expects, to the nearest whole trick.
Departures: the double-dummy outcome of a node bounds all that lies below it, and is used for the
early cut before a node is searched; a move without an alternative does not count towards the
depth; there is no transposition table. The paper marks worlds that are not possible at a node; here
every outcome counts them as won, which neither a union nor a combination can tell from leaving them
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Card, Hands, cards_of
from fogspiel.cases.bridge.double_dummy import is_made
from fogspiel.cases.bridge.players.pimc import (
    Prospect,
    SamplingPlayer,
    best_card,
    declarers_order,
    prospects,
)
from fogspiel.cases.bridge.players.protocol import Objective
from fogspiel.cases.bridge.sampling import all_hands, sample_worlds
from fogspiel.cases.bridge.table import CardTable, equal_groups, without
from fogspiel.cases.bridge.view import DeclarerView

DEFAULT_WORLDS, DEFAULT_DEPTH = 20, 2
DEFAULT_TRICKS = 9
"""Tricks to come above which `pimc` decides: up to here a search two moves deep over 20 deals took
2 seconds at most, and 0.2 on average, about as long as `pimc` with 50 deals."""
FIRST_LEVEL = 6  #: Tricks that a contract of level 0 would promise
Deals: TypeAlias = Mapping[int, Hands]
"""The hands that are left in each world that is still possible."""
Outcome: TypeAlias = int
Front: TypeAlias = tuple[Outcome, ...]
ROUNDING = 1e-9


class AlphaMuDeclarer(SamplingPlayer):
    """Chooses as if its later choices could not depend on cards that it will not see."""

    def __init__(
        self,
        worlds: int = DEFAULT_WORLDS,
        depth: int = DEFAULT_DEPTH,
        tricks: int = DEFAULT_TRICKS,
        objective: Objective = "tricks",
    ) -> None:
        super().__init__(worlds, objective)
        self._depth = depth
        self._tricks = tricks

    def card(self, view: DeclarerView) -> Card:
        """The best card by search near the end, by `pimc` before."""
        order = declarers_order(view)
        if len(order) == 1:
            return order[0]
        rng = np.random.default_rng([self._seed, len(view.table.history)])
        worlds = sample_worlds(view, self._worlds, rng)
        hands = all_hands(view, worlds)
        found = prospects(order, view.table, hands, worlds.weights)
        # The preference of pimc comes first, so that it decides between equals.
        ranked = _ranked(found, self._objective, order)
        if view.hand_of(view.table.turn).bit_count() > self._tricks:
            return ranked[0].card
        goal = _goal(view.table, self._objective, ranked[0])
        cards = [prospect.card for prospect in ranked]
        return AlphaMu(hands, worlds.weights).best_card(goal, cards, self._depth)


def _goal(table: CardTable, objective: Objective, promise: Prospect) -> CardTable:
    """The table with the number of tricks to play for written into its contract."""
    if objective == "contract" and 0.0 < promise.made < 1.0:
        return table
    level = round(promise.tricks) - FIRST_LEVEL
    return replace(table, contract=replace(table.contract, level=level))


def _ranked(found: list[Prospect], objective: Objective, order: list[Card]) -> list[Prospect]:
    """Prospects from the best down."""
    left = {prospect.card: prospect for prospect in found}
    ranked = []
    while left:
        ranked.append(left.pop(best_card(list(left.values()), objective, order)))
    return ranked


class AlphaMu:
    """A search for one decision of declarer in a fixed set of worlds."""

    def __init__(self, worlds: Sequence[Hands], weights: NDArray[np.float64]) -> None:
        self._deals: Deals = dict(enumerate(worlds))
        self._weights = weights
        self._made: dict[tuple[Hands, tuple[Card, ...], int, int], bool] = {}

    def best_card(self, table: CardTable, cards: Sequence[Card], depth: int) -> Card:
        """The card with the best outcome, `depth` of declarer's moves deep.

        cards: those to choose between, the likeliest first; ties go to the earlier one.
        """
        chosen, bound = self._best(table, cards, 1)
        for deeper in range(2, depth + 1):
            chosen, bound = self._best(table, cards, deeper, bound)
        return chosen

    def _best(
        self, table: CardTable, cards: Sequence[Card], depth: int, bound: float = 1.0
    ) -> tuple[Card, float]:
        """The best card with its score; no score can exceed that of a search less deep."""
        front: Front = ()
        chosen, best = cards[0], -1.0
        for card in cards:
            found = self._after(table, self._deals, card, depth - 1, front)
            reached = max(score(outcome, self._weights) for outcome in found)
            if reached > best + ROUNDING:
                chosen, best = card, reached
            if best > bound - ROUNDING:
                break  # the root cut
            front = either(front, found)
        return chosen, best

    def front(self, table: CardTable, deals: Deals, depth: int, known: Front = ()) -> Front:
        """The front of declarer. known: a front that declarer has anyway in the same worlds."""
        possible = mask_of(deals)
        if table.won >= table.contract.needed:
            return (possible,)
        bound = self._double_dummy(table, deals)
        if bound == 0 or depth == 0 or covers(known, (bound,)):
            return (bound,)
        if table.is_declarers_turn:
            return self._declarers(table, deals, depth)
        return self._defenders(table, deals, depth, known)

    def _declarers(self, table: CardTable, deals: Deals, depth: int) -> Front:
        """The front at declarer's move, which is the same in all worlds."""
        hand = next(iter(deals.values()))[table.turn]
        groups = equal_groups(hand, table.legal(hand), table)
        left = depth - (len(groups) > 1)
        front: Front = ()
        for group in groups:
            front = either(front, self._after(table, deals, group[0], left, front))
        return front

    def _defenders(self, table: CardTable, deals: Deals, depth: int, known: Front) -> Front:
        """The front at a defender's move, which may be another in every world."""
        possible = mask_of(deals)
        legal = {world: table.legal(hands[table.turn]) for world, hands in deals.items()}
        moves = 0
        for cards in legal.values():
            moves |= cards
        front: Front = (possible,)
        for card in cards_of(moves):
            where = {world: deals[world] for world in deals if legal[world] >> card & 1}
            elsewhere = possible & ~mask_of(where)
            found = self._after(table, where, card, depth, ())
            front = both(front, tuple(outcome | elsewhere for outcome in found))
            if covers(known, front):
                break  # the early cut: declarer does not come here
        return front

    def _after(self, table: CardTable, deals: Deals, card: Card, depth: int, known: Front) -> Front:
        seat = table.turn
        played = {world: without(hands, seat, card) for world, hands in deals.items()}
        return self.front(table.play(card), played, depth, known)

    def _double_dummy(self, table: CardTable, deals: Deals) -> int:
        """The outcome if declarer saw all cards from here on."""
        outcome = 0
        for world, hands in deals.items():
            key = (hands, table.trick, table.trick_leader, table.won)
            if key not in self._made:
                self._made[key] = is_made(hands, table)
            outcome |= self._made[key] << world
        return outcome


def mask_of(deals: Deals) -> int:
    """The worlds as bits."""
    return sum(1 << world for world in deals)


def best_of(outcomes: Iterable[Outcome]) -> Front:
    """Outcomes that no other covers, in the order in which they came."""
    kept: list[Outcome] = []
    for outcome in outcomes:
        if any(outcome & ~other == 0 for other in kept):
            continue
        kept = [other for other in kept if other & ~outcome]
        kept.append(outcome)
    return tuple(kept)


def either(one: Front, other: Front) -> Front:
    """The front of declarer who may choose between two fronts."""
    return best_of((*one, *other))


def both(one: Front, other: Front) -> Front:
    """The front that is left where the defenders, world by world, choose between two fronts."""
    return best_of(first & second for first in one for second in other)


def covers(front: Front, other: Front) -> bool:
    """Whether nothing in the other front is new."""
    return all(any(outcome & ~mine == 0 for mine in front) for outcome in other)


def score(outcome: Outcome, weights: NDArray[np.float64]) -> float:
    """The weight of the worlds in which the goal is reached."""
    return float(sum(weight for world, weight in enumerate(weights) if outcome >> world & 1))
