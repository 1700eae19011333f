"""Where simulations begin: states that a role holds possible, and what all roles know there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Belief, Histories
from fogspiel.core.ids import RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.machine.knowledge_keys import Keys, first_knowledge, knowledge_after
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.mcts.lockstep import SimulationStarts

POOL = 1 << 10
"""Histories that stand for a belief: all of them if they are fewer, else drawn ones."""


class RootSampler:
    """A belief as something to draw from, again and again."""

    def __init__(self, belief: Belief, seed: int, *, with_knowledge: bool) -> None:
        """with_knowledge: whether it matters what other roles know; that takes a replay."""
        histories = histories_of(belief, seed)
        weights = histories.weights / histories.weights.sum()
        self._bounds = np.cumsum(weights)
        self.states = histories.states
        """(n, words)"""
        self.weights = weights
        """(n,) add up to 1."""
        self.knowledge = np.zeros((len(weights), len(belief.machine.roles)), np.uint64)
        """(n, roles) what each role knows there."""
        if with_knowledge:
            self.knowledge = knowledge_at_end(belief.machine, histories.joints)

    def __call__(self, count: int, seed: int) -> SimulationStarts:
        """Starts drawn by their probability."""
        uniforms = np.random.default_rng(seed).random(count) * self._bounds[-1]
        rows = np.minimum(
            np.searchsorted(self._bounds, uniforms, side="right"), len(self.states) - 1
        )
        return SimulationStarts(states=self.states[rows], knowledge=self.knowledge[rows])

    def distinct(self) -> tuple[States, NDArray[np.float64]]:
        """The different states, and the probability of each."""
        firsts, inverse = distinct_rows(self.states)
        weights = np.zeros(len(firsts))
        np.add.at(weights, inverse, self.weights)
        return self.states[firsts], weights


def histories_of(belief: Belief, seed: int) -> Histories:
    """All that a role holds possible, or some drawn from it."""
    size = belief.size()
    if size is not None and size <= POOL:
        found = belief.enumerate(POOL)
        if found.complete:
            return found
    return belief.sample(POOL, seed)


def knowledge_at_end(machine: Machine, joints: NDArray[np.int32]) -> Keys:
    """(n, roles) what every role knows after histories.

    joints: (n, steps, roles)
    """
    roles = [RoleId(role) for role in range(len(machine.roles))]
    known = np.tile(np.array([first_knowledge(role) for role in roles]), (len(joints), 1))
    states = np.repeat(machine.initial()[None, :], len(joints), axis=0)
    for step in range(joints.shape[1]):
        moves = np.ascontiguousarray(joints[:, step])
        for role in roles:
            if role != machine.chance_role:
                before = np.ascontiguousarray(known[:, role])
                known[:, role] = knowledge_after(machine, role, before, states, moves)
        states = machine.step_batch(states, moves)
    return known
