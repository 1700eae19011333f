"""From any machine to its game in extensive form.

A step becomes a piece of the tree: chance moves first, then the roles in the order of the rules.
Nobody sees a move of the step before it is over, so the order says nothing about what roles know. A
role with a single legal move has no node. What a role did and saw names its infoset.

Courses of play are unfolded step by step, all of the same length at once; the states that they pass
through are expanded once each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.growing_array import GrowingArray
from fogspiel.core.ids import RoleId
from fogspiel.core.limits import too_large
from fogspiel.core.terms import format_term
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.arrays import TERMINAL, PreorderTree, TreeInfoset
from fogspiel.tree.labels import InfosetLabels
from fogspiel.tree.preorder import preorder
from fogspiel.tree.stategraph import ExactStateGraph

DEFAULT_MAX_NODES = 1_000_000
NO_CHANCE = -2
"""Stands for the role of chance where there is none; -1 marks leaves."""

Indices = NDArray[np.int64]
"""(n,)"""


def unfold(
    machine: Machine,
    *,
    title: str = "",
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> PreorderTree:
    """The tree of a game. Payoffs are goals, divided by the scale of the machine.

    progress: called after each step with the number of nodes so far.
    Raises `LimitError` TRE001 beyond the limit, and `PlayError` if a role is stuck, does not know
    its legal moves, or chance has no exact probabilities.
    """
    unfolding = _Unfolding(machine, max_nodes)
    while len(unfolding.frontier):
        unfolding.step()
        if progress is not None:
            progress(len(unfolding.nodes))
    return unfolding.tree(title)


@dataclass(slots=True)
class _Frontier:
    """Courses of play of the same length that are to go on."""

    states: Indices
    parents: Indices
    """The last node on each."""
    actions: Indices
    """The action that was taken there."""
    depths: Indices
    knowledge: NDArray[np.int64]
    """(n, roles) equal where the role did and saw the same."""

    def __len__(self) -> int:
        return len(self.states)

    def take(self, rows: Indices | NDArray[np.bool_]) -> _Frontier:
        """Some of the courses, or some several times."""
        return _Frontier(
            self.states[rows],
            self.parents[rows],
            self.actions[rows],
            self.depths[rows],
            self.knowledge[rows],
        )


class _Unfolding:
    """A tree as far as it is unfolded, nodes in the order of their making."""

    def __init__(self, machine: Machine, max_nodes: int) -> None:
        self._machine = machine
        self._max_nodes = max_nodes
        self._graph = ExactStateGraph(machine, max_nodes)
        self._role_count = len(machine.roles)
        chance = machine.chance_role
        self._chance = NO_CHANCE if chance is None else int(chance)
        self._players = [r for r in range(self._role_count) if r != self._chance]
        self._order = [*([] if chance is None else [self._chance]), *self._players]
        self._steps = 0
        self.nodes = GrowingArray[np.int64](np.int64, 6)
        """(nodes, 6) parent, action, depth, role, what the role knows, state; role -1 at leaves."""
        self._knowledge = [GrowingArray[np.int64](np.int64, 2) for _ in range(self._role_count)]
        """Of each role (n, 2): what it knew before, and its last sight."""
        for own in self._knowledge:
            own.add(np.array([[-1, -1]]))
        none, start = np.array([-1]), np.array([0])
        known = np.zeros((1, self._role_count), np.int64)
        self.frontier = _Frontier(start, none, start, start, known)

    def step(self) -> None:
        """Let all courses of play go on by one joint move."""
        frontier, graph = self.frontier, self._graph
        ended = graph.terminal.rows[frontier.states] == 1
        self._add_nodes(frontier.take(ended), TERMINAL)
        frontier = frontier.take(~ended)
        graph.expand(np.unique(frontier.states))
        self._refuse_doubt(frontier)
        offsets = np.zeros(len(frontier), np.int64)
        for role in self._order:
            frontier, offsets = self._decide(frontier, offsets, role)
        edges = graph.first_edges.rows[frontier.states] + offsets
        frontier.knowledge = self._learn(frontier.knowledge, graph.sights.rows[edges])
        frontier.states = graph.successors.rows[edges]
        self.frontier = frontier
        self._steps += 1
        if self._steps > DEFAULT_MAX_STEPS:
            raise too_large(self._max_nodes)

    def _decide(
        self, frontier: _Frontier, offsets: Indices, role: int
    ) -> tuple[_Frontier, Indices]:
        """Give a node to each course where the role has a choice, and follow all its moves.

        offsets: the place of the joint move made so far among the edges of the state.
        """
        all_counts = self._graph.counts.rows[frontier.states]
        counts = all_counts[:, role]
        deciding = counts > 1
        if not deciding.any():
            return frontier, offsets
        if len(self.nodes) + int(counts.sum()) > self._max_nodes:
            raise too_large(self._max_nodes)
        first = len(self.nodes)
        self._add_nodes(frontier.take(deciding), role)
        own_nodes = np.where(deciding, first + np.cumsum(deciding) - 1, -1)
        rows = np.repeat(np.arange(len(frontier)), counts)
        taken = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        # Edges stand in the order of joint moves, those of the last role changing fastest.
        strides = np.prod(all_counts[:, role + 1 :], axis=1)
        offsets = offsets[rows] + taken * strides[rows]
        frontier = frontier.take(rows)
        moved = deciding[rows]
        frontier.parents = np.where(moved, own_nodes[rows], frontier.parents)
        frontier.actions = np.where(moved, taken, frontier.actions)
        frontier.depths = frontier.depths + moved
        return frontier, offsets

    def _add_nodes(self, frontier: _Frontier, role: int) -> None:
        if len(self.nodes) + len(frontier) > self._max_nodes:
            raise too_large(self._max_nodes)
        known = frontier.knowledge[:, max(role, 0)]
        owner = np.full(len(frontier), role)
        columns = frontier.parents, frontier.actions, frontier.depths, owner, known, frontier.states
        self.nodes.add(np.stack(columns, axis=1))

    def _learn(self, known: NDArray[np.int64], sights: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n, roles) what roles know after a step: what they knew, and what they saw of it."""
        after = np.zeros_like(known)
        for role in self._players:
            own = self._knowledge[role]
            span = int(sights[:, role].max(initial=0)) + 1
            pairs, numbers = np.unique(known[:, role] * span + sights[:, role], return_inverse=True)
            after[:, role] = len(own) + numbers
            own.add(np.stack((pairs // span, pairs % span), axis=1))
        return after

    def _refuse_doubt(self, frontier: _Frontier) -> None:
        """Raise an error if a role that knows the same has different moves: no infoset does."""
        for role in self._players:
            legal = self._graph.legal_ids.rows[frontier.states, role]
            _, first, own = np.unique(
                frontier.knowledge[:, role], return_index=True, return_inverse=True
            )
            differs = np.flatnonzero(legal[first][own] != legal)
            if len(differs):
                raise doubt(self._machine.roles[role], self._steps + 1)

    def tree(self, title: str) -> PreorderTree:
        """All nodes in preorder, with infosets numbered as they come."""
        nodes = self.nodes.rows
        order, parents = preorder(nodes[:, 0], nodes[:, 1], nodes[:, 2])
        nodes = nodes[order]
        roles, states = nodes[:, 3], nodes[:, 5]
        infosets, firsts = self._infosets(roles, nodes[:, 4])
        payoffs, payoff_table = self._payoffs(roles, states)
        return PreorderTree(
            title=title,
            players=tuple(self._machine.roles[role] for role in self._players),
            parents=parents,
            actions=nodes[:, 1],
            infosets=infosets,
            payoffs=payoffs,
            infoset_table=self._infoset_table(nodes[firsts]),
            payoff_table=payoff_table,
        )

    def _infosets(self, roles: Indices, known: Indices) -> tuple[Indices, Indices]:
        """(nodes,) the infoset of each node, and (infosets,) the first node of each."""
        inner = np.flatnonzero(roles >= 0)
        # Every chance node is an infoset alone: its key is its place.
        keys = np.where(roles == self._chance, np.arange(len(roles)), known)
        span = max(int(keys.max(initial=0)), len(roles)) + 1
        _, first, own = np.unique(
            (roles * span + keys)[inner], return_index=True, return_inverse=True
        )
        rank = np.empty(len(first), np.int64)
        by_place = np.argsort(first)
        rank[by_place] = np.arange(len(first))
        infosets = np.full(len(roles), TERMINAL)
        infosets[inner] = rank[own]
        return infosets, inner[first[by_place]]

    def _infoset_table(self, nodes: NDArray[np.int64]) -> tuple[TreeInfoset, ...]:
        """Infosets, each described by its first node (a row of `nodes`)."""
        graph, machine = self._graph, self._machine
        labels = InfosetLabels(
            graph.sight_terms,
            {RoleId(role): own.rows for role, own in enumerate(self._knowledge)},
        )
        actions: dict[tuple[int, int], tuple[str, ...]] = {}
        table: list[TreeInfoset] = []
        for row in nodes.tolist():
            role, known, state = row[3:]
            key = role, int(graph.legal_ids.rows[state, role])
            if key not in actions:
                legal = graph.legal[state]
                assert legal is not None
                terms = (machine.move_term(RoleId(role), move) for move in legal[role])
                actions[key] = tuple(map(format_term, terms))
            if role == self._chance:
                table.append(TreeInfoset(CHANCE, "", actions[key], graph.lottery(state)))
            else:
                label = labels.label(RoleId(role), known)
                table.append(TreeInfoset(self._players.index(role) + 1, label, actions[key]))
        return tuple(table)

    def _payoffs(
        self, roles: Indices, states: Indices
    ) -> tuple[Indices, tuple[tuple[Fraction, ...], ...]]:
        leaves = np.flatnonzero(roles == TERMINAL)
        ends, own = np.unique(states[leaves], return_inverse=True)
        goals = self._graph.goals(ends.tolist())[:, self._players].tolist()
        scale = self._machine.goal_scale
        table: dict[tuple[Fraction, ...], int] = {}
        of_end = np.zeros(len(ends), np.int64)
        # In the order of the leaves, so that equal trees have equal tables.
        _, first = np.unique(own, return_index=True)
        for at in np.argsort(first).tolist():
            payoffs = tuple(Fraction(goal, scale) for goal in goals[at])
            of_end[at] = table.setdefault(payoffs, len(table))
        result = np.full(len(roles), -1)
        result[leaves] = of_end[own]
        return result, tuple(table)


def doubt(role: str, step: int) -> PlayError:
    """What is wrong where a role does not know its legal moves."""
    return PlayError.of(
        "DYN005",
        f"the tree has no infosets: in step {step}, {role} does not know its legal moves",
        fix="let the role see what its legal moves depend on",
    )
