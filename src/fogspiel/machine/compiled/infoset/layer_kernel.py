"""Several layers of an information set in one native call, with equal states merged.

Information sets of small games have a handful of states, so that calls from Python would cost more
than the gates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import folded
from fogspiel.core.native import inner, native
from fogspiel.machine.compiled.infoset.consistent import (
    Children,
    PackedObservation,
    find_consistent,
)
from fogspiel.machine.compiled.kernel.intrinsics import Width, matrix_at, places_of, vector_at
from fogspiel.machine.compiled.kernel.wiring import Wiring, unpack_memory

FREE = -1  #: Entry of the hash table where there is no state


class Buffers(NamedTuple):
    """Memory for the layers of one call, and scratch space for the last of them."""

    states: NDArray[np.uint64]
    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    parents: NDArray[np.int64]
    joints: NDArray[np.int32]
    shares: NDArray[np.float64]
    starts: NDArray[np.int64]  #: Start of the steps into each state, with an end for each layer
    groups: NDArray[np.int64]  #: (children,) state of the layer that each child is
    firsts: NDArray[np.int64]  #: (states of the layer,) first child that is this state
    table: NDArray[np.int64]  #: Hash table of states; its length is a power of 2
    layer_ends: NDArray[np.int64]
    step_ends: NDArray[np.int64]


class LayerMemory(NamedTuple):
    """Memory that `find_layers` uses, whatever its first layer."""

    literals: NDArray[np.uint32]  #: Literals of all percepts of a role
    buffers: Buffers
    children: Children


def make_buffers(size: int, words: int, roles: int, layers: int) -> Buffers:
    """Memory for so many steps in all layers together."""
    places = 16
    while places < 2 * size:
        places *= 2
    return Buffers(
        states=np.empty((size, words), np.uint64),
        counts=np.empty(size, np.float64),
        weights=np.empty(size, np.float64),
        parents=np.empty(size, np.int64),
        joints=np.empty((size, roles), np.int32),
        shares=np.empty(size, np.float64),
        starts=np.empty(size + layers, np.int64),
        groups=np.empty(size, np.int64),
        firsts=np.empty(size, np.int64),
        table=np.empty(places, np.int64),
        layer_ends=np.empty(layers, np.int64),
        step_ends=np.empty(layers, np.int64),
    )


def pack_layers(memory: LayerMemory) -> NDArray[np.uint64]:
    """A memory in the form that `find_layers` takes. The memory must outlive it."""
    literals, buffers, children = memory
    words, roles = buffers.states.shape[1], buffers.joints.shape[1]
    return np.array([words, roles, *places_of([literals, *buffers, *children])], np.uint64)


@inner
def _unpack_layers(packed: NDArray[np.uint64]) -> LayerMemory:
    """The inverse of `pack_layers`."""
    words, roles = int(packed[0]), int(packed[1])
    arrays = packed[2:]
    buffers = Buffers(
        matrix_at(arrays, 1, words, np.uint64),
        vector_at(arrays, 2, np.float64),
        vector_at(arrays, 3, np.float64),
        vector_at(arrays, 4, np.int64),
        matrix_at(arrays, 5, roles, np.int32),
        vector_at(arrays, 6, np.float64),
        vector_at(arrays, 7, np.int64),
        vector_at(arrays, 8, np.int64),
        vector_at(arrays, 9, np.int64),
        vector_at(arrays, 10, np.int64),
        vector_at(arrays, 11, np.int64),
        vector_at(arrays, 12, np.int64),
    )
    children = Children(
        vector_at(arrays, 13, np.int64),
        matrix_at(arrays, 14, roles, np.int32),
        matrix_at(arrays, 15, words, np.uint64),
        vector_at(arrays, 16, np.float64),
    )
    return LayerMemory(vector_at(arrays, 0, np.uint32), buffers, children)


@native
def find_layers(
    memory: NDArray[np.uint64],
    layer_memory: NDArray[np.uint64],
    states: NDArray[np.uint64],
    counts: NDArray[np.float64],
    weights: NDArray[np.float64],
    script: NDArray[np.int64],
    most: int,
    width: Width,
) -> int:
    """Find the layers that follow one; returns the number of layers that there was memory for.

    memory, layer_memory: by `pack_memory` and `pack_layers`. states, counts, weights: first layer.
    script: the observations, as role, number of steps, its moves, end of the percepts of each
    step, and all percepts. most: states of the largest layer that is continued; larger ones are
    left for a call with wider lanes.
    """
    wiring = unpack_memory(memory).wiring
    literals, buffers, children = _unpack_layers(layer_memory)
    role, steps = int(script[0]), int(script[1])
    tried = np.ones(wiring.role_starts[-1], np.bool_)
    observation = PackedObservation(role, tried, np.empty(len(literals), np.uint32))
    used = taken = 0
    for number in range(steps):
        if len(states) > most:
            return number
        _pack_observation(wiring, script, number, literals, observation)
        done, found = find_consistent(memory, states, observation, children, width)
        if done < len(states) or taken + found > len(buffers.parents):
            return number
        size = _group(buffers, children.states, found)
        if used + size > len(buffers.counts):
            return number
        _append(buffers, children, counts, weights, found, size, used, taken, number)
        states = buffers.states[used : used + size]
        counts = buffers.counts[used : used + size]
        weights = buffers.weights[used : used + size]
        used += size
        taken += found
        buffers.layer_ends[number], buffers.step_ends[number] = used, taken
        if size == 0:
            return number + 1
    return steps


@inner
def _pack_observation(
    wiring: Wiring,
    script: NDArray[np.int64],
    number: int,
    literals: NDArray[np.uint32],
    observation: PackedObservation,
) -> None:
    """Write the observation of one step, as moves to try and literals that must all hold."""
    role, steps = script[0], script[1]
    moves = script[2 : 2 + steps]
    ends = script[2 + steps : 2 + 2 * steps]
    percepts = script[2 + 2 * steps :]
    begin, end = wiring.role_starts[role], wiring.role_starts[role + 1]
    for move in range(begin, end):
        observation.tried[move] = move - begin == moves[number]
    for k in range(len(literals)):
        observation.percepts[k] = literals[k] ^ np.uint32(1)
    for k in range(ends[number - 1] if number else 0, ends[number]):
        observation.percepts[percepts[k]] = literals[percepts[k]]


@inner
def _group(buffers: Buffers, states: NDArray[np.uint64], found: int) -> int:
    """Number the distinct states among the children; returns how many there are."""
    places = 16
    while places < 2 * found:
        places *= 2
    table = buffers.table[:places]
    for k in range(places):
        table[k] = FREE
    size = 0
    for child in range(found):
        mixed = np.uint64(0)
        for word in range(states.shape[1]):
            mixed = folded(mixed, states[child, word])
        place = np.int64(mixed & np.uint64(places - 1))
        while table[place] != FREE and not _same(states, buffers.firsts[table[place]], child):
            place = (place + 1) & (places - 1)
        if table[place] == FREE:
            table[place] = size
            buffers.firsts[size] = child
            size += 1
        buffers.groups[child] = table[place]
    return size


@inner
def _same(states: NDArray[np.uint64], one: int, other: int) -> bool:
    differing = np.uint64(0)
    for word in range(states.shape[1]):
        differing |= states[one, word] ^ states[other, word]
    return bool(differing == np.uint64(0))


@inner
def _append(
    buffers: Buffers,
    children: Children,
    counts: NDArray[np.float64],
    weights: NDArray[np.float64],
    found: int,
    size: int,
    used: int,
    taken: int,
    number: int,
) -> None:
    """Write a layer and the steps into it, sorted by the state that they lead to."""
    starts = buffers.starts[used + number : used + number + size + 1]
    for state in range(size + 1):
        starts[state] = 0
    for child in range(found):
        starts[buffers.groups[child] + 1] += 1
    for state in range(size):
        starts[state + 1] += starts[state]
        for word in range(buffers.states.shape[1]):
            buffers.states[used + state, word] = children.states[buffers.firsts[state], word]
        buffers.counts[used + state] = 0.0
        buffers.weights[used + state] = 0.0
        # From here on, the place of the next step into the state.
        buffers.firsts[state] = starts[state]
    total = 0.0
    for child in range(found):
        state = buffers.groups[child]
        at = taken + buffers.firsts[state]
        buffers.firsts[state] += 1
        parent = children.parents[child]
        buffers.parents[at] = parent
        for role in range(buffers.joints.shape[1]):
            buffers.joints[at, role] = children.joints[child, role]
        buffers.shares[at] = children.shares[child]
        weight = weights[parent] * children.shares[child]
        buffers.counts[used + state] += counts[parent]
        buffers.weights[used + state] += weight
        total += weight
    for state in range(size):
        # Only proportions matter, and products of many probabilities would underflow.
        buffers.weights[used + state] /= total
