"""Walks through a tree that follow some of its courses only, and learn regrets from those.

Source: Lanctot, Waugh, Zinkevich and Bowling (2009), NIPS 22, sections 3.1 and 3.2.
External sampling tries all actions of one player, the walker, and draws those of chance and the
others. Outcome sampling draws one course: the walker explores, the others follow their behaviour.
Departures: chance and the others are drawn as they behave, so their probabilities cancel in both
schemes and are never computed. The average belongs to the player after the walker, whose behaviour
is added wherever the walk meets it, weighed so that its own reach is all that is left to expect:
one over what the walker and third players did to get there. With two players and external sampling
that weight is 1.

The generator is xorshift128+ (Vigna 2017, J. Comp. Appl. Math. 315).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native

BITS_23, BITS_18, BITS_5 = np.uint64(23), np.uint64(18), np.uint64(5)
BITS_11 = np.uint64(11)
UNIT = 2.0**-53


class Course(NamedTuple):
    """The tree, as walks take it."""

    movers: NDArray[np.int8]
    node_infosets: NDArray[np.int32]
    node_payoffs: NDArray[np.int32]
    first_edges: NDArray[np.int64]
    targets: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    payoffs: NDArray[np.float64]
    """(rows, players) less the middle of each player's payoffs: smaller numbers vary less."""
    starts: NDArray[np.int64]


class Memory(NamedTuple):
    """What walks have learnt, by infoset and action, and the stack of the walk under way."""

    regrets: NDArray[np.float64]
    sums: NDArray[np.float64]
    nodes: NDArray[np.int64]
    """(depth,) nodes of the walker on the way."""
    places: NDArray[np.int64]
    """(depth,) the action under way at each."""
    behaviour: NDArray[np.float64]
    """(depth + 1, most actions)"""
    values: NDArray[np.float64]
    """(depth, most actions) what the actions tried so far came to."""
    reach: NDArray[np.float64]
    """(depth + 1, players) what each player did to get there."""
    generator: NDArray[np.uint64]
    """(2,)"""


@native
def walk_externally(course: Course, memory: Memory, iterations: int) -> None:
    """One walk for each player in each iteration."""
    players = course.payoffs.shape[1]
    for _ in range(iterations):
        for walker in range(players):
            _try_all(course, memory, walker, (walker + 1) % players)


@native
def walk_to_outcomes(course: Course, memory: Memory, iterations: int, exploration: float) -> None:
    """One course for each player in each iteration."""
    players = course.payoffs.shape[1]
    for _ in range(iterations):
        for walker in range(players):
            _try_one(course, memory, walker, (walker + 1) % players, exploration)


@native
def _try_all(course: Course, memory: Memory, walker: int, averaged: int) -> None:
    depth, node = 0, 0
    memory.reach[0] = 1.0
    while True:
        # Down to an end of the game, by the first action of the walker at each of its nodes.
        while course.node_payoffs[node] < 0:
            infoset = course.node_infosets[node]
            if infoset < 0:
                node = _chance(course, memory, node)
                continue
            mover = course.movers[node] - 1
            count = _match(course.starts, infoset, memory, depth)
            if mover == averaged:
                _add(course.starts[infoset], count, memory, depth, averaged, 1.0, walker)
            if mover == walker:
                memory.nodes[depth], memory.places[depth] = node, 0
                memory.reach[depth + 1] = memory.reach[depth]
                memory.reach[depth + 1, mover] *= memory.behaviour[depth, 0]
                depth += 1
                node = course.targets[course.first_edges[node]]
            else:
                action = _draw(memory.behaviour[depth], count, memory.generator)
                memory.reach[depth, mover] *= memory.behaviour[depth, action]
                node = course.targets[course.first_edges[node] + action]
        value = course.payoffs[course.node_payoffs[node], walker]
        # And up again, until a node of the walker has an action left to try.
        while depth > 0:
            node, place = memory.nodes[depth - 1], memory.places[depth - 1]
            memory.values[depth - 1, place] = value
            first = course.first_edges[node]
            if first + place + 1 < course.first_edges[node + 1]:
                memory.places[depth - 1] = place + 1
                memory.reach[depth] = memory.reach[depth - 1]
                memory.reach[depth, walker] *= memory.behaviour[depth - 1, place + 1]
                node = course.targets[first + place + 1]
                break
            depth -= 1
            value = _regret(course.starts[course.node_infosets[node]], place + 1, memory, depth)
        if depth == 0:
            return


@native
def _regret(first: int, count: int, memory: Memory, depth: int) -> float:
    """Add regrets at a node whose actions have all been tried; its value."""
    mean = 0.0
    for action in range(count):
        mean += memory.behaviour[depth, action] * memory.values[depth, action]
    for action in range(count):
        memory.regrets[first + action] += memory.values[depth, action] - mean
    return mean


@native
def _try_one(
    course: Course, memory: Memory, walker: int, averaged: int, exploration: float
) -> None:
    depth, node = 0, 0
    # How probable the walker's exploring made the course so far.
    explored = 1.0
    memory.reach[0] = 1.0
    while course.node_payoffs[node] < 0:
        infoset = course.node_infosets[node]
        if infoset < 0:
            node = _chance(course, memory, node)
            continue
        mover = course.movers[node] - 1
        count = _match(course.starts, infoset, memory, depth)
        if mover == averaged:
            _add(course.starts[infoset], count, memory, depth, averaged, explored, walker)
        behaviour = memory.behaviour[depth]
        if mover == walker:
            if _random(memory.generator) < exploration:
                action = min(int(_random(memory.generator) * count), count - 1)
            else:
                action = _draw(behaviour, count, memory.generator)
            explored *= exploration / count + (1.0 - exploration) * behaviour[action]
            memory.nodes[depth], memory.places[depth] = node, action
            memory.reach[depth + 1] = memory.reach[depth]
            depth += 1
        else:
            action = _draw(behaviour, count, memory.generator)
        memory.reach[depth, mover] *= behaviour[action]
        node = course.targets[course.first_edges[node] + action]
    weight = course.payoffs[course.node_payoffs[node], walker] / explored
    while depth > 0:
        depth -= 1
        infoset = course.node_infosets[memory.nodes[depth]]
        first, count = course.starts[infoset], course.starts[infoset + 1] - course.starts[infoset]
        taken = memory.places[depth]
        # `weight` is what the rest of the course brings if the walker takes this action.
        mean = weight * memory.behaviour[depth, taken]
        for action in range(count):
            memory.regrets[first + action] += (weight if action == taken else 0.0) - mean
        weight = mean


@native
def _match(starts: NDArray[np.int64], infoset: int, memory: Memory, depth: int) -> int:
    """Regret matching at an infoset, into `behaviour[depth]`; the number of actions."""
    first = starts[infoset]
    count = int(starts[infoset + 1] - first)
    total = 0.0
    for action in range(count):
        positive = max(memory.regrets[first + action], 0.0)
        memory.behaviour[depth, action] = positive
        total += positive
    for action in range(count):
        if total > 0.0:
            memory.behaviour[depth, action] /= total
        else:
            memory.behaviour[depth, action] = 1.0 / count
    return count


@native
def _add(
    first: int,
    count: int,
    memory: Memory,
    depth: int,
    averaged: int,
    explored: float,
    walker: int,
) -> None:
    """Add behaviour to the average, so weighed that its player's own reach is expected."""
    weight = 1.0 / explored
    for player in range(memory.reach.shape[1]):
        if player == averaged and player == walker:
            weight *= memory.reach[depth, player]
        elif player not in (averaged, walker):
            weight /= memory.reach[depth, player]
    for action in range(count):
        memory.sums[first + action] += weight * memory.behaviour[depth, action]


@native
def _chance(course: Course, memory: Memory, node: int) -> int:
    first = course.first_edges[node]
    count = course.first_edges[node + 1] - first
    edge = first + _draw(course.probabilities[first : first + count], count, memory.generator)
    return int(course.targets[edge])


@native
def _draw(probabilities: NDArray[np.float64], count: int, generator: NDArray[np.uint64]) -> int:
    """An action of positive probability."""
    left = _random(generator)
    last = 0
    for action in range(count):
        if probabilities[action] > 0.0:
            last = action
            left -= probabilities[action]
            if left < 0.0:
                break
    return last


@native
def _random(generator: NDArray[np.uint64]) -> float:
    """From 0 to below 1."""
    drawn, other = generator[0], generator[1]
    generator[0] = other
    drawn ^= drawn << BITS_23
    generator[1] = drawn ^ other ^ (drawn >> BITS_18) ^ (other >> BITS_5)
    return float((generator[1] + other) >> BITS_11) * UNIT
