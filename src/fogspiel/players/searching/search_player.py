"""Players that simulate: Monte Carlo tree searches, set up in different ways.

A player keeps its search from step to step, since statistics of a decision stay valid. If it has a
clock, it searches before play from the initial state on, while it has no choice, and on request
while others move: time that is not used is lost. A budget of simulations is for each decision, and
nothing is done ahead of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId
from fogspiel.machine.protocol import Machine
from fogspiel.players.base import MixedPlayer, normalised, pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import look_at_goals
from fogspiel.search.mcts.algorithms import Algorithm
from fogspiel.search.mcts.room import default_max_bytes
from fogspiel.search.mcts.roots import Roots, belief_roots, first_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import MoveStatistics, root_statistics

RESERVE_SECONDS = 0.02  #: Time kept back from a clock for answering
RESERVE_SHARE = 0.2
"""Share of the time left that is kept back at most, so that very short clocks allow a search."""

Advice = Literal["visits", "values", "average"]
"""Final choice: the most visited move, the best mean, or a draw from the average strategy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The settings by which search players differ."""

    algorithm: Algorithm
    advice: Advice
    leaves: LeafEvaluation = RANDOM_PLAYOUTS
    playouts: int = 1  #: Random playouts of each simulation, whose mean is learnt
    max_bytes: int | None = None
    """Memory from which on the tree does not grow; a share of the machine's if not given."""


class SearchPlayer(MixedPlayer):
    """A player that simulates until its budget is used up, then follows its search."""

    _search: Search

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready, and search from the initial state on while the clock before play runs."""
        super().start(seat, budget)
        self._last_roots: Roots | None = None
        """The roots from which the search goes on while others move; None if it does not."""
        look_at_goals(self.machine, budget)
        self._search = self._new_search()
        self._search_ahead(budget)

    def mixture(self, budget: Budget) -> Shares:
        """The strategy that the simulations advise, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return pure(1, 0)
        roots = self._roots()
        self._search.prune(roots, budget)
        self._search_from(roots, budget)
        return self._advised(legal, roots)

    def think(self, budget: Budget) -> None:
        """Search from the present information set, without a choice to be made."""
        if budget.deadline is not None:
            roots = self._roots()
            self._search.prune(roots, budget)
            self._search_from(roots, budget)

    def ponder(self, budget: Budget) -> None:
        """Go on with the search of the last turn, or before the first one with that before play.

        States are not drawn anew, since that may take longer than such a budget.
        """
        if self._last_roots is not None:
            self._search.run(replace(self._last_roots, redrawn=None), budget)

    def _search_ahead(self, budget: Budget) -> None:
        """Search from the initial state on, if there is a clock."""
        if budget.deadline is not None:
            self._search_from(first_roots(self._search.machine), budget)

    def _search_from(self, roots: Roots, budget: Budget) -> None:
        """Search, but for time to answer, and remember from where."""
        self._last_roots = roots
        self._search.run(roots, with_reserve(budget))

    @property
    def searched_machine(self) -> Machine:
        """The game that is searched."""
        return self.machine

    def _new_search(self) -> Search:
        setup = self.setup
        return Search(
            self.searched_machine,
            self.role,
            setup.algorithm,
            seed=self.turn_seed,
            leaves=setup.leaves,
            playouts=setup.playouts,
            max_bytes=setup.max_bytes or default_max_bytes(),
            is_stratified=setup.advice == "values",
        )

    def _roots(self) -> Roots:
        """The states from which the search begins."""
        needed = self.setup.algorithm.needs_knowledge
        return belief_roots(self.belief, self.turn_seed, with_knowledge=needed)

    def _advised(self, legal: Sequence[MoveId], roots: Roots) -> Shares:
        preferences = self._preferences(legal, roots)
        if self.setup.advice != "average":
            return pure(len(legal), int(preferences.argmax()))
        return normalised(preferences)

    def _preferences(self, legal: Sequence[MoveId], roots: Roots) -> NDArray[np.float64]:
        """Scores of the legal moves for the final choice, averaged over states, (legal moves,)."""
        found = np.zeros(len(legal))
        places = {move: place for place, move in enumerate(legal)}
        for share, statistics in root_statistics(self._search, roots, self.role):
            if not statistics.visits.any():
                continue
            own = share * self._preferred(statistics)
            for move, preference in zip(statistics.moves.tolist(), own.tolist(), strict=True):
                # If a role cannot know its legal moves, a decision may have other moves.
                if (place := places.get(MoveId(move))) is not None:
                    found[place] += preference
        return found

    def _preferred(self, statistics: MoveStatistics) -> NDArray[np.float64]:
        """Scores of moves for the final choice, (moves,)."""
        if self.setup.advice == "average":
            return statistics.average
        if self.setup.advice == "values":
            return statistics.means
        # Means break ties between moves that were visited as often.
        visits: NDArray[np.float64] = statistics.visits + 1e-3 * statistics.means
        return visits


def with_reserve(budget: Budget, seconds: float = RESERVE_SECONDS) -> Budget:
    """A budget that keeps time back for answering."""
    return budget.without(min(seconds, RESERVE_SHARE * max(0.0, budget.seconds_left)))
