"""Counterfactual regret minimisation over the states of a game without hidden information.

Source: M. Shafiei Khadem, Simultaneous move games in general game playing (MSc thesis, Alberta
2010), algorithms 2 to 5: a node holds a move of every player, and equal states are one node.
Probabilities of reaching a node are summed over all ways into it.
Departures: chance may move too; its probability is part of every reaching probability. Joint moves
go by the moves of all players but the last, so that those of the last one are an inner loop with
few factors, in which neighbours that lead to the same state are taken together; joint moves of
which two players' parts have probability 0 are skipped. Sums so come in another order, and differ
by rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inlined, native
from fogspiel.solve.arrays import RegretMemory, StateArrays, regret_memory, state_arrays
from fogspiel.solve.induction.simultaneous import constant_of, guarantee_gap
from fogspiel.solve.result import Strategy, average_of
from fogspiel.tree.state_graph import StateGraph, shared_states


class StateRegrets:
    """An anytime solver of a state graph, for any number of players."""

    def __init__(self, graph: StateGraph, *, first_moves: bool = False) -> None:
        """Start with uniform behaviour. first_moves: start with everybody's first move instead."""
        self.graph = graph
        self.iterations = 0
        """Iterations so far, with as many as those that were taken over count as."""
        self._arrays = arrays = state_arrays(graph)
        counts = np.diff(arrays.starts)
        behaviour = np.repeat(1.0 / np.maximum(counts, 1), counts)
        if first_moves:
            behaviour[:] = 0.0
            behaviour[arrays.starts[:-1][counts > 0]] = 1.0
        self._memory = regret_memory(behaviour, (len(graph), len(graph.players)))
        ends = graph.payoffs[graph.state_payoffs[arrays.ends]]
        self._memory.values[arrays.ends] = ends
        self._order = np.arange(len(graph))
        """The states that iterations are about, the one that they begin in first."""

    @property
    def size(self) -> int:
        """The number of states that iterations are about."""
        return len(self._order)

    @property
    def has_choices(self) -> bool:
        """Whether a player has more than one move in any of the states of iterations."""
        return bool((self.graph.counts[self._order, 1:] > 1).any())

    def descend(self, state: int) -> None:
        """Restrict further iterations to a state and what can follow it, keeping all regrets.

        Section 4.6: when play has come to a node, the tree above it is cut off.
        """
        self._order = _states_below(self._arrays, state)

    def take_over(self, earlier: StateRegrets, steps: int, *, most: int | None = None) -> None:
        """Begin with what was learnt about the states that an earlier graph has, too.

        steps: how many steps of the match this graph begins after the earlier one.
        most: iterations that the earlier ones count as at most; as many as they are if not given.
        """
        count = earlier.iterations if most is None else min(most, earlier.iterations)
        weight = count / max(earlier.iterations, 1)
        self.iterations += count
        pairs = shared_states(earlier.graph, self.graph, steps)
        # Where one of the graphs ends, it has no actions.
        goes_on = ~earlier._arrays.ends[pairs[:, 0]] & ~self._arrays.ends[pairs[:, 1]]
        before, own = earlier._actions(pairs[goes_on, 0]), self._actions(pairs[goes_on, 1])
        self._memory.regrets[own] = weight * earlier._memory.regrets[before]
        self._memory.sums[own] = weight * earlier._memory.sums[before]
        self._memory.behaviour[own] = earlier._memory.behaviour[before]

    def iterate(self, iterations: int) -> None:
        """Run algorithm 2 several times."""
        _iterate(self._arrays, self._memory, self._order, iterations)
        self.iterations += iterations

    def average(self) -> Strategy:
        """The average strategy so far."""
        starts = self._arrays.starts
        # States that end the game have no actions.
        choices = np.append(np.flatnonzero(np.diff(starts)), len(starts) - 1)
        probabilities = average_of(starts[choices], self._memory.sums).probabilities
        return Strategy(starts=starts, probabilities=probabilities)

    def average_values(self) -> NDArray[np.float64]:
        """(states, players) values of the average strategy."""
        memory = self._memory._replace(
            behaviour=self.average().probabilities,
            action_values=np.zeros_like(self._memory.action_values),
            values=self._memory.values.copy(),
        )
        _compute_expected_values(self._arrays, memory, self._order)
        return memory.values

    def _actions(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places of all players' actions in some states, one state after the other."""
        players = len(self.graph.players)
        firsts, ends = (self._arrays.starts[own * players] for own in (states, states + 1))
        sizes = ends - firsts
        before = np.cumsum(sizes) - sizes
        places: NDArray[np.int64] = np.repeat(firsts - before, sizes) + np.arange(sizes.sum())
        return places

    def exploitability(self) -> float:
        """The exploitability of the average strategy, for two players with a constant sum.

        Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play.
        """
        constant_of(self.graph)
        values = self._memory.values[:, 0].copy()
        return guarantee_gap(self._arrays, self.average(), values) / 2


@native
def _states_below(graph: StateArrays, state: int) -> NDArray[np.int64]:
    """A state and all that can follow it, ascending."""
    found = np.zeros(len(graph.counts), np.bool_)
    found[state] = True
    # What follows a state has a higher number.
    for own in range(state, len(found)):
        if found[own]:
            for edge in range(graph.first_edges[own], graph.first_edges[own + 1]):
                found[graph.targets[edge]] = True
    return np.flatnonzero(found)


@native
def _iterate(
    graph: StateArrays, memory: RegretMemory, order: NDArray[np.int64], iterations: int
) -> None:
    """Run algorithm 2. Records are passed once an iteration: for each state it would cost more."""
    for _ in range(iterations):
        _compute_expected_values(graph, memory, order)
        memory.reach[:] = 0.0
        memory.own_reach[:] = 0.0
        memory.reach[order[0]] = 1.0
        memory.own_reach[order[0]] = 1.0
        _compute_reaching_probabilities(graph, memory, order)
        _update_probabilities(graph.starts, memory, order)


@native
def _compute_expected_values(
    graph: StateArrays, memory: RegretMemory, order: NDArray[np.int64]
) -> None:
    """Algorithm 3: values, from the last states on."""
    counts, targets, chances = graph.counts, graph.targets, graph.shares
    starts, behaviour = graph.starts, memory.behaviour
    action_values, values = memory.action_values, memory.values
    players = values.shape[1]
    last = players - 1
    moves, weights, sums = np.zeros(last, np.int64), np.zeros(players), np.zeros(players)
    for place in range(len(order) - 1, -1, -1):
        state = order[place]
        if counts[state, 0] == 0:
            continue
        edge, here = graph.first_edges[state], state * players
        if graph.first_edges[state + 1] - edge == 1:  # nobody has a choice
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
                chance = chances[graph.first_shares[state] + draw]
                if _weigh(starts, behaviour, here, moves, chance, weights):
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
    """Add the values of the last player's moves for it, and average them for each of the others.

    row: (moves,) the states that they lead to. own: (moves,) their probabilities. weight: the
    probability of the others' moves. own_values: (moves,) is added to. sums: (players,) is filled
    in, but for the last player.
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
    graph: StateArrays, memory: RegretMemory, order: NDArray[np.int64]
) -> None:
    """Algorithm 4: reaching probabilities, from the first state on.

    `reach` counts what all other players, and chance, do towards a state.
    """
    counts, targets, chances = graph.counts, graph.targets, graph.shares
    starts, behaviour = graph.starts, memory.behaviour
    reach, own_reach = memory.reach, memory.own_reach
    players = reach.shape[1]
    last = players - 1
    moves, ways, own_ways = np.zeros(last, np.int64), np.zeros(players), np.zeros(players)
    for state in order:
        edge, here = graph.first_edges[state], state * players
        if graph.first_edges[state + 1] - edge == 1:
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
                chance = chances[graph.first_shares[state] + draw]
                _weigh(starts, behaviour, here, moves, chance, ways)
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
def _update_probabilities(
    starts: NDArray[np.int64], memory: RegretMemory, order: NDArray[np.int64]
) -> None:
    """Algorithm 5: update regrets, averages and behaviour."""
    behaviour, regrets, sums = memory.behaviour, memory.regrets, memory.sums
    players = memory.values.shape[1]
    for state in order:
        for player in range(players):
            place = state * players + player
            first, end = starts[place], starts[place + 1]
            total = 0.0
            for action in range(first, end):
                sums[action] += memory.own_reach[state, player] * behaviour[action]
                gain = memory.action_values[action] - memory.values[state, player]
                regrets[action] += memory.reach[state, player] * gain
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
    chance: float,
    weights: NDArray[np.float64],
) -> bool:
    """The probability of some players' moves, as each player counts it: without its own move.

    moves: (players - 1,) of all but the last. chance: the probability of chance's move.
    weights: (players,) is filled in. Returns: whether any of them is positive.
    """
    matters = False
    for player in range(len(weights)):
        weight = chance
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
