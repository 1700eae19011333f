"""Assignment of gates to phases, and merging of gates that only one other gate reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.core.plain_kernels import Kernel
from fogspiel.machine.compiled.compile.assemble import Loops
from fogspiel.machine.compiled.compile.gates import NODES, GateStore, sort_range
from fogspiel.machine.compiled.kernel.wiring import GOAL, LEGAL, NEXT, SEES, UNUSED


def phases_of(
    pool: GateStore, loops: Loops, phase_outputs: list[NDArray[np.int32]]
) -> NDArray[np.int8]:
    """(nodes,) the phase in which each node is evaluated, given the outputs of the four phases.

    Legality is evaluated in every state, then successors or goals, then percepts. Gates that
    successors and goals share are therefore evaluated with legality.
    """
    legal, successor, goal, seen = (cone(pool, loops, outputs) for outputs in phase_outputs)
    conditions = [legal | (successor & goal), successor, goal, seen]
    return np.select(conditions, [LEGAL, NEXT, GOAL, SEES], UNUSED).astype(np.int8)


@Kernel
def cone(pool: GateStore, loops: Loops, outputs: NDArray[np.int32]) -> NDArray[np.bool_]:
    """(nodes,) whether the outputs depend on each node."""
    needed = np.zeros(pool.used[NODES], np.bool_)
    stack = np.empty(pool.used[NODES] + 1, np.int64)
    top = 0
    for output in outputs:
        if not needed[output >> 1]:
            needed[output >> 1] = True
            stack[top] = output >> 1
            top += 1
    while top:
        top -= 1
        node = stack[top]
        start, end = pool.starts[node], pool.starts[node + 1]
        for k in range(start, end):
            below = pool.inputs[k] >> 1
            if not needed[below]:
                needed[below] = True
                stack[top] = below
                top += 1
        segment = pool.segments[node]
        if start == end and segment >= 0:  # a loop variable needs its whole loop
            first = loops.ends[segment - 1] if segment else 0
            for k in range(first, loops.ends[segment]):
                for literal in (loops.sources[k], loops.variables[k]):
                    if not needed[literal >> 1]:
                        needed[literal >> 1] = True
                        stack[top] = literal >> 1
                        top += 1
    return needed


class SettledLoops(NamedTuple):
    """The part of the loops that is still cyclic after simplification has removed some rules."""

    read_as: NDArray[np.int32]
    """(nodes,) the literal that a node is read as: itself, or the source of a loop variable if that
    source does not depend on the loop."""
    cyclic: NDArray[np.bool_]
    """(nodes,) whether a node depends on a variable of the loop that it belongs to."""


@Kernel
def settle_loops(pool: GateStore, loops: Loops) -> SettledLoops:
    """Find the loop variables whose sources do not depend on the loop.

    In `b :- z.  b :- z, a.` the second rule is dropped, so that `b` no longer depends on `a`, but
    a gate made before reads `b` through a loop variable.
    """
    nodes = pool.used[NODES]
    read_as = (2 * np.arange(nodes)).astype(np.int32)
    cyclic = np.zeros(nodes, np.bool_)
    changed = len(loops.variables) > 0
    while changed:
        changed = False
        for node in range(nodes):
            segment = pool.segments[node]
            if segment < 0:
                continue
            start, end = pool.starts[node], pool.starts[node + 1]
            cyclic[node] = start == end and read_as[node] == 2 * node
            for k in range(start, end):
                below = pool.inputs[k] >> 1
                if cyclic[below] and pool.segments[below] == segment:
                    cyclic[node] = True
        for k in range(len(loops.variables)):
            variable, source = loops.variables[k] >> 1, loops.sources[k]
            inside = pool.segments[source >> 1] == pool.segments[variable] and cyclic[source >> 1]
            if read_as[variable] == 2 * variable and not inside:
                read_as[variable] = read_as[source >> 1] ^ (source & 1)
                changed = True
    return SettledLoops(read_as, cyclic)


@Kernel
def loop_gates(
    pool: GateStore, loops: Loops, phase_of: NDArray[np.int8], settled: SettledLoops
) -> NDArray[np.bool_]:
    """(nodes,) whether each node is a loop variable, or a gate that a source of its loop depends
    on, which each pass through the loop evaluates."""
    inside = np.zeros(pool.used[NODES], np.bool_)
    stack = np.empty(pool.used[NODES] + 1, np.int64)
    for variable in loops.variables:
        inside[variable >> 1] = settled.cyclic[variable >> 1]
    for source in loops.sources:
        node = source >> 1
        if inside[node] or phase_of[node] == UNUSED or not settled.cyclic[node]:
            continue
        inside[node] = True
        stack[0] = node
        top = 1
        while top:
            top -= 1
            node = stack[top]
            for k in range(pool.starts[node], pool.starts[node + 1]):
                below = pool.inputs[k] >> 1
                own = settled.cyclic[below] and pool.segments[below] == pool.segments[node]
                if own and not inside[below]:
                    inside[below] = True
                    stack[top] = below
                    top += 1
    return inside


@Kernel
def merge_single_readers(
    pool: GateStore,
    loops: Loops,
    outputs: NDArray[np.int32],
    phase_of: NDArray[np.int8],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The inputs of all gates after each AND with a single reader was merged into that reader.

    Returns starts and inputs as in the pool; a gate that was merged into another has no inputs.
    """
    nodes = pool.used[NODES]
    readers = np.zeros(nodes, np.int64)
    for node in range(nodes):
        if phase_of[node] != UNUSED:
            for k in range(pool.starts[node], pool.starts[node + 1]):
                readers[pool.inputs[k] >> 1] += 1
    for literal in outputs:
        readers[literal >> 1] += 2  # an output must keep its slot
    for literal in loops.sources:
        readers[literal >> 1] += 2
    starts = np.zeros(nodes + 1, np.int64)
    inputs = np.empty(pool.starts[nodes], np.int32)
    joined = np.zeros(nodes, np.bool_)
    # The inputs of a merged gate stay in the array until it is packed.
    used = 0
    own_start = np.zeros(nodes, np.int64)
    own_end = np.zeros(nodes, np.int64)
    for node in range(nodes):
        own_start[node] = used
        if phase_of[node] != UNUSED:
            size = 0
            for k in range(pool.starts[node], pool.starts[node + 1]):
                below = pool.inputs[k] >> 1
                if _joins(pool, readers, node, pool.inputs[k]):
                    size += own_end[below] - own_start[below]
                else:
                    size += 1
            while used + size > len(inputs):
                larger = np.empty(2 * len(inputs) + size, np.int32)
                for k in range(used):
                    larger[k] = inputs[k]
                inputs = larger
            for k in range(pool.starts[node], pool.starts[node + 1]):
                below = pool.inputs[k] >> 1
                if _joins(pool, readers, node, pool.inputs[k]):
                    joined[below] = True
                    for j in range(own_start[below], own_end[below]):
                        inputs[used] = inputs[j]
                        used += 1
                else:
                    inputs[used] = pool.inputs[k]
                    used += 1
        own_end[node] = used
    packed = np.empty(used, np.int32)
    count = 0
    for node in range(nodes):
        starts[node] = count
        if not joined[node]:
            sort_range(inputs, own_start[node], own_end[node])
            for k in range(own_start[node], own_end[node]):
                if k == own_start[node] or inputs[k] != inputs[k - 1]:
                    packed[count] = inputs[k]
                    count += 1
    starts[nodes] = count
    return starts, packed[:count].copy()


@native
def _joins(pool: GateStore, readers: NDArray[np.int64], node: int, literal: int) -> bool:
    below = literal >> 1
    return (
        literal & 1 == 0
        and readers[below] == 1
        and pool.starts[below + 1] > pool.starts[below]
        and pool.segments[below] == pool.segments[node]
    )
