"""Merging of layers: steps that lead to equal states are joined to one node of the next layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.rows import distinct_rows, stacked
from fogspiel.machine.protocol import Continuations, Layer, LayerRun, LayerSteps

Indices = NDArray[np.int64]  #: (n,)


def merged(last: Layer, found: Continuations) -> tuple[Layer, LayerSteps]:
    """The next layer with equal states merged, and the steps into it, sorted by state."""
    firsts, inverse = distinct_rows(found.states)
    order = np.argsort(inverse, kind="stable")
    parents, shares = found.parents[order], found.shares[order]
    starts = _starts(inverse, len(firsts))
    weights = np.add.reduceat(last.weights[parents] * shares, starts[:-1])
    layer = Layer(
        states=found.states[firsts],
        counts=np.add.reduceat(last.counts[parents], starts[:-1]),
        # Only proportions matter, and products of many probabilities would underflow.
        weights=_normalised(weights),
    )
    steps = LayerSteps(parents=parents, joints=found.joints[order], shares=shares, starts=starts)
    return layer, steps


def joined(parts: Sequence[Continuations]) -> Continuations:
    """Concatenation of steps that were found in several parts."""
    if len(parts) == 1:
        return parts[0]
    return Continuations(
        parents=np.concatenate([part.parents for part in parts]),
        joints=np.concatenate([part.joints for part in parts]),
        states=stacked([part.states for part in parts]),
        shares=np.concatenate([part.shares for part in parts]),
    )


def selected(found: Continuations, rows: NDArray[np.bool_] | Indices) -> Continuations:
    """The steps in some rows."""
    return Continuations(
        parents=found.parents[rows],
        joints=found.joints[rows],
        states=found.states[rows],
        shares=found.shares[rows],
    )


def run_of_one(layer: Layer, steps: LayerSteps) -> LayerRun:
    """A layer as a run of layers."""
    return LayerRun(
        states=layer.states,
        counts=layer.counts,
        weights=layer.weights,
        layer_ends=(len(layer),),
        parents=steps.parents,
        joints=steps.joints,
        shares=steps.shares,
        starts=steps.starts,
        step_ends=(len(steps.parents),),
    )


def empty_run(first: Layer, roles: int) -> LayerRun:
    """A run without layers."""
    return LayerRun(
        states=first.states[:0],
        counts=first.counts[:0],
        weights=first.weights[:0],
        layer_ends=(),
        parents=np.empty(0, np.int64),
        joints=np.empty((0, roles), np.int32),
        shares=np.empty(0),
        starts=np.empty(0, np.int64),
        step_ends=(),
    )


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = weights.sum()
    return weights / total if total > 0.0 else np.full(len(weights), np.nan)


def _starts(inverse: Indices, count: int) -> Indices:
    sizes: NDArray[np.int64] = np.bincount(inverse, minlength=count)
    return np.concatenate([[0], np.cumsum(sizes)])
