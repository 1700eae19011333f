"""What is found out about the states ahead of a player: matrix games, or regrets that go on.

Sources: Shafiei (2010), sections 4.4 and 4.6, for regrets, and chapter 6 for matrix games.
Departures: see `players/solving/lookahead`, which makes the graphs that are solved here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.solve.induction.simultaneous import solve_states
from fogspiel.solve.regret.cfr_states import StateRegrets
from fogspiel.tree.state_graph import StateGraph

REGRET_CHUNK, FEW_EDGES = 16, 1 << 16
"""Iterations before the clock is first looked at, where there are so few joint moves in all."""
MANY_ITERATIONS = 10_000
"""After which more change nothing worth waiting for."""

Mixture = NDArray[np.float64]
"""(moves,) probabilities."""
Stage = NDArray[np.float64]
"""(own moves, moves of each of the others) what joint moves bring the player."""


@dataclass(frozen=True, slots=True)
class Solved:
    """What was found out about a graph, for one player. States go by their number in it."""

    at: Callable[[int], Mixture]
    """What the player does in a state."""
    stage: Callable[[int], Stage]
    """The game of one step in a state, if all behave afterwards as was found."""
    go_on: Callable[[int, Budget], Solved] | None = None
    """Find out more about what follows a state; None where there is nothing more to find out."""


Solve = Callable[[StateGraph, int, Budget], Solved]
"""From a graph, a player from 1 on and a budget to what the player does in each state."""


def by_matrix_games(graph: StateGraph, player: int, budget: Budget) -> Solved:
    """An equilibrium in every state.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play.
    """
    solution = solve_states(graph)
    values = np.stack([solution.state_values, sum(solution.values) - solution.state_values], axis=1)
    return Solved(
        at=lambda state: solution.at(state, player),
        stage=lambda state: _stage(graph, state, values, player),
    )


def by_regrets(
    graph: StateGraph, player: int, budget: Budget, *, first_moves: bool = False
) -> Solved:
    """The average of as many iterations as the clock allows; as many as simulations without one.

    first_moves: begin with the first move of each player instead of all evenly.
    """
    regrets = StateRegrets(graph, first_moves=first_moves)
    return averaged(regrets, player, _iterate(regrets, budget))


def averaged(regrets: StateRegrets, player: int, pace: float) -> Solved:
    """What the average of all iterations so far says.

    pace: seconds that an iteration takes for each state.
    """
    average, graph = regrets.average_by_state(), regrets.graph

    def go_on(state: int, budget: Budget) -> Solved:
        regrets.descend(state)
        return averaged(regrets, player, _iterate(regrets, budget, pace))

    return Solved(
        at=lambda state: average(state, player),
        stage=lambda state: _stage(graph, state, regrets.average_values(), player),
        go_on=go_on if regrets.iterations < MANY_ITERATIONS else None,
    )


def _iterate(regrets: StateRegrets, budget: Budget, pace: float = 0.0) -> float:
    """As often as a budget allows; how many seconds an iteration takes for each state.

    pace: the same, as far as it is known.
    """
    most = regrets.iterations + (budget.simulations or 0)
    if budget.simulations is None:
        most = MANY_ITERATIONS
    # One must do where they may take long.
    is_quick = not regrets.iterations and len(regrets.graph.targets) <= FEW_EDGES
    chunk = min(REGRET_CHUNK if is_quick else 1, most - regrets.iterations)
    while regrets.iterations < most and budget.seconds_left > pace * regrets.size:
        began = budget.clock()
        regrets.iterate(chunk)
        each = max(budget.clock() - began, 1e-9) / chunk
        pace, left = each / regrets.size, budget.seconds_left
        # Half of what there seems to be time for: others may take the processor meanwhile.
        fitting = most if left == float("inf") else max(1, int(left / each / 2))
        chunk = min(fitting, most - regrets.iterations)
    return pace


def _stage(graph: StateGraph, state: int, values: NDArray[np.float64], player: int) -> Stage:
    """values: (states, players)"""
    return np.moveaxis(graph.worth(state, values)[..., player - 1], player - 1, 0)
