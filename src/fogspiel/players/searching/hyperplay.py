"""`hyperplay` and `hyperplay2`: Monte Carlo evaluation of moves in a bag of models of the game.

Sources: Schofield, Cerexhe & Thielscher (2012); Schofield & Thielscher (2015, 2019); see
`search/hyperplay`. The bag is the belief `hyperplay`.

If there is a clock, `hyperplay` makes playouts for its first move before play. What it learns in
one information set is of no use in another, so that it has nothing to do in forced turns and while
others move. `hyperplay2` keeps the choices of players inside playouts; it makes such playouts
before play, in forced turns, and while others move.
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
from fogspiel.search.hyperplay import MoveGoals, NestedSearch, flat_monte_carlo
from fogspiel.search.mcts.room import default_max_bytes

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
            self.think(budget)
            return legal[0]
        models = self.belief.sample(BAG, self.turn_seed)
        return legal[int(self._values(legal, models, with_reserve(budget)).argmax())]

    def think(self, budget: Budget) -> None:
        """Use time in which there is no choice to be made."""

    @abstractmethod
    def _values(
        self, legal: tuple[MoveId, ...], models: Histories, budget: Budget
    ) -> NDArray[np.float64]:
        """The mean goal of each move, (legal moves,)."""


class HyperplayPlayer(BagPlayer):
    """A player that evaluates moves by random playouts."""

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; if there is a clock and a choice at once, make playouts for it."""
        super().start(seat, budget)
        self._first_goals: MoveGoals | None = None
        """Playouts from the initial state, for a choice there."""
        if budget.deadline is not None:
            legal = self.legal_moves()
            if len(legal) > 1:
                models = self.belief.sample(BAG, self.turn_seed)
                self._first_goals = self._goals(legal, models, with_reserve(budget))

    def _values(
        self, legal: tuple[MoveId, ...], models: Histories, budget: Budget
    ) -> NDArray[np.float64]:
        return self._goals(legal, models, budget).means

    def _goals(self, legal: tuple[MoveId, ...], models: Histories, budget: Budget) -> MoveGoals:
        before = None if self.observations else self._first_goals
        # Playouts before play had the seed of this step already.
        seed = self.turn_seed if before is None else self.turn_seed + 1
        bag = (models.states, models.weights)
        return flat_monte_carlo(
            self.machine, self.role, legal, bag, budget, seed, self._leaves, before
        )


class Hyperplay2Player(BagPlayer):
    """A player that evaluates moves by playouts of players that have bags themselves."""

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; choices of players inside playouts are kept for the whole match."""
        super().start(seat, budget)
        self._search = NestedSearch(
            self.machine, self.role, seat.seed, self._leaves, default_max_bytes()
        )
        self._last: tuple[tuple[MoveId, ...], Histories] | None = None
        """Moves and models of the last turn, for time in which others move."""
        if budget.deadline is not None:
            self.think(budget)

    def think(self, budget: Budget) -> None:
        """Make playouts, for the choices of players in them."""
        if budget.deadline is not None:
            models = self.belief.sample(BAG, self.turn_seed)
            self._values(self.legal_moves(), models, with_reserve(budget))

    def ponder(self, budget: Budget) -> None:
        """Make playouts from the models of the last turn."""
        if self._last is not None:
            self._search.values(*self._last, budget)

    def _values(
        self, legal: tuple[MoveId, ...], models: Histories, budget: Budget
    ) -> NDArray[np.float64]:
        self._last = legal, models
        return self._search.values(legal, models, budget)
