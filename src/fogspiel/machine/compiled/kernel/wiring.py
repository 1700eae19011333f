"""Where a game's meaning is read from the gate array."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.machine.compiled.kernel.memory import Address, address_of


class Wiring(NamedTuple):
    """Slots and literals of everything that play needs. Fluent f is slot 1 + f."""

    fluents: int
    first_move: int
    """Slot of the first move of the first role."""
    role_starts: NDArray[np.int64]
    """(roles + 1,) the moves of role r are role_starts[r] to role_starts[r + 1]."""
    legal: NDArray[np.uint32]
    """(moves,) literals."""
    terminal: int
    next: NDArray[np.uint32]
    """(fluents,) literals."""
    goals: NDArray[np.uint32]
    """Literals; the values of those that hold are summed for each role."""
    goal_roles: NDArray[np.int64]
    goal_values: NDArray[np.int64]
    goal_fluents: NDArray[np.int64]
    """The fluents that goals depend on."""
    goal_cost: int
    """Gate inputs that only goals need."""
    weighted_role: int
    """The role of chance where it chooses by weight; otherwise a number that no role has."""
    weights: NDArray[np.uint32]
    """Literals; where one holds, its value counts for its move."""
    weight_moves: NDArray[np.int64]
    weight_values: NDArray[np.int64]


class WiringView(NamedTuple):
    """The same with addresses instead of arrays, for kernels."""

    fluents: int
    first_move: int
    roles: int
    role_starts: Address
    legal: Address
    terminal: Address
    """A literal; 64 bits wide like an address."""
    next: Address
    goal_count: int
    goals: Address
    goal_roles: Address
    goal_values: Address
    goal_fluent_count: int
    goal_fluents: Address
    goal_cost: int
    weighted_role: int
    weight_count: int
    weights: Address
    weight_moves: Address
    weight_values: Address


def view_wiring(wiring: Wiring) -> WiringView:
    """What kernels take. `wiring` must live as long as the view is used."""
    return WiringView(
        fluents=wiring.fluents,
        first_move=wiring.first_move,
        roles=len(wiring.role_starts) - 1,
        role_starts=address_of(wiring.role_starts),
        legal=address_of(wiring.legal),
        terminal=np.uint64(wiring.terminal),
        next=address_of(wiring.next),
        goal_count=len(wiring.goals),
        goals=address_of(wiring.goals),
        goal_roles=address_of(wiring.goal_roles),
        goal_values=address_of(wiring.goal_values),
        goal_fluent_count=len(wiring.goal_fluents),
        goal_fluents=address_of(wiring.goal_fluents),
        goal_cost=wiring.goal_cost,
        weighted_role=wiring.weighted_role,
        weight_count=len(wiring.weights),
        weights=address_of(wiring.weights),
        weight_moves=address_of(wiring.weight_moves),
        weight_values=address_of(wiring.weight_values),
    )
