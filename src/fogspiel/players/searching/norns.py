"""`norns` and `norns-belief`: search for one role, with all others as part of chance.

Source: Geisser, Keller & Mattmueller (2014), section 3. Possible states come from a belief state
tree; UCT on own actions and observations evaluates moves, and the move of the best value is made.
Departures: the paper backs up means and selects by UCB1. Here a decision has the value of its best
move once all were tried, and the exploration bonus is in proportion to that value
(`search/mcts/kernels/backup`, with sources). The study norns-3 says which of these the published
scores need. `norns-belief` keeps decisions by belief, not by history, and uses three methods in
turn:
- where nobody else plays and states are few, bounds on beliefs (`search/pomdp/hsvi`);
- where the beliefs that may follow are few, their exact values (`solve/response/belief_mdp`);
- else simulations (`search/mcts/belief_keys`).
Each state of a belief whose moves are expanded counts as a simulation. Finding the states of the
game, once before the first move, does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt

import numpy as np

from fogspiel.core.budget import Budget, bytes_within, in_time
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.knowledge import knowledge_of
from fogspiel.machine.protocol import player_roles
from fogspiel.players.base import pure, surely_move
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup, with_reserve
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.algorithms import NORNS, NORNS_BELIEF
from fogspiel.search.mcts.belief_keys import BeliefKeys
from fogspiel.search.mcts.room import default_max_bytes
from fogspiel.search.mcts.roots import Roots, belief_roots, first_roots, with_key
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import root_statistics
from fogspiel.search.pomdp.hsvi import BeliefBounds, MoveBounds
from fogspiel.search.pomdp.mdp_bounds import state_layers
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

BELIEFS_SHARE = 0.25  #: Share of the memory for beliefs, beside the tree
PLANNING_SHARE = 0.5  #: Share of the simulations, or of the clock, for bounds
SOLVING_SHARE = 0.25  #: The same for solving, before simulations begin
MOST_ROWS = 200_000  #: States of beliefs that are expanded to solve the rest of the game
STEPS_A_SECOND = 4_000_000
"""Steps from these states that are made in a second: half of those measured on number guessing."""
FEW_WORDS = 4  #: Words of a state up to which that pace holds


class NornsPlayer(SearchPlayer):
    """A player with a belief state tree and UCT on own actions and observations."""

    belief_method = "tree"

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        super().__init__(Setup(algorithm=NORNS, advice="values", leaves=leaves))

    def _roots(self) -> Roots:
        known = knowledge_of(self.machine, self.role, self.observations)
        roots = belief_roots(self.belief, self.turn_seed, with_knowledge=False)
        return with_key(roots, self.role, known)


class NornsBeliefPlayer(SearchPlayer):
    """A player with one decision for equal beliefs."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        super().__init__(Setup(algorithm=NORNS_BELIEF, advice="values", leaves=leaves))

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready: find the states of the game, if they are few and nobody else plays."""
        self._bounds: BeliefBounds | None = None
        super().start(seat, budget)

    def _search_ahead(self, budget: Budget) -> None:
        is_alone = player_roles(self.machine) == [self.role]
        steps = state_layers(self.machine, self.role, budget) if is_alone else None
        if steps is not None:
            self._bounds = BeliefBounds(steps)
            if budget.deadline is not None:
                start = self.machine.initial()[None, :]
                self._bounds.run(0, start, np.ones(1), with_reserve(budget))
        elif budget.deadline is not None:
            self._simulate(first_roots(self.machine), budget)

    def think(self, budget: Budget) -> None:
        """Tighten bounds, or simulate."""
        if budget.deadline is not None:
            roots = self._roots()
            plan = self._planned(roots, with_reserve(budget))
            if plan is None:
                self._simulate(roots, budget)

    def ponder(self, budget: Budget) -> None:
        """Simulate while others move. Bounds are for games in which nobody else does."""
        self._beliefs.budget = budget
        super().ponder(budget)

    def mixture(self, budget: Budget) -> Shares:
        """The best move for certain, or the best found where time is short, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return pure(1, 0)
        roots = self._roots()
        plan = self._planned(roots, with_reserve(budget.portion(PLANNING_SHARE)))
        if plan is not None and plan.proven:
            return surely_move(legal, plan.move)
        solved = self._solved(roots, budget.portion(SOLVING_SHARE))
        if solved is not None:
            return surely_move(legal, solved)
        left = 1.0 - SOLVING_SHARE - (PLANNING_SHARE if plan is not None else 0.0)
        self._simulate(roots, budget.fewer(left))
        means = self._preferences(legal, roots)
        best = int(means.argmax())
        # The lower bound of a plan is certain; a mean of few simulations may be luck.
        if plan is not None and self._value(plan.lower) >= means[best] - self._luck(
            roots, legal[best]
        ):
            return surely_move(legal, plan.move)
        return pure(len(legal), best)

    def _planned(self, roots: Roots, budget: Budget) -> MoveBounds | None:
        """A move by bounds on beliefs; None where the states of the game are too many."""
        if self._bounds is None:
            return None
        states, weights = roots.distinct()
        return self._bounds.run(len(self.observations), states, weights, budget)

    def _solved(self, roots: Roots, budget: Budget) -> MoveId | None:
        """The best move, where all beliefs that may follow are fewer than the simulations."""
        rows = MOST_ROWS if budget.simulations is None else min(MOST_ROWS, budget.simulations)
        start = roots.distinct()
        if budget.deadline is not None:
            roles = map(RoleId, range(len(self.machine.roles)))
            each = prod(len(self.machine.legal(start[0][0], role)) for role in roles)
            pace = STEPS_A_SECOND / max(1.0, start[0].shape[1] / FEW_WORDS)
            rows = budget.affordable(most=rows * each, a_second=pace) // each
        try:
            return solve_belief_mdp(
                self.machine,
                self.role,
                start=start,
                max_rows=rows,
                max_bytes=bytes_within(budget),
                progress=in_time(budget),
            ).move
        except LimitError:
            return None

    def _simulate(self, roots: Roots, budget: Budget) -> None:
        self._beliefs.budget = with_reserve(budget)
        keyed = self._keyed(roots)
        self._search.prune(keyed, budget)
        self._search_from(keyed, budget)

    def _keyed(self, roots: Roots) -> Roots:
        """The roots with the key of the belief that they make up."""
        return with_key(roots, self.role, self._beliefs.key_of(*roots.distinct()))

    def _preferences(self, legal: Sequence[MoveId], roots: Roots) -> Shares:
        return super()._preferences(legal, self._keyed(roots))

    def _luck(self, roots: Roots, move: MoveId) -> float:
        """An upper bound on two standard deviations of a move's mean, for values from 0 to 1."""
        returns = sum(
            float(found.returns[found.moves == move].sum())
            for _, found in root_statistics(self._search, self._keyed(roots), self.role)
        )
        return 1.0 / sqrt(max(1.0, returns))

    def _value(self, goal: float) -> float:
        """The value that simulations give to a goal."""
        return float(value_scale(self.machine).values(np.array([goal]))[0])

    def _new_search(self) -> Search:
        setup, size = self.setup, self.setup.max_bytes or default_max_bytes()
        of_beliefs = int(BELIEFS_SHARE * size)
        self._beliefs = BeliefKeys(self.machine, self.role, of_beliefs)
        return Search(
            self.machine,
            self.role,
            setup.algorithm,
            seed=self.turn_seed,
            leaves=setup.leaves,
            max_bytes=size - of_beliefs,
            follow=self._beliefs,
        )
