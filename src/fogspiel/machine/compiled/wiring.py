"""Where a game's meaning is read from the gate array."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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
    """Literals, of which exactly one a role holds at most."""
    goal_roles: NDArray[np.int64]
    goal_values: NDArray[np.int64]
    goal_fluents: NDArray[np.int64]
    """The fluents that goals depend on."""
    goal_cost: int
    """Gate inputs that only goals need."""
