"""Goals as values between 0 and 1: rules may pay 0 to 100, -1 to 1, or anything else.

How far apart goals are is seen in random playouts. Goals beyond what was seen there get values
beyond 0 and 1, which no rule of choice is harmed by.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fogspiel.machine.protocol import Machine

PLAYOUTS = 256
SEED = 20


@dataclass(frozen=True, slots=True)
class ValueScale:
    """Which goals are worth 0 and 1."""

    low: float
    spread: float

    def values(self, goals: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Goals, or their means, as values."""
        return (goals.astype(np.float64) - self.low) / self.spread


_KNOWN: WeakKeyDictionary[Machine, ValueScale] = WeakKeyDictionary()


def value_scale(machine: Machine, playouts: int = PLAYOUTS) -> ValueScale:
    """By random playouts from the start; 0 to 100 where these all end alike.

    It is found out once for a machine.
    """
    if machine not in _KNOWN:
        starts = np.repeat(machine.initial()[None, :], playouts, axis=0)
        goals = machine.playouts(starts, seed=SEED, count=1).goal_sums
        players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
        low, high = float(goals[:, players].min()), float(goals[:, players].max())
        if low == high:
            low, high = 0.0, 100.0 * machine.goal_scale
        _KNOWN[machine] = ValueScale(low, high - low)
    return _KNOWN[machine]
