"""Records that kernels read: the gate array, and the slots of legality, goals, percepts and so on.

Each record of arrays has a view of addresses, which kernels can pass at no cost (`intrinsics`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import inner
from fogspiel.machine.compiled.kernel.intrinsics import Address, addresses_of, places_of, vector_at

LEGAL, NEXT, GOAL, SEES, UNUSED = range(5)
"""Phases of evaluation, and the mark of a node that none of them needs."""
PHASES = 4


class Gates(NamedTuple):
    """The gate array in evaluation order. Slot 0 is true; a literal is 2·slot + negated."""

    inputs: NDArray[np.uint32]
    """Input slots of all gates; for each gate first the plain inputs, then the inverted ones."""
    runs: NDArray[np.int64]
    """(runs, 5) gates of the same form: first slot, slot after the last, numbers of plain and of
    inverted inputs, place of the first input."""
    blocks: NDArray[np.int64]
    """(blocks, 4) first run, run after the last, first loop variable, variable after the last."""
    phases: NDArray[np.int64]  #: (PHASES + 1,) first block of each phase
    loop_slots: NDArray[np.uint32]
    loop_sources: NDArray[np.uint32]  #: Literals that loop variables take their values from


class GateView(NamedTuple):
    """Addresses of the arrays of `Gates`."""

    inputs: Address
    runs: Address
    blocks: Address
    phases: Address
    loop_slots: Address
    loop_sources: Address


def view_gates(gates: Gates) -> GateView:
    """The addresses of a gate array, which must outlive the view."""
    return GateView(*addresses_of(gates))


class Wiring(NamedTuple):
    """Slots and literals of all parts of a game. Fluent f is slot 1 + f."""

    fluents: int
    first_move: int  #: Slot of the first move of the first role
    role_starts: NDArray[np.int64]
    """(roles + 1,) the moves of role r are role_starts[r] to role_starts[r + 1]."""
    legal: NDArray[np.uint32]  #: (moves,) literals
    terminal: int
    next: NDArray[np.uint32]  #: (fluents,) literals
    goals: NDArray[np.uint32]  #: Literals; a role's goal is the sum of values of those that hold
    goal_roles: NDArray[np.int64]
    goal_values: NDArray[np.int64]
    goal_fluents: NDArray[np.int64]  #: The fluents that goals depend on
    goal_cost: int  #: Number of gate inputs that only goals need
    weighted_role: int
    """The chance role if its moves have weights, otherwise a number that is no role's."""
    weights: NDArray[np.uint32]  #: Literals; where one holds, its value is added to its move
    weight_moves: NDArray[np.int64]
    weight_values: NDArray[np.int64]


class GateMemory(NamedTuple):
    """The gates and wiring of a game, with memory for the values of its gates."""

    gates: GateView
    wiring: Wiring
    values: NDArray[np.uint64]  #: (slots·W,)


def pack_memory(memory: GateMemory) -> NDArray[np.uint64]:
    """A memory in the form that kernels take. The memory must outlive it."""
    gates, wiring, values = memory
    scalars = [field for field in wiring if not isinstance(field, np.ndarray)]
    return np.array([*gates, *scalars, *places_of([*wiring, values])], np.uint64)


@inner
def unpack_memory(packed: NDArray[np.uint64]) -> GateMemory:
    """The inverse of `pack_memory`."""
    gates = GateView(packed[0], packed[1], packed[2], packed[3], packed[4], packed[5])
    arrays = packed[11:]
    wiring = Wiring(
        int(np.int64(packed[6])),
        int(np.int64(packed[7])),
        vector_at(arrays, 0, np.int64),
        vector_at(arrays, 1, np.uint32),
        int(np.int64(packed[8])),
        vector_at(arrays, 2, np.uint32),
        vector_at(arrays, 3, np.uint32),
        vector_at(arrays, 4, np.int64),
        vector_at(arrays, 5, np.int64),
        vector_at(arrays, 6, np.int64),
        int(np.int64(packed[9])),
        int(np.int64(packed[10])),
        vector_at(arrays, 7, np.uint32),
        vector_at(arrays, 8, np.int64),
        vector_at(arrays, 9, np.int64),
    )
    return GateMemory(gates, wiring, vector_at(arrays, 10, np.uint64))


class WiringView(NamedTuple):
    """Numbers and addresses of the arrays of `Wiring`."""

    roles: int
    fluents: int
    first_move: int
    terminal: np.uint64
    goal_count: int
    goal_fluent_count: int
    goal_cost: int
    weighted_role: int
    weight_count: int
    role_starts: Address
    legal: Address
    next: Address
    goals: Address
    goal_roles: Address
    goal_values: Address
    goal_fluents: Address
    weights: Address
    weight_moves: Address
    weight_values: Address


def view_wiring(wiring: Wiring) -> WiringView:
    """The numbers and addresses of a wiring, which must outlive the view."""
    return WiringView(
        len(wiring.role_starts) - 1,
        wiring.fluents,
        wiring.first_move,
        np.uint64(wiring.terminal),
        len(wiring.goals),
        len(wiring.goal_fluents),
        wiring.goal_cost,
        wiring.weighted_role,
        len(wiring.weights),
        *addresses_of(wiring),
    )
