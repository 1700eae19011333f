"""Starts of simulations: states of a role's information set, and what all roles know there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Belief, Histories
from fogspiel.belief.verify import knowledge_at_end, log_probabilities
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.machine.knowledge import Keys, knowledge_of
from fogspiel.machine.protocol import States

POOL = 1 << 10  #: Histories that stand for a belief: all of them if they are fewer, else drawn ones

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationStarts:
    """States in which simulations begin."""

    states: States
    knowledge: Keys
    """(n, roles) what each role knows there; used where decisions depend on knowledge."""


Source = Callable[[int, int], SimulationStarts]
"""Draws starts, given a number of simulations and a seed."""


class RootStates(Protocol):
    """States in which simulations may begin."""

    @property
    def states(self) -> States:
        """(n, words)"""

    @property
    def knowledge(self) -> Keys:
        """(n, roles) what each role knows there; used where decisions depend on knowledge."""

    @property
    def weights(self) -> Reals:
        """(n,) probabilities, up to a common factor."""


class RootSampler:
    """Draws states from a belief again and again. Implements `RootStates`."""

    def __init__(self, belief: Belief, seed: int, *, with_knowledge: bool) -> None:
        """with_knowledge: whether the search needs what other roles know; that takes a replay."""
        histories = histories_of(belief, seed)
        self.weights: Reals = histories.weights / histories.weights.sum()
        """(n,) add up to 1."""
        self._bounds = np.cumsum(self.weights)
        self.states = histories.states
        """(n, words)"""
        self.knowledge = np.zeros((len(self.weights), len(belief.machine.roles)), np.uint64)
        """(n, roles) what each role knows there."""
        if with_knowledge:
            self.knowledge = knowledge_at_end(belief.machine, histories.joints)

    def __call__(self, count: int, seed: int) -> SimulationStarts:
        """Starts drawn by their probability."""
        rows = drawn_rows(self._bounds, count, np.random.default_rng(seed))
        return SimulationStarts(states=self.states[rows], knowledge=self.knowledge[rows])

    def distinct(self) -> tuple[States, Reals]:
        """The different states, and the probability of each."""
        firsts, inverse = distinct_rows(self.states)
        weights = np.zeros(len(firsts))
        np.add.at(weights, inverse, self.weights)
        return self.states[firsts], weights


class Targets:
    """The histories of an information set, to which outcome sampling leads its walks."""

    def __init__(self, belief: Belief, seed: int) -> None:
        found = histories_of(belief, seed)
        self.complete = found.complete and belief.size() is not None
        """Whether these are all histories of the information set."""
        self.joints: NDArray[np.int32] = found.joints
        """(n, steps, roles)"""
        _, logs = log_probabilities(belief.machine, belief.role, self.joints)
        weights = np.exp(logs - logs.max()) if self.complete else found.weights
        self._bounds = np.cumsum(weights / weights.sum())
        self.log_total = float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
        """log of the probability of all, given the role's own moves and uniform random others."""
        self.key = knowledge_of(belief.machine, belief.role, belief.observations)
        """What the role knows."""

    @property
    def steps(self) -> int:
        """Steps of play so far."""
        return int(self.joints.shape[1])

    def drawn(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """(count,) histories drawn by their probability."""
        return drawn_rows(self._bounds, count, rng)


def drawn_rows(bounds: Reals, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """(count,) row numbers drawn by cumulative weights."""
    rows = np.searchsorted(bounds, rng.random(count) * bounds[-1], side="right")
    # Rounding must not lead past the last row.
    inside: NDArray[np.int64] = np.minimum(rows, len(bounds) - 1)
    return inside


def histories_of(belief: Belief, seed: int) -> Histories:
    """All histories of a role's information set, or some drawn from the belief."""
    size = belief.size()
    if size is not None and size <= POOL:
        found = belief.enumerate(POOL)
        if found.complete:
            return found
    return belief.sample(POOL, seed)
