"""The αμ search itself: declarer's moves are the same in all worlds, the defenders' need not be.

Source: Cazenave and Ventos (2021), "The αμ Search Algorithm for the Game of Bridge", sections 3.5
(the search), 4.1 (early cut) and 4.2 (root cut).
Departures: the double-dummy outcome of a node bounds all that lies below it, and is used for the
early cut before a node is searched; a move without an alternative does not count towards the
depth; there is no transposition table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Card, cards_of
from fogspiel.cases.bridge.double_dummy import Hands, is_made
from fogspiel.cases.bridge.players.alpha_mu.fronts import Front, both, covers, either, score
from fogspiel.cases.bridge.players.protocol import equal_groups, without
from fogspiel.cases.bridge.table import CardTable

Deals: TypeAlias = Mapping[int, Hands]
"""The hands that are left in each world that is still possible."""

ROUNDING = 1e-9


class AlphaMu:
    """One decision of declarer, looked at in a fixed set of worlds."""

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
        """What declarer can reach. known: a front that declarer has anyway in the same worlds."""
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
        """Declarer's move is the same in all worlds."""
        hand = next(iter(deals.values()))[table.turn]
        groups = equal_groups(hand, table.legal(hand), table)
        left = depth - (len(groups) > 1)
        front: Front = ()
        for group in groups:
            front = either(front, self._after(table, deals, group[0], left, front))
        return front

    def _defenders(self, table: CardTable, deals: Deals, depth: int, known: Front) -> Front:
        """The defenders' move may be another in every world: they are taken to see all cards."""
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
