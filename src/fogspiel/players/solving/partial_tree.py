"""A part of a game tree that grows around an information set.

Source: Richards (2012), section 5.5, GENERATESEARCHTREE. It begins with the histories of a role's
information set and all their prefixes. It then adds the successors of these histories, and the
information sets of all players there, until the budget is used up.
Departures: large information sets are sampled. Those that cannot be found exactly within a limit
hold only the histories that were generated for other reasons. Every successor of a generated
history is in the tree, as a leaf unless it was generated itself. Histories count as generated if
their state was generated in the same step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.methods import make_belief
from fogspiel.belief.protocol import BeliefLimits, Histories
from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.knowledge import NOTHING, KnowledgeTable, observation_of
from fogspiel.machine.protocol import Machine, State, States, player_roles
from fogspiel.players.solving.sdpog import some_histories

MEMBERS = 64  #: Histories of an information set that are generated
BELIEF_LIMIT = 20_000  #: Histories of an information set up to which it is found
BELIEF_SECONDS = 0.5  #: Seconds for one step of finding an information set, where a clock runs
SUCCESSORS = 100
"""Successors that cost as much of the budget as an inner history: where many joint moves lead to
few states, inner histories alone would never use it up."""
ROOT = 0  #: The number of the empty history


@dataclass(frozen=True, slots=True)
class _Node:
    """A history, by its last state and the number of what each role knows there."""

    step: int
    state: State
    known: tuple[int, ...]


class PartialTree:
    """The inner states of a part of the game tree, by step; all other states are leaves."""

    def __init__(self, machine: Machine, seed: int, budget: Budget) -> None:
        """budget: the clock; its simulations limit the number of inner states."""
        self._machine, self._seed, self._budget = machine, seed, budget
        self._players = player_roles(machine)
        self._root = _Node(0, machine.initial(), (NOTHING,) * len(machine.roles))
        self._prefixes: dict[tuple[int, tuple[int, ...]], tuple[int, _Node]] = {}
        """Number and node of a history, by the number of the history before its last joint move."""
        self._steps: list[set[bytes]] = []
        self._knowledge = {role: KnowledgeTable(machine, role) for role in self._players}
        self._generated: set[tuple[RoleId, int]] = set()
        """Information sets, by role and the number of what it knows."""
        self._queue: deque[_Node] = deque()
        """Histories whose successors and information sets are generated next."""
        self._passed: deque[_Node] = deque()
        """Prefixes of other histories, which are taken when the queue is empty."""
        self._queued: set[tuple[int, bytes, tuple[int, ...]]] = set()
        self.size = 0
        """Number of inner states."""
        self._looked_at = 0
        """Number of successors found, inner states and leaves."""

    def grow(self, histories: Histories) -> None:
        """Begin with the histories of an information set, and grow until the budget is used up."""
        self._add(histories)
        for node in self._queue:
            # However little time there is, the decision itself belongs to the part.
            self._keep(node)
        while (self._queue or self._passed) and not self._is_used_up():
            # Future histories matter more to the decision than other pasts.
            node = (self._queue or self._passed).popleft()
            self._keep(node)
            for role in self._players:
                if (role, node.known[role]) not in self._generated and not self._is_used_up():
                    self._generate(role, node.known[role])
            for following in self._successors(node):
                # A thousand joint moves take a tenth of a second.
                if self._budget.is_over:
                    return
                self._enqueue(following, self._queue)

    def _is_used_up(self) -> bool:
        taken, allowed = max(self.size, self._looked_at // SUCCESSORS), self._budget.simulations
        return self._budget.is_over or (allowed is not None and taken >= allowed)

    def cut(self, states: States, step: int) -> NDArray[np.bool_]:
        """Whether each state of a step is a leaf, (n,)."""
        if step >= len(self._steps):
            return np.ones(len(states), np.bool_)
        kept = self._steps[step]
        return np.array([self._machine.key(state) not in kept for state in states], np.bool_)

    def _add(self, histories: Histories) -> None:
        """Make all prefixes of some histories inner nodes, and queue the histories."""
        for joints in histories.joints.tolist():
            number, node = ROOT, self._root
            for joint in joints:
                self._keep(node)
                self._enqueue(node, self._passed)
                # Histories have prefixes in common.
                step = number, tuple(joint)
                if step not in self._prefixes:
                    following = self._after(node, [MoveId(move) for move in joint])
                    self._prefixes[step] = len(self._prefixes) + 1, following
                number, node = self._prefixes[step]
            if not self._machine.terminal(node.state):
                self._enqueue(node, self._queue)

    def _generate(self, role: RoleId, known: int) -> None:
        """Generate the information set of a role, given the number of what it knows."""
        self._generated.add((role, known))
        limits = BeliefLimits(histories=BELIEF_LIMIT)
        if self._budget.deadline is not None:
            seconds = max(0.0, min(BELIEF_SECONDS, self._budget.seconds_left))
            limits = replace(limits, seconds=seconds)
        # Other methods cannot be stopped in time, and without a clock they would stop elsewhere on
        # another machine.
        belief = make_belief("exact", self._machine, role, limits)
        try:
            for observation in self._knowledge[role].past(known):
                belief.advance(observation)
            self._add(some_histories(belief, MEMBERS, self._seed))
        except FogspielError:
            # A set that cannot be found in time holds only histories generated for other reasons.
            return

    def _successors(self, node: _Node) -> Iterator[_Node]:
        """The histories one step longer that are not terminal."""
        expansion = self._machine.expand(node.state)
        self._looked_at += len(expansion.joints)
        going = np.flatnonzero(~self._machine.terminal_batch(expansion.states))
        joints = expansion.joints[going]
        states = np.repeat(node.state[None, :], len(going), axis=0)
        known = np.tile(np.array(node.known, np.uint64), (len(going), 1))
        for role, table in self._knowledge.items():
            known[:, role] = table.after(known[:, role], states, joints)
        for row, after in zip(going, known.tolist(), strict=True):
            yield _Node(node.step + 1, expansion.states[row], tuple(after))

    def _after(self, node: _Node, joint: list[MoveId]) -> _Node:
        known = list(node.known)
        for role in self._players:
            observation = observation_of(self._machine, node.state, joint, role)
            known[role] = self._knowledge[role].number(known[role], observation)
        return _Node(node.step + 1, self._machine.step(node.state, joint), tuple(known))

    def _keep(self, node: _Node) -> None:
        while len(self._steps) <= node.step:
            self._steps.append(set())
        key = self._machine.key(node.state)
        if key not in self._steps[node.step]:
            self._steps[node.step].add(key)
            self.size += 1

    def _enqueue(self, node: _Node, queue: deque[_Node]) -> None:
        key = node.step, self._machine.key(node.state), node.known
        if key not in self._queued:
            self._queued.add(key)
            queue.append(node)
