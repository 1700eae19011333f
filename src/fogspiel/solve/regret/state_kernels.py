"""Kernels of regrets over the states of a game without secrets.

Source: M. Shafiei Khadem, Simultaneous move games in general game playing (MSc thesis, Alberta
2010), algorithms 2 to 5.
Departures: joint moves go by what all players but the last do, so that what the last one does is an
inner loop with few factors, in which neighbours that lead to the same state are taken together;
what two players would never do together counts for nobody, and is passed over. Sums so come in
another order, and differ by rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inlined, native


class StateMemory(NamedTuple):
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


class GraphArrays(NamedTuple):
    """The graph, as kernels take it."""

    counts: NDArray[np.int32]
    first_edges: NDArray[np.int64]
    targets: NDArray[np.int32]
    first_shares: NDArray[np.int64]
    shares: NDArray[np.float64]


@native
def states_below(arena: GraphArrays, state: int) -> NDArray[np.int64]:
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
def iterate(
    arena: GraphArrays, learnt: StateMemory, order: NDArray[np.int64], iterations: int
) -> None:
    """Algorithm 2. Records are handed on once an iteration: for each state it would cost more."""
    for _ in range(iterations):
        compute_expected_values(arena, learnt, order)
        learnt.reach[:] = 0.0
        learnt.own_reach[:] = 0.0
        learnt.reach[order[0]] = 1.0
        learnt.own_reach[order[0]] = 1.0
        _compute_reaching_probabilities(arena, learnt, order)
        _update_probabilities(learnt, order)


@native
def compute_expected_values(
    arena: GraphArrays, learnt: StateMemory, order: NDArray[np.int64]
) -> None:
    """Algorithm 3, from the last states on."""
    counts, targets, shares = arena.counts, arena.targets, arena.shares
    starts, behaviour = learnt.starts, learnt.behaviour
    action_values, values = learnt.action_values, learnt.values
    players = values.shape[1]
    last = players - 1
    moves, weights, sums = np.zeros(last, np.int64), np.zeros(players), np.zeros(players)
    for place in range(len(order) - 1, -1, -1):
        state = order[place]
        if counts[state, 0] == 0:
            continue
        edge, here = arena.first_edges[state], state * players
        if arena.first_edges[state + 1] - edge == 1:  # nobody has a choice
            for player in range(players):
                values[state, player] = values[targets[edge], player]
                action_values[starts[here + player]] = values[state, player]
            continue
        first, width = starts[here + last], counts[state, players]
        for action in range(starts[here], starts[here + players]):
            action_values[action] = 0.0
        for draw in range(counts[state, 0]):
            for player in range(last):
                moves[player] = 0
            more = True
            while more:
                share = shares[arena.first_shares[state] + draw]
                if _weigh(starts, behaviour, here, moves, share, weights):
                    own, row = behaviour[first : first + width], targets[edge : edge + width]
                    _add_up(row, own, values, weights[last], action_values[first:], sums)
                    for player in range(last):
                        action = starts[here + player] + moves[player]
                        action_values[action] += weights[player] * sums[player]
                edge += width
                more = _next_moves(counts, state, moves)
        for player in range(players):
            mean = 0.0
            for action in range(starts[here + player], starts[here + player + 1]):
                mean += behaviour[action] * action_values[action]
            values[state, player] = mean


@inlined
def _add_up(
    row: NDArray[np.int32],
    own: NDArray[np.float64],
    values: NDArray[np.float64],
    weight: float,
    own_values: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """What the moves of the last player are worth to it, and on average to each of the others.

    row: (moves,) where they lead. own: (moves,) how probable they are. weight: of what the others
    do. own_values: is added to. sums: (players,) is filled in, but for the last.
    """
    last = len(sums) - 1
    for player in range(last):
        sums[player] = 0.0
    move = 0
    while move < len(row):
        child, mass = row[move], 0.0
        while move < len(row) and row[move] == child:
            mass += own[move]
            own_values[move] += weight * values[child, last]
            move += 1
        for player in range(last):
            sums[player] += mass * values[child, player]


@native
def _compute_reaching_probabilities(
    arena: GraphArrays, learnt: StateMemory, order: NDArray[np.int64]
) -> None:
    """Algorithm 4, from the first state on."""
    counts, targets, shares = arena.counts, arena.targets, arena.shares
    starts, behaviour = learnt.starts, learnt.behaviour
    reach, own_reach = learnt.reach, learnt.own_reach
    players = reach.shape[1]
    last = players - 1
    moves, ways, own_ways = np.zeros(last, np.int64), np.zeros(players), np.zeros(players)
    for state in order:
        edge, here = arena.first_edges[state], state * players
        if arena.first_edges[state + 1] - edge == 1:
            for player in range(players):
                reach[targets[edge], player] += reach[state, player]
                own_reach[targets[edge], player] += own_reach[state, player]
            continue
        first, width = starts[here + last], counts[state, players]
        for draw in range(counts[state, 0]):
            for player in range(last):
                moves[player] = 0
            more = True
            while more:
                share = shares[arena.first_shares[state] + draw]
                _weigh(starts, behaviour, here, moves, share, ways)
                for player in range(last):
                    own = behaviour[starts[here + player] + moves[player]]
                    own_ways[player] = own_reach[state, player] * own
                    ways[player] *= reach[state, player]
                ways[last] *= reach[state, last]
                begin = 0
                while begin < width:
                    child = targets[edge + begin]
                    mass, end = 0.0, begin
                    while end < width and targets[edge + end] == child:
                        mass += behaviour[first + end]
                        end += 1
                    for player in range(last):
                        reach[child, player] += ways[player] * mass
                        own_reach[child, player] += own_ways[player] * (end - begin)
                    reach[child, last] += ways[last] * (end - begin)
                    own_reach[child, last] += own_reach[state, last] * mass
                    begin = end
                edge += width
                more = _next_moves(counts, state, moves)


@native
def _update_probabilities(learnt: StateMemory, order: NDArray[np.int64]) -> None:
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


@inlined
def _weigh(
    starts: NDArray[np.int64],
    behaviour: NDArray[np.float64],
    here: int,
    moves: NDArray[np.int64],
    share: float,
    weights: NDArray[np.float64],
) -> bool:
    """How probable moves are to all but each player; whether they matter to any.

    moves: of all players but the last. share: the probability of what chance does.
    weights: (players,) is filled in: the product over the others among those that move.
    """
    matters = False
    for player in range(len(weights)):
        weight = share
        for other in range(len(moves)):
            if other != player:
                weight *= behaviour[starts[here + other] + moves[other]]
        weights[player] = weight
        matters |= weight > 0.0
    return matters


@inlined
def _next_moves(counts: NDArray[np.int32], state: int, moves: NDArray[np.int64]) -> bool:
    """Go on to the next moves in lexicographic order; False after the last."""
    player = len(moves) - 1
    while player >= 0:
        moves[player] += 1
        if moves[player] < counts[state, player + 1]:
            return True
        moves[player] = 0
        player -= 1
    return False
