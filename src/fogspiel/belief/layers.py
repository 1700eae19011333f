"""Reading histories off layers of states, by walking back along the steps between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.successors import Indices, proportions, spread
from fogspiel.machine.protocol import Layer, LayerSteps


def sample_backward(
    layers: Sequence[Layer], steps: Sequence[LayerSteps], ends: Indices, rng: np.random.Generator
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


def enumerate_backward(
    steps: Sequence[LayerSteps], ends: Indices
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


def of_roles(joints: NDArray[np.int32], roles: int) -> NDArray[np.int32]:
    """(n, steps, roles) also before the first step, where layers do not tell the roles."""
    return joints.reshape(*joints.shape[:2], roles)
