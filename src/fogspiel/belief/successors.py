"""Choosing among the steps from many points at once, each by its share.

Histories that are followed side by side often stand at the same point, all of them at first. The
steps from it are then found once, and each history makes its own choice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.transitions import Points, Transitions
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Continuations, Joints

Indices = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Successors:
    """The steps from some points, sorted by the point they start from."""

    starts: Indices
    """(n + 1,) the steps from point i are starts[i]:starts[i + 1]."""
    joints: Joints
    """(m, roles)"""
    points: Points
    """(m, …) where each leads."""
    shares: Reals
    """(m,)"""
    masses: Reals
    """(n,) shares of the steps from each point together: 0 where no step fits."""

    def draw(self, origins: Indices, rng: np.random.Generator) -> Indices:
        """(k,) a step from each of some points, by share. Their masses must not be 0."""
        flow = np.concatenate([[0.0], np.cumsum(self.shares)])
        low, high = flow[self.starts[origins]], flow[self.starts[origins + 1]]
        aims = low + rng.random(len(origins)) * (high - low)
        picks = np.searchsorted(flow, aims, side="right") - 1
        # Rounding must not lead out of the steps of the point.
        inside: Indices = np.clip(picks, self.starts[origins], self.starts[origins + 1] - 1)
        return inside


def fan_from(
    transitions: Transitions, points: Points, observation: Observation, limit: int | None = None
) -> tuple[Successors, Indices]:
    """The steps that fit from all different points, and which of these each point is."""
    firsts, which = distinct_rows(points)
    found = transitions.after(points[firsts], observation, limit)
    return fan_of(found, len(firsts)), which


def fan_of(found: Continuations, count: int) -> Successors:
    """Steps sorted by their parents, of which there are `count`."""
    order = np.argsort(found.parents, kind="stable")
    parents = found.parents[order]
    starts = np.searchsorted(parents, np.arange(count + 1)).astype(np.int64)
    shares = found.shares[order]
    masses = np.zeros(count)
    np.add.at(masses, parents, shares)
    return Successors(
        starts=starts,
        joints=found.joints[order],
        points=found.states[order],
        shares=shares,
        masses=masses,
    )


def spread(starts: Indices, counts: Indices) -> tuple[Indices, Indices]:
    """Many ranges, one after the other: which range each place belongs to, and the place."""
    owners = np.repeat(np.arange(len(starts)), counts)
    offsets = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    return owners, starts[owners] + offsets


def proportions(logs: Reals) -> Reals:
    """Weights from logarithms, the largest 1: only their proportions matter."""
    largest = logs.max(initial=-np.inf)
    return np.exp(logs - largest) if np.isfinite(largest) else np.zeros(len(logs))


def systematic(weights: Reals, count: int, rng: np.random.Generator) -> Indices:
    """(count,) places drawn by weight from one comb of even distances.

    Each place comes its expected number of times, rounded up or down; that disturbs a population
    less than independent draws.
    """
    places = np.flatnonzero(weights > 0.0)
    edges = np.cumsum(weights[places])
    comb = (np.arange(count) + rng.random()) * (edges[-1] / count)
    teeth = np.minimum(np.searchsorted(edges, comb, side="right"), len(places) - 1)
    drawn: Indices = places[teeth]
    return drawn
