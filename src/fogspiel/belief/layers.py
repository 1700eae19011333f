"""Layers of states with the steps between them: all histories of an information set, compactly.

Histories that lead to equal states are one node. Its count says how many there are, its weight how
probable they are together. Histories are read off by walking back along the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.choices import Indices, proportions, spread
from fogspiel.machine.protocol import Joints, States


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The states that are possible after some steps."""

    states: States
    """(n, words) preceded by what other roles know, where histories are told apart by it."""
    counts: NDArray[np.float64]
    """(n,) histories that lead to each; exact below 2**53."""
    weights: NDArray[np.float64]
    """(n,) their probability, up to a factor common to the layer."""

    def __len__(self) -> int:
        """How many states there are."""
        return len(self.states)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The steps into a layer, sorted by where they lead."""

    parents: Indices
    """(m,) in the layer before."""
    joints: Joints
    """(m, roles)"""
    shares: NDArray[np.float64]
    """(m,) probability of the step in its state."""
    starts: Indices
    """(n + 1,) the steps into state i are starts[i]:starts[i + 1]."""

    @property
    def bytes(self) -> int:
        """Memory in use."""
        arrays = (self.parents, self.joints, self.shares, self.starts)
        return sum(array.nbytes for array in arrays)


def drawn_back(
    layers: Sequence[Layer], steps: Sequence[Steps], ends: Indices, rng: np.random.Generator
) -> NDArray[np.int32]:
    """(n, steps, roles) a history to each of some states of the last layer, by its probability."""
    roles = steps[0].joints.shape[1] if steps else 0
    joints = np.empty((len(ends), len(steps), roles), np.int32)
    at = ends
    for depth in range(len(steps) - 1, -1, -1):
        step = steps[depth]
        flow = np.cumsum(layers[depth].weights[step.parents] * step.shares)
        before = np.concatenate([[0.0], flow])
        low, high = before[step.starts[at]], before[step.starts[at + 1]]
        picks = np.searchsorted(flow, low + rng.random(len(at)) * (high - low), side="right")
        # Rounding must not lead out of the steps of the state.
        picks = np.clip(picks, step.starts[at], step.starts[at + 1] - 1)
        joints[:, depth] = step.joints[picks]
        at = step.parents[picks]
    return joints


def all_back(
    steps: Sequence[Steps], ends: Indices
) -> tuple[NDArray[np.int32], Indices, NDArray[np.float64]]:
    """All histories to some states of the last layer: joint moves, the end of each, its weight."""
    roles = steps[0].joints.shape[1] if steps else 0
    at, last = ends, np.arange(len(ends))
    # A product of many probabilities vanishes, the sum of their logarithms does not.
    logs = np.zeros(len(ends))
    columns: list[NDArray[np.int32]] = []
    rows: list[Indices] = []
    for step in reversed(steps):
        chosen, picks = spread(step.starts[at], step.starts[at + 1] - step.starts[at])
        columns.append(step.joints[picks])
        rows.append(chosen)
        with np.errstate(divide="ignore"):
            logs = logs[chosen] + np.log(step.shares[picks])
        at, last = step.parents[picks], last[chosen]
    joints = np.empty((len(at), len(steps), roles), np.int32)
    place = np.arange(len(at))
    for depth in range(len(steps)):
        joints[:, depth] = columns[len(steps) - 1 - depth][place]
        place = rows[len(steps) - 1 - depth][place]
    return joints, last, proportions(logs)
