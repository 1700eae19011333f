"""Players that simulate: one search (`search/mcts/tree_search`), set up in different ways.

Decisions are kept from step to step: they are found by what is known, or by the
state, so what was learnt about them stays true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId
from fogspiel.machine.knowledge import knowledge_of, state_keys
from fogspiel.players.mixing import MixedPlayer, normalised, pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import look_at_goals
from fogspiel.search.mcts.kernels.bandits import UCB
from fogspiel.search.mcts.lockstep import Lockstep, Scope, SelectionRule
from fogspiel.search.mcts.roots import RootSampler
from fogspiel.search.mcts.tree_search import TreeSearch

UCT_CONSTANT = 0.4
"""Shafiei's C of 40, for goals of 100; less where goals are closer together."""
MOST_BYTES = 1 << 30
"""Of a search; a larger one is given up for a new one."""
RESERVE_SECONDS = 0.02
"""Kept back from a clock for answering."""
RESERVE_SHARE = 0.2
"""Of the time, if that is less: a clock of a few hundredths is of some use too."""

Advice = Literal["visits", "values", "average"]
"""What decides in the end: the most visited move, the best mean, or a draw from the average."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What makes one search player differ from another."""

    scope: Scope
    rule: SelectionRule
    advice: Advice
    leaves: LeafEvaluation = RANDOM_PLAYOUTS
    playouts: int = 1
    """Random ends of each simulation, whose mean is learnt."""
    together: int | None = None
    """Simulations under way at once, at most; as many as pay if not given."""


class SearchPlayer(MixedPlayer):
    """Simulates until the clock says to stop, then follows what it learnt."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; simulations begin with the first choice."""
        super().start(seat, budget)
        look_at_goals(self.machine, budget)
        self._search = self._new_search()

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) what the simulations advise."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        self._begin_anew_if_crowded(budget)
        roots = RootSampler(self.belief, self.turn_seed, with_knowledge=self.setup.scope != "state")
        self._search.run(roots, with_reserve(budget))
        return self._advised(legal, roots)

    def _begin_anew_if_crowded(self, budget: Budget) -> None:
        """Give up a search that has no room for what is to be learnt."""
        search = self._search
        if search.is_crowded(budget) or search.bytes > MOST_BYTES:
            self._search = self._new_search()

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

    def _advised(self, legal: tuple[MoveId, ...], roots: RootSampler) -> Shares:
        worth = self._worth(legal, roots)
        if self.setup.advice != "average":
            return pure(len(legal), int(worth.argmax()))
        return normalised(worth)

    def _worth(self, legal: tuple[MoveId, ...], roots: RootSampler) -> NDArray[np.float64]:
        """(moves,) what speaks for each move, added up over the states that are possible."""
        worth = np.zeros(len(legal))
        places = {move: place for place, move in enumerate(legal)}
        for key, weight in self._decisions(roots):
            node = self._search.decisions.find(key)
            if node is None:
                continue
            arms = self._search.decisions.arms(node)
            shares = weight * self._shares(arms)
            for move, share in zip(self._search.decisions.arrays.moves[arms], shares, strict=True):
                # Where rules leave a role in doubt, a decision may have other moves.
                if (place := places.get(MoveId(int(move)))) is not None:
                    worth[place] += share
        return worth

    def _decisions(self, roots: RootSampler) -> list[tuple[np.uint64, float]]:
        """Keys of the decision to be made, with their weight: one for each state, or just one."""
        if self.setup.scope != "state":
            return [(knowledge_of(self.machine, self.role, self.observations), 1.0)]
        states, weights = roots.distinct()
        keys = state_keys(states, self.role)
        return list(zip(keys, weights.tolist(), strict=True))

    def _shares(self, arms: slice) -> NDArray[np.float64]:
        arrays = self._search.decisions.arrays
        if self.setup.advice == "average":
            strategy = arrays.strategy[arms]
            return strategy / max(float(strategy.sum()), 1e-300)
        returns = np.maximum(arrays.arm_returns[arms], 1.0)
        means: NDArray[np.float64] = arrays.arm_values[arms] / returns
        if self.setup.advice == "values":
            return means
        # Means break ties between moves that were visited as often.
        visits: NDArray[np.float64] = arrays.arm_visits[arms] + 1e-3 * means
        return visits


def ucb(constant: float) -> SelectionRule:
    """Upper confidence bounds with a constant for values between 0 and 1."""
    return SelectionRule(kind=UCB, constant=constant)


ALGORITHM_1 = replace(ucb(UCT_CONSTANT), jointly=True)
"""Of Shafiei (2010): `sm-uct`, and the model of those who search like it."""


def with_reserve(budget: Budget, seconds: float = RESERVE_SECONDS) -> Budget:
    """A budget that leaves time to answer."""
    return budget.without(min(seconds, RESERVE_SHARE * max(0.0, budget.seconds_left)))
