"""All children of one state in a single call: lanes are joint moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.compile.phases import LEGAL, NEXT
from fogspiel.machine.compiled.compile.schedule import GateView
from fogspiel.machine.compiled.kernel.evaluate import evaluate_phase
from fogspiel.machine.compiled.kernel.lanes import LANES, set_moves, store_states
from fogspiel.machine.compiled.kernel.vectors import ALL, ONE, ZERO, Width, load, splat, store
from fogspiel.machine.compiled.kernel.wiring import Wiring
from fogspiel.machine.compiled.run.batch import read_next


@native
def expand_state(
    gates: GateView,
    wiring: Wiring,
    values: NDArray[np.uint64],
    state: NDArray[np.uint64],
    joints: NDArray[np.int32],
    states: NDArray[np.uint64],
    terminal: NDArray[np.bool_],
    width: Width,
) -> int:
    """Fill in the children; how many there are. With too little room, only that is found out."""
    address = np.uint64(values.ctypes.data)
    _repeat_state(wiring, address, state, width)
    evaluate_phase(gates, address, LEGAL, width)
    children = _joint_moves(wiring, values, len(width), joints)
    if children > len(joints):
        return children
    words = np.uint64(len(width))
    rows = np.empty((wiring.fluents + 1) * len(width), np.uint64)
    rows_address = np.uint64(rows.ctypes.data)
    lanes = LANES * len(width)
    for first in range(0, children, lanes):
        if first:  # the lanes hold the children before
            _repeat_state(wiring, address, state, width)
            evaluate_phase(gates, address, LEGAL, width)
        end = min(first + lanes, children)
        set_moves(values, wiring, len(width), joints[first:end])
        evaluate_phase(gates, address, NEXT, width)
        read_next(wiring, address, rows_address, width)
        store_states(rows, wiring.fluents, len(width), states[first:end])
        for fluent in range(wiring.fluents):
            at = np.uint64(fluent) * words
            store(address, at + words, load(rows_address, at, width))
        evaluate_phase(gates, address, LEGAL, width)
        literal = np.uint64(wiring.terminal)
        for lane in range(end - first):
            at = (literal >> ONE) * words + np.uint64(lane // LANES)
            bit = (values[at] >> np.uint64(lane % LANES)) & ONE
            terminal[first + lane] = bit != literal & ONE
    return children


@native
def _repeat_state(
    wiring: Wiring, address: np.uint64, state: NDArray[np.uint64], width: Width
) -> None:
    """Put one state into every lane."""
    store(address, ZERO, splat(ALL, width))
    for fluent in range(wiring.fluents):
        bit = (state[fluent // LANES] >> np.uint64(fluent % LANES)) & ONE
        store(address, np.uint64((1 + fluent) * len(width)), splat(ZERO - bit, width))


@native
def _joint_moves(
    wiring: Wiring, values: NDArray[np.uint64], words: int, joints: NDArray[np.int32]
) -> int:
    """Write all joint moves legal in lane 0, in lexicographic order, if there is room; how many."""
    roles = len(wiring.role_starts) - 1
    legal = np.empty(wiring.role_starts[roles], np.int32)
    counts = np.zeros(roles, np.int64)
    total = 1
    for role in range(roles):
        first = wiring.role_starts[role]
        for move in range(first, wiring.role_starts[role + 1]):
            literal = np.uint64(wiring.legal[move])
            if values[(literal >> ONE) * np.uint64(words)] & ONE != literal & ONE:
                legal[first + counts[role]] = move - first
                counts[role] += 1
        total *= counts[role]
    if total > len(joints):
        return total
    for child in range(total):
        rest = child
        for role in range(roles - 1, -1, -1):
            joints[child, role] = legal[wiring.role_starts[role] + rest % counts[role]]
            rest //= counts[role]
    return total
