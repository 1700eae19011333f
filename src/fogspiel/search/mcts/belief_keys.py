"""Beliefs as keys of decisions: what led to a belief does not matter any more.

Source: Kaelbling, Littman & Cassandra (1998), Artificial Intelligence 101.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import rounded
from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.knowledge import Keys, knowledge_after, state_keys
from fogspiel.machine.protocol import Joints, Machine, States

LARGEST_BELIEF = 4096
"""States of a belief that is compared with others; larger ones are told apart by their history."""
MOST_BYTES = 1 << 28  #: Memory that beliefs may take, if nothing else is said
ENTRY_BYTES = 512  #: Memory of one belief, or of what follows from it, its states left out


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


class BeliefKeys:
    """Keys of the beliefs of one role, others playing uniformly at random. A `Follow`.

    When memory is used up, beliefs that are new are told apart by their history, until a turn
    begins and all are forgotten.
    """

    def __init__(self, machine: Machine, role: RoleId, max_bytes: int = MOST_BYTES) -> None:
        self._machine, self._role, self._max_bytes = machine, role, max_bytes
        self.bytes = 0
        """Memory in use, about."""
        self._beliefs: dict[int, _BeliefState] = {}
        self._after: dict[tuple[int, int, bytes], int] = {}
        """The belief after a belief, an own move, and an observation."""
        self.budget = Budget(simulations=0)
        """What time there is to follow beliefs."""

    def key_of(self, states: States, weights: NDArray[np.float64]) -> np.uint64:
        """The key of a belief at which a turn begins.

        states: (n, words) all different. weights: (n,) probabilities.
        """
        if self._is_full:
            self._beliefs.clear()
            self._after.clear()
            self.bytes = 0
        return np.uint64(self._kept(_BeliefState(states, weights)))

    def __call__(
        self, machine: Machine, role: RoleId, before: Keys, states: States, joints: Joints
    ) -> Keys:
        """(n,) keys of the beliefs after joint moves in states, given those before."""
        seen = machine.percepts_batch(states, joints, role)
        moves, packed = joints[:, role], np.packbits(seen, axis=1)
        pasts = knowledge_after(machine, role, before, states, joints)
        # Equal questions are answered once; a hash of belief, move and percepts tells them apart.
        _, firsts, inverse = np.unique(pasts, return_index=True, return_inverse=True)
        keys = np.empty(len(firsts), np.uint64)
        for place, row in enumerate(firsts.tolist()):
            edge = (int(before[row]), int(moves[row]), packed[row].tobytes())
            if edge not in self._after:
                if self.budget.is_over or self._is_full:
                    # No time or room to find the belief: a decision of its own, for this once.
                    keys[place] = pasts[row]
                    continue
                percepts = tuple(PerceptId(int(p)) for p in np.flatnonzero(seen[row]))
                observation = Observation(MoveId(edge[1]), percepts)
                self._after[edge] = self._followed(edge[0], observation, pasts[row])
                self.bytes += ENTRY_BYTES
            keys[place] = self._after[edge]
        return keys[inverse]

    def _followed(self, before: int, observation: Observation, past: np.uint64) -> int:
        """The key of the belief that follows; that of the past itself where there is none."""
        belief = self._beliefs.get(before)
        if belief is None or len(belief.states) > LARGEST_BELIEF:
            return int(past)
        states, seen = belief.states, observation.percepts
        seconds = expansion_seconds(self._machine, states, self._role, seen)
        if seconds > self.budget.seconds_left:
            return int(past)
        found = self._machine.continuations(states, self._role, observation)
        weights = belief.weights[found.parents] * found.shares
        firsts, inverse = distinct_rows(found.states)
        sums = np.bincount(inverse, weights, len(firsts))
        ends = found.states[firsts]
        # That play goes on is known to whoever is asked for a move.
        going = ~self._machine.terminal_batch(ends)
        if not going.any():
            return int(past)
        return self._kept(_BeliefState(ends[going], sums[going] / sums[going].sum()))

    def _kept(self, belief: _BeliefState) -> int:
        key = belief.key(self._role)
        if key not in self._beliefs:
            self._beliefs[key] = belief
            self.bytes += ENTRY_BYTES + belief.states.nbytes + belief.weights.nbytes
        return key

    @property
    def _is_full(self) -> bool:
        return self.bytes > self._max_bytes
