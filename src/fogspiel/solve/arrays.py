"""Games as records of flat arrays that kernels take: trees, state graphs, and treeplexes.

A treeplex is the set of all plans of one player (Hoda, Gilpin, Pena and Sandholm 2010, Mathematics
of Operations Research 35(2)). Its infosets come so that earlier ones come first, and the sequences
of each stand side by side: a sweep upwards meets every sequence before those that extend it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.result import Strategy, action_starts
from fogspiel.tree.game_tree import GameTree, Infosets
from fogspiel.tree.state_graph import StateGraph

Plan = NDArray[np.float64]
"""(sequences of a player,) the product of the player's own action probabilities along each; 1 for
the empty sequence."""
Indices = NDArray[Any]
"""Positions in other arrays; kernels that need the speed view them as unsigned."""


class TreeArrays(NamedTuple):
    """The arrays of a `GameTree` that kernels need, with its payoffs and action offsets."""

    movers: NDArray[np.int8]
    node_infosets: NDArray[np.int32]
    node_payoffs: NDArray[np.int32]
    chance_reach: NDArray[np.float64]
    first_edges: Indices
    targets: Indices
    probabilities: NDArray[np.float64]
    payoffs: NDArray[np.float64]  #: (rows, players)
    starts: Indices
    """(infosets + 1,) the actions of infoset i are starts[i]:starts[i + 1] of a strategy."""


def tree_arrays(tree: GameTree) -> TreeArrays:
    """The arrays of a tree."""
    return TreeArrays(
        movers=tree.movers,
        node_infosets=tree.node_infosets,
        node_payoffs=tree.node_payoffs,
        chance_reach=tree.chance_reach,
        first_edges=tree.first_edges,
        targets=tree.targets,
        probabilities=tree.probabilities,
        payoffs=tree.payoffs,
        starts=action_starts(tree.infosets),
    )


class StateArrays(NamedTuple):
    """The arrays of a `StateGraph` that kernels need, with its action offsets."""

    ends: NDArray[np.bool_]  #: (states,) whether the game is over, so that the value is known
    counts: NDArray[np.int32]  #: (states, 1 + players) moves of chance and of each player
    first_edges: NDArray[np.int64]
    targets: NDArray[np.int32]
    first_shares: NDArray[np.int64]
    shares: NDArray[np.float64]
    starts: NDArray[np.int64]
    """(states · players + 1,) the offset of the actions of each state and player in a strategy."""


def state_arrays(graph: StateGraph) -> StateArrays:
    """The arrays of a state graph."""
    return StateArrays(
        ends=graph.state_payoffs >= 0,
        counts=graph.counts,
        first_edges=graph.first_edges,
        targets=graph.targets,
        first_shares=graph.first_shares,
        shares=graph.shares,
        starts=np.concatenate([[0], np.cumsum(graph.counts[:, 1:], dtype=np.int64)]),
    )


class RegretMemory(NamedTuple):
    """Regrets and averages so far on a tree or a state graph, with buffers for an iteration.

    Actions go by decision, as in a strategy; places are nodes of a tree or states of a graph.
    """

    behaviour: NDArray[np.float64]  #: (actions,) probabilities of the next iteration
    regrets: NDArray[np.float64]  #: (actions,)
    sums: NDArray[np.float64]
    """(actions,) behaviour, weighted by the player's own reach of the decision."""
    action_values: NDArray[np.float64]  #: (actions,)
    values: NDArray[np.float64]  #: (places, players)
    reach: NDArray[np.float64]
    """(places, players) a probability that a place is reached; kernels say whose."""
    own_reach: NDArray[np.float64]
    """The product of the player's own action probabilities on the way to each decision."""


def regret_memory(behaviour: NDArray[np.float64], shape: tuple[int, int]) -> RegretMemory:
    """The memory before the first iteration. shape: places, players."""
    return RegretMemory(
        behaviour=behaviour,
        regrets=np.zeros_like(behaviour),
        sums=np.zeros_like(behaviour),
        action_values=np.zeros_like(behaviour),
        values=np.zeros(shape),
        reach=np.ones(shape),
        own_reach=np.zeros(shape),
    )


TreeplexArrays = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""`parents`, `firsts` and `counts` of a treeplex. A plain tuple, since kernels take it fastest."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Treeplex:
    """The infosets of one player, in the order of the tree, and the sequences around them."""

    player: int  #: The number of the player, from 1 on
    first_infoset: int  #: The number of the first one among all infosets of the tree
    parents: NDArray[np.int32]  #: (own infosets,) the sequence before each
    firsts: NDArray[np.int32]
    """(own infosets,) the sequence that its first action makes; the others follow."""
    counts: NDArray[np.int32]  #: (own infosets,) number of actions
    sequence_count: int

    @property
    def arrays(self) -> TreeplexArrays:
        """The arrays, as kernels take them."""
        return self.parents, self.firsts, self.counts

    def behaviour(self, strategy: Strategy) -> NDArray[np.float64]:
        """(own sequences,) the probability of the last action of each; 1 for the empty one."""
        start = int(strategy.starts[self.first_infoset])
        behaviour = np.empty(self.sequence_count)
        behaviour[0] = 1.0
        behaviour[1:] = strategy.probabilities[start : start + self.sequence_count - 1]
        return behaviour

    def plan(self, strategy: Strategy) -> Plan:
        """The plan of a strategy."""
        return self.plan_of(self.behaviour(strategy))

    def plan_of(self, behaviour: NDArray[np.float64]) -> Plan:
        """The plan of behaviour at the infosets."""
        plan = np.empty(self.sequence_count)
        _unfold(self.arrays, behaviour, plan)
        return plan

    def behaviour_of(self, plan: Plan) -> NDArray[np.float64]:
        """(own sequences,) the behaviour of any multiple of a plan.

        It is uniform at infosets that the player itself avoids.
        """
        behaviour = np.empty(self.sequence_count)
        _fold(self.arrays, plan, behaviour)
        return behaviour

    def best(self, values: NDArray[np.float64]) -> float:
        """The most that a plan can earn.

        values: (own sequences,) what each sequence earns by itself; overwritten by what it earns
        with the best continuation.
        """
        return float(_best_value(self.arrays, values))

    def best_behaviour(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(own sequences,) the first best action at each infoset.

        values: (own sequences,) as `best` leaves them.
        """
        behaviour = np.ones(self.sequence_count)
        _choose_best(self.arrays, values, behaviour)
        return behaviour


def treeplex(infosets: Infosets, player: int) -> Treeplex:
    """The treeplex of a player, counted from 1."""
    own = slice(*infosets.starts[player - 1 : player + 1].tolist())
    return Treeplex(
        player=player,
        first_infoset=own.start,
        parents=infosets.parent_sequences[own],
        firsts=infosets.first_sequences[own],
        counts=infosets.action_counts[own],
        sequence_count=infosets.sequence_count(player),
    )


def joined(starts: NDArray[np.int64], behaviours: list[NDArray[np.float64]]) -> Strategy:
    """One strategy from the behaviour of every player, each with a 1 for its empty sequence."""
    own = [behaviour[1:] for behaviour in behaviours]
    return Strategy(starts=starts, probabilities=np.concatenate(own))


@native
def _unfold(side: TreeplexArrays, behaviour: NDArray[np.float64], plan: Plan) -> None:
    parents, firsts, counts = side
    plan[0] = 1.0
    for infoset in range(len(parents)):
        before = plan[parents[infoset]]
        first = firsts[infoset]
        for sequence in range(first, first + counts[infoset]):
            plan[sequence] = before * behaviour[sequence]


@native
def _fold(side: TreeplexArrays, plan: Plan, behaviour: NDArray[np.float64]) -> None:
    _, firsts, counts = side
    behaviour[0] = 1.0
    for infoset in range(len(firsts)):
        first, count = firsts[infoset], counts[infoset]
        total = 0.0
        for sequence in range(first, first + count):
            total += plan[sequence]
        for sequence in range(first, first + count):
            behaviour[sequence] = plan[sequence] / total if total > 0.0 else 1.0 / count


@native
def _best_value(side: TreeplexArrays, values: NDArray[np.float64]) -> float:
    parents, firsts, counts = side
    for infoset in range(len(parents) - 1, -1, -1):
        first = firsts[infoset]
        best = values[first]
        for sequence in range(first + 1, first + counts[infoset]):
            best = max(best, values[sequence])
        values[parents[infoset]] += best
    return float(values[0])


@native
def _choose_best(
    side: TreeplexArrays, values: NDArray[np.float64], behaviour: NDArray[np.float64]
) -> None:
    _, firsts, counts = side
    for infoset in range(len(firsts)):
        first = firsts[infoset]
        best = first
        for sequence in range(first, first + counts[infoset]):
            behaviour[sequence] = 0.0
            if values[sequence] > values[best]:
                best = sequence
        behaviour[best] = 1.0
