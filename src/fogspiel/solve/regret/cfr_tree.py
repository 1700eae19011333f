"""Counterfactual regret minimisation over a tree, for any number of players and any payoffs.

Source: M. Shafiei Khadem, Simultaneous move games in general game playing (MSc thesis, Alberta
2010), section 4.4, algorithms 2 to 5, after Zinkevich et al. (2007): in each iteration values go up
the tree (algorithm 3), reaching probabilities down it (4), and all players update at once (5).
Departures: his nodes hold a move of every player; ours hold one player's and belong to infosets, so
regrets are sums over the nodes of an infoset, and chance is part of every reaching probability.
Reaching probabilities come first, so that regrets are gathered while values go up.

With two players and a constant sum the average strategy approaches an equilibrium. With more, or
other payoffs, only the regrets are sure to vanish: play over all iterations taken together comes
near a coarse correlated equilibrium, and the average strategy may stay exploitable. The solution
says by how much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.arrays import RegretMemory, TreeArrays, regret_memory, tree_arrays
from fogspiel.solve.progress import OnPoint, ProgressMeter, SolveLimits
from fogspiel.solve.result import Solution, average_of, uniform
from fogspiel.solve.strategy_value import Evaluator
from fogspiel.tree.game_tree import GameTree

ONE = np.uint64(1)


def cfr_on_tree(
    tree: GameTree, *, limits: SolveLimits, on_point: OnPoint | None = None
) -> Solution:
    """The average strategy of simultaneous regret matching; see above for what it promises."""
    arrays, evaluator, first = _unsigned(tree_arrays(tree)), Evaluator(tree), uniform(tree)
    memory = regret_memory(first.probabilities, (len(tree), len(tree.players)))
    memory = memory._replace(own_reach=np.zeros(len(tree.infosets)))
    work = 4 * len(tree) * len(tree.players)
    progress = ProgressMeter(limits, on_point, work=work)
    done = 0
    while True:
        pause = progress.next_pause()
        _iterate(arrays, memory, pause - done)
        done = pause
        progress.evaluating()
        strategy = average_of(first.starts, memory.sums)
        found = evaluator.value(strategy)
        if progress.stops(done, found.exploitability):
            break
    return Solution.of(
        strategy,
        found,
        "cfr",
        parameters={"alternating": False, "gamma": 0.0},
        iterations=done,
        seconds=progress.seconds,
        curve=tuple(progress.curve),
    )


def _unsigned(arrays: TreeArrays) -> TreeArrays:
    """The same arrays with unsigned indices: Numba need not ask whether they count from the end."""
    return arrays._replace(
        first_edges=arrays.first_edges.view(np.uint64),
        targets=arrays.targets.view(np.uint32),
        starts=arrays.starts.view(np.uint64),
    )


@native
def _iterate(tree: TreeArrays, memory: RegretMemory, iterations: int) -> None:
    for _ in range(iterations):
        _spread_reach(tree, memory)
        _gather_values(tree, memory)
        _update(tree.starts, memory)


@native
def _spread_reach(tree: TreeArrays, memory: RegretMemory) -> None:
    """Algorithm 4: the reach of each player by its own actions.

    All histories of a node hold the same actions of players, so any one of them will do.
    """
    movers, infosets, starts = tree.movers, tree.node_infosets, tree.starts
    first_edges, targets = tree.first_edges, tree.targets
    reach, behaviour, own_reach = memory.reach, memory.behaviour, memory.own_reach
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
def _gather_values(tree: TreeArrays, memory: RegretMemory) -> None:
    """Algorithm 3: values, and counterfactual values of the actions of each infoset."""
    movers, infosets, starts = tree.movers, tree.node_infosets, tree.starts
    first_edges, targets, rows = tree.first_edges, tree.targets, tree.node_payoffs
    payoffs, probabilities, chance_reach = tree.payoffs, tree.probabilities, tree.chance_reach
    values, reach = memory.values, memory.reach
    behaviour, gains = memory.behaviour, memory.action_values
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
def _update(starts: NDArray[np.uint64], memory: RegretMemory) -> None:
    """Algorithm 5: update regrets, averages and behaviour."""
    behaviour, regrets, gains = memory.behaviour, memory.regrets, memory.action_values
    sums, own_reach = memory.sums, memory.own_reach
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
