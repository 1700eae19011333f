"""How far apart the goals of a game are: 100 in GDL, anything where payoffs are written."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from fogspiel.machine.protocol import Machine

PLAYOUTS = 256
SEED = 20

_KNOWN: WeakKeyDictionary[Machine, float] = WeakKeyDictionary()


def goal_spread(machine: Machine) -> float:
    """The largest difference between goals of a role in some random playouts; at least 1."""
    if machine not in _KNOWN:
        starts = np.repeat(machine.initial()[None, :], PLAYOUTS, axis=0)
        goals = machine.playouts(starts, seed=SEED, count=1).goal_sums
        _KNOWN[machine] = max(1.0, float((goals.max(axis=0) - goals.min(axis=0)).max()))
    return _KNOWN[machine]
