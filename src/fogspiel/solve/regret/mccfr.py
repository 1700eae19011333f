"""Monte Carlo counterfactual regret minimisation: an iteration costs a walk, not a tree.

Source: Lanctot, Waugh, Zinkevich and Bowling (2009), NIPS 22, sections 3.1 and 3.2. Any number of
players, any payoffs; as for plain CFR, the average strategy approaches an equilibrium with two
players and a constant sum, and otherwise may stay exploitable. The tree must fit in memory, and the
exploitability of the solution is exact; only the iterations are sampled, from the seed alone.

External sampling tries all actions of one player, the walker, and samples those of chance and the
others. Outcome sampling samples one history: the walker explores, the others follow their
behaviour.
Departures: chance and the others are sampled as they behave, so their probabilities cancel in both
schemes and are never computed. The average belongs to the player after the walker, whose behaviour
is added wherever the walk meets it, weighted so that in expectation only its own reach is left: one
over the probabilities of the walker and of third players. With two players and external sampling
that weight is 1.

The generator is xorshift128+ (Vigna 2017, J. Comp. Appl. Math. 315).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.arrays import TreeArrays, tree_arrays
from fogspiel.solve.result import OnPoint, ProgressMeter, Solution, SolveLimits, average_of
from fogspiel.solve.strategy_value import Evaluator
from fogspiel.tree.game_tree import GameTree

EXPLORATION = 0.6
"""The walker's exploration in outcome sampling, as in the experiments of Lanctot et al. (2009)."""
STEP_WORK = 20  #: Multiplications that take as long as a step of a walk
BITS_23, BITS_18, BITS_5 = np.uint64(23), np.uint64(18), np.uint64(5)
BITS_11 = np.uint64(11)
UNIT = 2.0**-53


class Scheme(StrEnum):
    """A sampling scheme."""

    EXTERNAL = "external"  #: Samples chance and all players but the walker
    OUTCOME = "outcome"  #: Samples everything: one history at a time


class WalkMemory(NamedTuple):
    """Regrets and averages so far, by infoset and action, and the stack of the walk under way."""

    regrets: NDArray[np.float64]
    sums: NDArray[np.float64]
    nodes: NDArray[np.int64]  #: (depth,) nodes of the walker on the way
    places: NDArray[np.int64]  #: (depth,) the action under way at each
    behaviour: NDArray[np.float64]  #: (depth + 1, most actions)
    values: NDArray[np.float64]  #: (depth, most actions) values of the actions tried so far
    reach: NDArray[np.float64]
    """(depth + 1, players) the product of each player's own action probabilities."""
    generator: NDArray[np.uint64]  #: (2,)


def sample_regrets(
    tree: GameTree,
    scheme: Scheme = Scheme.EXTERNAL,
    *,
    seed: int,
    limits: SolveLimits,
    exploration: float = EXPLORATION,
    on_point: OnPoint | None = None,
) -> Solution:
    """The average strategy of sampled regret matching; an iteration is a walk for each player."""
    if not 0.0 < exploration <= 1.0:
        raise ValueError(f"exploration must be above 0 and at most 1; got {exploration}")
    arrays, memory, evaluator = _centred(tree_arrays(tree)), _memory(tree, seed), Evaluator(tree)
    players, depth = len(tree.players), len(tree.level_starts)
    progress = ProgressMeter(
        limits, on_point, work=STEP_WORK * depth * players, evaluation=4 * len(tree) * players
    )
    done = 0
    while True:
        pause = progress.next_pause()
        _walk(arrays, memory, pause - done, exploration if scheme is Scheme.OUTCOME else 0.0)
        done = pause
        progress.evaluating()
        strategy = average_of(arrays.starts, memory.sums)
        found = evaluator.value(strategy)
        if progress.stops(done, found.exploitability):
            break
    parameters: dict[str, object] = {"seed": seed}
    if scheme is Scheme.OUTCOME:
        parameters["exploration"] = exploration
    return Solution.of(
        strategy,
        found,
        f"mccfr-{scheme}",
        parameters=parameters,
        iterations=done,
        seconds=progress.seconds,
        curve=tuple(progress.curve),
    )


def _centred(arrays: TreeArrays) -> TreeArrays:
    """The same arrays with the middle of each player's payoffs at 0: smaller numbers vary less."""
    payoffs = arrays.payoffs
    if len(payoffs):
        payoffs -= (payoffs.min(axis=0) + payoffs.max(axis=0)) / 2
    return arrays


def _memory(tree: GameTree, seed: int) -> WalkMemory:
    counts = tree.infosets.action_counts
    actions, most = int(counts.sum()), int(counts.max(initial=1))
    depth = len(tree.level_starts)
    drawn = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    return WalkMemory(
        regrets=np.zeros(actions),
        sums=np.zeros(actions),
        nodes=np.zeros(depth, np.int64),
        places=np.zeros(depth, np.int64),
        behaviour=np.zeros((depth + 1, most)),
        values=np.zeros((depth, most)),
        reach=np.ones((depth + 1, len(tree.players))),
        generator=drawn | np.uint64(1),  # the all-zero state would stay zero
    )


@native
def _walk(tree: TreeArrays, memory: WalkMemory, iterations: int, exploration: float) -> None:
    """Make one walk for each player in each iteration: external sampling without exploration."""
    players = tree.payoffs.shape[1]
    for _ in range(iterations):
        for walker in range(players):
            averaged = (walker + 1) % players
            if exploration > 0.0:
                _try_one(tree, memory, walker, averaged, exploration)
            else:
                _try_all(tree, memory, walker, averaged)


@native
def _try_all(tree: TreeArrays, memory: WalkMemory, walker: int, averaged: int) -> None:
    """External sampling: follow all actions of the walker, one of everybody else."""
    movers, infosets, rows = tree.movers, tree.node_infosets, tree.node_payoffs
    first_edges, targets, starts = tree.first_edges, tree.targets, tree.starts
    regrets, sums, generator = memory.regrets, memory.sums, memory.generator
    nodes, places, values = memory.nodes, memory.places, memory.values
    behaviour, reach = memory.behaviour, memory.reach
    depth, node = 0, 0
    for player in range(reach.shape[1]):
        reach[0, player] = 1.0
    while True:
        # Down to an end of the game, by the first action of the walker at each of its nodes.
        while rows[node] < 0:
            first, infoset = first_edges[node], infosets[node]
            if infoset < 0:
                chances = tree.probabilities
                edge = _draw(chances, first, first_edges[node + 1], generator)
                node = targets[edge]
                continue
            mover = movers[node] - 1
            own = behaviour[depth]
            count = _match(regrets, starts[infoset], starts[infoset + 1], own)
            if mover == averaged:
                weight = _weight(reach[depth], averaged, walker)
                _add(sums, starts[infoset], count, own, weight)
            action = 0
            if mover == walker:
                nodes[depth], places[depth] = node, 0
                _copy(reach[depth], reach[depth + 1])
                depth += 1
            else:
                action = _draw(own, 0, count, generator)
            reach[depth, mover] *= own[action]
            node = targets[first + action]
        value = tree.payoffs[rows[node], walker]
        # And up again, until a node of the walker has an action left to try.
        while depth > 0:
            node, place = nodes[depth - 1], places[depth - 1]
            values[depth - 1, place] = value
            edge = first_edges[node] + place + 1
            if edge < first_edges[node + 1]:
                places[depth - 1] = place + 1
                _copy(reach[depth - 1], reach[depth])
                reach[depth, walker] *= behaviour[depth - 1, place + 1]
                node = targets[edge]
                break
            depth -= 1
            first = starts[infosets[node]]
            value = _regret(regrets, first, place + 1, behaviour[depth], values[depth])
        if depth == 0:
            return


@native
def _regret(
    regrets: NDArray[np.float64],
    first: int,
    count: int,
    behaviour: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """Add regrets at a node whose actions have all been tried. Returns: its value."""
    mean = 0.0
    for action in range(count):
        mean += behaviour[action] * values[action]
    for action in range(count):
        regrets[first + action] += values[action] - mean
    return mean


@native
def _try_one(
    tree: TreeArrays, memory: WalkMemory, walker: int, averaged: int, exploration: float
) -> None:
    """Outcome sampling: follow one action of everybody."""
    infosets, starts, first_edges = tree.node_infosets, tree.starts, tree.first_edges
    regrets, generator = memory.regrets, memory.generator
    nodes, places = memory.nodes, memory.places
    behaviour, reach = memory.behaviour, memory.reach
    depth, node = 0, 0
    # The probability with which the walker, exploring, took its actions so far.
    explored = 1.0
    for player in range(reach.shape[1]):
        reach[0, player] = 1.0
    while tree.node_payoffs[node] < 0:
        first, infoset = first_edges[node], infosets[node]
        if infoset < 0:
            edge = _draw(tree.probabilities, first, first_edges[node + 1], generator)
            node = tree.targets[edge]
            continue
        mover = tree.movers[node] - 1
        own = behaviour[depth]
        count = _match(regrets, starts[infoset], starts[infoset + 1], own)
        if mover == averaged:
            weight = _weight(reach[depth], averaged, walker) / explored
            _add(memory.sums, starts[infoset], count, own, weight)
        if mover == walker and _random(generator) < exploration:
            action = min(int(_random(generator) * count), count - 1)
        else:
            action = _draw(own, 0, count, generator)
        if mover == walker:
            explored *= exploration / count + (1.0 - exploration) * own[action]
            nodes[depth], places[depth] = node, action
            _copy(reach[depth], reach[depth + 1])
            depth += 1
        reach[depth, mover] *= own[action]
        node = tree.targets[first + action]
    weight = tree.payoffs[tree.node_payoffs[node], walker] / explored
    while depth > 0:
        depth -= 1
        infoset = infosets[nodes[depth]]
        # `weight` is the value of the rest of the history if the walker takes this action.
        mean = weight * behaviour[depth, places[depth]]
        for action in range(starts[infoset], starts[infoset + 1]):
            regrets[action] -= mean
        regrets[starts[infoset] + places[depth]] += weight
        weight = mean


@native
def _match(
    regrets: NDArray[np.float64], first: int, end: int, behaviour: NDArray[np.float64]
) -> int:
    """Match the regrets of an infoset. Returns: the number of its actions."""
    count = end - first
    total = 0.0
    for action in range(count):
        positive = max(regrets[first + action], 0.0)
        behaviour[action] = positive
        total += positive
    for action in range(count):
        behaviour[action] = behaviour[action] / total if total > 0.0 else 1.0 / count
    return count


@native
def _weight(reach: NDArray[np.float64], averaged: int, walker: int) -> float:
    """The weight of behaviour in the average that leaves its player's own reach in expectation."""
    weight = 1.0
    for player in range(len(reach)):
        if player not in (averaged, walker):
            weight /= reach[player]
    return weight * reach[walker] if averaged == walker else weight


@native
def _add(
    sums: NDArray[np.float64],
    first: int,
    count: int,
    behaviour: NDArray[np.float64],
    weight: float,
) -> None:
    for action in range(count):
        sums[first + action] += weight * behaviour[action]


@native
def _copy(source: NDArray[np.float64], target: NDArray[np.float64]) -> None:
    for place in range(len(source)):
        target[place] = source[place]


@native
def _draw(
    probabilities: NDArray[np.float64], first: int, end: int, generator: NDArray[np.uint64]
) -> int:
    """Sample a place from first to end by its probability, which is positive."""
    left = _random(generator)
    last = first
    for place in range(first, end):
        if probabilities[place] > 0.0:
            last = place
            left -= probabilities[place]
            if left < 0.0:
                break
    return last


@native
def _random(generator: NDArray[np.uint64]) -> float:
    """Sample a number from 0 to below 1."""
    drawn, other = generator[0], generator[1]
    generator[0] = other
    drawn ^= drawn << BITS_23
    generator[1] = drawn ^ other ^ (drawn >> BITS_18) ^ (other >> BITS_5)
    return float((generator[1] + other) >> BITS_11) * UNIT
