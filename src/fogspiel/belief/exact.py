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

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.choices import Indices
from fogspiel.belief.findings import contradiction, gave_up, improbable
from fogspiel.belief.layers import Layer, Steps, all_back, drawn_back
from fogspiel.belief.protocol import BeliefLimits, Histories, Model, Sighting, same_state
from fogspiel.belief.transitions import Transitions, stacked
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import Continuations, Machine, State
from fogspiel.machine.rows import distinct_rows

EXACT_COUNT = 2.0**53
"""Counts below this are exact."""
PORTION = 1 << 17
"""States from which steps are found between two looks at the clock."""


class ExactBelief:
    """All that is possible. Implements `Belief`."""

    method = "exact"

    def __init__(
        self,
        machine: Machine,
        role: RoleId,
        limits: BeliefLimits | None = None,
        *,
        model: Model | None = None,
        by_knowledge: bool = False,
    ) -> None:
        self.machine = machine
        self.role = role
        self.limits = limits or BeliefLimits()
        self.transitions = Transitions(machine, role, model, by_knowledge=by_knowledge)
        self.sightings: list[Sighting] = []
        start = self.transitions.start()
        self.layers = [Layer(states=start, counts=np.ones(1), weights=np.ones(1))]
        self.steps: list[Steps] = []

    def advance(self, move: MoveId, percepts: Sequence[PerceptId]) -> None:
        """One more layer."""
        number = len(self.sightings) + 1
        sighting = Sighting(move, tuple(percepts))
        found = self._continuations(sighting, number)
        if not len(found.parents):
            raise PlayError(contradiction(number))
        layer, steps = merged(self.layers[-1], found)
        if not np.isfinite(layer.weights).all():
            raise PlayError(improbable(number))
        self.sightings.append(sighting)
        self.layers.append(layer)
        self.steps.append(steps)

    def _continuations(self, sighting: Sighting, number: int) -> Continuations:
        """All steps from the last layer, a portion at a time so that limits are kept."""
        points = self.layers[-1].states
        deadline = time.monotonic() + self.limits.seconds
        room = self._room()
        parts: list[Continuations] = []
        for first in range(0, len(points), PORTION):
            if room <= 0 or time.monotonic() > deadline:
                raise LimitError(gave_up(self.method, number, self.limits))
            portion = points[first : first + PORTION]
            try:
                part = self.transitions.after(portion, sighting, limit=room)
            except LimitError:
                raise LimitError(gave_up(self.method, number, self.limits)) from None
            room -= len(part.parents)
            parts.append(shifted(part, first))
        return joined(parts)

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn from the posterior, independently."""
        rng = np.random.default_rng(seed)
        last = self.layers[-1]
        ends = rng.choice(len(last), size=count, p=last.weights / last.weights.sum())
        return Histories(
            joints=drawn_back(self.layers, self.steps, ends, rng),
            states=self.transitions.states(last.states[ends]),
            weights=np.ones(count),
            complete=False,
        )

    def enumerate(self, limit: int) -> Histories:
        """All histories; or those to as many states as the limit allows."""
        last = self.layers[-1]
        allowed = np.cumsum(last.counts) <= limit
        ends = np.flatnonzero(allowed)
        joints, which, weights = all_back(self.steps, ends)
        return Histories(
            joints=joints,
            states=self.transitions.states(last.states[ends][which]),
            weights=weights,
            complete=bool(allowed.all()),
        )

    def size(self) -> int | None:
        """How many histories fit; None where they are too many to be counted exactly."""
        total = float(self.layers[-1].counts.sum())
        return int(total) if total < EXACT_COUNT else None

    def probability(self, state: State) -> float:
        """The probability that the game is in a state."""
        last = self.layers[-1]
        here = same_state(self.transitions.states(last.states), state)
        return float(last.weights[here].sum() / last.weights.sum())

    def _room(self) -> int:
        """How many steps may be found more."""
        used: int = sum(layer.states.nbytes for layer in self.layers)
        used += sum(steps.bytes for steps in self.steps)
        return self.transitions.affordable(self.limits, used)


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


def merged(last: Layer, found: Continuations) -> tuple[Layer, Steps]:
    """The next layer: steps sorted by where they lead, equal states joined."""
    firsts, inverse = distinct_rows(found.states)
    order = np.argsort(inverse, kind="stable")
    parents, shares = found.parents[order], found.shares[order]
    starts = _starts(inverse, len(firsts))
    weights = np.add.reduceat(last.weights[parents] * shares, starts[:-1])
    layer = Layer(
        states=found.states[firsts],
        counts=np.add.reduceat(last.counts[parents], starts[:-1]),
        # Only proportions matter, and products of many probabilities vanish.
        weights=_normalised(weights),
    )
    steps = Steps(parents=parents, joints=found.joints[order], shares=shares, starts=starts)
    return layer, steps


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = weights.sum()
    return weights / total if total > 0.0 else np.full(len(weights), np.nan)


def _starts(inverse: Indices, count: int) -> Indices:
    sizes: NDArray[np.int64] = np.bincount(inverse, minlength=count)
    return np.concatenate([[0], np.cumsum(sizes)])
