"""`exact`: the whole information set, layer by layer, with equal states merged.

The steps that fit what the role saw are found for all states of a layer at once; their ends become
the next layer, equal ones joined with their counts and probabilities added. States that turn out
to lead nowhere stay in their layers, but no history passes through them.

With a model of how others play, a history's weight is the product of the probabilities of chance
and of the model along it (Richards, equations 5.1 to 5.3). Where the model looks at what a role
knows, only histories that agree in all roles' knowledge as well are merged.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fogspiel.belief.findings import contradiction, gave_up, improbable
from fogspiel.belief.layers import enumerate_backward, of_roles, sample_backward
from fogspiel.belief.protocol import BeliefLimits, Histories, OpponentModel, same_state
from fogspiel.belief.transitions import Transitions, stacked
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.layers import merged, run_of_one
from fogspiel.machine.protocol import Continuations, Layer, LayerRun, LayerSteps, Machine, State

EXACT_COUNT = 2.0**53
"""Counts below this are exact."""
SMALL_LAYER = 1 << 14
"""Steps into a layer that are found in one go."""
FIRST_PORTION = 1 << 12
"""States from which steps are found before the first look at the clock."""
PORTION_SECONDS = 0.2
"""Between two looks, about."""


class ExactBelief:
    """All that is possible. Implements `Belief`."""

    method = "exact"

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        limits: BeliefLimits | None = None,
        *,
        model: OpponentModel | None = None,
        by_knowledge: bool = False,
    ) -> None:
        self.machine = machine
        self.role = role
        self.limits = limits or BeliefLimits()
        self.transitions = Transitions(machine, role, model, by_knowledge=by_knowledge)
        self.observations: list[Observation] = []
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
        """(steps,) how each layer follows from the one before."""
        self._part()
        return self._steps

    def _part(self) -> None:
        for run in self._runs:
            self._layers += [run.layer(number) for number in range(len(run))]
            self._steps += [run.steps(number) for number in range(len(run))]
        self._runs.clear()

    def advance(self, observation: Observation) -> None:
        """One more layer."""
        self.follow([observation])

    def follow(self, observations: Sequence[Observation]) -> None:
        """Take note of several steps: as `advance` for each, but quicker."""
        deadline = time.monotonic() + self.limits.seconds
        while observations:
            if time.monotonic() > deadline or self._is_too_wide(observations[0]):
                raise gave_up(self.method, len(self.observations) + 1, self.limits)
            done = self._run(observations) if self.transitions.plain else 0
            if not done:
                self._slowly(observations[0])
            observations = observations[max(done, 1) :]

    def _is_too_wide(self, observation: Observation) -> bool:
        """Whether others may have done so much that trying all of it takes too long."""
        states = self.transitions.states(self.last.states)
        seconds = expansion_seconds(self.machine, states, self.role, observation.percepts)
        return seconds > self.limits.seconds

    def _run(self, observations: Sequence[Observation]) -> int:
        """How many steps could be done together: those into small layers."""
        limit = min(SMALL_LAYER, self._room())
        if limit <= 0:
            return 0
        run = self.machine.layers(self.last, self.role, observations, limit)
        if len(run):
            self._add(run, observations)
        return len(run)

    def _slowly(self, observation: Observation) -> None:
        """One step into a large layer, or as a model says, with an eye on the clock."""
        number = len(self.observations) + 1
        layer, steps = merged(self.last, self._continuations(observation, number))
        if not np.isfinite(layer.weights).all():
            raise improbable(number)
        self._add(run_of_one(layer, steps), [observation])

    def _add(self, run: LayerRun, observations: Sequence[Observation]) -> None:
        """Take over what was found. Of an empty layer at its end nothing follows."""
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

    def _continuations(self, observation: Observation, number: int) -> Continuations:
        """All steps from the last layer, a portion at a time so that limits are kept."""
        points = self.last.states
        deadline = time.monotonic() + self.limits.seconds
        room = self._room()
        parts: list[Continuations] = []
        first, size = 0, FIRST_PORTION
        while first < len(points):
            began = time.monotonic()
            if room <= 0 or began > deadline:
                raise gave_up(self.method, number, self.limits)
            portion = points[first : first + size]
            try:
                part = self.transitions.after(portion, observation, limit=room)
            except LimitError:
                raise gave_up(self.method, number, self.limits) from None
            room -= len(part.parents)
            parts.append(shifted(part, first))
            first += size
            spent = max(time.monotonic() - began, PORTION_SECONDS / 8)
            size = max(1, int(size * PORTION_SECONDS / spent))
        return joined(parts)

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn from the posterior, independently."""
        rng = np.random.default_rng(seed)
        last = self.last
        ends = rng.choice(len(last), size=count, p=last.weights / last.weights.sum())
        return Histories(
            joints=of_roles(
                sample_backward(self.layers, self.steps, ends, rng), len(self.machine.roles)
            ),
            states=self.transitions.states(last.states[ends]),
            weights=np.ones(count),
            complete=False,
        )

    def enumerate(self, limit: int) -> Histories:
        """All histories; or those to as many states as the limit allows."""
        last = self.last
        allowed = np.cumsum(last.counts) <= limit
        ends = np.flatnonzero(allowed)
        joints, which, weights = enumerate_backward(self.steps, ends)
        return Histories(
            joints=of_roles(joints, len(self.machine.roles)),
            states=self.transitions.states(last.states[ends][which]),
            weights=weights,
            complete=bool(allowed.all()),
        )

    def size(self) -> int | None:
        """How many histories fit; None where they are too many to be counted exactly."""
        total = float(self.last.counts.sum())
        return int(total) if total < EXACT_COUNT else None

    def probability(self, state: State) -> float:
        """The probability that the game is in a state."""
        last = self.last
        here = same_state(self.transitions.states(last.states), state)
        return float(last.weights[here].sum() / last.weights.sum())

    def _room(self) -> int:
        """How many steps may be found more."""
        return self.transitions.affordable(self.limits, self._used)


def shifted(part: Continuations, first: int) -> Continuations:
    """Steps from a portion of some states, numbered among all of them."""
    if first == 0:
        return part
    return Continuations(
        parents=part.parents + first, joints=part.joints, states=part.states, shares=part.shares
    )


def joined(parts: Sequence[Continuations]) -> Continuations:
    """Portions, one after the other."""
    if len(parts) == 1:
        return parts[0]
    return Continuations(
        parents=np.concatenate([part.parents for part in parts]),
        joints=np.concatenate([part.joints for part in parts]),
        states=stacked([part.states for part in parts]),
        shares=np.concatenate([part.shares for part in parts]),
    )
