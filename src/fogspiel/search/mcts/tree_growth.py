"""A search tree that grows: nodes are states with what is known there, and have moves to choose.

Nodes are found by the state and by what roles know, as far as decisions depend on it. For new ones
the machine is asked for moves and goals, many at a time, on its lanes. Making room for nodes takes
time, and is not done where the clock does not allow for it.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Clock
from fogspiel.core.kernels.rows import widened
from fogspiel.core.kernels.words import NONE, refill_table
from fogspiel.core.terms import RoleId
from fogspiel.machine.knowledge import Keys, knowledge_after, state_keys, with_choice
from fogspiel.machine.protocol import Joints, Machine, States
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.kernels.tree_nodes import (
    CHANCE,
    CHILD,
    END,
    GOAL,
    HEAD,
    JOINT,
    LARGEST_BLOCK,
    NODE,
    NUMBERS,
    TreeNodes,
    add_blocks,
    add_chance,
    add_decisions,
    find_rows,
    link,
    refill_rows,
)
from fogspiel.search.mcts.lockstep import Scope
from fogspiel.search.mcts.statistics import BYTES_A_SECOND, FEW_BYTES, DecisionTable, places_for

GROWTH = 5.0
"""Making room may take this many times as long as the last time: twice as much is copied."""
FIRST_ROOM, FIRST_PLACES = 1 << 18, 1 << 11
"""Room takes no memory until it is used, and making more later would take time when there is none.
Tables are written to all over, and grow."""
NO_ROLE = -1

Indices = NDArray[np.int64]


class GrowingTree:
    """The nodes and decisions through which simulations walk."""

    def __init__(
        self, machine: Machine, observer: RoleId, *, scope: Scope, max_bytes: int, at_once: int
    ) -> None:
        """max_bytes: memory from which on the tree is full.

        at_once: nodes that are added together, at most.
        """
        self.machine = machine
        self.decisions = DecisionTable()
        self.bounds = np.zeros((len(self.decisions.arrays.moves), 2))
        """(arms, 2) means and bonuses that kernels keep, to choose by upper bounds."""
        self.clock: Clock = time.monotonic
        """The clock of the last budget."""
        self._grown_seconds = 0.0
        """Time that making room took when it was last short."""
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
        self.nodes = _first_nodes(len(self.knowing) + words, len(self._roles))

    @property
    def bytes(self) -> int:
        """Memory in use."""
        arms = int(self.decisions.arrays.sizes[1])
        return self.decisions.bytes + _bytes_of(self.nodes) + self.bounds[:1].nbytes * arms

    @property
    def node_count(self) -> int:
        """Different states, with what is known in them, that were met."""
        return int(self.nodes.sizes[NODE])

    def is_full(self, seconds_left: float) -> bool:
        """Whether there is no memory for more nodes, or no time to make room for them."""
        if self.bytes > self._max_bytes:
            return True
        arrays, more = self.decisions.arrays, len(self._players) * self._at_once
        decisions, arms = map(int, arrays.sizes)
        has_all = (
            _has_room(self.nodes, self._at_once)
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
        if not _has_room(self.nodes, len(rows)) or rows.shape[1] > self.nodes.rows.shape[1]:
            began = self.clock()
            self.nodes = _with_room(self.nodes, len(rows), rows.shape[1])
            self._grown_seconds = self.clock() - began
        found, nodes, first = np.empty(len(rows), np.int64), self.nodes, self.node_count
        wide = np.ascontiguousarray(widened(rows, nodes.rows.shape[1]))
        fresh = find_rows(nodes.rows, nodes.table, nodes.sizes, wide, found)
        if fresh:
            nodes.heads[first : first + fresh, END] = NONE
            self._give_choices(np.arange(first, first + fresh))
        return found

    def _give_choices(self, fresh: Indices) -> None:
        """Give new nodes their moves, or their goals where the game is over."""
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
        """Give roles their moves in new nodes. legal: for each role, (fresh, moves)"""
        chance = int(legal[self.chance].sum()) if self.chance != NO_ROLE else 0
        self.nodes = with_moves(self.nodes, chance, LARGEST_BLOCK * len(fresh))
        for role in self._roles:
            if role == self.chance:
                add_chance(self.nodes, fresh, role, self.machine.chance_weights_batch(states))
                continue
            self.make_room(len(fresh), int(legal[role].sum()))
            keys = self._keys(role, rows, states, legal[role])
            add_decisions(self.nodes, self.decisions.arrays, fresh, role, legal[role], keys)

    def make_room(self, decisions: int, arms: int) -> None:
        """Let so many decisions and arms be added."""
        began = self.clock()
        before = self.decisions.arrays
        self.decisions.make_room(decisions, arms)
        used, room = int(before.sizes[1]), len(self.decisions.arrays.moves)
        self.bounds = longer(self.bounds, used, room - used)
        if self.decisions.arrays is not before:
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


def _first_nodes(width: int, roles: int) -> TreeNodes:
    """Room for the first nodes. width: of their rows."""
    return TreeNodes(
        sizes=np.zeros(5, np.int64),
        rows=np.zeros((FIRST_ROOM, width), np.uint64),
        table=np.full(FIRST_PLACES, NONE, np.int64),
        heads=np.zeros((FIRST_ROOM, HEAD + NUMBERS * roles), np.int32),
        goals=np.zeros((FIRST_ROOM, roles)),
        chance_bounds=np.zeros(FIRST_ROOM),
        chance_moves=np.zeros(FIRST_ROOM, np.int32),
        children=np.zeros(8 * FIRST_ROOM, np.int32),
        joint_keys=np.zeros(FIRST_PLACES, np.uint64),
        joint_table=np.full(FIRST_PLACES, NONE, np.int64),
    )


def _bytes_of(nodes: TreeNodes) -> int:
    """Memory in use."""
    used = dict(zip(("rows", "goals", "chance_bounds", "children"), nodes.sizes, strict=False))
    used |= {"heads": used["rows"], "chance_moves": used["chance_bounds"]}
    total = nodes.table.nbytes + nodes.joint_keys.nbytes + nodes.joint_table.nbytes
    for name, count in used.items():
        total += int(count) * int(getattr(nodes, name)[:1].nbytes)
    return total


def _has_room(nodes: TreeNodes, count: int) -> bool:
    """Whether so many nodes can be added without a larger table or a copy of all others."""
    used, joints = int(nodes.sizes[NODE]), int(nodes.sizes[JOINT])
    return (
        2 * (used + count) <= len(nodes.table)
        and used + count <= len(nodes.rows)
        and int(nodes.sizes[GOAL]) + count <= len(nodes.goals)
        and 2 * (joints + count) <= len(nodes.joint_keys)
    )


def _with_room(nodes: TreeNodes, count: int, width: int) -> TreeNodes:
    """The same with room for more nodes, ends and joint moves, and for rows of a width."""
    used, goals, joints = (int(nodes.sizes[what]) for what in (NODE, GOAL, JOINT))
    rows = longer(nodes.rows, used, count)
    if width > rows.shape[1]:
        rows = np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
    table = nodes.table
    if 2 * (used + count) > len(table) or rows.shape != nodes.rows.shape:
        table = np.full(places_for(used + count, len(table)), NONE, np.int64)
        refill_rows(rows, used, table)
    nodes = nodes._replace(
        rows=rows,
        table=table,
        heads=longer(nodes.heads, used, count),
        goals=longer(nodes.goals, goals, count),
    )
    if 2 * (joints + count) > len(nodes.joint_keys):
        places = places_for(joints + count, len(nodes.joint_keys))
        keys, table = np.zeros(places, np.uint64), np.full(places, NONE, np.int64)
        refill_table(keys, table, nodes.joint_keys, nodes.joint_table)
        nodes = nodes._replace(joint_keys=keys, joint_table=table)
    return nodes


def with_moves(nodes: TreeNodes, chance: int, children: int) -> TreeNodes:
    """The same with room for more moves of chance and more children."""
    moves, used = int(nodes.sizes[CHANCE]), int(nodes.sizes[CHILD])
    return nodes._replace(
        chance_bounds=longer(nodes.chance_bounds, moves, chance),
        chance_moves=longer(nodes.chance_moves, moves, chance),
        children=longer(nodes.children, used, children),
    )


def longer(array: NDArray[Any], used: int, more: int) -> NDArray[Any]:
    """The array, or a longer one if it has no room for more."""
    if used + more <= len(array):
        return array
    length = len(array)
    while length < used + more:
        length *= 2
    grown = np.zeros((length, *array.shape[1:]), array.dtype)
    grown[:used] = array[:used]
    return grown
