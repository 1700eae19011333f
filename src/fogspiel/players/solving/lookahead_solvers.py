"""Solvers of state graphs: matrix games, or regret minimisation that can be continued.

Sources: Shafiei (2010), sections 4.4 and 4.6, for regrets, and chapter 6 for matrix games.
Departures: see `players/solving/lookahead`, which builds the graphs that are solved here.

Regrets and averages are kept from graph to graph, for the states that both have at the same step;
only the last graph is kept for that. They were learnt with the leaf values of an earlier turn, and
count as ten iterations at most. That was chosen by exploitability over the whole game, where every
state is solved two steps ahead and takes over from one before it. In goals of 100, with 100
iterations in each state, and in brackets with 1,000 in the initial state:

| game | forgotten | ten iterations | a weight of 0.3 |
|---|---|---|---|
| Goofspiel, 4 cards | 1.97 (0.67) | 1.80 (0.32) | 1.76 (0.89) |
| Goofspiel, 5 cards | 7.17 (7.08) | 5.90 (5.71) | 5.15 (9.35) |
| rock-paper-scissors, 9 rounds | 14.9 (13.4) | 14.1 (12.6) | 12.8 (10.5) |

More weight is worse where the clock before play is longer than those of turns. Weights that grow
with the iterations, as in linear averages, were no better than even ones.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import ENDLESS, Budget
from fogspiel.solve.induction.simultaneous import solve_states
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.solve.result import Strategy
from fogspiel.tree.state_graph import StateGraph

REGRET_CHUNK, FEW_EDGES = 16, 1 << 16
"""Iterations before the clock is first read, in a graph of at most so many joint moves."""
MOST_CHUNK = 100  #: Iterations between two looks at the clock, since clocks may be coarse
PAST_ITERATIONS = 10
"""Iterations that those of earlier turns count as, if a graph begins later or has another depth."""

StateValues = NDArray[np.float64]  #: (states, players)


class GraphSolver(Protocol):
    """A solver of state graphs, which may improve the solution of the last one."""

    def solve(self, graph: StateGraph, budget: Budget, *, step: int = 0) -> Strategy:
        """A strategy for a graph. Raises the errors of the solver for graphs that do not fit.

        step: the number of steps of the match before the graph begins.
        """

    def improve(self, state: int, budget: Budget) -> Strategy | None:
        """A strategy for the last graph, improved below a state; None if it stays as it is."""

    def state_values(self) -> StateValues:
        """The values of all states of the last graph under the last strategy."""


class MatrixGameSolver:
    """An equilibrium in every state, for two players with a constant sum."""

    def solve(self, graph: StateGraph, budget: Budget, *, step: int = 0) -> Strategy:
        """Raise `UsageError` SOL002 without a constant sum, SOL003 unless two play."""
        self._solution = solve_states(graph)
        return self._solution.strategy

    def improve(self, state: int, budget: Budget) -> Strategy | None:
        """An equilibrium cannot be improved."""
        return None

    def state_values(self) -> StateValues:
        """The values of the equilibrium."""
        assert self._solution.state_values is not None
        return self._solution.state_values


class RegretSolver:
    """The average strategy of counterfactual regret minimisation, for any number of players."""

    def __init__(self, *, first_moves: bool = False) -> None:
        """first_moves: start with everybody's first move instead of uniform behaviour."""
        self._first_moves = first_moves
        self._regrets: StateRegrets | None = None
        self._step = 0
        """Steps of the match before the graph of these regrets."""

    def solve(self, graph: StateGraph, budget: Budget, *, step: int = 0) -> Strategy:
        """The average strategy of as many iterations as the budget allows.

        They go on from what was learnt about the states that are in the last graph, too.
        """
        regrets = StateRegrets(graph, first_moves=self._first_moves)
        if self._regrets is not None:
            is_same = step == self._step and len(graph) == len(self._regrets.graph)
            most = None if is_same else PAST_ITERATIONS
            regrets.take_over(self._regrets, step - self._step, most=most)
        self._regrets, self._step = regrets, step
        self._pace = 0.0
        """Seconds of an iteration per state; 0 before the first one."""
        self._iterate(regrets, budget)
        return regrets.average()

    def improve(self, state: int, budget: Budget) -> Strategy | None:
        """The average strategy after further iterations on the states that follow a state."""
        regrets = self._learnt
        regrets.descend(state)
        self._iterate(regrets, budget)
        return regrets.average()

    def state_values(self) -> StateValues:
        """The values of the average strategy."""
        return self._learnt.average_values()

    @property
    def _learnt(self) -> StateRegrets:
        """The regrets of the last graph."""
        assert self._regrets is not None
        return self._regrets

    def _iterate(self, regrets: StateRegrets, budget: Budget) -> None:
        """Iterate as often as a budget allows, unless nobody has a choice any more."""
        if not regrets.has_choices:
            return
        allowed = ENDLESS if budget.simulations is None else budget.simulations
        most = regrets.iterations + allowed
        # One iteration at a time where it may take long.
        is_quick = not self._pace and len(regrets.graph.targets) <= FEW_EDGES
        chunk = min(REGRET_CHUNK if is_quick else 1, most - regrets.iterations)
        while regrets.iterations < most and budget.seconds_left > self._pace * regrets.size:
            began = budget.clock()
            regrets.iterate(chunk)
            each = max(budget.clock() - began, 1e-9) / chunk
            self._pace, left = each / regrets.size, budget.seconds_left
            chunk = most - regrets.iterations
            if budget.deadline is not None:
                # Only half of those that fit: other processes may slow the next ones down.
                chunk = min(chunk, max(1, min(MOST_CHUNK, int(left / each / 2))))
