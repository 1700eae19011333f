"""A few possible histories, carried from step to step at a cost that is known beforehand.

Source: Richards (2012), algorithm 4.1, with all continuations of each particle instead of one, and
the resampling of Fearnhead and Clifford (2003), section 4. Where a particle has too many
continuations, some of them are drawn, as there; if none of these fits, particles are tried one by
one until one of them goes on, and as long as there is time for more.

A population is a record of histories whose weights add up to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fogspiel.belief.particles.populations import resample
from fogspiel.belief.protocol import Histories
from fogspiel.belief.transitions import drawn_steps
from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import stacked
from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.layers import joined
from fogspiel.machine.protocol import Continuations, Machine

MOST = 256  #: Histories that are kept
WORDS_A_STEP = 1 << 17  #: Words of the states that are looked at in a step: a few milliseconds
LANES = 64
WIDE_SECONDS = 0.005
"""Time for trying all that others may have done; where it takes longer, some of it is drawn."""
ROUNDS, ENOUGH_ROUNDS = 16, 8  #: Rounds of draws: until something fits, and until that is enough
DRAWS, SLOW_DRAWS = 1024, 16  #: Draws of a round: on gates, and where rules are not compiled
DRAWN_MOVES = 1 << 20  #: Moves of all roles in all draws of a round: a few milliseconds


def as_population(histories: Histories) -> Histories:
    """A sample with weights that add up to 1; later steps will make it biased."""
    weights = histories.weights / histories.weights.sum()
    return replace(histories, weights=weights, complete=False, unbiased=False)


@dataclass(frozen=True, slots=True)
class PopulationStep:
    """One step of play, by which populations are carried on."""

    machine: Machine
    role: RoleId
    observation: Observation
    rng: np.random.Generator
    budget: Budget  #: Time, where histories have to be tried one by one

    def after(self, population: Histories) -> Histories | None:
        """The population after the step; None if none of its histories goes on."""
        few = self._few(population, MOST)
        limit = max(1, WORDS_A_STEP // few.states.shape[1])
        seconds = expansion_seconds(self.machine, few.states, self.role, self.observation.percepts)
        if seconds > WIDE_SECONDS:
            drawn = self._drawn(few)
            if drawn is not None:
                return drawn
            few = self._few(few, LANES)
            if self.machine.engine != "compiled":
                return self._one_by_one(few)
            # Trying it all takes a word of lanes as long as a single state.
        while True:
            try:
                found = self.machine.continuations(
                    few.states, self.role, self.observation, limit=limit
                )
            except LimitError:
                # Fewer histories go on in fewer ways; a single one must be allowed to.
                if len(few) == 1:
                    limit *= 2
                few = self._few(few, -(-len(few) // 2))
                continue
            return self._going_on(few, found)

    def _few(self, population: Histories, count: int) -> Histories:
        if len(population) <= count:
            return population
        rows, kept = resample(population.weights, count, self.rng)
        return population.take(rows, kept / kept.sum())

    def _one_by_one(self, few: Histories) -> Histories | None:
        """Try one history after the other, until something fits and the time is over."""
        parts: list[Continuations] = []
        for row in self.rng.permutation(len(few)):
            if parts and self.budget.seconds_left <= 0.0:
                break
            states = few.states[row : row + 1]
            part = self.machine.continuations(states, self.role, self.observation)
            if len(part.states):
                parts.append(replace(part, parents=np.full(len(part.states), row)))
        return self._going_on(few, joined(parts)) if parts else None

    def _going_on(self, few: Histories, found: Continuations) -> Histories | None:
        """The continuations of histories, resampled; None if there are none."""
        weights = few.weights[found.parents] * found.shares
        if not weights.any():
            return None
        rows, kept = resample(weights / weights.sum(), MOST, self.rng)
        steps = found.joints[rows][:, None, :]
        joints = np.concatenate([few.joints[found.parents[rows]], steps], axis=1)
        return replace(few, joints=joints, states=found.states[rows], weights=kept / kept.sum())

    def _drawn(self, few: Histories) -> Histories | None:
        """Single draws of what the others did, where there is too much to try it all.

        None if none of them fits.
        """
        roles = map(RoleId, range(len(self.machine.roles)))
        moves = sum(self.machine.move_count(role) for role in roles)
        compiled = self.machine.engine == "compiled"
        count = max(1, min(DRAWS, DRAWN_MOVES // moves)) if compiled else SLOW_DRAWS
        parts, found = list[Histories](), 0
        for number in range(1, ROUNDS + 1):
            parts.append(self._drawn_once(few, count))
            found += len(parts[-1])
            if found >= MOST or (found and number >= ENOUGH_ROUNDS):
                break
        if not found:
            return None
        parts = [part for part in parts if len(part)]
        return replace(
            few,
            joints=np.concatenate([part.joints for part in parts]),
            states=stacked([part.states for part in parts]),
            weights=np.full(found, 1.0 / found),
        )

    def _drawn_once(self, few: Histories, count: int) -> Histories:
        """The histories of some draws that fit; their weights mean nothing."""
        rows = self.rng.choice(len(few), count, p=few.weights)
        found = drawn_steps(self.machine, self.role, few.states[rows], self.observation, self.rng)
        rows = rows[found.parents]
        joints = np.concatenate([few.joints[rows], found.joints[:, None, :]], axis=1)
        return replace(few, joints=joints, states=found.states, weights=few.weights[rows])
