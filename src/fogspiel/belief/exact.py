"""`exact`: the whole information set, layer by layer, with equal states merged.

The steps that fit an observation are found for all states of a layer at once; the states they lead
to become the next layer, equal ones joined with their counts and probabilities added. States that
turn out to lead nowhere stay in their layers, but no history passes through them.

With an opponent model, a history's weight is the product of the probabilities of chance and of the
model along it (Richards 2012, equations 5.1 to 5.3). Where the model looks at what a role knows,
only histories that agree in all roles' knowledge as well are merged.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fogspiel.belief.base import contradiction, improbable
from fogspiel.belief.protocol import BeliefRequest, Histories
from fogspiel.belief.transitions import PointBelief, enumerate_backward, sample_backward
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import Observation
from fogspiel.machine.layers import joined, merged, run_of_one
from fogspiel.machine.protocol import Continuations, Layer, LayerRun, LayerSteps, State

EXACT_COUNT = 2.0**53  #: Counts below this are exact
SMALL_LAYER = 1 << 14  #: Steps into a layer that are found in one go
FIRST_PORTION = 1 << 12  #: States from which steps are found before the first look at the clock
PORTION_SECONDS = 0.2  #: Time between two looks, about


class ExactBelief(PointBelief):
    """All possible histories. Implements `Belief`."""

    method = "exact"

    def __init__(self, request: BeliefRequest, *, by_knowledge: bool = False) -> None:
        """by_knowledge: whether only histories in which others know the same are merged."""
        super().__init__(request, by_knowledge=by_knowledge)
        self.last = self.transitions.first_layer()
        """The states that are possible now."""
        self._layers, self._steps = [self.last], list[LayerSteps]()
        self._runs: list[LayerRun] = []
        """Layers that are not among `_layers` yet: to part them costs more than to find them."""
        self._used = 0

    @property
    def layers(self) -> list[Layer]:
        """(steps + 1,) the states that were possible, layer by layer."""
        self._part()
        return self._layers

    @property
    def steps(self) -> list[LayerSteps]:
        """(steps,) the steps into each layer from the one before."""
        self._part()
        return self._steps

    def _part(self) -> None:
        for run in self._runs:
            self._layers += [run.layer(number) for number in range(len(run))]
            self._steps += [run.steps(number) for number in range(len(run))]
        self._runs.clear()

    def advance(self, observation: Observation) -> None:
        """Find one more layer."""
        self.follow([observation])

    def follow(self, observations: Sequence[Observation]) -> None:
        """Take note of several steps: as `advance` for each, but quicker."""
        clock = self.clock()
        while observations:
            clock.check(len(self.observations) + 1)
            if self.expansion_seconds(self.last.states, observations[0]) > self.limits.seconds:
                raise self.gave_up(len(self.observations) + 1)
            done = self._run(observations) if self.transitions.plain else 0
            if not done:
                self._slowly(observations[0])
            observations = observations[max(done, 1) :]

    def _run(self, observations: Sequence[Observation]) -> int:
        """Do several steps together, those into small layers; how many could be done."""
        limit = min(SMALL_LAYER, self._room())
        if limit <= 0:
            return 0
        run = self.machine.layers(self.last, self.role, observations, limit)
        if len(run):
            self._add(run, observations)
        return len(run)

    def _slowly(self, observation: Observation) -> None:
        """Do one step, into a large layer or by a model, with an eye on the clock."""
        layer, steps = merged(self.last, self._continuations(observation))
        if not np.isfinite(layer.weights).all():
            raise improbable(len(self.observations) + 1)
        self._add(run_of_one(layer, steps), [observation])

    def _add(self, run: LayerRun, observations: Sequence[Observation]) -> None:
        """Take over what was found, up to an empty layer, from which nothing follows."""
        last = run.layer(len(run) - 1)
        is_empty = not len(last)
        if is_empty:
            run = replace(run, layer_ends=run.layer_ends[:-1], step_ends=run.step_ends[:-1])
        if len(run):
            self.last = run.layer(len(run) - 1) if is_empty else last
            self.observations += observations[: len(run)]
            self._runs.append(run)
            self._used += run.bytes
        if is_empty:
            raise contradiction(len(self.observations) + 1)

    def _continuations(self, observation: Observation) -> Continuations:
        """All steps from the last layer, a portion at a time so that limits are kept."""
        points, number = self.last.states, len(self.observations) + 1
        clock, room = self.clock(), self._room()
        parts: list[Continuations] = []
        first, size = 0, FIRST_PORTION
        while first < len(points):
            began = time.monotonic()
            clock.check(number)
            if room <= 0:
                raise self.gave_up(number)
            portion = points[first : first + size]
            try:
                part = self.transitions.after(portion, observation, limit=room)
            except LimitError:
                raise self.gave_up(number) from None
            room -= len(part.parents)
            parts.append(replace(part, parents=part.parents + first) if first else part)
            first += size
            spent = max(time.monotonic() - began, PORTION_SECONDS / 8)
            size = max(1, int(size * PORTION_SECONDS / spent))
        return joined(parts)

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn from the posterior, independently."""
        rng = np.random.default_rng(seed)
        last = self.last
        ends = rng.choice(len(last), size=count, p=last.weights / last.weights.sum())
        joints = sample_backward(self.layers, self.steps, ends, rng)
        return self.histories(joints, last.states[ends], np.ones(count))

    def enumerate(self, limit: int) -> Histories:
        """All histories; or those to as many states as the limit allows."""
        allowed = np.cumsum(self.last.counts) <= limit
        ends = np.flatnonzero(allowed)
        joints, which, weights = enumerate_backward(self.steps, ends)
        points = self.last.states[ends][which]
        return self.histories(joints, points, weights, complete=bool(allowed.all()))

    def size(self) -> int | None:
        """The number of histories; None where they are too many to be counted exactly."""
        total = float(self.last.counts.sum())
        return int(total) if total < EXACT_COUNT else None

    def probability(self, state: State) -> float:
        """The probability that the game is in a state."""
        return self.share_of(state, self.last.states, self.last.weights)

    def _room(self) -> int:
        """The number of steps that may still be found."""
        return self.transitions.affordable(self.limits, self._used)
