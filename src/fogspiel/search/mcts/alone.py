"""Searches of one role that thinks by itself: all others choose evenly, as chance does.

`AloneSearch` is UCT in the tree of own actions and observations, as NORNS has it (`alone_tree` is
faster and asks more). `BeliefSearch` joins those of its nodes at which the role holds the same
states possible with the same probabilities: what it asked to get there does not matter any more.

Source: Geisser, Keller & Mattmueller (2014), section 3.3; for beliefs as nodes, Kaelbling, Littman
& Cassandra (1998), Artificial Intelligence 101.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.rounding import rounded
from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.core.observation import Observation
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.analysis.random_walks import draw_uniform
from fogspiel.machine.knowledge_keys import Keys, knowledge_after, state_keys
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.lockstep import Lockstep, Path, SelectionRule, SimulationStarts, Source

LARGEST_BELIEF = 4096
"""States of a belief that is worth telling from others; where there are more, pasts are."""


class AloneSearch(Lockstep):
    """Only the observer has bandits."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        rule: SelectionRule,
        seed: int,
        ending: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        super().__init__(machine, observer, scope="observer", rule=rule, seed=seed, ending=ending)
        self._others = [role for role in self._players if role != observer]
        self._players = [observer]

    def _choose(
        self,
        rows: NDArray[np.int64],
        states: States,
        known: Keys,
        rng: np.random.Generator,
        trails: list[Path],
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        joints, leaves = super()._choose(rows, states, known, rng, trails)
        for other in self._others:
            joints[:, other] = draw_uniform(self.machine.legal_batch(states, other), rng)
        return joints, leaves


class BeliefSearch(AloneSearch):
    """Decisions are found by what is held possible: keys of knowledge are keys of beliefs."""

    def __init__(
        self,
        machine: Machine,
        observer: RoleId,
        *,
        rule: SelectionRule,
        seed: int,
        ending: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        super().__init__(machine, observer, rule=rule, seed=seed, ending=ending)
        self._beliefs: dict[int, _Belief] = {}
        self._after: dict[tuple[int, int, bytes], int] = {}
        """The belief after a belief, an own move, and what was seen then."""

    def root(self, states: States, weights: NDArray[np.float64]) -> np.uint64:
        """The key of a belief from which simulations will begin.

        states: (n, words) all different. weights: (n,) their probabilities.
        """
        return np.uint64(self._kept(_Belief(states, weights)))

    def from_root(self, root: np.uint64) -> Source:
        """Starts drawn from a belief."""
        belief = self._beliefs[int(root)]
        bounds = np.cumsum(belief.weights)

        def starts(count: int, seed: int) -> SimulationStarts:
            uniforms = np.random.default_rng(seed).random(count) * bounds[-1]
            rows = np.searchsorted(bounds, uniforms, side="right")
            known = np.zeros((count, len(self.machine.roles)), np.uint64)
            known[:, self.observer] = root
            return SimulationStarts(
                states=belief.states[np.minimum(rows, len(bounds) - 1)], knowledge=known
            )

        return starts

    def _learnt(self, known: Keys, states: States, joints: NDArray[np.int32]) -> Keys:
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
        return self._kept(_Belief(ends[going], sums[going] / sums[going].sum()))

    def _kept(self, belief: _Belief) -> int:
        key = belief.key(self.observer)
        self._beliefs.setdefault(key, belief)
        return key


@dataclass(frozen=True, slots=True)
class _Belief:
    """States that are held possible, all different, and their probabilities."""

    states: States
    weights: NDArray[np.float64]

    def key(self, role: RoleId) -> int:
        """The same in whatever order the states come."""
        shares = rounded(self.weights).astype(np.uint64)
        rows = np.concatenate([self.states, shares[:, None]], axis=1)
        return int(state_keys(rows, role).sum(dtype=np.uint64))
