"""`rejection`: random histories from the start, of which those are kept that fit.

Source: rejection sampling, as in Russell and Norvig (2010), section 14.5.1.
Departures: many histories are played side by side, the role's own moves are those it made, and a
history is given up at the first step that does not fit.

What is kept is an independent sample from the exact posterior, whatever the game: others choose
uniformly at random and chance by its weights, as beliefs without a model suppose. A step costs the
same however many moves others have. But the part of the histories that fits is the probability of
all that the role saw, so the method is good for short games and for the first steps of long ones.
It cannot tell what is impossible from what is improbable: where no history fits it says that it
accepted none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import PROBED, BeliefBase
from fogspiel.belief.protocol import BeliefRequest, Histories
from fogspiel.belief.transitions import drawn_steps
from fogspiel.belief.verify import weighed
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import stacked
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import State, States

FIRST_ROUND, LARGEST_ROUND = 1 << 10, 1 << 14
"""Histories that are played side by side; rounds grow after those that accepted few."""
FEW = 16  #: Histories of which less than one must be accepted for the next round to grow
MOST_TRIES = 1 << 20
"""Histories that are tried for one answer: a few seconds for a game of ten steps."""


class RejectionBelief(BeliefBase):
    """Rejection sampling. Implements `Belief`."""

    method = "rejection"

    def __init__(self, request: BeliefRequest) -> None:
        super().__init__(request)
        self._probed: Histories | None = None
        """A sample by which probabilities are estimated."""

    def advance(self, observation: Observation) -> None:
        """Take note of a step. Nothing is worked out before it is asked for."""
        self.observations.append(observation)
        self._probed = None

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn independently from the posterior.

        Raises `LimitError` BEL002 if none of the histories that were tried fits.
        """
        joints, states = self._accepted(count, np.random.default_rng(seed))
        return Histories(joints=joints, states=states, weights=np.ones(len(joints)), complete=False)

    def enumerate(self, limit: int) -> Histories:
        """Different histories of a sample, with their probabilities. Never known to be all."""
        joints, _ = self._accepted(limit, np.random.default_rng(self.seed))
        # Before the first step there is one history, the empty one.
        distinct = np.unique(joints, axis=0) if self.observations else joints[:1]
        return weighed(self.machine, self.role, distinct, complete=not self.observations)

    def probability(self, state: State) -> float:
        """The part of a sample that leads to the state."""
        if self._probed is None:
            self._probed = self.sample(PROBED, seed=self.seed)
        return self._probed.probability(state)

    def _accepted(self, count: int, rng: np.random.Generator) -> tuple[NDArray[np.int32], States]:
        """The first histories that fit, at most `count`: joint moves, and where they lead."""
        clock, tried, size = self.clock(), 0, FIRST_ROUND
        joints: list[NDArray[np.int32]] = []
        states: list[States] = []
        found = 0
        most = min(MOST_TRIES, self.limits.histories)
        while found < count and tried < most and not (tried and clock.over):
            made, ends = self._round(size, rng)
            joints.append(made)
            states.append(ends)
            found += len(made)
            tried += size
            if len(made) < size // FEW:
                size = min(2 * size, LARGEST_ROUND)
        if not found:
            raise LimitError.of(
                "BEL002",
                f"the method rejection accepted none of {tried:,} random histories of "
                f"{len(self.observations)} steps",
                fix="let another method sample: particles, or auto",
            )
        return np.concatenate(joints)[:count], stacked(states)[:count]

    def _round(self, size: int, rng: np.random.Generator) -> tuple[NDArray[np.int32], States]:
        """Play some histories side by side: those that fit all observations."""
        states = np.repeat(self.machine.initial()[None, :], size, axis=0)
        made = np.zeros((size, len(self.observations), len(self.machine.roles)), np.int32)
        for step, observation in enumerate(self.observations):
            found = drawn_steps(self.machine, self.role, states, observation, rng)
            made = made[found.parents]
            made[:, step] = found.joints
            states = found.states
            if not len(states):
                break
        return made, states
