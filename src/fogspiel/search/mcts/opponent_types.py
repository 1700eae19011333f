"""Opponents of two types, each as probable as its prior and what was seen make it.

In a simulation every opponent is of one type all along; the searching role does not know which, so
its own decisions, found by what it knows, answer both together. Types:
- `EVEN` chooses evenly, as a random player does;
- `SIGHTED` sees the whole state and gets better at the game as the search goes on, as players do
  that search possible states as if nothing were hidden.
What an opponent did says something about its type as well as about the state: histories and types
are weighed together, by how often the search saw bandits of the type choose so.

Sources: Harsanyi (1967) for types; Southey et al. (2005), "Bayes' bluff: opponent modelling in
poker", for the weighing; Cerny (2014), equation 5.5, for visits as probabilities.
Own decisions are found by memory (`machine/wrappers/observation_multiset`): what the role did and
saw, but for its order, and the moves it has. Fewer decisions are met more often.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Belief
from fogspiel.core.ids import RoleId
from fogspiel.core.kernels.hash_table import place_of
from fogspiel.core.native import native
from fogspiel.core.observation import Observation
from fogspiel.machine.analysis.random_walks import draw_uniform
from fogspiel.machine.knowledge_keys import (
    Keys,
    first_knowledge,
    knowledge_after,
    knowledge_of,
    state_keys,
    with_choice,
)
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.decision_table import DecisionTable
from fogspiel.search.mcts.kernels.nodes import NO_NODE
from fogspiel.search.mcts.lockstep import Lockstep, SelectionRule, SimulationStarts
from fogspiel.search.mcts.roots import histories_of

EVEN, SIGHTED = 0, 1
TYPES = 2
DOUBT = 24.0
"""Visits that even choice counts for, beside those of a bandit: few visits say little."""
SLIP = 0.05
"""How often an opponent of any type chooses evenly: no move refutes a type for good."""

Reals = NDArray[np.float64]


class TypeSearch(Lockstep):
    """The last column of what is known is the type of the opponents."""

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

    def _options(
        self, role: RoleId, states: States, known: Keys, rng: np.random.Generator
    ) -> NDArray[np.bool_]:
        legal = super()._options(role, states, known, rng)
        if role == self.observer:
            return legal
        # Who chooses evenly is left the move that was drawn, so that there is nothing to learn.
        rows = np.flatnonzero(known[:, -1] == EVEN)
        moves = draw_uniform(legal[rows], rng)
        legal[rows] = False
        legal[rows, moves] = True
        return legal

    def _keys(self, role: RoleId, states: States, known: Keys, legal: NDArray[np.bool_]) -> Keys:
        if role == self.observer:
            return with_choice(np.ascontiguousarray(known[:, role]), role, legal)
        return state_keys(states, role)

    def _learnt(self, known: Keys, states: States, joints: NDArray[np.int32]) -> Keys:
        if not len(known):
            return known
        after = known.copy()
        after[:, self.observer] += _sights(self.machine, self.observer, states, joints)
        return after


class TypedRoots:
    """Histories and types as something to draw from, by their probability."""

    def __init__(self, belief: Belief, even: float, forest: DecisionTable, seed: int) -> None:
        """even: how probable that type was before play. forest: of the search so far, which tells
        how the other type chooses."""
        histories = histories_of(belief, seed)
        ratios = _ratios(belief.machine, belief.role, histories.joints, forest)
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
        uniforms = np.random.default_rng(seed).random(count) * self._bounds[-1]
        places = np.searchsorted(self._bounds, uniforms, side="right")
        rows, types = np.divmod(np.minimum(places, len(self._bounds) - 1), TYPES)
        known = np.zeros((count, self._roles + 1), np.uint64)
        known[:, self._role] = self._memory
        known[:, -1] = types
        return SimulationStarts(states=self.states[rows], knowledge=known)


def memory_of(machine: Machine, role: RoleId, observations: Sequence[Observation]) -> np.uint64:
    """What a role did and saw, whatever the order."""
    keys = [knowledge_of(machine, role, [own]) for own in observations]
    return np.uint64(np.array(keys, np.uint64).sum(dtype=np.uint64))


def _sights(machine: Machine, role: RoleId, states: States, joints: NDArray[np.int32]) -> Keys:
    """(n,) of what a role does and sees in a step, whatever was before."""
    nothing = np.full(len(states), first_knowledge(role))
    return knowledge_after(machine, role, nothing, states, joints)


def _ratios(
    machine: Machine, role: RoleId, joints: NDArray[np.int32], forest: DecisionTable
) -> Reals:
    """(n,) how much more probable sighted opponents make histories than even choice does.

    joints: (n, steps, roles)
    """
    others = [RoleId(own) for own in range(len(machine.roles)) if own != machine.chance_role]
    others.remove(role)
    states = np.repeat(machine.initial()[None, :], len(joints), axis=0)
    ratios, rows = np.ones(len(joints)), np.arange(len(joints))
    for step in range(joints.shape[1]):
        moves = np.ascontiguousarray(joints[:, step])
        for other in others:
            legal = machine.legal_batch(states, other)
            shares = sighted_shares(forest, other, states, legal)
            ratios *= shares[rows, moves[:, other]] * legal.sum(axis=1)
        states = machine.step_batch(states, moves)
    return ratios


def sighted_shares(
    forest: DecisionTable, role: RoleId, states: States, legal: NDArray[np.bool_]
) -> Reals:
    """(n, moves) how probable a sighted opponent's moves are, by visits of its bandits."""
    arrays = forest.arrays
    shares: Reals = legal / legal.sum(axis=1, keepdims=True)
    _read(
        arrays.table_keys, arrays.table_nodes, arrays.first_arms, arrays.arm_counts, arrays.moves,
        arrays.visits, arrays.arm_visits, state_keys(states, role), shares,
    )  # fmt: skip
    return shares


@native
def _read(
    table_keys: NDArray[np.uint64],
    table_nodes: NDArray[np.int64],
    first_arms: NDArray[np.int64],
    arm_counts: NDArray[np.int64],
    moves: NDArray[np.int32],
    visits: Reals,
    arm_visits: Reals,
    keys: Keys,
    shares: Reals,
) -> None:
    """Overwrite even shares where there is a bandit."""
    for row in range(len(keys)):
        node = table_nodes[place_of(table_keys, table_nodes, keys[row])]
        if node == NO_NODE:
            continue
        first, count = first_arms[node], arm_counts[node]
        for arm in range(first, first + count):
            chosen = (arm_visits[arm] + DOUBT / count) / (visits[node] + DOUBT)
            shares[row, moves[arm]] = (1.0 - SLIP) * chosen + SLIP / count
