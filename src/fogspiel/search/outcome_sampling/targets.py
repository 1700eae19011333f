"""Histories that walks are led along: those that a role holds possible, with probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Belief
from fogspiel.core.ids import RoleId
from fogspiel.machine.knowledge_keys import knowledge_of
from fogspiel.machine.protocol import Machine
from fogspiel.search.mcts.roots import POOL


class Targets:
    """An information set as something to be led to."""

    def __init__(self, belief: Belief, seed: int) -> None:
        size = belief.size()
        found = belief.enumerate(POOL) if size is not None and size <= POOL else None
        self.complete = found is not None and found.complete
        """Whether these are all histories that fit."""
        if found is None or not found.complete:
            found = belief.sample(POOL, seed)
        self.joints: NDArray[np.int32] = found.joints
        """(n, steps, roles)"""
        logs = even_log_probabilities(belief.machine, belief.role, self.joints)
        shares = np.exp(logs - logs.max()) if self.complete else found.weights
        self._bounds = np.cumsum(shares / shares.sum())
        self.log_total = float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
        """log of the probability of all of them, own moves given and others choosing evenly."""
        self.key = knowledge_of(belief.machine, belief.role, belief.observations)
        """What the role knows."""

    @property
    def steps(self) -> int:
        """Of play so far."""
        return int(self.joints.shape[1])

    def drawn(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """(count,) histories by their probability."""
        uniforms = rng.random(count) * self._bounds[-1]
        rows = np.searchsorted(self._bounds, uniforms, side="right")
        inside: NDArray[np.int64] = np.minimum(rows, len(self._bounds) - 1)
        return inside


def even_log_probabilities(
    machine: Machine, role: RoleId, joints: NDArray[np.int32]
) -> NDArray[np.float64]:
    """(n,) of histories, where a role's own moves are given and all others choose evenly.

    joints: (n, steps, roles)
    """
    logs = np.zeros(len(joints))
    states = np.repeat(machine.initial()[None, :], len(joints), axis=0)
    rows = np.arange(len(joints))
    for step in range(joints.shape[1]):
        moves = np.ascontiguousarray(joints[:, step])
        for other in map(RoleId, range(len(machine.roles))):
            if other == machine.chance_role:
                logs += np.log(machine.chance_weights_batch(states)[rows, moves[:, other]])
            elif other != role:
                logs -= np.log(machine.legal_batch(states, other).sum(axis=1))
        states = machine.step_batch(states, moves)
    return logs
