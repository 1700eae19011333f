"""Evaluation order of gates: by phase, by region between loops, by level, by number of inputs.

A region holds the gates that can be evaluated before a loop; gates that read the loop's result are
in the next region. Plain gates of a region are evaluated level by level, those of equal arity
together, so that the kernel's inner loops have a fixed length. Gates of a loop keep their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.plain_kernels import Kernel
from fogspiel.machine.compiled.compile.assemble import Loops
from fogspiel.machine.compiled.compile.gates import NODES, PLAIN, GateStore
from fogspiel.machine.compiled.compile.phases import (
    loop_gates,
    merge_single_readers,
    phases_of,
    settle_loops,
)
from fogspiel.machine.compiled.kernel.wiring import PHASES, UNUSED, Gates


class GateSchedule(NamedTuple):
    """Gates in evaluation order, and the slot of every node of the pool."""

    gates: Gates
    slots: int
    slot_of: NDArray[np.int64]  #: (nodes,) slot, or -1 for a node that no output depends on
    read_as: NDArray[np.int32]  #: (nodes,) the literal that a node is read as


def schedule(
    pool: GateStore, loops: Loops, sources: int, phase_outputs: list[NDArray[np.int32]]
) -> GateSchedule:
    """Order all gates needed in the four phases. The first `sources` nodes keep their numbers."""
    outputs = np.concatenate(phase_outputs).astype(np.int32)
    phase_of = phases_of(pool, loops, phase_outputs)
    settled = settle_loops(pool, loops)
    read_as = settled.read_as
    starts, merged = merge_single_readers(pool, loops, outputs, phase_of)
    inputs = read_as[merged >> 1] ^ (merged & 1)
    arity = np.diff(starts)
    inverted = np.diff(np.concatenate([[0], np.cumsum(inputs & 1)])[starts])
    gate_nodes = np.flatnonzero(arity > 0)
    inside = loop_gates(pool, loops, phase_of, settled)
    nodes = int(pool.used[NODES])
    segment = np.where(inside, pool.segments[:nodes], PLAIN)
    region, level = _regions_and_levels(starts, inputs, phase_of, segment, len(loops.ends))

    looped = segment[gate_nodes] != PLAIN
    keys = (
        np.where(looped, 0, inverted[gate_nodes]),
        np.where(looped, 0, arity[gate_nodes]),
        np.where(looped, gate_nodes, level[gate_nodes]),
        segment[gate_nodes],
        region[gate_nodes],
        phase_of[gate_nodes],
    )
    order = gate_nodes[np.lexsort(keys)]

    loop_nodes = (loops.variables >> 1).astype(np.int64)
    live_variable = (phase_of[loop_nodes] != UNUSED) & (read_as[loop_nodes] == loops.variables)
    slot_of = np.full(nodes, -1, np.int64)
    slot_of[:sources] = np.arange(sources)
    slot_of[loop_nodes[live_variable]] = sources + np.arange(int(live_variable.sum()))
    first_gate = sources + int(live_variable.sum())
    slot_of[order] = first_gate + np.arange(len(order))

    # Two places more than loops, since plain blocks look up loop 0 even where there is none.
    variable_ends = np.zeros(len(loops.ends) + 2, np.int64)
    variable_ends[1:-1] = np.concatenate([[0], np.cumsum(live_variable)])[loops.ends]
    gates = _tables(
        order, arity, inverted, phase_of, region, segment, variable_ends, first_gate,
        inputs=_input_slots(order, starts, inputs, slot_of),
        loop_slots=slot_of[loop_nodes[live_variable]],
        loop_sources=_as_slots(loops.sources[live_variable], read_as, slot_of),
    )  # fmt: skip
    return GateSchedule(gates, first_gate + len(order), slot_of, read_as)


def _as_slots(
    literals: NDArray[np.int32], read_as: NDArray[np.int32], slot_of: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Node literals as slot literals."""
    read = read_as[literals >> 1] ^ (literals & 1)
    slots: NDArray[np.uint32] = (2 * slot_of[read >> 1] + (read & 1)).astype(np.uint32)
    return slots


def output_literals(literals: NDArray[np.int32], plan: GateSchedule) -> NDArray[np.uint32]:
    """Slot literals from which the outputs with these node literals are read."""
    return _as_slots(literals, plan.read_as, plan.slot_of)


@Kernel
def _regions_and_levels(
    starts: NDArray[np.int64],
    inputs: NDArray[np.int32],
    phase_of: NDArray[np.int8],
    segment: NDArray[np.int32],
    segments: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(nodes,) region and level of each node.

    Inputs have lower numbers than the gates that read them, except for sources that replace loop
    variables and gates that were made with a loop but do not depend on it. One pass is therefore
    nearly always enough, and another shows that nothing changes.
    """
    nodes = len(phase_of)
    region = np.zeros(nodes, np.int64)
    level = np.zeros(nodes, np.int64)
    loop_region = np.zeros(segments, np.int64)
    changed = True
    while changed:
        changed = False
        for node in range(nodes):
            least_region, least_level = region[node], level[node]
            for k in range(starts[node], starts[node + 1]):
                below = inputs[k] >> 1
                least_level = max(least_level, level[below] + 1)
                if phase_of[below] != phase_of[node]:
                    continue
                if segment[below] == PLAIN:
                    least_region = max(least_region, region[below])
                elif segment[below] != segment[node]:
                    least_region = max(least_region, loop_region[segment[below]] + 1)
            if least_region > region[node] or least_level > level[node]:
                region[node], level[node] = least_region, least_level
                changed = True
            if segment[node] != PLAIN:
                own = segment[node]
                loop_region[own] = max(loop_region[own], region[node])
    for node in range(nodes):
        if segment[node] != PLAIN:
            region[node] = loop_region[segment[node]]
    return region, level


@Kernel
def _input_slots(
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    inputs: NDArray[np.int32],
    slot_of: NDArray[np.int64],
) -> NDArray[np.uint32]:
    total = 0
    for node in order:
        total += starts[node + 1] - starts[node]
    slots = np.empty(total, np.uint32)
    at = 0
    for node in order:
        for negated in (0, 1):
            for k in range(starts[node], starts[node + 1]):
                if inputs[k] & 1 == negated:
                    slots[at] = slot_of[inputs[k] >> 1]
                    at += 1
    return slots


def _tables(
    order: NDArray[np.int64],
    arity: NDArray[np.int64],
    inverted: NDArray[np.int64],
    phase_of: NDArray[np.int8],
    region: NDArray[np.int64],
    segment: NDArray[np.int32],
    variable_ends: NDArray[np.int64],
    first_gate: int,
    *,
    inputs: NDArray[np.uint32],
    loop_slots: NDArray[np.int64],
    loop_sources: NDArray[np.uint32],
) -> Gates:
    """Divide the order into blocks (a region's plain gates, or a loop) and blocks into runs."""
    count = len(order)
    block_key = np.stack([phase_of[order], region[order], segment[order]], axis=1)
    new_block = np.ones(count, np.bool_)
    new_block[1:] = (block_key[1:] != block_key[:-1]).any(axis=1)
    new_run = new_block.copy()
    new_run[1:] |= arity[order][1:] != arity[order][:-1]
    new_run[1:] |= inverted[order][1:] != inverted[order][:-1]
    run_first = np.flatnonzero(new_run)
    run_end = np.append(run_first[1:], count) if count else run_first
    input_start = np.concatenate([[0], np.cumsum(arity[order])])
    runs = np.stack(
        [
            first_gate + run_first,
            first_gate + run_end,
            (arity - inverted)[order][run_first],
            inverted[order][run_first],
            input_start[run_first],
        ],
        axis=1,
    )
    block_first = np.flatnonzero(new_block)
    block_runs = np.searchsorted(run_first, block_first)
    own = segment[order][block_first]
    blocks = np.stack(
        [
            block_runs,
            np.append(block_runs[1:], len(run_first)) if count else block_runs,
            np.where(own == PLAIN, 0, variable_ends[np.maximum(own, 0)]),
            np.where(own == PLAIN, 0, variable_ends[np.maximum(own, 0) + 1]),
        ],
        axis=1,
    )
    phases = np.searchsorted(phase_of[order][block_first], np.arange(PHASES + 1))
    return Gates(
        inputs=inputs,
        runs=runs.astype(np.int64),
        blocks=blocks.astype(np.int64),
        phases=phases.astype(np.int64),
        loop_slots=loop_slots.astype(np.uint32),
        loop_sources=loop_sources,
    )
