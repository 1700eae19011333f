"""Opponents of two types, weighed by their priors and by what was observed.

In a simulation every opponent is of one type throughout; the searching role does not know which, so
its own decisions, found by what it knows, answer both together. Types:
- `EVEN` plays uniformly at random;
- `SIGHTED` sees the whole state and gets better at the game as the search goes on, as players do
  that search possible states as if nothing were hidden.
The moves of an opponent are evidence about its type as well as about the state: histories and types
are weighed together, by how often the search saw bandits of the type choose so.

Sources: Harsanyi (1967) for types; Southey et al. (2005), "Bayes' bluff: opponent modelling in
poker", for the weighing; Cerny (2014), equation 5.5, for visits as probabilities.
Own decisions are found by memory (`machine/wrappers/observation_multiset`): what the role did and
saw, in any order, and the moves it has. Fewer decisions are met more often.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Belief
from fogspiel.belief.verify import carried_along
from fogspiel.core.budget import Budget, bytes_within, in_time
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.analysis.random_walks import draw_uniform
from fogspiel.machine.knowledge import (
    Keys,
    observation_key,
    observation_keys,
    state_keys,
    with_choice,
)
from fogspiel.machine.protocol import Joints, Machine, States, player_roles
from fogspiel.search.mcts.kernels.bandits import read_strategy
from fogspiel.search.mcts.lockstep import Lockstep
from fogspiel.search.mcts.roots import SimulationStarts, drawn_rows, histories_of
from fogspiel.search.mcts.statistics import DecisionTable
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

EVEN, SIGHTED = 0, 1
TYPES = 2
DOUBT = 24.0
"""Visits that the uniform strategy counts for, beside those of a bandit: few visits say little."""
SLIP = 0.05
"""Probability that an opponent of any type plays at random: no move refutes a type for good."""

Reals = NDArray[np.float64]


class TypeSearch(Lockstep):
    """A search whose keys of knowledge have the type of the opponents as their last column."""

    def _options(
        self, role: RoleId, states: States, known: Keys, rng: np.random.Generator
    ) -> NDArray[np.bool_]:
        legal = super()._options(role, states, known, rng)
        if role == self.observer:
            return legal
        # Who plays at random is left the move that was drawn, so that there is nothing to learn.
        rows = np.flatnonzero(known[:, -1] == EVEN)
        moves = draw_uniform(legal[rows], rng)
        legal[rows] = False
        legal[rows, moves] = True
        return legal

    def _keys(self, role: RoleId, states: States, known: Keys, legal: NDArray[np.bool_]) -> Keys:
        if role == self.observer:
            return with_choice(np.ascontiguousarray(known[:, role]), role, legal)
        return state_keys(states, role)

    def _knowledge_after(self, known: Keys, states: States, joints: Joints) -> Keys:
        if not len(known):
            return known
        role, after = self.observer, known.copy()
        after[:, role] += observation_keys(self.machine, role, states, joints)
        return after


class TypedRoots:
    """Draws histories and types by their joint probability."""

    def __init__(self, belief: Belief, even: float, decisions: DecisionTable, seed: int) -> None:
        """even: prior probability of that type.

        decisions: of the search so far, which tell how the other type chooses.
        """
        histories = histories_of(belief, seed)
        ratios = _ratios(belief.machine, belief.role, histories.joints, decisions)
        likelihoods = np.column_stack([np.full(len(ratios), even), (1.0 - even) * ratios])
        weights = histories.weights[:, None] * likelihoods
        self.weights: Reals = weights / weights.sum()
        """(n, types) add up to 1."""
        self.states = histories.states
        """(n, words)"""
        self._memory = memory_of(belief.machine, belief.role, belief.observations)
        self._role, self._roles = belief.role, len(belief.machine.roles)
        self._bounds = np.cumsum(self.weights.ravel())

    def __call__(self, count: int, seed: int) -> SimulationStarts:
        """Starts drawn by their probability."""
        rows, types = np.divmod(drawn_rows(self._bounds, count, np.random.default_rng(seed)), TYPES)
        known = np.zeros((count, self._roles + 1), np.uint64)
        known[:, self._role] = self._memory
        known[:, -1] = types
        return SimulationStarts(states=self.states[rows], knowledge=known)


def typed_answer(
    machine: Machine,
    role: RoleId,
    roots: TypedRoots,
    decisions: DecisionTable,
    *,
    max_rows: int,
    budget: Budget,
) -> MoveId | None:
    """The best response to opponents of unknown type, while all beliefs that may follow fit.

    Looking ahead, opponents draw their type anew at every move, with its present probability. They
    then depend on the state, which the solver needs, and beliefs that differ in nothing but the
    type are one. None where there are more rows than allowed, or time is over.
    """
    even = float(roots.weights[:, EVEN].sum())

    def behaviour(other: RoleId, states: States, legal: NDArray[np.bool_]) -> Reals:
        uniform: Reals = legal / legal.sum(axis=1, keepdims=True)
        return even * uniform + (1.0 - even) * sighted_strategy(decisions, other, states, legal)

    firsts, inverse = distinct_rows(roots.states)
    weights = np.zeros(len(firsts))
    np.add.at(weights, inverse, roots.weights.sum(axis=1))
    try:
        return solve_belief_mdp(
            machine,
            role,
            behaviour,
            start=(roots.states[firsts], weights),
            max_rows=max_rows,
            max_bytes=bytes_within(budget),
            progress=in_time(budget),
        ).move
    except LimitError:
        return None


def memory_of(machine: Machine, role: RoleId, observations: Sequence[Observation]) -> np.uint64:
    """A hash of what a role did and saw, in any order."""
    keys = [observation_key(machine, role, own) for own in observations]
    return np.uint64(np.array(keys, np.uint64).sum(dtype=np.uint64))


def _ratios(
    machine: Machine, role: RoleId, joints: NDArray[np.int32], decisions: DecisionTable
) -> Reals:
    """(n,) likelihood ratios of histories: sighted opponents against uniform random ones.

    joints: (n, steps, roles)
    """
    others = player_roles(machine)
    others.remove(role)

    def after(ratios: Reals, states: States, origins: NDArray[np.int64], made: Joints) -> Reals:
        ratios = ratios[origins]
        for other in others:
            legal = machine.legal_batch(states, other)
            found = sighted_strategy(decisions, other, states, legal)
            ratios *= found[origins, made[:, other]] * legal.sum(axis=1)[origins]
        return ratios

    return carried_along(machine, joints, np.ones(1), after)[1]


def sighted_strategy(
    decisions: DecisionTable, role: RoleId, states: States, legal: NDArray[np.bool_]
) -> Reals:
    """(n, moves) probabilities of a sighted opponent's moves, by visits of its bandits."""
    arrays = decisions.arrays
    found: Reals = legal / legal.sum(axis=1, keepdims=True)
    read_strategy(arrays, arrays.arm_visits, state_keys(states, role), DOUBT, SLIP, found)
    return found
