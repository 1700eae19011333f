"""The tree of a search as it grows: new states are asked of the machine, many at a time.

Arrays reserve addresses for all that the limit on memory allows; a page takes memory when it is
first written to, so nothing is ever copied to make room. Only hash tables are made anew when they
are half full.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fogspiel.core.kernels.rows import rehashed, widened
from fogspiel.core.kernels.words import NONE, refill_table
from fogspiel.core.terms import RoleId
from fogspiel.machine.knowledge import Keys, observation_keys
from fogspiel.machine.protocol import Joints, Machine, States
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.kernels.decisions import KEYS, ROWS, Decisions, find_keys, refill_keys
from fogspiel.search.mcts.kernels.graph import (
    BOUND,
    CHILD,
    EDGE,
    END,
    GOAL,
    HEAD,
    JOINT,
    LARGEST_BLOCK,
    MOVE,
    NODE,
    NUMBERS,
    SETS,
    SIZES,
    Graph,
    add_blocks,
    add_sets,
    add_states,
    find_states,
    link,
    refill_sets,
)
from fogspiel.search.mcts.keys import DecisionKeys

FIRST_PLACES = 1 << 11  #: Places of tables at first
LEAST_ROOM = 1 << 14  #: Rows that an array has room for, however little memory is allowed
ROWS_OF_DECISION = 4
LARGE_TABLE = 1 << 18  #: Places from which on tables double; smaller ones grow to four times that
BYTES_A_PLACE = 16  #: Memory of a place of a table, at most
ROUND_BYTES = 1 << 28  #: Memory that a round may add; with less left, it is counted within rounds
SECONDS_AN_ENTRY = 5e-8  #: Time to enter something into a larger table, by a careful guess
TABLE_SHARE = 0.5  #: Share of the time left that making a table anew may take

Indices = NDArray[np.int64]


class SearchTree:
    """Nodes, their successors, and the decisions of roles there."""

    def __init__(
        self, machine: Machine, keys: DecisionKeys, *, max_bytes: int, at_once: int
    ) -> None:
        """max_bytes: memory from which on the tree is full.

        at_once: nodes that are added together, at most.
        """
        self.machine, self.keys = machine, keys
        self.max_bytes, self._at_once = max_bytes, at_once
        self._roles = [RoleId(role) for role in range(len(machine.roles))]
        self._scale = value_scale(machine)
        self.is_nearly_full = True
        """Whether memory might be used up before `is_full` is asked again."""
        self.kept_bytes = 0  #: Memory that was left in use when the tree was pruned last
        self.widest = 1  #: Largest number of moves that a role has in a node
        known, words = len(keys.in_nodes), len(machine.initial())
        self.graph = _reserved_graph(len(self._roles), known + words, len(keys.carried), max_bytes)
        self.decisions = Decisions(
            # Row 0 stays free: minus its number would say nothing.
            sizes=np.array([1, 0]),
            table=np.zeros((FIRST_PLACES, 2), np.uint64),
            rows=reserved(max_bytes, np.float64, ROWS_OF_DECISION),
        )

    @property
    def node_count(self) -> int:
        """Different states, with what is known in them, that were met."""
        return int(self.graph.sizes[NODE])

    @property
    def decision_count(self) -> int:
        """Decisions found by keys, that were met."""
        return int(self.decisions.sizes[KEYS])

    @property
    def bytes(self) -> int:
        """Memory in use."""
        graph, sizes = self.graph, self.graph.sizes
        used = {
            NODE: (graph.rows, graph.heads), GOAL: (graph.goals,), CHILD: (graph.children,),
            EDGE: (graph.edge_nodes, graph.edge_words), SETS: (graph.set_keys, graph.set_rows),
            MOVE: (graph.moves,), BOUND: (graph.bounds,),
        }  # fmt: skip
        total = int(self.decisions.sizes[ROWS]) * self.decisions.rows[:1].nbytes
        for column, arrays in used.items():
            total += int(sizes[column]) * sum(array[:1].nbytes for array in arrays)
        tables = (graph.table, graph.joint_keys, graph.joint_table, graph.set_places)
        return total + sum(table.nbytes for table in (*tables, self.decisions.table))

    def is_full(self, seconds_left: float, nodes: int = 0) -> bool:
        """Whether nothing can be added: memory is used up, or a table must be made anew and there
        is no time for that.

        nodes: how many are to be added, if they are many.
        """
        graph, sizes, more = self.graph, self.graph.sizes, max(nodes, self._at_once)
        roles = len(self._roles)
        room: dict[int, tuple[NDArray[Any], int]] = {
            NODE: (graph.heads, more), GOAL: (graph.goals, more),
            CHILD: (graph.children, more * LARGEST_BLOCK), SETS: (graph.set_keys, more * roles),
            MOVE: (graph.moves, more * roles * self.widest),
            BOUND: (graph.bounds, more * self.widest),
        }  # fmt: skip
        if self.keys.carried:
            room[EDGE] = (graph.edge_nodes, more)
        if any(sizes[column] + count > len(array) for column, (array, count) in room.items()):
            return True
        tables, used = self._tables(more), self.bytes
        crowded = [(places, needed) for places, needed in tables if needed > places]
        larger = sum(needed - places for places, needed in crowded) * BYTES_A_PLACE
        # Nodes are as large as those that are there, but for their places in tables.
        in_rows = used - sum(places for places, _ in tables) * BYTES_A_PLACE
        added = more * max(0.0, in_rows) / max(1, self.node_count)
        self.is_nearly_full = used + larger + added + ROUND_BYTES > self.max_bytes
        if used + larger + added > self.max_bytes:
            return True
        entries = sum(places for places, _ in crowded)
        return entries * SECONDS_AN_ENTRY > TABLE_SHARE * seconds_left

    def has_become_full(self) -> bool:
        """Whether memory is used up since `is_full` was asked."""
        return self.is_nearly_full and self.is_full(inf)

    def rows_within(self) -> Decisions:
        """The decisions, with as many free rows as there is memory for."""
        if not self.is_nearly_full:
            return self.decisions
        rows = self.decisions.rows
        left = max(0, self.max_bytes - self.bytes) // rows[:1].nbytes
        return self.decisions._replace(rows=rows[: int(self.decisions.sizes[ROWS]) + left])

    def make_room(self, nodes: int = 0) -> None:
        """Make tables larger that are half full.

        nodes: how many will be added, if they are many.
        """
        graph = self.graph
        of_nodes, of_joints, of_sets, of_keys = self._tables(max(nodes, self._at_once))
        if of_nodes[1] > of_nodes[0]:
            self.graph = graph = graph._replace(table=rehashed(graph.table, of_nodes[1]))
        if of_joints[1] > of_joints[0]:
            keys, table = np.zeros(of_joints[1], np.uint64), np.full(of_joints[1], NONE, np.int64)
            refill_table(keys, table, graph.joint_keys, graph.joint_table)
            self.graph = graph = graph._replace(joint_keys=keys, joint_table=table)
        if of_sets[1] > of_sets[0]:
            larger = np.zeros((of_sets[1], 2), np.uint64)
            refill_sets(larger, graph.set_places)
            self.graph = graph._replace(set_places=larger)
        if of_keys[1] > of_keys[0]:
            larger = np.zeros((of_keys[1], 2), np.uint64)
            refill_keys(larger, self.decisions.table)
            self.decisions = self.decisions._replace(table=larger)

    def _tables(self, more: int) -> list[tuple[int, int]]:
        """Places of all tables, and how many each needs for more nodes.

        These are the tables of nodes, joint moves, sets of moves, and keys of decisions.
        """
        graph, keyed = self.graph, bool(self.keys.in_nodes or self.keys.carried)
        tables = [
            (len(graph.table), int(graph.sizes[NODE]), more),
            (len(graph.joint_keys), int(graph.sizes[JOINT]), more),
            (len(graph.set_places), int(graph.sizes[SETS]), more),
            (len(self.decisions.table), int(self.decisions.sizes[KEYS]), more if keyed else 0),
        ]
        return [(places, _needed(places, used, new)) for places, used, new in tables]

    def states_of(self, nodes: Indices) -> States:
        """(n, words)"""
        return np.ascontiguousarray(self.graph.rows[nodes, len(self.keys.in_nodes) :])

    def known_at(self, nodes: Indices) -> Keys:
        """(n, roles in nodes) what these know."""
        return self.graph.rows[nodes, : len(self.keys.in_nodes)]

    def grow(
        self, owners: Indices, places: Keys, joints: Joints, after: States
    ) -> tuple[Indices, Keys]:
        """(n,) the nodes that joint moves in nodes lead to, from now on; (n, carried) keys of what
        is observed on the way.

        owners, places: (n,) the nodes, and where the joint moves stand. after: (n, words)
        """
        machine, keys, states = self.machine, self.keys, self.states_of(owners)
        known = np.empty((len(owners), len(keys.in_nodes)), np.uint64)
        for column, role in enumerate(keys.in_nodes):
            before = np.ascontiguousarray(self.graph.rows[owners, column])
            known[:, column] = keys.follow(machine, role, before, states, joints)
        words = np.empty((len(owners), len(keys.carried)), np.uint64)
        for column, role in enumerate(keys.carried):
            words[:, column] = observation_keys(machine, role, states, joints)
        found = self.nodes_of(known, after)
        link(self.graph, owners, places, found, words)
        return found, words

    def nodes_of(self, known: Keys, states: States) -> Indices:
        """(n,) nodes of states in which roles know something, made where there are none yet.

        known: (n, roles in nodes). There must be room.
        """
        rows = np.hstack([known, states])
        if rows.shape[1] > self.graph.rows.shape[1]:
            self._widen(rows.shape[1])
        found, graph, first = np.empty(len(rows), np.int64), self.graph, self.node_count
        wide = np.ascontiguousarray(widened(rows, graph.rows.shape[1]))
        fresh = add_states(graph, wide, found)
        if fresh:
            self._describe(first, fresh)
        return found

    def known_nodes(self, known: Keys, states: States) -> Indices:
        """(n,) nodes of states in which roles know something; NONE where there is none.

        known: (n, roles in nodes)
        """
        found = np.full(len(states), NONE)
        rows, width = np.hstack([known, states]), self.graph.rows.shape[1]
        if rows.shape[1] <= width:
            find_states(self.graph, np.ascontiguousarray(widened(rows, width)), found)
        return found

    def _widen(self, width: int) -> None:
        """Let rows be longer: machines that meet fluents as they go make longer states as they do.

        Rows of zeros at their ends are the same rows, but hash anew.
        """
        old, used = self.graph, self.node_count
        rows = reserved(self.max_bytes, np.uint64, width)
        rows[:used, : old.rows.shape[1]] = old.rows[:used]
        self.graph = old._replace(rows=rows, table=np.zeros_like(old.table))
        self.graph.sizes[NODE] = 0
        add_states(self.graph, rows[:used].copy(), np.empty(used, np.int64))

    def _describe(self, first: int, fresh: int) -> None:
        """Give new nodes their moves, or their goals where the game is over."""
        graph, machine = self.graph, self.machine
        nodes = np.arange(first, first + fresh)
        states = self.states_of(nodes)
        legal = [machine.legal_batch(states, role) for role in self._roles]
        # A role without a move ends the game too, as in playouts.
        ended = machine.terminal_batch(states)
        ended |= ~np.all([own.any(axis=1) for own in legal], axis=0)
        graph.heads[nodes, END] = NONE
        if ended.any():
            goals, count = int(graph.sizes[GOAL]), int(np.count_nonzero(ended))
            graph.heads[nodes[ended], END] = np.arange(goals, goals + count)
            graph.goals[goals : goals + count] = self._scale.values(
                machine.goals_batch(states[ended])
            )
            graph.sizes[GOAL] += count
        for role in self._roles:
            weights = np.empty((fresh, 0))
            if role == machine.chance_role:
                weights = machine.chance_weights_batch(states)
                legal[role] = weights > 0.0
            widest = add_sets(graph, first, int(role), legal[role], weights)
            self.widest = max(self.widest, int(widest))
        add_blocks(graph, first, fresh)

    def rows_of_keys(self, keys: Keys) -> Indices:
        """(n,) the rows of decisions of keys; NONE where no simulation has met them."""
        found = np.empty(len(keys), np.int64)
        find_keys(self.decisions, np.ascontiguousarray(keys), found)
        return found


def _reserved_graph(roles: int, width: int, carried: int, max_bytes: int) -> Graph:
    return Graph(
        sizes=np.zeros(SIZES, np.int64),
        rows=reserved(max_bytes, np.uint64, width),
        table=np.zeros(FIRST_PLACES, np.uint64),
        heads=reserved(max_bytes, np.int32, HEAD + NUMBERS * roles),
        goals=reserved(max_bytes, np.float64, roles),
        children=reserved(max_bytes, np.int32),
        joint_keys=np.zeros(FIRST_PLACES, np.uint64),
        joint_table=np.full(FIRST_PLACES, NONE, np.int64),
        edge_nodes=reserved(max_bytes if carried else 0, np.int32),
        edge_words=reserved(max_bytes if carried else 0, np.uint64, carried),
        set_keys=reserved(max_bytes, np.uint64),
        set_rows=reserved(max_bytes, np.int64, 2),
        set_places=np.zeros((FIRST_PLACES, 2), np.uint64),
        moves=reserved(max_bytes, np.int32),
        bounds=reserved(max_bytes, np.float64),
    )


def reserved(max_bytes: int, dtype: DTypeLike, *shape: int) -> NDArray[Any]:
    """An array of zeros with addresses for so much memory, none of which is used before it is
    written to. Where the system does not give so many addresses it is shorter."""
    row = max(1, int(np.prod(shape, dtype=np.int64))) * np.dtype(dtype).itemsize
    room = max(LEAST_ROOM, max_bytes // row)
    while True:
        try:
            return np.zeros((room, *shape), dtype)
        except MemoryError:
            if room <= LEAST_ROOM:
                raise
            room //= 2


def _needed(places: int, used: int, more: int) -> int:
    """Places that a table needs for more entries."""
    if 2 * (used + more) <= places:
        return places
    return places_for(used + 2 * more, places * (4 if places < LARGE_TABLE else 2))


def places_for(entries: int, places: int = 16) -> int:
    """The length of a hash table that is at most half full. places: at least so many."""
    while places < 2 * entries:
        places *= 2
    return places
