"""`exact`: the whole information set, layer by layer, with equal states merged.

The steps that fit what the role saw are found for all states of a layer at once; their ends become
the next layer, equal ones joined with their counts and probabilities added. States that turn out
to lead nowhere stay in their layers, but no history passes through them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.findings import contradiction, gave_up
from fogspiel.belief.layers import Indices, Layer, Steps, all_back, drawn_back
from fogspiel.belief.protocol import BeliefLimits, Histories, Sighting
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import Continuations, Machine, State
from fogspiel.machine.rows import distinct_rows

EXACT_COUNT = 2.0**53
"""Counts below this are exact."""


class ExactBelief:
    """All that is possible. Implements `Belief`."""

    method = "exact"

    def __init__(self, machine: Machine, role: RoleId, limits: BeliefLimits | None = None) -> None:
        self.machine = machine
        self.role = role
        self.limits = limits or BeliefLimits()
        self.sightings: list[Sighting] = []
        start = machine.initial()[None, :]
        self.layers = [Layer(states=start, counts=np.ones(1), weights=np.ones(1))]
        self.steps: list[Steps] = []

    def advance(self, move: MoveId, percepts: Sequence[PerceptId]) -> None:
        """One more layer."""
        last = self.layers[-1]
        self._refuse_memory()
        try:
            found = self.machine.continuations(
                last.states, self.role, move, percepts, limit=self.limits.histories
            )
        except LimitError:
            raise LimitError(gave_up(self.method, len(self.sightings) + 1, self.limits)) from None
        if not len(found.parents):
            raise PlayError(contradiction(len(self.sightings) + 1))
        layer, steps = merged(last, found)
        self.sightings.append(Sighting(move, tuple(percepts)))
        self.layers.append(layer)
        self.steps.append(steps)

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn from the posterior, independently."""
        rng = np.random.default_rng(seed)
        last = self.layers[-1]
        ends = rng.choice(len(last), size=count, p=last.weights / last.weights.sum())
        return Histories(
            joints=drawn_back(self.layers, self.steps, ends, rng),
            states=last.states[ends],
            weights=np.ones(count),
            complete=False,
        )

    def enumerate(self, limit: int) -> Histories:
        """All histories; or those to as many states as the limit allows."""
        last = self.layers[-1]
        allowed = np.cumsum(last.counts) <= limit
        ends = np.flatnonzero(allowed)
        joints, which, weights = all_back(self.steps, ends, np.ones(len(ends)))
        return Histories(
            joints=joints,
            states=last.states[ends][which],
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
        here = (last.states == state[None, :]).all(axis=1)
        return float(last.weights[here].sum() / last.weights.sum())

    def _refuse_memory(self) -> None:
        used = sum(layer.states.nbytes for layer in self.layers)
        used += sum(steps.bytes for steps in self.steps)
        if used > self.limits.bytes:
            raise LimitError(gave_up(self.method, len(self.sightings) + 1, self.limits))


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
        weights=weights / weights.sum(),
    )
    steps = Steps(parents=parents, joints=found.joints[order], shares=shares, starts=starts)
    return layer, steps


def _starts(inverse: Indices, count: int) -> Indices:
    sizes: NDArray[np.int64] = np.bincount(inverse, minlength=count)
    return np.concatenate([[0], np.cumsum(sizes)])
