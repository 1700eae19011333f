"""`norns` and `norns-belief`: search for one role, with all others as part of chance.

Source: Geisser, Keller & Mattmueller (2014), section 3. Possible states come from a belief state
tree; UCT on own actions and observations evaluates moves, and the move of the best value is made.
Departures: the paper backs up means and selects by UCB1. Here a decision has the value of its best
move once all were tried, and the exploration bonus is in proportion to that value
(`search/mcts/alone_tree`, with sources). The study norns-3 says which of these the published scores
need. `norns-belief` keeps decisions by belief, not by history, and uses three methods in turn:
- where nobody else plays and states are few, bounds on beliefs (`search/pomdp/hsvi`);
- where the beliefs that may follow are few, their exact values (`solve/response/belief_mdp`);
- else simulations (`search/mcts/alone`).
Each state of a belief whose moves are expanded counts as a simulation. Finding the states of the
game, once before the first move, does not count.
"""

from __future__ import annotations

from math import prod, sqrt

import numpy as np

from fogspiel.core.budget import Budget, bytes_within, in_time
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.protocol import player_roles
from fogspiel.players.base import pure, surely_move
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup, ucb, with_reserve
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.alone import BeliefSearch
from fogspiel.search.mcts.alone_tree import AloneTree
from fogspiel.search.mcts.lockstep import Lockstep
from fogspiel.search.mcts.roots import RootSampler
from fogspiel.search.mcts.tree_search import TreeSearch
from fogspiel.search.pomdp.hsvi import BeliefBounds, MoveBounds
from fogspiel.search.pomdp.mdp_bounds import state_layers
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

UCT_CONSTANT = sqrt(2.0)
"""The constant of UCB1, which the paper names (Auer, Cesa-Bianchi & Fischer 2002)."""

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
        rule = ucb(UCT_CONSTANT)
        super().__init__(Setup(scope="observer", rule=rule, advice="values", leaves=leaves))

    def _new_search(self) -> Lockstep | TreeSearch:
        return AloneTree(
            self.machine,
            self.role,
            constant=self.setup.rule.constant,
            seed=self.turn_seed,
            leaves=self.setup.leaves,
        )

    def _root_decisions(self, roots: RootSampler) -> list[tuple[np.uint64, float]]:
        assert isinstance(self._search, AloneTree)
        return self._search.root_decisions(roots)


class NornsBeliefPlayer(NornsPlayer):
    """A player with one decision for equal beliefs."""

    belief_method = "auto"

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready: find the states of the game, if they are few and nobody else plays."""
        super().start(seat, budget)
        is_alone = player_roles(self.machine) == [self.role]
        steps = state_layers(self.machine, self.role, budget) if is_alone else None
        self._bounds = None if steps is None else BeliefBounds(steps)

    def mixture(self, budget: Budget) -> Shares:
        """The best move for certain, or the best found where time is short, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        roots = RootSampler(self.belief, self.turn_seed, with_knowledge=False)
        plan = self._planned(roots, with_reserve(budget.portion(PLANNING_SHARE)))
        if plan is not None and plan.proven:
            return surely_move(legal, plan.move)
        solved = self._solved(roots, budget.portion(SOLVING_SHARE))
        if solved is not None:
            return surely_move(legal, solved)
        left = 1.0 - SOLVING_SHARE - (PLANNING_SHARE if plan is not None else 0.0)
        means = self._simulated(legal, roots, budget.fewer(left))
        best = int(means.argmax())
        # The lower bound of a plan is certain; a mean of few simulations may be luck.
        if plan is not None and self._value(plan.lower) >= means[best] - self._luck(legal[best]):
            return surely_move(legal, plan.move)
        return pure(len(legal), best)

    def _planned(self, roots: RootSampler, budget: Budget) -> MoveBounds | None:
        """A move by bounds on beliefs; None where the states of the game are too many."""
        if self._bounds is None:
            return None
        states, weights = roots.distinct()
        return self._bounds.run(len(self.observations), states, weights, budget)

    def _solved(self, roots: RootSampler, budget: Budget) -> MoveId | None:
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

    def _simulated(self, legal: tuple[MoveId, ...], roots: RootSampler, budget: Budget) -> Shares:
        """The mean value of each move in simulations, (legal moves,)."""
        self._begin_anew_if_crowded(budget)
        search = self._search
        if not isinstance(search, BeliefSearch):
            self._search = search = self._new_search()
        self._root = search.root(*roots.distinct())
        search.run(search.from_root(self._root), with_reserve(budget))
        return self._preferences(legal, roots)

    def _luck(self, move: MoveId) -> float:
        """An upper bound on two standard deviations of a move's mean, for values from 0 to 1."""
        found = self._search.decisions.statistics(self._root)
        if found is None:
            return 1.0
        returns = float(found.returns[found.moves == move].sum())
        return 1.0 / sqrt(max(1.0, returns))

    def _value(self, goal: float) -> float:
        """The value that simulations give to a goal."""
        return float(value_scale(self.machine).values(np.array([goal]))[0])

    def _new_search(self) -> BeliefSearch:
        rule, leaves = self.setup.rule, self.setup.leaves
        return BeliefSearch(self.machine, self.role, rule=rule, seed=self.turn_seed, leaves=leaves)

    def _root_decisions(self, roots: RootSampler) -> list[tuple[np.uint64, float]]:
        return [(self._root, 1.0)]
