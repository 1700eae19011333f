"""Counterfactual regret minimisation over a tree, for any number of players and any payoffs.

Source: M. Shafiei Khadem, Simultaneous move games in general game playing (MSc thesis, Alberta
2010), section 4.4, algorithms 2 to 5, after Zinkevich et al. (2007): in each iteration values go up
the tree (algorithm 3), reaching probabilities down it (4), and all players update at once (5).
Departures: his nodes hold a move of every player; ours hold one player's and belong to infosets, so
regrets are sums over the nodes of an infoset, and chance is part of every reaching probability.
Reaching probabilities come first, so that regrets are gathered while values go up.

With two players and a constant sum the average strategy approaches an equilibrium. With more, or
other payoffs, only the regrets are sure to vanish: play over all iterations taken together comes
near a coarse correlated equilibrium, and the average strategy may stay exploitable. The result
says by how much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.progress import ProgressMeter, SolveLimits
from fogspiel.solve.result import OnPoint, SolveResult, Strategy, action_starts
from fogspiel.solve.strategy_value import Evaluator
from fogspiel.tree.game_tree import GameTree

ONE = np.uint64(1)


class TreeArrays(NamedTuple):
    """The tree, as kernels take it: indices unsigned, as in `regret`."""

    movers: NDArray[np.int8]
    node_infosets: NDArray[np.int32]
    node_payoffs: NDArray[np.int32]
    chance_reach: NDArray[np.float64]
    first_edges: NDArray[np.uint64]
    targets: NDArray[np.uint32]
    probabilities: NDArray[np.float64]
    payoffs: NDArray[np.float64]
    starts: NDArray[np.uint64]


class TreeMemory(NamedTuple):
    """What has been gathered so far, by infoset and action."""

    behaviour: NDArray[np.float64]
    """(actions,) of the next iteration."""
    regrets: NDArray[np.float64]
    """(actions,)"""
    sums: NDArray[np.float64]
    """(actions,) behaviour, weighed by how probable the player made its infoset."""
    gains: NDArray[np.float64]
    """(actions,) scratch, zero between iterations."""
    own_reach: NDArray[np.float64]
    """(infosets,) how probable the player itself makes its infoset."""
    reach: NDArray[np.float64]
    """(nodes, players) how probable each player's own actions make each node."""
    values: NDArray[np.float64]
    """(nodes, players)"""


def cfr_on_tree(
    tree: GameTree, *, limits: SolveLimits, on_point: OnPoint | None = None
) -> SolveResult:
    """The average strategy of simultaneous regret matching. See above for what that is worth."""
    arena, learnt = _arena(tree), _begin(tree)
    evaluator, starts = Evaluator(tree), action_starts(tree.infosets)
    work = 4 * len(tree) * len(tree.players)
    progress = ProgressMeter(limits, on_point, work=work)
    done = 0
    while True:
        pause = progress.next_pause()
        _iterate(arena, learnt, pause - done)
        done = pause
        progress.evaluating()
        strategy = average_of(starts, learnt.sums)
        worth = evaluator.worth(strategy)
        if progress.stops(done, worth.exploitability):
            break
    return SolveResult(
        strategy=strategy,
        values=worth.values,
        exploitability=worth.exploitability,
        method="cfr",
        parameters={"alternating": False, "gamma": 0.0},
        iterations=done,
        seconds=progress.seconds,
        curve=tuple(progress.curve),
    )


def _arena(tree: GameTree) -> TreeArrays:
    """The arrays of a tree."""
    return TreeArrays(
        movers=tree.movers,
        node_infosets=tree.node_infosets,
        node_payoffs=tree.node_payoffs,
        chance_reach=tree.chance_reach,
        first_edges=tree.first_edges.view(np.uint64),
        targets=tree.targets.view(np.uint32),
        probabilities=tree.probabilities,
        payoffs=tree.payoffs,
        starts=action_starts(tree.infosets).view(np.uint64),
    )


def average_of(starts: NDArray[np.int64], sums: NDArray[np.float64]) -> Strategy:
    """Sums of behaviour in proportion; uniform at infosets that no player of theirs came to."""
    counts = np.diff(starts)
    totals = np.repeat(np.add.reduceat(sums, starts[:-1]) if len(counts) else sums, counts)
    uniform = np.repeat(1.0 / counts, counts)
    probabilities = np.divide(sums, totals, out=uniform, where=totals > 0.0)
    return Strategy(starts=starts, probabilities=probabilities)


def _begin(tree: GameTree) -> TreeMemory:
    counts = tree.infosets.action_counts
    shape = (len(tree), len(tree.players))
    actions = int(counts.sum())
    return TreeMemory(
        behaviour=np.repeat(1.0 / counts, counts),
        regrets=np.zeros(actions),
        sums=np.zeros(actions),
        gains=np.zeros(actions),
        own_reach=np.zeros(len(counts)),
        reach=np.ones(shape),
        values=np.zeros(shape),
    )


@native
def _iterate(arena: TreeArrays, learnt: TreeMemory, iterations: int) -> None:
    for _ in range(iterations):
        _spread_reach(arena, learnt)
        _gather_values(arena, learnt)
        _update(arena.starts, learnt)


@native
def _spread_reach(arena: TreeArrays, learnt: TreeMemory) -> None:
    """Algorithm 4. All ways into a node hold the same actions of players, so any one will do."""
    movers, infosets, starts = arena.movers, arena.node_infosets, arena.starts
    first_edges, targets = arena.first_edges, arena.targets
    reach, behaviour, own_reach = learnt.reach, learnt.behaviour, learnt.own_reach
    players = np.uint64(reach.shape[1])
    for node in range(np.uint64(len(movers))):
        edges, end = first_edges[node], first_edges[node + ONE]
        for edge in range(edges, end):
            child = targets[edge]
            for player in range(players):
                reach[child, player] = reach[node, player]
        if infosets[node] >= 0:
            infoset, mover = np.uint64(infosets[node]), np.uint64(movers[node]) - ONE
            own_reach[infoset] = reach[node, mover]
            action = starts[infoset]
            for edge in range(edges, end):
                reach[targets[edge], mover] *= behaviour[action]
                action += ONE


@native
def _gather_values(arena: TreeArrays, learnt: TreeMemory) -> None:
    """Algorithm 3, and what each action of each infoset brings as far as the others let it."""
    movers, infosets, starts = arena.movers, arena.node_infosets, arena.starts
    first_edges, targets, rows = arena.first_edges, arena.targets, arena.node_payoffs
    payoffs, probabilities, chance_reach = arena.payoffs, arena.probabilities, arena.chance_reach
    values, reach = learnt.values, learnt.reach
    behaviour, gains = learnt.behaviour, learnt.gains
    players = np.uint64(values.shape[1])
    node = np.uint64(len(movers))
    while node > 0:
        node -= ONE
        if rows[node] >= 0:
            for player in range(players):
                values[node, player] = payoffs[np.uint64(rows[node]), player]
            continue
        for player in range(players):
            values[node, player] = 0.0
        if infosets[node] < 0:
            for edge in range(first_edges[node], first_edges[node + ONE]):
                for player in range(players):
                    values[node, player] += probabilities[edge] * values[targets[edge], player]
            continue
        mover = np.uint64(movers[node]) - ONE
        weight = chance_reach[node]
        for player in range(players):
            if player != mover:
                weight *= reach[node, player]
        action = starts[np.uint64(infosets[node])]
        for edge in range(first_edges[node], first_edges[node + ONE]):
            child = targets[edge]
            gains[action] += weight * values[child, mover]
            for player in range(players):
                values[node, player] += behaviour[action] * values[child, player]
            action += ONE


@native
def _update(starts: NDArray[np.uint64], learnt: TreeMemory) -> None:
    """Algorithm 5."""
    behaviour, regrets, gains = learnt.behaviour, learnt.regrets, learnt.gains
    sums, own_reach = learnt.sums, learnt.own_reach
    for infoset in range(np.uint64(len(own_reach))):
        first, end = starts[infoset], starts[infoset + ONE]
        mean, total = 0.0, 0.0
        for action in range(first, end):
            sums[action] += own_reach[infoset] * behaviour[action]
            mean += behaviour[action] * gains[action]
        for action in range(first, end):
            regrets[action] += gains[action] - mean
            gains[action] = 0.0
            total += max(regrets[action], 0.0)
        for action in range(first, end):
            if total > 0.0:
                behaviour[action] = max(regrets[action], 0.0) / total
            else:
                behaviour[action] = 1.0 / (end - first)
