"""Searches of one role by itself: all others play uniformly at random, as part of chance.

`AloneSearch` is UCT in the tree of own actions and observations, as in NORNS (`alone_tree` is
faster and evaluates differently). `BeliefSearch` merges those of its nodes at which the role has
the same belief state: how it got there does not matter any more.

Source: Geisser, Keller & Mattmueller (2014), section 3.3; for beliefs as nodes, Kaelbling, Littman
& Cassandra (1998), Artificial Intelligence 101.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import rounded
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.analysis.random_walks import draw_uniform
from fogspiel.machine.knowledge import Keys, knowledge_after, state_keys
from fogspiel.machine.protocol import Joints, States
from fogspiel.search.mcts.lockstep import Lockstep, Path
from fogspiel.search.mcts.roots import SimulationStarts, Source, drawn_rows

LARGEST_BELIEF = 4096
"""States of a belief that is compared with others; larger ones are told apart by their history."""


class AloneSearch(Lockstep):
    """A search in which only the observer has bandits."""

    def _learning_roles(self) -> list[RoleId]:
        return [self.observer]

    def _choose(
        self,
        rows: NDArray[np.int64],
        states: States,
        known: Keys,
        rng: np.random.Generator,
        paths: list[Path],
    ) -> tuple[Joints, NDArray[np.bool_]]:
        joints, leaves = super()._choose(rows, states, known, rng, paths)
        for other in self._roles:
            if other not in (self.observer, self.machine.chance_role):
                joints[:, other] = draw_uniform(self.machine.legal_batch(states, other), rng)
        return joints, leaves


@dataclass(frozen=True, slots=True)
class _BeliefState:
    """The possible states, all different, and their probabilities."""

    states: States
    weights: NDArray[np.float64]

    def key(self, role: RoleId) -> int:
        """The same for every order of the states."""
        weights = rounded(self.weights).astype(np.uint64)
        rows = np.concatenate([self.states, weights[:, None]], axis=1)
        return int(state_keys(rows, role).sum(dtype=np.uint64))


class BeliefSearch(AloneSearch):
    """A search whose decisions are found by belief states: these are the keys of knowledge."""

    @cached_property
    def _beliefs(self) -> dict[int, _BeliefState]:
        """Belief states by their keys."""
        return {}

    @cached_property
    def _after(self) -> dict[tuple[int, int, bytes], int]:
        """The belief after a belief, an own move, and an observation."""
        return {}

    def root(self, states: States, weights: NDArray[np.float64]) -> np.uint64:
        """The key of a belief from which simulations will begin.

        states: (n, words) all different. weights: (n,) their probabilities.
        """
        return np.uint64(self._kept(_BeliefState(states, weights)))

    def from_root(self, root: np.uint64) -> Source:
        """Starts drawn from a belief."""
        belief = self._beliefs[int(root)]
        bounds = np.cumsum(belief.weights)

        def starts(count: int, seed: int) -> SimulationStarts:
            rows = drawn_rows(bounds, count, np.random.default_rng(seed))
            known = np.zeros((count, len(self.machine.roles)), np.uint64)
            known[:, self.observer] = root
            return SimulationStarts(states=belief.states[rows], knowledge=known)

        return starts

    def _knowledge_after(self, known: Keys, states: States, joints: Joints) -> Keys:
        if not len(known):
            return known
        role = self.observer
        seen = self.machine.percepts_batch(states, joints, role)
        before, moves = np.ascontiguousarray(known[:, role]), joints[:, role]
        packed = np.packbits(seen, axis=1)
        pasts = knowledge_after(self.machine, role, before, states, joints)
        # Equal questions are answered once; a hash of belief, move and percepts tells them apart.
        _, firsts, inverse = np.unique(pasts, return_index=True, return_inverse=True)
        keys = np.empty(len(firsts), np.uint64)
        for place, row in enumerate(firsts.tolist()):
            edge = (int(before[row]), int(moves[row]), packed[row].tobytes())
            if edge not in self._after:
                if self._budget.is_over:
                    # No time to find the belief: a decision of its own, for this once.
                    keys[place] = pasts[row]
                    continue
                percepts = tuple(PerceptId(int(p)) for p in np.flatnonzero(seen[row]))
                observation = Observation(MoveId(edge[1]), percepts)
                self._after[edge] = self._followed(edge[0], observation, pasts[row])
            keys[place] = self._after[edge]
        after = known.copy()
        after[:, role] = keys[inverse]
        return after

    def _followed(self, before: int, observation: Observation, past: np.uint64) -> int:
        """The key of the belief that follows; that of the past itself where there is none."""
        belief = self._beliefs.get(before)
        if belief is None or len(belief.states) > LARGEST_BELIEF:
            return int(past)
        states, seen = belief.states, observation.percepts
        seconds = expansion_seconds(self.machine, states, self.observer, seen)
        if seconds > self._budget.seconds_left:
            return int(past)
        found = self.machine.continuations(states, self.observer, observation)
        weights = belief.weights[found.parents] * found.shares
        firsts, inverse = distinct_rows(found.states)
        sums = np.bincount(inverse, weights, len(firsts))
        ends = found.states[firsts]
        # That play goes on is known to whoever is asked for a move.
        going = ~self.machine.terminal_batch(ends)
        if not going.any():
            return int(past)
        return self._kept(_BeliefState(ends[going], sums[going] / sums[going].sum()))

    def _kept(self, belief: _BeliefState) -> int:
        key = belief.key(self.observer)
        self._beliefs.setdefault(key, belief)
        return key
