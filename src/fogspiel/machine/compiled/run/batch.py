"""Batches of states: legality, successors, percepts, goals and expansions.

An evaluation has 64·W lanes, each with a state, or with a joint move of the state that is expanded.
Kernels check no numbers: arguments are checked before a call, and successors after it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.native import inner, native
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.ground.arithmetic.register import is_fault
from fogspiel.machine.compiled.compile.compiled_game import GateNetwork
from fogspiel.machine.compiled.compile.naming import RegisterValues, unknown_name
from fogspiel.machine.compiled.kernel.evaluate import (
    LANES,
    evaluate_phase,
    holds,
    literal_value,
    load_states,
    pack_bits,
    read_literals,
    set_moves,
    store_states,
)
from fogspiel.machine.compiled.kernel.intrinsics import (
    ALL,
    ONE,
    ZERO,
    Address,
    Width,
    load,
    splat,
    store,
)
from fogspiel.machine.compiled.kernel.wiring import GOAL, LEGAL, NEXT, SEES, Wiring, unpack_memory
from fogspiel.machine.protocol import Joints, States

ALL_LEGAL = -1


@native
def read_states(
    memory: NDArray[np.uint64],
    states: NDArray[np.uint64],
    literals: NDArray[np.uint32],
    with_goals: bool,
    out: NDArray[np.bool_],
    width: Width,
) -> None:
    """Write to out[i, k] whether literal k (legal, terminal or goal) holds in state i."""
    gates, wiring, values = unpack_memory(memory)
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
    memory: NDArray[np.uint64],
    states: NDArray[np.uint64],
    joints: NDArray[np.int32],
    out: NDArray[np.uint64],
    width: Width,
) -> int:
    """Write the successors; returns the first row with an illegal joint move, or ALL_LEGAL."""
    gates, wiring, values = unpack_memory(memory)
    unknown = _first_unknown(wiring, joints)
    if unknown >= 0:
        return unknown
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
                literal = wiring.legal[wiring.role_starts[role] + chunk[lane, role]]
                if not holds(values, literal, lane, len(width)):
                    return first + lane
        evaluate_phase(gates, address, NEXT, width)
        read_next(wiring, address, np.uint64(rows.ctypes.data), width)
        store_states(rows, wiring.fluents, len(width), out[first : first + lanes])
    return ALL_LEGAL


@native
def read_percepts(
    memory: NDArray[np.uint64],
    states: NDArray[np.uint64],
    joints: NDArray[np.int32],
    literals: NDArray[np.uint32],
    out: NDArray[np.bool_],
    width: Width,
) -> int:
    """Write to out[i, k] whether percept k is seen when joint move i is made in state i.

    Returns the first row with a move that does not exist, or ALL_LEGAL.
    """
    gates, wiring, values = unpack_memory(memory)
    unknown = _first_unknown(wiring, joints)
    if unknown >= 0:
        return unknown
    lanes = LANES * len(width)
    address = np.uint64(values.ctypes.data)
    for first in range(0, len(states), lanes):
        load_states(values, wiring.fluents, len(width), states[first : first + lanes])
        set_moves(values, wiring, len(width), joints[first : first + lanes])
        # Percepts share gates with all phases before them.
        for phase in (LEGAL, NEXT, GOAL, SEES):
            evaluate_phase(gates, address, phase, width)
        read_literals(values, literals, len(width), out[first : first + lanes])
    return ALL_LEGAL


@inner
def read_next(wiring: Wiring, values: Address, rows: Address, width: Width) -> None:
    """Write the next value of every fluent, W words each, once the phases have been evaluated."""
    words = np.uint64(len(width))
    for fluent in range(wiring.fluents):
        value = literal_value(values, np.uint64(wiring.next[fluent]), width)
        store(rows, np.uint64(fluent) * words, value)


@inner
def _first_unknown(wiring: Wiring, joints: NDArray[np.int32]) -> int:
    """The first row with a move that its role does not have, or ALL_LEGAL if there is none; such a
    move would be read from the slots of other roles."""
    for row in range(len(joints)):
        for role in range(joints.shape[1]):
            count = wiring.role_starts[role + 1] - wiring.role_starts[role]
            if not 0 <= joints[row, role] < count:
                return row
    return ALL_LEGAL


@native
def expand_state(
    memory: NDArray[np.uint64],
    state: NDArray[np.uint64],
    joints: NDArray[np.int32],
    states: NDArray[np.uint64],
    terminal: NDArray[np.bool_],
    width: Width,
) -> int:
    """Write the children and return their number; with too little room only count them."""
    gates, wiring, values = unpack_memory(memory)
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
        for lane in range(end - first):
            terminal[first + lane] = holds(values, wiring.terminal, lane, len(width))
    return children


@inner
def _repeat_state(
    wiring: Wiring, address: np.uint64, state: NDArray[np.uint64], width: Width
) -> None:
    """Load one state into every lane."""
    store(address, ZERO, splat(ALL, width))
    for fluent in range(wiring.fluents):
        bit = (state[fluent // LANES] >> np.uint64(fluent % LANES)) & ONE
        store(address, np.uint64((1 + fluent) * len(width)), splat(ZERO - bit, width))


@native
def _joint_moves(
    wiring: Wiring, values: NDArray[np.uint64], words: int, joints: NDArray[np.int32]
) -> int:
    """Count the legal joint moves of lane 0, and write them in lexicographic order if they fit."""
    roles = len(wiring.role_starts) - 1
    legal = np.empty(wiring.role_starts[roles], np.int32)
    counts = np.zeros(roles, np.int64)
    total = 1
    for role in range(roles):
        first = wiring.role_starts[role]
        for move in range(first, wiring.role_starts[role + 1]):
            if holds(values, wiring.legal[move], 0, words):
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


class Guards:
    """Checks of the arguments and results of kernels."""

    def __init__(
        self, roles: tuple[str, ...], network: GateNetwork, numbers: RegisterValues
    ) -> None:
        self._roles, self._network, self._numbers = roles, network, numbers
        self._counts = np.diff(network.wiring.role_starts).tolist()
        faults = np.array([is_fault(fluent) for fluent in network.fluents], np.bool_)
        self._faults = pack_bits(faults) if faults.any() else None

    def joints(self, states: States, joints: Joints) -> Joints:
        """Joint moves in the form that kernels take, one for each state; numbers are unchecked."""
        if joints.shape != (len(states), len(self._roles)):
            raise ValueError(
                f"a joint move has one move of each of the {len(self._roles)} roles; "
                f"got {joints.shape} for {len(states)} states"
            )
        return np.ascontiguousarray(joints, np.int32)

    def check_joint(self, joint: Iterable[int]) -> None:
        """Raises `PlayError` if a role does not have its move."""
        for role, move in enumerate(joint):
            self.check_move(RoleId(role), MoveId(int(move)))

    def check_move(self, role: RoleId, move: MoveId) -> None:
        """Raises `PlayError` if the role does not have the move."""
        if not 0 <= move < self._counts[role]:
            raise unknown_name("MCH002", f"move of {self._roles[role]}", f"number {move}")

    def check_faults(self, states: States) -> None:
        """Raises `PlayError` if some number in the states does not fit its register."""
        if self._faults is not None:
            faulty = np.flatnonzero((states & self._faults).any(axis=1))
            if len(faulty):
                bits = (states[faulty[0]] & self._faults).view(np.uint8)
                first = np.flatnonzero(np.unpackbits(bits, bitorder="little"))[0]
                raise PlayError(self._numbers.fault(self._network.fluents[first]))
