"""Simultaneous moves without secrets: backward induction with one matrix game a state.

Source: Shafiei (2010), chapter 6, names it as future work: where all players know the state, the
equilibrium of a state needs only the values of the states that follow.
Departures: the matrix games are solved natively; what the strategies guarantee is computed by two
more sweeps over the states, so the result has a certificate that does not rest on the first one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.solve.matrix import Stages, bound_stages, solve_stages
from fogspiel.solve.result import SolveResult, Strategy, action_starts
from fogspiel.solve.strategy_value import worth
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.state_graph import StateGraph, infoset_states


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointSolution:
    """An equilibrium in every state."""

    values: tuple[float, float]
    """What each player gets."""
    exploitability: float
    """The mean over the players of what each could gain alone."""
    seconds: float
    state_values: NDArray[np.float64]
    """(states,) what player 1 gets from each state on."""
    _graph: StateGraph
    _starts: tuple[NDArray[np.int64], NDArray[np.int64]]
    _probabilities: tuple[NDArray[np.float64], NDArray[np.float64]]

    def at(self, state: int, player: int) -> NDArray[np.float64]:
        """(moves,) of a player, from 1 on, in a state."""
        first, end = self._starts[player - 1][state : state + 2]
        return self._probabilities[player - 1][first:end]

    def on_tree(self, tree: GameTree) -> SolveResult:
        """The same as a strategy for the tree of the game, made by `build` from the same rules."""
        starts = action_starts(tree.infosets)
        probabilities = np.empty(int(starts[-1]))
        places = zip(infoset_states(self._graph, tree), tree.infosets.players, strict=True)
        for infoset, (state, player) in enumerate(places):
            own = self.at(int(state), int(player))
            probabilities[starts[infoset] : starts[infoset + 1]] = own
        strategy = Strategy(starts=starts, probabilities=probabilities)
        found = worth(tree, strategy)
        return SolveResult(
            strategy=strategy,
            values=found.values,
            exploitability=found.exploitability,
            method="induction over states",
            parameters={"states": len(self._graph)},
            iterations=1,
            seconds=self.seconds,
        )


def solve_states(graph: StateGraph) -> JointSolution:
    """An equilibrium of a simultaneous game of two players with a constant sum.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play.
    """
    constant = float(constant_of(graph))
    began = perf_counter()
    stages = stages_of(graph)
    rows, columns = np.empty(stages.row_starts[-1]), np.empty(stages.column_starts[-1])
    values = np.zeros(len(graph))
    values[stages.ends] = graph.payoffs[graph.state_payoffs[stages.ends], 0]
    lower, upper = values.copy(), values.copy()
    solve_stages(stages, values, rows, columns)
    bound_stages(stages, rows, columns, lower, upper)
    return JointSolution(
        values=(float(values[0]), constant - float(values[0])),
        exploitability=max(0.0, float(upper[0] - lower[0]) / 2),
        seconds=perf_counter() - began,
        state_values=values,
        _graph=graph,
        _starts=(stages.row_starts, stages.column_starts),
        _probabilities=(rows, columns),
    )


def stages_of(graph: StateGraph) -> Stages:
    """The states of a game of two players as matrix games."""
    return Stages(
        ends=graph.state_payoffs >= 0,
        counts=graph.counts,
        first_edges=graph.first_edges,
        targets=graph.targets,
        first_shares=graph.first_shares,
        shares=graph.shares,
        row_starts=np.concatenate([[0], np.cumsum(graph.counts[:, 1], dtype=np.int64)]),
        column_starts=np.concatenate([[0], np.cumsum(graph.counts[:, 2], dtype=np.int64)]),
    )


def constant_of(graph: StateGraph) -> Fraction:
    """What both get together.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play.
    """
    if len(graph.players) != 2:
        raise UsageError.of(
            "SOL003",
            f"matrix games are for two players, and {len(graph.players)} play",
            fix="build the tree of the game and use cfr, which takes any number of players",
        )
    sums = {sum(row, Fraction(0)) for row in graph.exact_payoffs}
    if len(sums) != 1:
        listed = ", ".join(map(str, sorted(sums)[:4]))
        raise UsageError.of(
            "SOL002",
            f"both together get different sums at different ends: {listed}",
            fix="build the tree of the game and use cfr, which promises no equilibrium there",
        )
    return sums.pop()
