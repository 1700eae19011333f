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
    movers, infosets, rows = course.movers, course.node_infosets, course.node_payoffs
    first_edges, targets, starts = course.first_edges, course.targets, course.starts
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
                chances = course.probabilities
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
        value = course.payoffs[rows[node], walker]
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
    """Add regrets at a node whose actions have all been tried; its value."""
    mean = 0.0
    for action in range(count):
        mean += behaviour[action] * values[action]
    for action in range(count):
        regrets[first + action] += values[action] - mean
    return mean


@native
def _try_one(
    course: Course, memory: Memory, walker: int, averaged: int, exploration: float
) -> None:
    infosets, starts, first_edges = course.node_infosets, course.starts, course.first_edges
    regrets, generator = memory.regrets, memory.generator
    nodes, places = memory.nodes, memory.places
    behaviour, reach = memory.behaviour, memory.reach
    depth, node = 0, 0
    # How probable the walker's exploring made the course so far.
    explored = 1.0
    for player in range(reach.shape[1]):
        reach[0, player] = 1.0
    while course.node_payoffs[node] < 0:
        first, infoset = first_edges[node], infosets[node]
        if infoset < 0:
            edge = _draw(course.probabilities, first, first_edges[node + 1], generator)
            node = course.targets[edge]
            continue
        mover = course.movers[node] - 1
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
        node = course.targets[first + action]
    weight = course.payoffs[course.node_payoffs[node], walker] / explored
    while depth > 0:
        depth -= 1
        infoset = infosets[nodes[depth]]
        # `weight` is what the rest of the course brings if the walker takes this action.
        mean = weight * behaviour[depth, places[depth]]
        for action in range(starts[infoset], starts[infoset + 1]):
            regrets[action] -= mean
        regrets[starts[infoset] + places[depth]] += weight
        weight = mean


@native
def _match(
    regrets: NDArray[np.float64], first: int, end: int, behaviour: NDArray[np.float64]
) -> int:
    """Regret matching at an infoset; the number of its actions."""
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
    """By what behaviour is to be multiplied so that its player's own reach is expected."""
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
    """A place of positive probability among those from first to end."""
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
    """From 0 to below 1."""
    drawn, other = generator[0], generator[1]
    generator[0] = other
    drawn ^= drawn << BITS_23
    generator[1] = drawn ^ other ^ (drawn >> BITS_18) ^ (other >> BITS_5)
    return float((generator[1] + other) >> BITS_11) * UNIT
