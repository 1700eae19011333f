"""Solvers of state graphs: matrix games, or regret minimisation that can be continued.

Sources: Shafiei (2010), sections 4.4 and 4.6, for regrets, and chapter 6 for matrix games.
Departures: see `players/solving/lookahead`, which builds the graphs that are solved here.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.solve.induction.simultaneous import solve_states
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.solve.result import Strategy
from fogspiel.tree.state_graph import StateGraph

REGRET_CHUNK, FEW_EDGES = 16, 1 << 16
"""Iterations before the clock is first read, in a graph of at most so many joint moves."""
MANY_ITERATIONS = 10_000  #: Iterations after which more hardly improve the strategy

StateValues = NDArray[np.float64]  #: (states, players)


class GraphSolver(Protocol):
    """A solver of state graphs, which may improve the solution of the last one."""

    def solve(self, graph: StateGraph, budget: Budget) -> Strategy:
        """A strategy for a graph. Raises the errors of the solver for graphs that do not fit."""

    def improve(self, state: int, budget: Budget) -> Strategy | None:
        """A strategy for the last graph, improved below a state; None if it stays as it is."""

    def state_values(self) -> StateValues:
        """The values of all states of the last graph under the last strategy."""


class MatrixGameSolver:
    """An equilibrium in every state, for two players with a constant sum."""

    def solve(self, graph: StateGraph, budget: Budget) -> Strategy:
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

    def solve(self, graph: StateGraph, budget: Budget) -> Strategy:
        """The average strategy of as many iterations as the budget allows."""
        self._regrets = StateRegrets(graph, first_moves=self._first_moves)
        self._pace = 0.0
        """Seconds of an iteration per state; 0 before the first one."""
        self._iterate(budget)
        return self._regrets.average()

    def improve(self, state: int, budget: Budget) -> Strategy | None:
        """The average strategy after further iterations on the states that follow a state."""
        if self._regrets.iterations >= MANY_ITERATIONS:
            return None
        self._regrets.descend(state)
        self._iterate(budget)
        return self._regrets.average()

    def state_values(self) -> StateValues:
        """The values of the average strategy."""
        return self._regrets.average_values()

    def _iterate(self, budget: Budget) -> None:
        """Iterate as often as a budget allows."""
        regrets = self._regrets
        most = regrets.iterations + (budget.simulations or 0)
        if budget.simulations is None:
            most = MANY_ITERATIONS
        # One iteration at a time where it may take long.
        is_quick = not regrets.iterations and len(regrets.graph.targets) <= FEW_EDGES
        chunk = min(REGRET_CHUNK if is_quick else 1, most - regrets.iterations)
        while regrets.iterations < most and budget.seconds_left > self._pace * regrets.size:
            began = budget.clock()
            regrets.iterate(chunk)
            each = max(budget.clock() - began, 1e-9) / chunk
            self._pace, left = each / regrets.size, budget.seconds_left
            # Only half of those that fit, since other processes may slow the next ones down.
            fitting = most if left == float("inf") else max(1, int(left / each / 2))
            chunk = min(fitting, most - regrets.iterations)
