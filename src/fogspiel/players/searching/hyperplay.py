"""`hyperplay` and `hyperplay2`: Monte Carlo evaluation of moves in a bag of models of the game.

Sources: Schofield, Cerexhe & Thielscher (2012); Schofield & Thielscher (2015, 2019); see
`search/hyperplay`. The bag is the belief `hyperplay`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Histories
from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId
from fogspiel.players.base import BeliefPlayer
from fogspiel.players.protocol import Seat
from fogspiel.players.searching.search_player import with_reserve
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.hyperplay import NestedSearch, flat_monte_carlo

BAG = 512  #: Models that are drawn from the belief for one choice


class BagPlayer(BeliefPlayer, ABC):
    """A player that makes the move with the best mean value in a bag of models."""

    belief_method = "hyperplay"

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        self._leaves = leaves

    def choose(self, budget: Budget) -> MoveId:
        """The best move, by as many playouts as the budget allows."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return legal[0]
        models = self.belief.sample(BAG, self.turn_seed)
        return legal[int(self._values(legal, models, with_reserve(budget)).argmax())]

    @abstractmethod
    def _values(
        self, legal: tuple[MoveId, ...], models: Histories, budget: Budget
    ) -> NDArray[np.float64]:
        """The mean goal of each move, (legal moves,)."""


class HyperplayPlayer(BagPlayer):
    """A player that evaluates moves by random playouts."""

    def _values(
        self, legal: tuple[MoveId, ...], models: Histories, budget: Budget
    ) -> NDArray[np.float64]:
        bag = (models.states, models.weights)
        return flat_monte_carlo(
            self.machine, self.role, legal, bag, budget, self.turn_seed, self._leaves
        )


class Hyperplay2Player(BagPlayer):
    """A player that evaluates moves by playouts of players that have bags themselves."""

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; choices of players inside playouts are kept for the whole match."""
        super().start(seat, budget)
        self._search = NestedSearch(self.machine, self.role, seat.seed, self._leaves)

    def _values(
        self, legal: tuple[MoveId, ...], models: Histories, budget: Budget
    ) -> NDArray[np.float64]:
        return self._search.values(legal, models, budget)
