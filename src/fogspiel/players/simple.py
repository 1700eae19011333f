"""Players that do not think: to measure others against, and to test with."""

from __future__ import annotations

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId
from fogspiel.players.base import BeliefPlayer
from fogspiel.players.mixing import MixedPlayer, uniform_policy
from fogspiel.players.protocol import Shares


class RandomPlayer(MixedPlayer):
    """Any legal move, all as probable."""

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) one over their number."""
        return uniform_policy(len(self.legal_moves(budget)))


class FirstPlayer(BeliefPlayer):
    """Always the first legal move, in the order of the rules."""

    def choose(self, budget: Budget) -> MoveId:
        """The first legal move."""
        return self.legal_moves(budget)[0]
