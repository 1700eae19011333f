"""Counterfactual regret minimisation over the states of a game without secrets.

Source: M. Shafiei Khadem, Simultaneous move games in general game playing (MSc thesis, Alberta
2010), algorithms 2 to 5: a node holds a move of every player, and equal states are one node.
Probabilities of reaching a node are summed over all ways into it.
Departures: chance may move too; its probability is part of every reaching probability.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fogspiel.solve.induction.simultaneous import constant_of, stages_of
from fogspiel.solve.matrix import bound_stages
from fogspiel.solve.regret.cfr_tree import average_of
from fogspiel.solve.regret.state_kernels import (
    GraphArrays,
    StateMemory,
    compute_expected_values,
    iterate,
    states_below,
)
from fogspiel.tree.state_graph import StateGraph


class StateRegrets:
    """Regrets in all states, as many iterations as asked for."""

    def __init__(self, graph: StateGraph, *, first_moves: bool = False) -> None:
        """first_moves: begin with the first move of each player instead of all evenly."""
        self.graph = graph
        self.iterations = 0
        counts = graph.counts[:, 1:].ravel()
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        behaviour = np.repeat(1.0 / np.maximum(counts, 1), counts)
        if first_moves:
            behaviour[:] = 0.0
            behaviour[starts[:-1][counts > 0]] = 1.0
        shape = len(graph), len(graph.players)
        values = np.zeros(shape)
        ends = graph.state_payoffs >= 0
        values[ends] = graph.payoffs[graph.state_payoffs[ends]]
        self._learnt = StateMemory(
            starts=starts,
            behaviour=behaviour,
            regrets=np.zeros(len(behaviour)),
            sums=np.zeros(len(behaviour)),
            action_values=np.zeros(len(behaviour)),
            values=values,
            reach=np.zeros(shape),
            own_reach=np.zeros(shape),
        )
        self._arena = GraphArrays(
            graph.counts, graph.first_edges, graph.targets, graph.first_shares, graph.shares
        )
        self._order = np.arange(len(graph))
        """The states that iterations are about, the one that they begin in first."""

    @property
    def size(self) -> int:
        """How many states iterations are about."""
        return len(self._order)

    def descend(self, state: int) -> None:
        """Go on with what can follow a state alone, and with what was learnt about that.

        Section 4.6: when play has come to a node, the tree above it is cut off.
        """
        self._order = states_below(self._arena, state)

    def iterate(self, iterations: int) -> None:
        """Algorithm 2, several times."""
        iterate(self._arena, self._learnt, self._order, iterations)
        self.iterations += iterations

    def average(self) -> NDArray[np.float64]:
        """(actions,) the average behaviour, by state, then player, then move."""
        starts = self._learnt.starts
        # States that end the game have no actions.
        choices = np.append(np.flatnonzero(np.diff(starts)), len(starts) - 1)
        return average_of(starts[choices], self._learnt.sums).probabilities

    def at(self, state: int, player: int) -> NDArray[np.float64]:
        """(moves,) the average behaviour of a player, from 1 on, in a state."""
        return self.average_by_state()(state, player)

    def average_by_state(self) -> Callable[[int, int], NDArray[np.float64]]:
        """The same for many states: what there is now, computed once."""
        average, starts, players = self.average(), self._learnt.starts, len(self.graph.players)

        def at(state: int, player: int) -> NDArray[np.float64]:
            place = state * players + player - 1
            first, end = starts[place : place + 2]
            return average[first:end]

        return at

    def average_values(self) -> NDArray[np.float64]:
        """(states, players) what each gets if all behave as on average."""
        learnt = self._learnt._replace(
            behaviour=self.average(),
            action_values=np.zeros_like(self._learnt.action_values),
            values=self._learnt.values.copy(),
        )
        compute_expected_values(self._arena, learnt, self._order)
        return learnt.values

    def exploitability(self) -> float:
        """Of the average behaviour, for two players with a constant sum.

        Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play.
        """
        constant_of(self.graph)
        stages = stages_of(self.graph)
        own = np.repeat(np.arange(len(self.graph) * 2) % 2, np.diff(self._learnt.starts))
        average = self.average()
        lower = self._learnt.values[:, 0].copy()
        upper = lower.copy()
        bound_stages(stages, average[own == 0], average[own == 1], lower, upper)
        return max(0.0, float(upper[0] - lower[0]) / 2)
