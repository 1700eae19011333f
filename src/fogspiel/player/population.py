"""A few histories that fit, carried from step to step at a cost that is known beforehand.

Source: Richards (2012), algorithm 4.1, with all continuations of each particle instead of one, and
the thinning of Fearnhead and Clifford (2003), section 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Histories, Sighting
from fogspiel.belief.swarm import thinned
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine, States

MOST = 256
"""Histories that are kept."""
WORDS_A_STEP = 1 << 17
"""Of the states that are looked at to find out how histories go on: a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Population:
    """Histories with weights. It is never changed: each step makes another."""

    joints: NDArray[np.int32]
    """(n, steps, roles)"""
    states: States
    """(n, words)"""
    weights: NDArray[np.float64]
    """(n,) add up to 1."""

    @staticmethod
    def of(histories: Histories) -> Population:
        """Those of a sample."""
        total = float(histories.weights.sum())
        return Population(histories.joints, histories.states, histories.weights / total)

    def after(
        self, machine: Machine, role: RoleId, sighting: Sighting, rng: np.random.Generator
    ) -> Population | None:
        """One step on, with what the role did and saw. None if nothing of it fits."""
        few, limit = self._few(MOST, rng), max(1, WORDS_A_STEP // self.states.shape[1])
        while True:
            try:
                found = machine.continuations(
                    few.states, role, sighting.move, sighting.percepts, limit=limit
                )
            except LimitError:
                # Fewer histories go on in fewer ways; a single one must be allowed to.
                if len(few.states) == 1:
                    limit *= 2
                few = few._few(-(-len(few.states) // 2), rng)
                continue
            break
        weights = few.weights[found.parents] * found.shares
        if not weights.any():
            return None
        rows, kept = thinned(weights / weights.sum(), MOST, rng)
        joints = np.concatenate(
            [few.joints[found.parents[rows]], found.joints[rows][:, None, :]], axis=1
        )
        return Population(joints, found.states[rows], kept / kept.sum())

    def drawn(self, count: int, rng: np.random.Generator) -> Histories:
        """Histories by their weights, with replacement."""
        rows = rng.choice(len(self.weights), count, p=self.weights)
        return Histories(
            joints=self.joints[rows],
            states=self.states[rows],
            weights=np.ones(count),
            complete=False,
            unbiased=False,
        )

    def listed(self, limit: int) -> Histories:
        """The histories themselves."""
        return Histories(
            joints=self.joints[:limit],
            states=self.states[:limit],
            weights=self.weights[:limit],
            complete=False,
        )

    def _few(self, count: int, rng: np.random.Generator) -> Population:
        if len(self.weights) <= count:
            return self
        rows, kept = thinned(self.weights, count, rng)
        return Population(self.joints[rows], self.states[rows], kept / kept.sum())
