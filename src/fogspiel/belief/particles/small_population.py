"""A few histories that fit, carried from step to step at a cost that is known beforehand.

Source: Richards (2012), algorithm 4.1, with all continuations of each particle instead of one, and
the thinning of Fearnhead and Clifford (2003), section 4. Where a particle has too many, some of
them are drawn, as there; if none of these fits, particles are tried one by one until one of them
goes on, and as long as there is time for more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.particles.populations import resample
from fogspiel.belief.protocol import Histories
from fogspiel.belief.transitions import stacked
from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.analysis.random_walks import random_joints
from fogspiel.machine.protocol import Continuations, Machine, States

MOST = 256
"""Histories that are kept."""
WORDS_A_STEP = 1 << 17
"""Of the states that are looked at to find out how histories go on: a few milliseconds."""
LANES = 64
WIDE_SECONDS = 0.005
"""For trying all that others may have done; where it takes longer, some of it is drawn."""
ROUNDS, ENOUGH_ROUNDS = 16, 8
"""Of draws: until something fits, and until that is enough."""
DRAWS, SLOW_DRAWS = 1024, 16
"""Of a round: on gates, and where rules are not compiled."""
DRAWN_MOVES = 1 << 20
"""Moves of all roles in all draws of a round: a few milliseconds."""


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
        self,
        machine: Machine,
        role: RoleId,
        observation: Observation,
        rng: np.random.Generator,
        budget: Budget,
    ) -> Population | None:
        """One step on, with what the role did and saw. None if nothing of it fits.

        budget: of time, where histories have to be tried one by one.
        """
        few, limit = self._few(MOST, rng), max(1, WORDS_A_STEP // self.states.shape[1])
        if expansion_seconds(machine, few.states, role, observation.percepts) > WIDE_SECONDS:
            drawn = few._drawn_on(machine, role, observation, rng)
            if drawn is not None:
                return drawn
            few = few._few(LANES, rng)
            if machine.engine != "compiled":
                return few._one_by_one(machine, role, observation, rng, budget)
            # Trying it all takes a word of lanes as long as a single state.
        while True:
            try:
                found = machine.continuations(few.states, role, observation, limit=limit)
            except LimitError:
                # Fewer histories go on in fewer ways; a single one must be allowed to.
                if len(few.states) == 1:
                    limit *= 2
                few = few._few(-(-len(few.states) // 2), rng)
                continue
            break
        return few._going_on(found, rng)

    def _one_by_one(
        self,
        machine: Machine,
        role: RoleId,
        observation: Observation,
        rng: np.random.Generator,
        budget: Budget,
    ) -> Population | None:
        """The same, one history after the other, until something fits and the time is over."""
        parts, owners = list[Continuations](), list[NDArray[np.int64]]()
        for row in rng.permutation(len(self.weights)):
            if parts and budget.is_over:
                break
            part = machine.continuations(self.states[row : row + 1], role, observation)
            if len(part.states):
                parts.append(part)
                owners.append(np.full(len(part.states), row))
        if not parts:
            return None
        found = Continuations(
            parents=np.concatenate(owners),
            joints=np.concatenate([part.joints for part in parts]),
            states=stacked([part.states for part in parts]),
            shares=np.concatenate([part.shares for part in parts]),
        )
        return self._going_on(found, rng)

    def _going_on(self, found: Continuations, rng: np.random.Generator) -> Population | None:
        """What histories lead to, thinned; None if that is nothing."""
        weights = self.weights[found.parents] * found.shares
        if not weights.any():
            return None
        rows, kept = resample(weights / weights.sum(), MOST, rng)
        joints = np.concatenate(
            [self.joints[found.parents[rows]], found.joints[rows][:, None, :]], axis=1
        )
        return Population(joints, found.states[rows], kept / kept.sum())

    def _drawn_on(
        self, machine: Machine, role: RoleId, observation: Observation, rng: np.random.Generator
    ) -> Population | None:
        """The same by single draws of what the others did, where there is too much to try it all.

        None if none of them fits.
        """
        moves = sum(machine.move_count(RoleId(other)) for other in range(len(machine.roles)))
        compiled = machine.engine == "compiled"
        count = max(1, min(DRAWS, DRAWN_MOVES // moves)) if compiled else SLOW_DRAWS
        parts, found = list[Population](), 0
        for number in range(1, ROUNDS + 1):
            part = self._drawn_once(machine, role, observation, count, rng)
            parts.append(part)
            found += len(part.states)
            if found >= MOST or (found and number >= ENOUGH_ROUNDS):
                break
        if not found:
            return None
        return Population(
            np.concatenate([part.joints for part in parts]),
            stacked([part.states for part in parts]),
            np.full(found, 1.0 / found),
        )

    def _drawn_once(
        self,
        machine: Machine,
        role: RoleId,
        observation: Observation,
        count: int,
        rng: np.random.Generator,
    ) -> Population:
        """What fits of some draws; weights are left as they come."""
        rows = rng.choice(len(self.weights), count, p=self.weights)
        rows = rows[~machine.terminal_batch(self.states[rows])]
        legal = machine.legal_batch(self.states[rows], role)
        rows = rows[legal[:, observation.move]] if observation.move < legal.shape[1] else rows[:0]
        if not len(rows):
            return Population(self.joints[rows], self.states[rows], self.weights[rows])
        states = np.ascontiguousarray(self.states[rows])
        joints = random_joints(machine, states, rng)
        joints[:, role] = observation.move
        seen = machine.percepts_batch(states, joints, role)
        told = np.zeros(max(machine.percept_count(role), seen.shape[1]), np.bool_)
        told[list(observation.percepts)] = True
        # A machine that numbers percepts as it meets them may not have met all in these states.
        fits = (seen == told[: seen.shape[1]]).all(axis=1) & ~told[seen.shape[1] :].any()
        ends = machine.step_batch(states[fits], joints[fits])
        steps = np.concatenate([self.joints[rows[fits]], joints[fits][:, None, :]], axis=1)
        return Population(steps, ends, self.weights[rows[fits]])

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
        rows, kept = resample(self.weights, count, rng)
        return Population(self.joints[rows], self.states[rows], kept / kept.sum())
