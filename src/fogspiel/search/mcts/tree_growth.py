"""A tree of decisions that grows: states with what is known in them, and what can be chosen there.

Nodes are found by what roles know, as far as decisions go by it, and the state. New ones ask the
machine for moves and ends, many at a time, on its lanes. Room for them takes time to make, and is
not made where the clock does not allow for it.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Clock
from fogspiel.core.ids import RoleId
from fogspiel.core.kernels.distinct_rows import widened
from fogspiel.machine.knowledge_keys import Keys, knowledge_after, state_keys, with_choice
from fogspiel.machine.protocol import Joints, Machine, States
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.decision_table import BYTES_A_SECOND, FEW_BYTES, DecisionTable
from fogspiel.search.mcts.kernels.nodes import END
from fogspiel.search.mcts.lockstep import Scope
from fogspiel.search.mcts.tree_nodes import (
    GOAL,
    LARGEST_BLOCK,
    NODE,
    add_blocks,
    add_chance,
    add_decisions,
    add_rows,
    bytes_of,
    first_nodes,
    has_room,
    link,
    longer,
    with_moves,
    with_room,
)

GROWTH = 5.0
"""How many times as long as the last time making room may take: twice as much is copied."""
NO_ROLE = -1

Indices = NDArray[np.int64]


class GrowingTree:
    """Where simulations walk."""

    def __init__(
        self, machine: Machine, observer: RoleId, *, scope: Scope, max_bytes: int, at_once: int
    ) -> None:
        """max_bytes: of memory, from which on it is full.

        at_once: nodes that are added together, at most.
        """
        self.machine = machine
        self.forest = DecisionTable()
        self.bounds = np.zeros((len(self.forest.arrays.moves), 2))
        """(arms, 2) what kernels keep of arms to choose by bounds."""
        self.clock: Clock = time.monotonic
        """Of the budget that was given last."""
        self._grown_seconds = 0.0
        """That making room took the last time it was short."""
        self.observer, self._scope = observer, scope
        self._max_bytes, self._at_once = max_bytes, at_once
        self._roles = [RoleId(role) for role in range(len(machine.roles))]
        self._players = [role for role in self._roles if role != machine.chance_role]
        knowing: dict[Scope, list[RoleId]] = {
            "state": [], "knowledge": self._players, "observer": [observer],
        }  # fmt: skip
        self.knowing = knowing[scope]
        """Roles whose knowledge belongs to a node."""
        self.chance = NO_ROLE if machine.chance_role is None else int(machine.chance_role)
        self._scale = value_scale(machine)
        words = len(machine.initial())
        self.nodes = first_nodes(len(self.knowing) + words, len(self._roles))

    @property
    def bytes(self) -> int:
        """Memory in use."""
        arms = int(self.forest.arrays.sizes[1])
        return self.forest.bytes + bytes_of(self.nodes) + self.bounds[:1].nbytes * arms

    @property
    def node_count(self) -> int:
        """Different states, with what is known in them, that were passed."""
        return int(self.nodes.sizes[NODE])

    def is_full(self, seconds_left: float) -> bool:
        """Whether there is no memory for more nodes, or no time to make room for them."""
        if self.bytes > self._max_bytes:
            return True
        arrays, more = self.forest.arrays, len(self._players) * self._at_once
        decisions, arms = map(int, arrays.sizes)
        has_all = (
            has_room(self.nodes, self._at_once)
            and decisions + more <= len(arrays.visits)
            and arms + more * arms // max(1, decisions) <= len(arrays.moves)
        )
        needed = max(GROWTH * self._grown_seconds, (self.bytes - FEW_BYTES) / BYTES_A_SECOND)
        return not has_all and needed > seconds_left

    def states_of(self, nodes: Indices) -> States:
        """(n, words)"""
        states: States = self.nodes.rows[nodes, len(self.knowing) :]
        return states

    def grow(self, owners: Indices, numbers: Keys, joints: Joints, after: States) -> Indices:
        """(n,) the nodes that joint moves in nodes lead to, from now on.

        owners, numbers: (n,) the nodes, and numbers of the joint moves. after: (n, words)
        """
        states = self.states_of(owners)
        known = np.empty((len(owners), len(self.knowing)), np.uint64)
        for column, role in enumerate(self.knowing):
            before = self.nodes.rows[owners, column]
            known[:, column] = knowledge_after(self.machine, role, before, states, joints)
        found = self.nodes_of(np.hstack([known, after]))
        link(self.nodes, owners, numbers, found)
        return found

    def nodes_of(self, rows: NDArray[np.uint64]) -> Indices:
        """(n,) nodes of rows, made where there are none yet."""
        if not has_room(self.nodes, len(rows)) or rows.shape[1] > self.nodes.rows.shape[1]:
            began = self.clock()
            self.nodes = with_room(self.nodes, len(rows), rows.shape[1])
            self._grown_seconds = self.clock() - began
        found = np.empty(len(rows), np.int64)
        first = self.node_count
        wide = widened(rows, self.nodes.rows.shape[1])
        fresh = add_rows(self.nodes, np.ascontiguousarray(wide), found)
        if fresh:
            self._give_choices(np.arange(first, first + fresh))
        return found

    def _give_choices(self, fresh: Indices) -> None:
        """Say of new nodes what can be chosen there, or how the game ended."""
        known = len(self.knowing)
        rows = self.nodes.rows[fresh]
        states = np.ascontiguousarray(rows[:, known:])
        legal = [self.machine.legal_batch(states, role) for role in self._roles]
        # A role without a move ends the game too, as in playouts.
        ended = self.machine.terminal_batch(states)
        ended |= ~np.all([own.any(axis=1) for own in legal], axis=0)
        if ended.any():
            self._end(fresh[ended], states[ended])
            fresh, rows, states = fresh[~ended], rows[~ended], states[~ended]
            legal = [own[~ended] for own in legal]
        if len(fresh):
            self._give_moves(fresh, rows, states, legal)
            add_blocks(self.nodes, fresh)

    def _give_moves(
        self,
        fresh: Indices,
        rows: NDArray[np.uint64],
        states: States,
        legal: list[NDArray[np.bool_]],
    ) -> None:
        """Let roles choose in new nodes. legal: of each role, (fresh, moves)"""
        chance = int(legal[self.chance].sum()) if self.chance != NO_ROLE else 0
        self.nodes = with_moves(self.nodes, chance, LARGEST_BLOCK * len(fresh))
        for role in self._roles:
            if role == self.chance:
                add_chance(self.nodes, fresh, role, self.machine.chance_weights_batch(states))
                continue
            self.make_room(len(fresh), int(legal[role].sum()))
            keys = self._keys(role, rows, states, legal[role])
            add_decisions(self.nodes, self.forest.arrays, fresh, role, legal[role], keys)

    def make_room(self, decisions: int, arms: int) -> None:
        """Let so many decisions and arms be added."""
        began = self.clock()
        before = self.forest.arrays
        self.forest.make_room(decisions, arms)
        used, room = int(before.sizes[1]), len(self.forest.arrays.moves)
        self.bounds = longer(self.bounds, used, room - used)
        if self.forest.arrays is not before:
            self._grown_seconds = self.clock() - began

    def _end(self, ended: Indices, states: States) -> None:
        first = int(self.nodes.sizes[GOAL])
        self.nodes.sizes[GOAL] += len(ended)
        self.nodes.heads[ended, END] = np.arange(first, first + len(ended))
        goals = self._scale.values(self.machine.goals_batch(states))
        self.nodes.goals[first : first + len(ended)] = goals

    def _keys(
        self, role: RoleId, rows: NDArray[np.uint64], states: States, legal: NDArray[np.bool_]
    ) -> Keys:
        if self._scope == "state":
            return state_keys(states, role)
        if self._scope == "observer":
            known = np.ascontiguousarray(rows[:, 0])
            # The observer may not know which moves another role has.
            return known if role == self.observer else with_choice(known, role, legal)
        return np.ascontiguousarray(rows[:, self.knowing.index(role)])
