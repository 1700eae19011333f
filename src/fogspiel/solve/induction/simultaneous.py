"""Simultaneous moves and no hidden information: backward induction with a matrix game per state.

Source: Shafiei (2010), chapter 6, names it as future work: where all players know the state, the
equilibrium of a state needs only the values of the states that follow.
Departures: the matrix games are solved natively; the guarantees of the strategies are computed by
two more sweeps over the states, so the exploitability does not rest on the first sweep.
"""

from __future__ import annotations

from fractions import Fraction
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.core.native import native
from fogspiel.solve.arrays import StateArrays, state_arrays
from fogspiel.solve.matrix import column_guarantee, matrix_game, row_guarantee
from fogspiel.solve.result import Solution, Strategy, action_starts
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.state_graph import StateGraph, infoset_states

INDUCTION_LP = "induction-lp"


def solve_states(graph: StateGraph) -> Solution:
    """An equilibrium in every state of a game of two players with a constant sum.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play.
    """
    constant = float(constant_of(graph))
    began = perf_counter()
    arrays = state_arrays(graph)
    strategy = Strategy(starts=arrays.starts, probabilities=np.empty(arrays.starts[-1]))
    values = np.zeros(len(graph))
    values[arrays.ends] = graph.payoffs[graph.state_payoffs[arrays.ends], 0]
    payoffs = values.copy()
    _solve_backwards(arrays, strategy.probabilities, values)
    both = (float(values[0]), constant - float(values[0]))
    return Solution(
        strategy=strategy,
        values=both,
        exploitability=guarantee_gap(arrays, strategy, payoffs) / 2,
        method=INDUCTION_LP,
        seconds=perf_counter() - began,
        state_values=np.stack([values, sum(both) - values], axis=1),
    )


def on_tree(graph: StateGraph, solution: Solution, tree: GameTree) -> Solution:
    """A solution of states as one of the tree that `build` makes from the same rules."""
    starts = action_starts(tree.infosets)
    probabilities = np.empty(int(starts[-1]))
    places = zip(infoset_states(graph, tree), tree.infosets.players, strict=True)
    for infoset, (state, player) in enumerate(places):
        own = solution.strategy.at(graph.decision(int(state), int(player)))
        probabilities[starts[infoset] : starts[infoset + 1]] = own
    strategy = Strategy(starts=starts, probabilities=probabilities)
    return Solution.of(
        strategy,
        strategy_value(tree, strategy),
        INDUCTION_LP,
        parameters={"states": len(graph)},
        seconds=solution.seconds,
    )


def constant_of(graph: StateGraph) -> Fraction:
    """The sum of both payoffs at every end.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play.
    """
    if len(graph.players) != 2:
        raise UsageError.of(
            "SOL003",
            f"matrix games are for two players, and {len(graph.players)} play",
            "build the tree of the game and use cfr, which takes any number of players",
        )
    sums = {sum(row, Fraction(0)) for row in graph.exact_payoffs}
    if len(sums) != 1:
        listed = ", ".join(map(str, sorted(sums)[:4]))
        raise UsageError.of(
            "SOL002",
            f"both together get different sums at different ends: {listed}",
            "build the tree of the game and use cfr, which promises no equilibrium there",
        )
    return sums.pop()


def guarantee_gap(arrays: StateArrays, strategy: Strategy, values: NDArray[np.float64]) -> float:
    """The gap between what the second player concedes and what the first one is sure of.

    values: (states,) payoffs of the first player at ends.
    """
    bounds = np.stack([values, values])
    _bound_backwards(arrays, strategy.probabilities, bounds)
    return max(0.0, float(bounds[1, 0] - bounds[0, 0]))


@native
def _solve_backwards(
    graph: StateArrays, probabilities: NDArray[np.float64], values: NDArray[np.float64]
) -> None:
    """Fill in strategies and values of all states. values: (states,), given at ends."""
    starts = graph.starts
    for state in range(len(values) - 1, -1, -1):
        if not graph.ends[state]:
            first, second, end = starts[2 * state : 2 * state + 3]
            row, column = probabilities[first:second], probabilities[second:end]
            values[state] = matrix_game(_cells(graph, state, values), row, column)


@native
def _bound_backwards(
    graph: StateArrays, probabilities: NDArray[np.float64], bounds: NDArray[np.float64]
) -> None:
    """Fill in the guarantees of both players, in payoffs of the first. bounds: (2, states)"""
    starts, lower, upper = graph.starts, bounds[0], bounds[1]
    for state in range(len(lower) - 1, -1, -1):
        if not graph.ends[state]:
            first, second, end = starts[2 * state : 2 * state + 3]
            row, column = probabilities[first:second], probabilities[second:end]
            lower[state] = row_guarantee(_cells(graph, state, lower), row)
            upper[state] = column_guarantee(_cells(graph, state, upper), column)


@native
def _cells(graph: StateArrays, state: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(rows, columns) the value after each joint move, averaged over chance."""
    draws, rows, columns = graph.counts[state]
    cells = np.zeros((rows, columns))
    edge = graph.first_edges[state]
    for draw in range(draws):
        chance = graph.shares[graph.first_shares[state] + draw]
        for i in range(rows):
            for j in range(columns):
                cells[i, j] += chance * values[graph.targets[edge]]
                edge += 1
    return cells
