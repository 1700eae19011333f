"""Several layers in one call: what fits is found, merged and weighed without leaving the kernel.

Information sets of small games have a handful of states, and calls from Python cost more than the
gates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.hashing import folded
from fogspiel.core.native import native
from fogspiel.machine.compiled.infoset.consistent import (
    Children,
    PackedObservation,
    find_consistent,
)
from fogspiel.machine.compiled.infoset.kernel_arguments import Buffers, take_up
from fogspiel.machine.compiled.kernel.vectors import Width
from fogspiel.machine.compiled.kernel.wiring import Wiring

FREE = -1
"""A place of the hash table that holds no state."""


@native
def find_layers(
    desk: NDArray[np.uint64],
    states: NDArray[np.uint64],
    counts: NDArray[np.float64],
    weights: NDArray[np.float64],
    script: NDArray[np.int64],
    most: int,
    width: Width,
) -> int:
    """How many layers were found, with room for all of them.

    desk: as `lay_out` gives it. states, counts, weights: of the layer to start from. script: what
    the role did and saw: the role, the number of steps, the moves, where the percepts of each step
    end, and all percepts. most: larger layers are left for wider lanes, except as the last one.
    """
    gates, wiring, values, literals, room, children = take_up(desk)
    role, steps = int(script[0]), int(script[1])
    tried = np.ones(wiring.role_starts[-1], np.bool_)
    sight = PackedObservation(role, tried, np.empty(len(literals), np.uint32))
    used = taken = 0
    for number in range(steps):
        if len(states) > most:
            return number
        _see(wiring, script, number, literals, sight)
        done, found = find_consistent(gates, wiring, values, states, sight, children, width)
        if done < len(states) or taken + found > len(room.parents):
            return number
        size = _group(room, children.states, found)
        if used + size > len(room.counts):
            return number
        _append(room, children, counts, weights, found, size, used, taken, number)
        states = room.states[used : used + size]
        counts = room.counts[used : used + size]
        weights = room.weights[used : used + size]
        used += size
        taken += found
        room.layer_ends[number], room.step_ends[number] = used, taken
        if size == 0:
            return number + 1
    return steps


@native
def _see(
    wiring: Wiring,
    script: NDArray[np.int64],
    number: int,
    literals: NDArray[np.uint32],
    sight: PackedObservation,
) -> None:
    """Note what the role did and saw in one step, as literals that must all hold."""
    role, steps = script[0], script[1]
    moves = script[2 : 2 + steps]
    ends = script[2 + steps : 2 + 2 * steps]
    percepts = script[2 + 2 * steps :]
    begin, end = wiring.role_starts[role], wiring.role_starts[role + 1]
    for move in range(begin, end):
        sight.tried[move] = move - begin == moves[number]
    for k in range(len(literals)):
        sight.percepts[k] = literals[k] ^ np.uint32(1)
    for k in range(ends[number - 1] if number else 0, ends[number]):
        sight.percepts[percepts[k]] = literals[percepts[k]]


@native
def _group(room: Buffers, states: NDArray[np.uint64], found: int) -> int:
    """Say of each child which state it leads to; how many states there are."""
    places = 16
    while places < 2 * found:
        places *= 2
    table = room.table[:places]
    table[:] = FREE
    size = 0
    for child in range(found):
        mixed = np.uint64(0)
        for word in range(states.shape[1]):
            mixed = folded(mixed, states[child, word])
        place = np.int64(mixed & np.uint64(places - 1))
        while table[place] != FREE and not _same(states, room.firsts[table[place]], child):
            place = (place + 1) & (places - 1)
        if table[place] == FREE:
            table[place] = size
            room.firsts[size] = child
            size += 1
        room.groups[child] = table[place]
    return size


@native
def _same(states: NDArray[np.uint64], one: int, other: int) -> bool:
    differing = np.uint64(0)
    for word in range(states.shape[1]):
        differing |= states[one, word] ^ states[other, word]
    return bool(differing == np.uint64(0))


@native
def _append(
    room: Buffers,
    children: Children,
    counts: NDArray[np.float64],
    weights: NDArray[np.float64],
    found: int,
    size: int,
    used: int,
    taken: int,
    number: int,
) -> None:
    """Write a layer and the steps into it, sorted by where they lead."""
    starts = room.starts[used + number : used + number + size + 1]
    starts[:] = 0
    for child in range(found):
        starts[room.groups[child] + 1] += 1
    for state in range(size):
        starts[state + 1] += starts[state]
        room.states[used + state] = children.states[room.firsts[state]]
        room.counts[used + state] = 0.0
        room.weights[used + state] = 0.0
        # From here on, where the next step into the state goes.
        room.firsts[state] = starts[state]
    total = 0.0
    for child in range(found):
        state = room.groups[child]
        at = taken + room.firsts[state]
        room.firsts[state] += 1
        parent = children.parents[child]
        room.parents[at] = parent
        room.joints[at] = children.joints[child]
        room.shares[at] = children.shares[child]
        weight = weights[parent] * children.shares[child]
        room.counts[used + state] += counts[parent]
        room.weights[used + state] += weight
        total += weight
    for state in range(size):
        # Only proportions matter, and products of many probabilities vanish.
        room.weights[used + state] /= total
