"""Many states at once: legality, successors, percepts and goals, 64·W to an evaluation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.compile.phases import GOAL, LEGAL, NEXT, SEES
from fogspiel.machine.compiled.compile.schedule import GateView
from fogspiel.machine.compiled.kernel.evaluate import evaluate_phase, literal_value
from fogspiel.machine.compiled.kernel.lanes import (
    LANES,
    load_states,
    read_literals,
    set_moves,
    store_states,
)
from fogspiel.machine.compiled.kernel.memory import Address
from fogspiel.machine.compiled.kernel.vectors import Width, store
from fogspiel.machine.compiled.kernel.wiring import Wiring

ALL_LEGAL = -1


@native
def read_states(
    gates: GateView,
    wiring: Wiring,
    values: NDArray[np.uint64],
    states: NDArray[np.uint64],
    literals: NDArray[np.uint32],
    with_goals: bool,
    out: NDArray[np.bool_],
    width: Width,
) -> None:
    """out[i, k]: whether literal k (of legality, the end or a goal) holds in state i."""
    lanes = LANES * len(width)
    address = np.uint64(values.ctypes.data)
    for first in range(0, len(states), lanes):
        chunk = states[first : first + lanes]
        load_states(values, wiring.fluents, len(width), chunk)
        evaluate_phase(gates, address, LEGAL, width)
        if with_goals:
            evaluate_phase(gates, address, GOAL, width)
        read_literals(values, literals, len(width), out[first : first + lanes])


@native
def step_states(
    gates: GateView,
    wiring: Wiring,
    values: NDArray[np.uint64],
    states: NDArray[np.uint64],
    joints: NDArray[np.int32],
    out: NDArray[np.uint64],
    width: Width,
) -> int:
    """Successors of all states; ALL_LEGAL, or the first row whose joint move is not legal."""
    lanes = LANES * len(width)
    address = np.uint64(values.ctypes.data)
    rows = np.empty(wiring.fluents * len(width) + 1, np.uint64)
    for first in range(0, len(states), lanes):
        chunk = joints[first : first + lanes]
        load_states(values, wiring.fluents, len(width), states[first : first + lanes])
        set_moves(values, wiring, len(width), chunk)
        evaluate_phase(gates, address, LEGAL, width)
        for lane in range(len(chunk)):
            for role in range(joints.shape[1]):
                move = wiring.role_starts[role] + chunk[lane, role]
                literal = wiring.legal[move]
                word = values[np.int64(literal >> 1) * len(width) + lane // LANES]
                if (word >> np.uint64(lane % LANES)) & np.uint64(1) == np.uint64(literal & 1):
                    return first + lane
        evaluate_phase(gates, address, NEXT, width)
        read_next(wiring, address, np.uint64(rows.ctypes.data), width)
        store_states(rows, wiring.fluents, len(width), out[first : first + lanes])
    return ALL_LEGAL


@native
def read_percepts(
    gates: GateView,
    wiring: Wiring,
    values: NDArray[np.uint64],
    states: NDArray[np.uint64],
    joints: NDArray[np.int32],
    literals: NDArray[np.uint32],
    out: NDArray[np.bool_],
    width: Width,
) -> None:
    """out[i, k]: whether percept k is seen when joint move i is made in state i."""
    lanes = LANES * len(width)
    address = np.uint64(values.ctypes.data)
    for first in range(0, len(states), lanes):
        load_states(values, wiring.fluents, len(width), states[first : first + lanes])
        set_moves(values, wiring, len(width), joints[first : first + lanes])
        # Percepts share gates with the phases before them.
        for phase in (LEGAL, NEXT, GOAL, SEES):
            evaluate_phase(gates, address, phase, width)
        read_literals(values, literals, len(width), out[first : first + lanes])


@native
def read_next(wiring: Wiring, values: Address, rows: Address, width: Width) -> None:
    """Write the next value of every fluent, W words each, after the phases that give it."""
    words = np.uint64(len(width))
    for fluent in range(wiring.fluents):
        value = literal_value(values, np.uint64(wiring.next[fluent]), width)
        store(rows, np.uint64(fluent) * words, value)


@native
def first_unknown(joints: NDArray[np.int32], counts: NDArray[np.int64]) -> tuple[int, int]:
    """The row and the role of the first move whose number a role does not have; (-1, -1) if none.

    counts: (roles,) moves of each.
    """
    for row in range(len(joints)):
        for role in range(len(counts)):
            if not 0 <= joints[row, role] < counts[role]:
                return row, role
    return -1, -1
