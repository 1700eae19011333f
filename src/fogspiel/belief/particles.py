"""`particles`: a population of histories, carried along and drawn anew by how well they fit.

Source: Richards (2012), algorithm 4.1, after Russell and Norvig (2010), section 15.5; Fearnhead and
Clifford (2003) for particles that keep their weights.
Departures: a history decides what is seen, so the particles of algorithm 4.1 have weights 0 or 1,
and many die or become copies of each other. By default particles are guided instead: each is
followed by all of its continuations that fit, weighted by their shares. While there are no more of
them than the population may have, nothing is drawn and the belief is exact. Then the heavy ones are
kept, and of the light ones some are drawn, each at most once and each with the same weight, so that
every history has on average the weight that it ought to have. `guided=False` is the algorithm as
printed, weighted sampling with replacement.

Recovery, when all particles are dead at a step: the filter starts again from the beginning with a
population 4 times as large, then 16 times. If that dies too, the step is handed to a depth-first
search, which finds histories that fit or proves that there are none; what its random descents find,
with their weights, is the new population. Where it had to backtrack the population is biased until
later steps have replaced it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.choices import Indices, Reals, fan_from, proportions, spread, systematic
from fogspiel.belief.dfs import DfsBelief
from fogspiel.belief.findings import gave_up
from fogspiel.belief.protocol import BeliefLimits, Histories, Model, Sighting
from fogspiel.belief.transitions import Points, Transitions, same_state
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import Joints, Machine, State

COUNT = 8192
RESTARTS = 2
GROWTH = 4
"""How much larger the population is at each new start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Histories with weights."""

    points: Points
    """(n, …) where each stands."""
    weights: Reals
    """(n,) their part of the belief; sums to 1."""
    logs: Reals
    """(n,) logarithm of the probability of each history, up to a constant."""
    lines: tuple[tuple[Indices, Joints], ...] = ()
    """For each step, (n,) the ancestor of each particle and (n, roles) what was played."""
    whole: bool
    """Whether these are all histories that fit."""

    def __len__(self) -> int:
        """How many there are."""
        return len(self.points)

    def chosen(self, rows: Indices, weights: Reals) -> Population:
        """Some of them with new weights."""
        lines = self.lines
        if lines:
            ancestors, joints = lines[-1]
            lines = (*lines[:-1], (ancestors[rows], joints[rows]))
        return Population(
            points=self.points[rows],
            weights=weights / weights.sum(),
            logs=self.logs[rows],
            lines=lines,
            whole=False,
        )

    def histories(self, rows: Indices) -> NDArray[np.int32]:
        """(n, steps, roles) of some particles."""
        roles = self.lines[0][1].shape[1] if self.lines else 0
        made = np.empty((len(rows), len(self.lines), roles), np.int32)
        for step in range(len(self.lines) - 1, -1, -1):
            ancestors, joints = self.lines[step]
            made[:, step] = joints[rows]
            rows = ancestors[rows]
        return made

    @property
    def bytes(self) -> int:
        """Memory in use."""
        lines = sum(ancestors.nbytes + joints.nbytes for ancestors, joints in self.lines)
        return int(self.points.nbytes + 2 * self.logs.nbytes + lines)


class ParticlesBelief:
    """A particle filter on lanes. Implements `Belief`."""

    method = "particles"

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        limits: BeliefLimits | None = None,
        *,
        model: Model | None = None,
        count: int = COUNT,
        seed: int = 0,
        guided: bool = True,
        restarts: int = RESTARTS,
    ) -> None:
        self.machine = machine
        self.role = role
        self.limits = limits or BeliefLimits()
        self.transitions = Transitions(machine, role, model)
        self.count = min(count, self.limits.histories)
        self.seed = seed
        self.guided = guided
        self.restarts = restarts
        self.recoveries = 0
        """How often all particles had died."""
        self.sightings: list[Sighting] = []
        self.population = self._beginning(self.count)
        self._search = DfsBelief(machine, role, self.limits, model=model)
        """Asked only when all else fails; it catches up with the sightings then."""

    def advance(self, move: MoveId, percepts: Sequence[PerceptId]) -> None:
        """Carry all particles one step on, and recover if none fits."""
        sightings = [*self.sightings, Sighting(move, tuple(percepts))]
        deadline = time.monotonic() + self.limits.seconds
        try:
            after = self._carried(self.population, sightings, self.count, attempt=0)
            if after is None:
                self.recoveries += 1
                after = self._restarted(sightings, deadline)
            if after is None:
                after = self._searched(sightings, deadline)
        except LimitError:
            raise LimitError(gave_up(self.method, len(sightings), self.limits)) from None
        if after.bytes > self.limits.bytes:
            raise LimitError(gave_up(self.method, len(sightings), self.limits))
        self.population, self.sightings = after, sightings

    def sample(self, count: int, seed: int) -> Histories:
        """Particles drawn by weight, with replacement."""
        weights = self.population.weights
        rows = np.random.default_rng(seed).choice(len(weights), size=count, p=weights)
        return self._given(rows, np.ones(count), complete=False)

    def enumerate(self, limit: int) -> Histories:
        """The different histories among the particles: all that fit, if none had to be left out."""
        joints = self.population.histories(np.arange(len(self.population)))
        _, rows = np.unique(joints.reshape(len(joints), -1), axis=0, return_index=True)
        rows = np.sort(rows)[:limit]
        complete = self.population.whole and len(rows) == len(self.population)
        return self._given(rows, proportions(self.population.logs[rows]), complete=complete)

    def size(self) -> int | None:
        """How many histories fit, as long as all are particles."""
        return len(self.population) if self.population.whole else None

    def probability(self, state: State) -> float:
        """The weight of the particles in the state."""
        here = same_state(self.transitions.states(self.population.points), state)
        return float(self.population.weights[here].sum())

    def _given(self, rows: Indices, weights: Reals, *, complete: bool) -> Histories:
        return Histories(
            joints=self.population.histories(rows),
            states=self.transitions.states(self.population.points[rows]),
            weights=weights,
            complete=complete,
        )

    def _beginning(self, count: int) -> Population:
        lanes = 1 if self.guided else count
        return Population(
            points=np.repeat(self.transitions.start(), lanes, axis=0),
            weights=np.full(lanes, 1.0 / lanes),
            logs=np.zeros(lanes),
            whole=self.guided,
        )

    def _carried(
        self, before: Population, sightings: Sequence[Sighting], count: int, attempt: int
    ) -> Population | None:
        """One step. None if all particles die."""
        rng = np.random.default_rng([self.seed, len(sightings), attempt])
        fan, which = fan_from(self.transitions, before.points, sightings[-1], self.limits.histories)
        if not fan.masses[which].any():
            return None
        whole = False
        if self.guided:
            ancestors, picks = spread(fan.starts[which], fan.starts[which + 1] - fan.starts[which])
            kept, weights = thinned(before.weights[ancestors] * fan.shares[picks], count, rng)
            whole = before.whole and len(kept) == len(picks)
            ancestors, picks = ancestors[kept], picks[kept]
        else:
            # A step drawn from all legal ones fits with the mass of those that fit.
            alive = np.flatnonzero(rng.random(count) < fan.masses[which])
            if not len(alive):
                return None
            ancestors, weights = rng.choice(alive, count), np.ones(count)
            picks = fan.draw(which[ancestors], rng)
        with np.errstate(divide="ignore"):
            logs = before.logs[ancestors] + np.log(fan.shares[picks])
        return Population(
            points=fan.points[picks],
            weights=weights / weights.sum(),
            logs=logs,
            lines=(*before.lines, (ancestors, fan.joints[picks])),
            whole=whole,
        )

    def _restarted(self, sightings: Sequence[Sighting], deadline: float) -> Population | None:
        """From the beginning with larger populations, as long as limits allow."""
        if self.population.whole:
            # All that fitted was there: more particles would change nothing.
            return None
        for attempt in range(1, self.restarts + 1):
            count = min(self.count * GROWTH**attempt, self.limits.histories)
            population: Population | None = self._beginning(count)
            for step in range(len(sightings)):
                if population is None or time.monotonic() > deadline:
                    population = None
                    break
                try:
                    population = self._carried(population, sightings[: step + 1], count, attempt)
                except LimitError:
                    return None
            if population is not None:
                rng = np.random.default_rng([self.seed, len(sightings), attempt, 1])
                rows, weights = thinned(population.weights, self.count, rng)
                return population.chosen(rows, weights)
        return None

    def _searched(self, sightings: Sequence[Sighting], deadline: float) -> Population:
        """From what a depth-first search finds. It raises BEL001 if there is nothing."""
        for sighting in sightings[len(self._search.sightings) :]:
            left = deadline - time.monotonic()
            self._search.limits = replace(self.limits, seconds=left)
            self._search.advance(sighting.move, sighting.percepts)
        found = self._search.sample(self.count, self.seed + len(sightings))
        flat = found.joints.reshape(len(found), -1)
        _, rows, which = np.unique(flat, axis=0, return_index=True, return_inverse=True)
        weights: Reals = np.bincount(which.ravel(), found.weights).astype(np.float64)
        population = self._replayed(found.joints[rows], sightings)
        if self.guided:
            return replace(population, weights=weights / weights.sum())
        rng = np.random.default_rng([self.seed, len(sightings), self.restarts + 1])
        return population.chosen(systematic(weights, self.count, rng), np.ones(self.count))

    def _replayed(self, histories: NDArray[np.int32], sightings: Sequence[Sighting]) -> Population:
        """Histories as a population, each its own ancestor."""
        lanes = np.arange(len(histories))
        points = np.repeat(self.transitions.start(), len(histories), axis=0)
        logs = np.zeros(len(histories))
        lines = []
        for step, sighting in enumerate(sightings):
            fan, which = fan_from(self.transitions, points, sighting, self.limits.histories)
            owners, rows = spread(fan.starts[which], fan.starts[which + 1] - fan.starts[which])
            picks = rows[(fan.joints[rows] == histories[owners, step]).all(axis=1)]
            logs += np.log(fan.shares[picks])
            points = fan.points[picks]
            lines.append((lanes, fan.joints[picks]))
        even = np.full(len(lanes), 1.0 / len(lanes))
        return Population(points=points, weights=even, logs=logs, lines=tuple(lines), whole=False)


def thinned(weights: Reals, count: int, rng: np.random.Generator) -> tuple[Indices, Reals]:
    """At most `count` of some weighted things, with new weights that are right on average.

    Source: Fearnhead and Clifford (2003), section 4. The k heaviest are kept as they are; of the
    rest count - k are drawn from one comb, none of them twice, and all get the weight c: the least
    for which those that weigh more than c, and as many as have to stand for the rest, are `count`.
    """
    if len(weights) <= count:
        return np.arange(len(weights)), weights
    order = np.argsort(-weights, kind="stable")
    ordered = weights[order]
    rest = np.cumsum(ordered[::-1])[::-1]
    level = rest[:count] / (count - np.arange(count))
    heavy = int(np.argmax(ordered[:count] <= level))
    light = order[heavy:]
    # In the order that they had: neighbours are alike, and a comb draws from all of them.
    light = np.sort(light)
    drawn = light[systematic(weights[light], count - heavy, rng)]
    rows = np.concatenate([order[:heavy], drawn])
    values = np.concatenate([ordered[:heavy], np.full(count - heavy, level[heavy])])
    ascending = np.argsort(rows, kind="stable")
    return rows[ascending], values[ascending]
