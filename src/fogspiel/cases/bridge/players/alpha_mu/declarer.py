"""The declarer `alpha-mu`: `pimc`, mended where the end of the deal is near enough to search.

The search asks whether a number of tricks is reached. That is the contract while it is in doubt
and the objective is the contract; otherwise what `pimc` expects, to the nearest whole trick.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fogspiel.cases.bridge.cards import Card
from fogspiel.cases.bridge.players.alpha_mu.search import AlphaMu
from fogspiel.cases.bridge.players.choosing import Prospect, best_for_declarer, prospects
from fogspiel.cases.bridge.players.pimc import declarers_order
from fogspiel.cases.bridge.players.protocol import Objective
from fogspiel.cases.bridge.sampling import all_hands, sample_worlds
from fogspiel.cases.bridge.table import CardTable
from fogspiel.cases.bridge.view import DeclarerView

DEFAULT_WORLDS, DEFAULT_DEPTH = 20, 2
DEFAULT_TRICKS = 9
"""With more tricks to come `pimc` decides: up to here a search two moves deep over 20 deals took
2 seconds at most, and 0.2 on average, about as long as `pimc` with 50 deals."""
FIRST_LEVEL = 6
"""Tricks that a contract of level 0 would promise."""


class AlphaMuDeclarer:
    """Chooses as if its later choices could not depend on cards that it will not see."""

    def __init__(
        self,
        worlds: int = DEFAULT_WORLDS,
        depth: int = DEFAULT_DEPTH,
        tricks: int = DEFAULT_TRICKS,
        objective: Objective = "tricks",
    ) -> None:
        self._worlds = worlds
        self._depth = depth
        self._tricks = tricks
        self._objective = objective
        self._seed = 0

    def start(self, seed: int) -> None:
        """Every card is chosen by the seed and the view alone, whatever was asked before."""
        self._seed = seed

    def card(self, view: DeclarerView) -> Card:
        """The best card by search near the end, by `pimc` before."""
        order = declarers_order(view)
        if len(order) == 1:
            return order[0]
        rng = np.random.default_rng([self._seed, len(view.table.history)])
        worlds = sample_worlds(view, self._worlds, rng)
        hands = all_hands(view, worlds)
        found = prospects(order, view.table, hands, worlds.weights)
        # What pimc likes comes first, so that it decides between equals.
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
    """From the best down."""
    left = {prospect.card: prospect for prospect in found}
    ranked = []
    while left:
        ranked.append(left.pop(best_for_declarer(list(left.values()), objective, order)))
    return ranked
