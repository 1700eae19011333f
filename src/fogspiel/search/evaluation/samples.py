"""States of random play with what random play makes of them: what evaluations are fitted to.

They are drawn once for a machine, with a seed of their own, so that all players of a game have the
same evaluations, and the same seed gives the same moves.
"""

from __future__ import annotations

from functools import cached_property
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.distinct_rows import widened
from fogspiel.machine.analysis.random_walks import random_walks
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine, States

WALKS = 128
MAX_STEPS = 400
"""Of a walk."""
STATES = 2_048
PLAYOUTS = 8
"""From each state."""
SEED = 71
FITTED_SHARE = 0.75
"""Of the states, for fitting; the others tell how well what was fitted predicts."""


class Samples:
    """States in which play goes on, in random order."""

    def __init__(self, machine: Machine, states: States) -> None:
        # Kept as long as the machine is, which must not be for ever because of this.
        self._machine = ref(machine)
        self.states = states
        """(n, words)"""

    @cached_property
    def outcomes(self) -> NDArray[np.float64]:
        """(n, roles) mean goals of playouts from each. Not all evaluations ask for them."""
        machine = self._machine()
        assert machine is not None, "who asks for samples has the machine"
        if not len(self.states):
            return np.zeros((0, len(machine.roles)))
        played = machine.playouts(self.states, seed=SEED, count=PLAYOUTS)
        means: NDArray[np.float64] = played.goal_sums / played.counts[:, None]
        return means

    @property
    def fitted(self) -> int:
        """How many of the first are for fitting."""
        return max(1, int(FITTED_SHARE * len(self.states)))


@once_per_machine
def samples_of(machine: Machine) -> Samples:
    """Drawn from random walks; none where the game ends before it begins."""
    rng = np.random.default_rng(SEED)
    met = []
    for number, step in enumerate(random_walks(machine, WALKS, rng)):
        met.append(step.states)
        if number == MAX_STEPS:
            break
    words = max((rows.shape[1] for rows in met), default=1)
    none = np.zeros((0, words), np.uint64)
    states = np.concatenate([none, *(widened(rows, words) for rows in met)])
    return Samples(machine, np.ascontiguousarray(states[rng.permutation(len(states))[:STATES]]))


def constant_sum(machine: Machine) -> float | None:
    """What all players get together, where that is the same however random play goes."""
    players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
    sums = samples_of(machine).outcomes[:, players].sum(axis=1)
    return float(sums[0]) if len(sums) and bool((sums == sums[0]).all()) else None
