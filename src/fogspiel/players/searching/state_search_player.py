"""Players that simulate in a tree of states: for games in which everybody sees everything.

Where something is hidden, they search all states that are possible as if it were not, and add up
what speaks for each move. The tree is kept from step to step.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId
from fogspiel.players.mixing import MixedPlayer, normalised, pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import MOST_BYTES, Setup, with_reserve
from fogspiel.search.evaluation.value_scale import look_at_goals
from fogspiel.search.mcts.roots import RootSampler
from fogspiel.search.mcts.state_tree import StateTree
from fogspiel.search.mcts.statistics import MoveStatistics


class StateSearchPlayer(MixedPlayer):
    """Simulates until the clock says to stop, then follows what it learnt."""

    def __init__(self, setup: Setup) -> None:
        """setup: whose scope is the state."""
        self.setup = setup

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; simulations begin with the first choice."""
        super().start(seat, budget)
        look_at_goals(self.machine, budget)
        self._tree = self._new_tree()

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) what the simulations advise."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        if self._tree.bytes > MOST_BYTES or self._tree.is_crowded(budget):
            self._tree = self._new_tree()
        roots = RootSampler(self.belief, self.turn_seed, with_knowledge=False)
        self._tree.run(roots, with_reserve(budget))
        worth = self._worth(roots, legal)
        if self.setup.advice != "average":
            return pure(len(legal), int(worth.argmax()))
        return normalised(worth)

    def _new_tree(self) -> StateTree:
        setup = self.setup
        return StateTree(
            self.machine,
            rule=setup.rule,
            seed=self.turn_seed,
            leaves=setup.leaves,
            playouts=setup.playouts,
            together=setup.together,
        )

    def _worth(self, roots: RootSampler, moves: Sequence[MoveId]) -> NDArray[np.float64]:
        """(moves,) what speaks for each move, by the probability of the states."""
        states, weights = roots.distinct()
        # One set of moves, unless the rules leave the role in doubt about them.
        legal = self._tree.machine.legal_batch(states, self.role)
        sets, groups = np.unique(np.packbits(legal, axis=1), axis=0, return_inverse=True)
        worth = np.zeros(len(moves))
        for group in range(len(sets)):
            rows = np.flatnonzero(groups == group)
            # Arms stand in the order of the legal moves.
            shares = weights[rows] @ self._shares(self._tree.statistics_of(states[rows], self.role))
            by_move = np.zeros(legal.shape[1])
            by_move[legal[rows[0]]] = shares
            worth += by_move[list(moves)]
        return worth

    def _shares(self, verdict: MoveStatistics) -> NDArray[np.float64]:
        if self.setup.advice == "average":
            return verdict.average
        if self.setup.advice == "values":
            return verdict.means
        # Means break ties between moves that were visited as often.
        visits: NDArray[np.float64] = verdict.visits + 1e-3 * verdict.means
        return visits
