"""Roots: states in which simulations begin, with what all roles know there.

A small information set is searched as it is, each state by its probability. From a large one states
are drawn, and others are drawn when as many simulations have begun: however long a search goes on,
it does not settle on what a few draws happened to hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Belief, Histories
from fogspiel.belief.verify import knowledge_at_end, log_probabilities
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import RoleId
from fogspiel.machine.knowledge import Keys, first_knowledge, knowledge_of
from fogspiel.machine.protocol import Machine, States

MOST_ROOTS = 1 << 10  #: Histories up to which an information set is searched as it is

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """States in which simulations begin."""

    states: States  #: (n, words)
    knowledge: Keys
    """(n, roles) keys of what each role knows there; used where decisions depend on knowledge."""
    weights: Reals | None  #: (n,) probabilities, up to a common factor; None: the states take turns
    tags: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """(n,) the tag of each state: which roles learn in simulations from it; empty if always all."""
    redrawn: Callable[[int], Roots] | None = None
    """Draws other states, given a number that differs from draw to draw. None if these are all."""

    @property
    def shares(self) -> Reals:
        """(n,) probabilities."""
        if self.weights is None:
            return np.full(len(self.states), 1.0 / len(self.states))
        shares: Reals = self.weights / self.weights.sum()
        return shares

    def known_to(self, roles: Sequence[RoleId]) -> Keys:
        """(n, roles) keys of what some roles know."""
        return self.knowledge[:, list(roles)]

    def some(self, rows: NDArray[np.bool_]) -> Roots:
        """The roots of given rows, (n,), without others to be drawn."""
        return Roots(
            states=self.states[rows],
            knowledge=self.knowledge[rows],
            weights=None if self.weights is None else self.weights[rows],
            tags=self.tags[rows] if len(self.tags) else self.tags,
        )

    def distinct(self) -> tuple[States, Reals]:
        """The different states, and the probability of each."""
        firsts, inverse = distinct_rows(self.states)
        sums: Reals = np.bincount(inverse, self.shares, len(firsts)).astype(np.float64)
        return self.states[firsts], sums


def belief_roots(belief: Belief, seed: int, *, with_knowledge: bool) -> Roots:
    """The roots of a search for the role of a belief.

    with_knowledge: whether the search needs what other roles know, which takes a replay.
    """

    def drawn(again: int) -> Roots:
        mixed = np.random.SeedSequence([seed, again]).generate_state(1)
        return of(belief.sample(MOST_ROOTS, int(mixed[0])), drawn)

    def of(histories: Histories, redrawn: Callable[[int], Roots] | None) -> Roots:
        known = np.zeros((len(histories), len(belief.machine.roles)), np.uint64)
        if with_knowledge:
            known = knowledge_at_end(belief.machine, histories.joints)
        weights = histories.weights / histories.weights.sum()
        return Roots(states=histories.states, knowledge=known, weights=weights, redrawn=redrawn)

    found = histories_of(belief, seed)
    return of(found, None if found.complete else drawn)


def first_roots(machine: Machine) -> Roots:
    """The beginning of play, where nobody knows anything."""
    known = np.array([[first_knowledge(RoleId(role)) for role in range(len(machine.roles))]])
    return Roots(states=machine.initial()[None, :], knowledge=known, weights=np.ones(1))


def state_roots(machine: Machine, states: States) -> Roots:
    """States that take turns, for searches whose decisions are found by state."""
    known = np.zeros((len(states), len(machine.roles)), np.uint64)
    return Roots(states=states, knowledge=known, weights=None)


def with_key(roots: Roots, role: RoleId, keys: Keys | np.uint64) -> Roots:
    """The same roots with other keys for what a role knows."""
    knowledge = roots.knowledge.copy()
    knowledge[:, role] = keys
    redrawn = roots.redrawn
    if redrawn is None:
        return replace(roots, knowledge=knowledge)
    return replace(
        roots, knowledge=knowledge, redrawn=lambda again: with_key(redrawn(again), role, keys)
    )


class Targets:
    """The histories of an information set, to which outcome sampling leads its simulations."""

    def __init__(self, belief: Belief, seed: int) -> None:
        found = histories_of(belief, seed)
        self.complete = found.complete and belief.size() is not None
        """Whether these are all histories of the information set."""
        self.joints: NDArray[np.int32] = found.joints
        """(n, steps, roles)"""
        _, logs = log_probabilities(belief.machine, belief.role, self.joints)
        weights = np.exp(logs - logs.max()) if self.complete else found.weights
        self.bounds: Reals = np.cumsum(weights / weights.sum())
        """(n,) cumulative probabilities of the histories."""
        self.log_total = float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
        """log of the probability of all, given the role's own moves and uniform random others."""
        self.key = knowledge_of(belief.machine, belief.role, belief.observations)
        """What the role knows."""


def histories_of(belief: Belief, seed: int) -> Histories:
    """All histories of a role's information set, or some drawn from the belief."""
    size = belief.size()
    if size is not None and size <= MOST_ROOTS:
        found = belief.enumerate(MOST_ROOTS)
        if found.complete:
            return found
    return belief.sample(MOST_ROOTS, seed)
