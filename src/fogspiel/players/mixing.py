"""Players that say how probable each of their moves is, and draw one by that.

Whoever judges a player can then ask for the probabilities themselves, once, instead of letting it
draw again and again. Drawing goes through them, so that the two cannot disagree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId
from fogspiel.players.base import BeliefPlayer
from fogspiel.players.protocol import Shares


class MixedPlayer(BeliefPlayer, ABC):
    """Draws from its mixture."""

    @abstractmethod
    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) how probable each is to be chosen."""

    def choose(self, budget: Budget) -> MoveId:
        """A draw from the mixture."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return legal[0]
        shares = self.mixture(budget)
        return legal[int(np.random.default_rng(self.turn_seed).choice(len(legal), p=shares))]


def uniform_policy(count: int) -> Shares:
    """All moves as probable."""
    return np.full(count, 1.0 / count)


def pure(count: int, place: int) -> Shares:
    """One move of several."""
    shares = np.zeros(count)
    shares[place] = 1.0
    return shares


def surely_move(legal: Sequence[MoveId], move: MoveId) -> Shares:
    """One move, by its number. Where rules leave a role in doubt about its moves, it may not be
    among them: then all are as probable."""
    return pure(len(legal), legal.index(move)) if move in legal else uniform_policy(len(legal))


def normalised(worth: Shares) -> Shares:
    """Moves by what speaks for each; evenly where nothing does. worth: (moves,) none negative."""
    total = float(worth.sum())
    return worth / total if total > 0.0 else uniform_policy(len(worth))
