"""`oos`: online outcome sampling, and a draw from the average strategy.

Source: Lisy, Lanctot & Bowling (2015); see `search/outcome_sampling/oos`.
"""

from __future__ import annotations

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.machine.knowledge import knowledge_of
from fogspiel.players.base import MixedPlayer, normalised, pure, uniform_policy
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import MOST_BYTES, with_reserve
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import look_at_goals
from fogspiel.search.mcts.roots import Targets
from fogspiel.search.outcome_sampling.oos import OutcomeSampling


class OosPlayer(MixedPlayer):
    """A player that keeps the regrets and average strategies of its search from step to step."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        self._leaves = leaves

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; walks begin with the first choice."""
        super().start(seat, budget)
        look_at_goals(self.machine, budget)
        self._search = self._new_search()

    def mixture(self, budget: Budget) -> Shares:
        """The average strategy, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        if self._search.is_crowded(budget) or self._search.bytes > MOST_BYTES:
            self._search = self._new_search()
        targets = Targets(self.belief, self.turn_seed) if self.observations else None
        self._search.run(targets, with_reserve(budget))
        key = knowledge_of(self.machine, self.role, self.observations)
        found = self._search.decisions.statistics(key)
        if found is None:
            return uniform_policy(len(legal))
        average = dict(zip(found.moves.tolist(), found.strategy, strict=True))
        # If a role cannot know its legal moves, the decision may have other moves.
        return normalised(np.array([average.get(move, 0.0) for move in legal]))

    def _new_search(self) -> OutcomeSampling:
        return OutcomeSampling(self.machine, self.role, seed=self.turn_seed, leaves=self._leaves)
