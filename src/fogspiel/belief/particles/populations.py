"""Populations that stand for a belief: of states with all their histories, or of single histories.

Source: Richards (2012), algorithm 4.1, for `PlainParticles`; Fearnhead and Clifford (2003) for the
resampling that `MergedParticles` uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.transitions import (
    Indices,
    Points,
    Reals,
    Transitions,
    enumerate_backward,
    proportions,
    sample_backward,
    spread,
    systematic,
)
from fogspiel.core.kernels.rows import distinct_rows, stacked
from fogspiel.core.terms import Observation
from fogspiel.machine.layers import merged, selected
from fogspiel.machine.protocol import Continuations, Joints, Layer, LayerSteps


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledHistories:
    """Some histories, where they lead, and their weights."""

    joints: NDArray[np.int32]
    points: Points
    weights: Reals


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedParticles:
    """States with all histories that lead to them through the states of earlier layers."""

    layers: tuple[Layer, ...]
    steps: tuple[LayerSteps, ...]
    whole: bool

    @property
    def bytes(self) -> int:
        """Memory in use."""
        states: int = sum(layer.states.nbytes for layer in self.layers)
        return states + sum(step.bytes for step in self.steps)

    def carried(
        self,
        transitions: Transitions,
        observation: Observation,
        count: int,
        limit: int,
        rng: np.random.Generator,
    ) -> MergedParticles | None:
        """All continuations, equal ends merged, thinned if they are too many."""
        found = transitions.after(self.layers[-1].states, observation, limit)
        after = self._after(found)
        return after and after.resample(count, rng)

    def within(self, found: Continuations, ends: Points) -> MergedParticles | None:
        """Only those continuations that lead to some points."""
        rows = stacked([ends, found.states])
        firsts, which = distinct_rows(rows)
        kept = np.flatnonzero(firsts[which[len(ends) :]] < len(ends))
        after = self._after(selected(found, kept))
        return after and MergedParticles(layers=after.layers, steps=after.steps, whole=False)

    def resample(self, count: int, rng: np.random.Generator) -> MergedParticles:
        """Heavy states are kept, light ones drawn, so that weights are right on average."""
        layer = self.layers[-1]
        if len(layer) <= count:
            return self
        rows, weights = resample(layer.weights, count, rng)
        step = self.steps[-1]
        sizes = step.starts[rows + 1] - step.starts[rows]
        _, picks = spread(step.starts[rows], sizes)
        few = Layer(
            states=layer.states[rows], counts=layer.counts[rows], weights=weights / weights.sum()
        )
        into = LayerSteps(
            parents=step.parents[picks],
            joints=step.joints[picks],
            shares=step.shares[picks],
            starts=np.concatenate([[0], np.cumsum(sizes)]),
        )
        return MergedParticles(
            layers=(*self.layers[:-1], few), steps=(*self.steps[:-1], into), whole=False
        )

    def drawn(self, count: int, rng: np.random.Generator) -> SampledHistories:
        """States by weight, and a history to each by its probability."""
        last = self.layers[-1]
        ends = rng.choice(len(last), size=count, p=last.weights / last.weights.sum())
        joints = sample_backward(self.layers, self.steps, ends, rng)
        return SampledHistories(joints=joints, points=last.states[ends], weights=np.ones(count))

    def listed(self, limit: int) -> SampledHistories:
        """All histories to as many states as the limit allows."""
        last = self.layers[-1]
        ends = np.flatnonzero(np.cumsum(last.counts) <= limit)
        joints, which, weights = enumerate_backward(self.steps, ends)
        return SampledHistories(joints=joints, points=last.states[ends][which], weights=weights)

    def last(self) -> tuple[Points, Reals]:
        """The last layer."""
        return self.layers[-1].states, self.layers[-1].weights

    def _after(self, found: Continuations) -> MergedParticles | None:
        flows = self.layers[-1].weights[found.parents] * found.shares
        if not flows.any():
            return None
        layer, step = merged(self.layers[-1], found)
        return MergedParticles(
            layers=(*self.layers, layer), steps=(*self.steps, step), whole=self.whole
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainParticles:
    """Equally probable histories, some of them several times: the particles of algorithm 4.1."""

    points: Points
    logs: Reals  #: (n,) logarithm of the probability of each history, up to a constant
    lines: tuple[tuple[Indices, Joints], ...] = ()
    """The ancestor (n,) of each particle, and its joint move (n, roles), for each step."""
    whole: bool = False

    @property
    def bytes(self) -> int:
        """Memory in use."""
        lines = sum(ancestors.nbytes + joints.nbytes for ancestors, joints in self.lines)
        return int(self.points.nbytes + self.logs.nbytes + lines)

    def carried(
        self,
        transitions: Transitions,
        observation: Observation,
        count: int,
        limit: int,
        rng: np.random.Generator,
    ) -> PlainParticles | None:
        """Algorithm 4.1, lines 10 to 13."""
        following, which = transitions.successors(self.points, observation, limit)
        # A step drawn from all legal ones fits with the mass of those that fit.
        alive = np.flatnonzero(rng.random(len(self.points)) < following.masses[which])
        if not len(alive):
            return None
        ancestors = rng.choice(alive, count)
        picks = following.draw(which[ancestors], rng)
        return PlainParticles(
            points=following.points[picks],
            logs=self.logs[ancestors] + np.log(following.shares[picks]),
            lines=(*self.lines, (ancestors, following.joints[picks])),
        )

    def resample(self, count: int, rng: np.random.Generator) -> PlainParticles:
        """Some of the particles, drawn uniformly."""
        rows = systematic(np.ones(len(self.points)), min(count, len(self.points)), rng)
        ancestors, joints = self.lines[-1]
        last = (ancestors[rows], joints[rows])
        return PlainParticles(
            points=self.points[rows], logs=self.logs[rows], lines=(*self.lines[:-1], last)
        )

    def drawn(self, count: int, rng: np.random.Generator) -> SampledHistories:
        """Particles drawn uniformly, with replacement."""
        rows = rng.integers(len(self.points), size=count)
        return SampledHistories(
            joints=self._made(rows), points=self.points[rows], weights=np.ones(count)
        )

    def listed(self, limit: int) -> SampledHistories:
        """The different ones."""
        joints = self._made(np.arange(len(self.points)))
        _, rows = np.unique(joints.reshape(len(joints), -1), axis=0, return_index=True)
        rows = np.sort(rows)[:limit]
        weights = proportions(self.logs[rows])
        return SampledHistories(joints=joints[rows], points=self.points[rows], weights=weights)

    def last(self) -> tuple[Points, Reals]:
        """All with the same weight."""
        return self.points, np.full(len(self.points), 1.0 / len(self.points))

    def _made(self, rows: Indices) -> NDArray[np.int32]:
        """(n, steps, roles) the joint moves of some particles."""
        roles = self.lines[0][1].shape[1] if self.lines else 0
        made = np.empty((len(rows), len(self.lines), roles), np.int32)
        for step in range(len(self.lines) - 1, -1, -1):
            ancestors, joints = self.lines[step]
            made[:, step] = joints[rows]
            rows = ancestors[rows]
        return made


Particles: TypeAlias = MergedParticles | PlainParticles
"""A population after some steps. It is never changed: each step makes another."""


def merged_from(
    transitions: Transitions,
    observations: Sequence[Observation],
    histories: NDArray[np.int32],
    limit: int,
) -> MergedParticles:
    """All histories through the states of some that fit: also those that mix them."""
    first = transitions.first_layer()
    population = MergedParticles(layers=(first,), steps=(), whole=False)
    points = np.repeat(first.states, len(histories), axis=0)
    for step, observation in enumerate(observations):
        points = transitions.step(points, np.ascontiguousarray(histories[:, step]))
        found = transitions.after(population.layers[-1].states, observation, limit)
        after = population.within(found, points)
        assert after is not None, "a history that fits leads from layer to layer"
        population = after
    return population


def plain_from(
    transitions: Transitions,
    observations: Sequence[Observation],
    histories: NDArray[np.int32],
    limit: int,
) -> PlainParticles:
    """Histories that fit as particles, each its own ancestor."""
    lanes = np.arange(len(histories))
    points = np.repeat(transitions.start(), len(histories), axis=0)
    logs = np.zeros(len(histories))
    lines = []
    for step, observation in enumerate(observations):
        following, which = transitions.successors(points, observation, limit)
        owners, rows = following.spread(which)
        picks = rows[(following.joints[rows] == histories[owners, step]).all(axis=1)]
        logs += np.log(following.shares[picks])
        points = following.points[picks]
        lines.append((lanes, following.joints[picks]))
    return PlainParticles(points=points, logs=logs, lines=tuple(lines))


def resample(weights: Reals, count: int, rng: np.random.Generator) -> tuple[Indices, Reals]:
    """Keep at most `count` of some weighted things, with new weights that are right on average.

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
    # In the order that they had: neighbours are alike, and a comb draws from all of them.
    light = np.sort(order[heavy:])
    drawn = light[systematic(weights[light], count - heavy, rng)]
    rows = np.concatenate([order[:heavy], drawn])
    values = np.concatenate([ordered[:heavy], np.full(count - heavy, level[heavy])])
    ascending = np.argsort(rows, kind="stable")
    return rows[ascending], values[ascending]
