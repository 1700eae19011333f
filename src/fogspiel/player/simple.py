"""Players that do not think: to measure others against, and to test with."""

from __future__ import annotations

from fogspiel.core.ids import MoveId
from fogspiel.player.mixing import Mixer, evenly
from fogspiel.player.protocol import Shares
from fogspiel.player.tracking import Tracking
from fogspiel.search.budget import Budget


class RandomPlayer(Mixer):
    """Any legal move, all as probable."""

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) one over their number."""
        return evenly(len(self.legal_moves(budget)))


class FirstPlayer(Tracking):
    """Always the first legal move, in the order of the rules."""

    def choose(self, budget: Budget) -> MoveId:
        """The first legal move."""
        return self.legal_moves(budget)[0]
