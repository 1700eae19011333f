"""Counterfactual regret minimisation over the states of a game without secrets.

Source: M. Shafiei Khadem, Simultaneous move games in general game playing (MSc thesis, Alberta
2010), algorithms 2 to 5: a node holds a move of every player, and equal states are one node.
Probabilities of reaching a node are summed over all ways into it.
Departures: chance may move too; its probability is part of every reaching probability.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.cfr_tree import average_of
from fogspiel.solve.induction_joint import constant_of, stages_of
from fogspiel.solve.matrix import bound_stages
from fogspiel.tree.joint import JointGraph


class Learnt(NamedTuple):
    """What has been gathered so far. Actions go by state, then player, then move."""

    starts: NDArray[np.int64]
    """(states · players + 1,) where the actions of a player in a state begin."""
    behaviour: NDArray[np.float64]
    """(actions,) of the next iteration."""
    regrets: NDArray[np.float64]
    sums: NDArray[np.float64]
    """(actions,) behaviour, weighed by how probable the player made the state."""
    action_values: NDArray[np.float64]
    values: NDArray[np.float64]
    """(states, players)"""
    reach: NDArray[np.float64]
    """(states, players) how probable all others, and chance, make each state."""
    own_reach: NDArray[np.float64]
    """(states, players) how probable the player itself makes it."""


class Arena(NamedTuple):
    """The graph, as kernels take it."""

    counts: NDArray[np.int32]
    first_edges: NDArray[np.int64]
    targets: NDArray[np.int32]
    first_shares: NDArray[np.int64]
    shares: NDArray[np.float64]


class StateRegrets:
    """Regrets in all states, as many iterations as asked for."""

    def __init__(self, graph: JointGraph, *, first_moves: bool = False) -> None:
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
        self._learnt = Learnt(
            starts=starts,
            behaviour=behaviour,
            regrets=np.zeros(len(behaviour)),
            sums=np.zeros(len(behaviour)),
            action_values=np.zeros(len(behaviour)),
            values=values,
            reach=np.zeros(shape),
            own_reach=np.zeros(shape),
        )
        self._arena = Arena(
            graph.counts, graph.first_edges, graph.targets, graph.first_shares, graph.shares
        )
        self._order = np.arange(len(graph))
        """The states that iterations are about, the one that they begin in first."""

    def descend(self, state: int) -> None:
        """Go on with what can follow a state alone, and with what was learnt about that.

        Section 4.6: when play has come to a node, the tree above it is cut off.
        """
        self._order = _below(self._arena, state)

    def iterate(self, iterations: int) -> None:
        """Algorithm 2, several times."""
        _iterate(self._arena, self._learnt, self._order, iterations)
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
        _compute_expected_values(self._arena, learnt, self._order)
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


@native
def _below(arena: Arena, state: int) -> NDArray[np.int64]:
    """A state and all that can follow it, ascending."""
    found = np.zeros(len(arena.counts), np.bool_)
    found[state] = True
    # What follows a state has a higher number.
    for own in range(state, len(found)):
        if found[own]:
            for edge in range(arena.first_edges[own], arena.first_edges[own + 1]):
                found[arena.targets[edge]] = True
    return np.flatnonzero(found)


@native
def _iterate(arena: Arena, learnt: Learnt, order: NDArray[np.int64], iterations: int) -> None:
    """Algorithm 2. Records are handed on once an iteration: for each state it would cost more."""
    for _ in range(iterations):
        _compute_expected_values(arena, learnt, order)
        learnt.reach[:] = 0.0
        learnt.own_reach[:] = 0.0
        learnt.reach[order[0]] = 1.0
        learnt.own_reach[order[0]] = 1.0
        _compute_reaching_probabilities(arena, learnt, order)
        _update_probabilities(learnt, order)


@native
def _compute_expected_values(arena: Arena, learnt: Learnt, order: NDArray[np.int64]) -> None:
    """Algorithm 3, from the last states on."""
    counts, targets, shares = arena.counts, arena.targets, arena.shares
    starts, behaviour = learnt.starts, learnt.behaviour
    action_values, values = learnt.action_values, learnt.values
    players = values.shape[1]
    moves = np.zeros(players, np.int64)
    for place in range(len(order) - 1, -1, -1):
        state = order[place]
        edge, here = arena.first_edges[state], state * players
        action_values[starts[here] : starts[here + players]] = 0.0
        for draw in range(counts[state, 0]):
            share = shares[arena.first_shares[state] + draw]
            moves[:] = 0
            more = True
            while more:
                child = targets[edge]
                for player in range(players):
                    probability = share
                    for other in range(players):
                        if other != player:
                            probability *= behaviour[starts[here + other] + moves[other]]
                    action = starts[here + player] + moves[player]
                    action_values[action] += probability * values[child, player]
                edge += 1
                more = _next_joint_move(counts, state, moves)
        for player in range(players if counts[state, 0] else 0):
            mean = 0.0
            for action in range(starts[here + player], starts[here + player + 1]):
                mean += behaviour[action] * action_values[action]
            values[state, player] = mean


@native
def _compute_reaching_probabilities(arena: Arena, learnt: Learnt, order: NDArray[np.int64]) -> None:
    """Algorithm 4, from the first state on."""
    counts, targets, shares = arena.counts, arena.targets, arena.shares
    starts, behaviour = learnt.starts, learnt.behaviour
    reach, own_reach = learnt.reach, learnt.own_reach
    players = reach.shape[1]
    moves = np.zeros(players, np.int64)
    for state in order:
        edge, here = arena.first_edges[state], state * players
        for draw in range(counts[state, 0]):
            share = shares[arena.first_shares[state] + draw]
            moves[:] = 0
            more = True
            while more:
                child = targets[edge]
                for player in range(players):
                    probability = share
                    for other in range(players):
                        if other != player:
                            probability *= behaviour[starts[here + other] + moves[other]]
                    own = behaviour[starts[here + player] + moves[player]]
                    reach[child, player] += reach[state, player] * probability
                    own_reach[child, player] += own_reach[state, player] * own
                edge += 1
                more = _next_joint_move(counts, state, moves)


@native
def _update_probabilities(learnt: Learnt, order: NDArray[np.int64]) -> None:
    """Algorithm 5."""
    behaviour, regrets, sums = learnt.behaviour, learnt.regrets, learnt.sums
    players = learnt.values.shape[1]
    for state in order:
        for player in range(players):
            place = state * players + player
            first, end = learnt.starts[place], learnt.starts[place + 1]
            total = 0.0
            for action in range(first, end):
                sums[action] += learnt.own_reach[state, player] * behaviour[action]
                gain = learnt.action_values[action] - learnt.values[state, player]
                regrets[action] += learnt.reach[state, player] * gain
                total += max(regrets[action], 0.0)
            for action in range(first, end):
                if total > 0.0:
                    behaviour[action] = max(regrets[action], 0.0) / total
                else:
                    behaviour[action] = 1.0 / (end - first)


@native
def _next_joint_move(counts: NDArray[np.int32], state: int, moves: NDArray[np.int64]) -> bool:
    """Go on to the next joint move in lexicographic order; False after the last."""
    player = len(moves) - 1
    while player >= 0:
        moves[player] += 1
        if moves[player] < counts[state, player + 1]:
            return True
        moves[player] = 0
        player -= 1
    return False
