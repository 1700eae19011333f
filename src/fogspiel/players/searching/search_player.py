"""Players that simulate: Monte Carlo tree searches, set up in different ways.

`SearchPlayer` keeps statistics by information set (`search/mcts/tree_search`). `StateSearchPlayer`
searches a tree of states (`search/mcts/state_tree`), for games of perfect information; under hidden
information it searches all possible states as if everybody saw them, and averages the results. Both
keep their search from step to step, since statistics of a decision stay valid.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId
from fogspiel.machine.knowledge import knowledge_of, state_keys
from fogspiel.machine.protocol import Machine
from fogspiel.players.base import MixedPlayer, normalised, pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import look_at_goals
from fogspiel.search.mcts.kernels.bandits import UCB
from fogspiel.search.mcts.lockstep import Lockstep, Scope, SelectionRule
from fogspiel.search.mcts.roots import RootSampler
from fogspiel.search.mcts.state_tree import StateTree
from fogspiel.search.mcts.statistics import MoveStatistics
from fogspiel.search.mcts.tree_search import TreeSearch

UCT_CONSTANT = 0.4  #: Exploration constant: Shafiei's C of 40, for values from 0 to 1
MOST_BYTES = 1 << 30  #: Memory of a search; a larger one is given up for a new one
RESERVE_SECONDS = 0.02  #: Time kept back from a clock for answering
RESERVE_SHARE = 0.2
"""Share of the time left that is kept back at most, so that very short clocks allow a search."""

Advice = Literal["visits", "values", "average"]
"""Final choice: the most visited move, the best mean, or a draw from the average strategy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The settings by which search players differ."""

    scope: Scope
    rule: SelectionRule
    advice: Advice
    leaves: LeafEvaluation = RANDOM_PLAYOUTS
    playouts: int = 1  #: Random playouts of each simulation, whose mean is learnt
    together: int | None = None
    """Simulations under way at once, at most; as many as pay if not given."""


class SimulatingPlayer(MixedPlayer):
    """A player that simulates until its budget is used up, then follows its search."""

    _search: Lockstep | TreeSearch | StateTree

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; simulations begin with the first choice."""
        super().start(seat, budget)
        look_at_goals(self.machine, budget)
        self._search = self._new_search()

    def mixture(self, budget: Budget) -> Shares:
        """The strategy that the simulations advise, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        self._begin_anew_if_crowded(budget)
        roots = RootSampler(self.belief, self.turn_seed, with_knowledge=self.setup.scope != "state")
        self._search.run(roots, with_reserve(budget))
        return self._advised(legal, roots)

    def _begin_anew_if_crowded(self, budget: Budget) -> None:
        """Give up a search that has no room for more decisions."""
        search = self._search
        if search.is_crowded(budget) or search.bytes > MOST_BYTES:
            self._search = self._new_search()

    @abstractmethod
    def _new_search(self) -> Lockstep | TreeSearch | StateTree: ...

    def _advised(self, legal: Sequence[MoveId], roots: RootSampler) -> Shares:
        preferences = self._preferences(legal, roots)
        if self.setup.advice != "average":
            return pure(len(legal), int(preferences.argmax()))
        return normalised(preferences)

    @abstractmethod
    def _preferences(self, legal: Sequence[MoveId], roots: RootSampler) -> NDArray[np.float64]:
        """Scores of the legal moves for the final choice, averaged over states, (legal moves,)."""

    def _preferred(self, statistics: MoveStatistics) -> NDArray[np.float64]:
        """Scores of moves for the final choice: (moves,) of a decision, (n, moves) of several."""
        if self.setup.advice == "average":
            return statistics.average
        if self.setup.advice == "values":
            return statistics.means
        # Means break ties between moves that were visited as often.
        visits: NDArray[np.float64] = statistics.visits + 1e-3 * statistics.means
        return visits


class SearchPlayer(SimulatingPlayer):
    """A player that searches a tree of information sets."""

    _search: Lockstep | TreeSearch

    def _new_search(self) -> Lockstep | TreeSearch:
        setup = self.setup
        return TreeSearch(
            self.machine,
            self.role,
            scope=setup.scope,
            rule=setup.rule,
            seed=self.turn_seed,
            leaves=setup.leaves,
            playouts=setup.playouts,
            together=setup.together,
        )

    def _preferences(self, legal: Sequence[MoveId], roots: RootSampler) -> NDArray[np.float64]:
        found = np.zeros(len(legal))
        places = {move: place for place, move in enumerate(legal)}
        for key, weight in self._root_decisions(roots):
            statistics = self._search.decisions.statistics(key)
            if statistics is None or not statistics.visits.any():
                continue
            own = weight * self._preferred(statistics)
            for move, preference in zip(statistics.moves.tolist(), own, strict=True):
                # If a role cannot know its legal moves, a decision may have other moves.
                if (place := places.get(MoveId(move))) is not None:
                    found[place] += preference
        return found

    def _root_decisions(self, roots: RootSampler) -> list[tuple[np.uint64, float]]:
        """Keys of the present decision, with weights: one per state, or one for all."""
        if self.setup.scope != "state":
            return [(knowledge_of(self.machine, self.role, self.observations), 1.0)]
        states, weights = roots.distinct()
        return list(zip(state_keys(states, self.role), weights.tolist(), strict=True))


class StateSearchPlayer(SimulatingPlayer):
    """A player that searches a tree of states. The scope of its setup is the state."""

    _search: StateTree

    @property
    def searched_machine(self) -> Machine:
        """The game that is searched."""
        return self.machine

    def _new_search(self) -> StateTree:
        setup = self.setup
        return StateTree(
            self.searched_machine,
            rule=setup.rule,
            seed=self.turn_seed,
            leaves=setup.leaves,
            playouts=setup.playouts,
            together=setup.together,
        )

    def _preferences(self, legal: Sequence[MoveId], roots: RootSampler) -> NDArray[np.float64]:
        states, weights = roots.distinct()
        # All states have the same legal moves, unless the role cannot know its legal moves.
        options = self._search.machine.legal_batch(states, self.role)
        sets, groups = np.unique(np.packbits(options, axis=1), axis=0, return_inverse=True)
        found = np.zeros(len(legal))
        for group in range(len(sets)):
            rows = np.flatnonzero(groups == group)
            # Arms stand in the order of the legal moves.
            own = self._preferred(self._search.statistics_of(states[rows], self.role))
            by_move = np.zeros(options.shape[1])
            by_move[options[rows[0]]] = weights[rows] @ own
            found += by_move[list(legal)]
        return found


def ucb(constant: float) -> SelectionRule:
    """Upper confidence bounds with a constant for values between 0 and 1."""
    return SelectionRule(kind=UCB, constant=constant)


ALGORITHM_1 = replace(ucb(UCT_CONSTANT), jointly=True)
"""Selection rule of Shafiei (2010), algorithm 1, for `sm-uct` and for models of such opponents."""


def with_reserve(budget: Budget, seconds: float = RESERVE_SECONDS) -> Budget:
    """A budget that keeps time back for answering."""
    return budget.without(min(seconds, RESERVE_SHARE * max(0.0, budget.seconds_left)))
