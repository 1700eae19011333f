"""`particles`: a population carried from step to step, and drawn anew by how well it fits.

Source: Richards (2012), algorithm 4.1, after Russell and Norvig (2010), section 15.5.
Departures: a history decides what is seen, so the particles of algorithm 4.1 have weights 0 or 1,
and many die or become copies of each other. By default particles are guided instead: they are
states, each with all histories that lead to it and with its weight; all of their continuations that
fit are found, and equal ends are merged. While there are no more of them than the population may
have, nothing is drawn and the belief is exact. Then heavy ones are kept, and of the light ones some
are drawn, so that every state has on average the weight that it ought to have. `guided=False` is
the algorithm as printed: histories, and weighted sampling with replacement.

Recovery, when all particles are dead at a step: the filter starts again from the beginning with a
population 4 times as large, then 16 times. If that dies too, the step is handed to a depth-first
search, which finds histories that fit or proves that there are none. What its random descents find
is the new population. It is biased until later steps have replaced it, and samples are not marked
as unbiased from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fogspiel.belief.base import CallClock
from fogspiel.belief.dfs import DfsBelief
from fogspiel.belief.particles.populations import (
    MergedParticles,
    Particles,
    PlainParticles,
    SampledHistories,
    merged_from,
    plain_from,
)
from fogspiel.belief.protocol import BeliefRequest, Histories
from fogspiel.belief.transitions import PointBelief, systematic
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import State

COUNT = 8192
RESTARTS = 2
GROWTH = 4  #: Factor by which the population is larger at each new start


class ParticlesBelief(PointBelief):
    """A particle filter on lanes. Implements `Belief`."""

    method = "particles"

    def __init__(
        self,
        request: BeliefRequest,
        *,
        count: int = COUNT,
        guided: bool = True,
        restarts: int = RESTARTS,
    ) -> None:
        super().__init__(request)
        self.count = min(count, self.limits.histories)
        self.guided = guided
        self.restarts = restarts
        self.recoveries = 0
        """Number of times that all particles had died."""
        self._unbiased = True
        """Whether no population came from the search."""
        self.population = self._beginning(self.count)
        self._search = DfsBelief(request)
        """Asked only when all else fails; it catches up with the observations then."""

    def advance(self, observation: Observation) -> None:
        """Carry all particles one step on, and recover if none fits."""
        observations = [*self.observations, observation]
        clock = self.clock()
        try:
            after = self._carried(self.population, observations, self.count, attempt=0)
            if after is None:
                self.recoveries += 1
                after = self._restarted(observations, clock)
            if after is None:
                after = self._searched(observations, clock)
                self._unbiased = False
        except LimitError:
            raise self.gave_up(len(observations)) from None
        if after.bytes > self.limits.bytes:
            raise self.gave_up(len(observations))
        self.population, self.observations = after, observations

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn by weight, with replacement."""
        drawn = self._given(
            self.population.drawn(count, np.random.default_rng(seed)), complete=False
        )
        return replace(drawn, unbiased=self._unbiased)

    def enumerate(self, limit: int) -> Histories:
        """The histories that the particles stand for: all that fit, if none had to be left out."""
        listed = self.population.listed(min(limit, self.limits.histories))
        return self._given(listed, complete=self.size() == len(listed.points))

    def size(self) -> int | None:
        """The number of possible histories, as long as particles stand for all of them."""
        if isinstance(self.population, MergedParticles) and self.population.whole:
            return int(self.population.layers[-1].counts.sum())
        return None

    def probability(self, state: State) -> float:
        """The weight of the particles in the state."""
        return self.share_of(state, *self.population.last())

    def _given(self, found: SampledHistories, *, complete: bool) -> Histories:
        return self.histories(found.joints, found.points, found.weights, complete=complete)

    def _beginning(self, count: int) -> Particles:
        first = self.transitions.first_layer()
        if self.guided:
            return MergedParticles(layers=(first,), steps=(), whole=True)
        return PlainParticles(points=np.repeat(first.states, count, axis=0), logs=np.zeros(count))

    def _carried(
        self, before: Particles, observations: Sequence[Observation], count: int, attempt: int
    ) -> Particles | None:
        rng = np.random.default_rng([self.seed, len(observations), attempt])
        most = self.transitions.affordable(self.limits, before.bytes)
        return before.carried(self.transitions, observations[-1], count, most, rng)

    def _restarted(self, observations: Sequence[Observation], clock: CallClock) -> Particles | None:
        """Start again with larger populations, as long as limits allow."""
        if self.population.whole:
            # All that fitted was there: more particles would change nothing.
            return None
        for attempt in range(1, self.restarts + 1):
            count = min(self.count * GROWTH**attempt, self.limits.histories)
            population: Particles | None = self._beginning(count)
            for step in range(len(observations)):
                if population is None or clock.over:
                    population = None
                    break
                try:
                    population = self._carried(population, observations[: step + 1], count, attempt)
                except LimitError:
                    return None
            if population is not None:
                rng = np.random.default_rng([self.seed, len(observations), attempt, 1])
                return population.resample(self.count, rng)
        return None

    def _searched(self, observations: Sequence[Observation], clock: CallClock) -> Particles:
        """A population of what a depth-first search finds. It raises BEL001 if there is nothing."""
        for observation in observations[len(self._search.observations) :]:
            self._search.limits = replace(self.limits, seconds=clock.seconds_left)
            self._search.advance(observation)
        found = self._search.sample(self.count, self.seed + len(observations))
        rng = np.random.default_rng([self.seed, len(observations), self.restarts + 1])
        joints = found.joints[systematic(found.weights, self.count, rng)]
        most = self.transitions.affordable(self.limits)
        if self.guided:
            made = merged_from(self.transitions, observations, joints, most)
            return made.resample(self.count, rng)
        return plain_from(self.transitions, observations, joints, most)
