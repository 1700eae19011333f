"""`hyperplay` and `hyperplay2`: moves tried in a bag of models of the game.

Sources: Schofield, Cerexhe & Thielscher (2012); Schofield & Thielscher (2015, 2019); see
`search/hyperplay/flat_monte_carlo` and `search/hyperplay/nested`. The bag is the belief
`hyperplay`.
"""

from __future__ import annotations

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId
from fogspiel.players.base import BeliefPlayer
from fogspiel.players.protocol import Seat
from fogspiel.players.searching.search_player import with_reserve
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.hyperplay import NestedSearch, flat_monte_carlo

BAG = 512
"""Models that are drawn from the belief for one choice."""


class HyperplayPlayer(BeliefPlayer):
    """The move that is best on average in the models, by playouts."""

    belief_method = "hyperplay"

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        self._leaves = leaves

    def choose(self, budget: Budget) -> MoveId:
        """The best move, by as many playouts as the budget allows."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return legal[0]
        models = self.belief.sample(BAG, self.turn_seed)
        bag = (models.states, models.weights)
        clock = with_reserve(budget)
        values = flat_monte_carlo(
            self.machine, self.role, legal, bag, clock, self.turn_seed, self._leaves
        )
        return legal[int(values.argmax())]


class Hyperplay2Player(BeliefPlayer):
    """The same by playouts of players that have bags themselves, so that information counts."""

    belief_method = "hyperplay"

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        self._leaves = leaves

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; what players inside playouts choose is kept for the whole match."""
        super().start(seat, budget)
        self._search = NestedSearch(self.machine, self.role, seat.seed, self._leaves)

    def choose(self, budget: Budget) -> MoveId:
        """The best move, by as many playouts as the budget allows."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return legal[0]
        models = self.belief.sample(BAG, self.turn_seed)
        values = self._search.values(legal, models, with_reserve(budget))
        return legal[int(values.argmax())]
