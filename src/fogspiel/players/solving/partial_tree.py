"""A part of a game's tree that grows around what a role knows.

Source: Richards (2012), section 5.5, GENERATESEARCHTREE: it begins with all ways to the histories
that the role holds possible, and goes on to their successors, and to the information sets of all
players in them, until the budget is used up.
Departures: large information sets are sampled, and those that cannot be followed exactly within
a limit stay as far as other histories make them. A history on the way is followed by all that can
follow it, but goes on only where it was generated. What was generated is kept by the state in each
step; histories that share a state there share what follows.
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
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.players.solving.sdpog import some_histories

MEMBERS = 64  #: Histories of an information set that are looked at
BELIEF_LIMIT = 20_000  #: Histories that an information set may have to be found
BELIEF_SECONDS = 0.5  #: For a step of finding one, where a clock runs
SUCCESSORS = 100
"""That take as much as a history that goes on. Where many joint moves lead to few states, such
histories alone would never use up a budget."""
ROOT = 0  #: The number of the way without a step


@dataclass(frozen=True, slots=True)
class _Node:
    """A history: where it led, and what each role knows, by number."""

    step: int
    state: State
    known: tuple[int, ...]


class PartialTree:
    """Which states go on in each step; all others are where the part ends."""

    def __init__(self, machine: Machine, seed: int, budget: Budget) -> None:
        """budget: whose simulations are the histories that may go on."""
        self._machine, self._seed, self._budget = machine, seed, budget
        roles = [RoleId(role) for role in range(len(machine.roles))]
        self._players = [role for role in roles if role != machine.chance_role]
        self._root = _Node(0, machine.initial(), (NOTHING,) * len(roles))
        self._ways: dict[tuple[int, tuple[int, ...]], tuple[int, _Node]] = {}
        """By the number of a way and one more joint move, that of the longer way, and its end."""
        self._steps: list[set[bytes]] = []
        self._knowledge = {role: KnowledgeTable(machine, role) for role in self._players}
        self._generated: set[tuple[RoleId, int]] = set()
        """Information sets, by role and what it knows."""
        self._queue: deque[_Node] = deque()
        """Histories whose successors and information sets come next."""
        self._passed: deque[_Node] = deque()
        """Those on the way to others, whose turn is after all of these."""
        self._queued: set[tuple[int, bytes, tuple[int, ...]]] = set()
        self.size = 0
        """Histories that go on."""
        self._looked_at = 0
        """Successors of histories, whether they go on or not."""

    def grow(self, histories: Histories) -> None:
        """Begin with histories that are possible, and go on until the budget is used up."""
        self._add_ways(histories)
        for node in self._queue:
            # However little time there is, the decision itself belongs to the part.
            self._keep(node)
        while (self._queue or self._passed) and not self._is_used_up():
            # What may come counts more than what might have been.
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
        """(n,) which states of a step do not go on."""
        if step >= len(self._steps):
            return np.ones(len(states), np.bool_)
        kept = self._steps[step]
        return np.array([self._machine.key(state) not in kept for state in states], np.bool_)

    def _add_ways(self, histories: Histories) -> None:
        """Keep all on the way to some histories, and let these go on."""
        for joints in histories.joints.tolist():
            way, node = ROOT, self._root
            for joint in joints:
                self._keep(node)
                self._enqueue(node, self._passed)
                # Ways have beginnings in common.
                step = way, tuple(joint)
                if step not in self._ways:
                    following = self._after(node, [MoveId(move) for move in joint])
                    self._ways[step] = len(self._ways) + 1, following
                way, node = self._ways[step]
            if not self._machine.terminal(node.state):
                self._enqueue(node, self._queue)

    def _generate(self, role: RoleId, known: int) -> None:
        """Find the information set of a role that knows this."""
        self._generated.add((role, known))
        limits = BeliefLimits(histories=BELIEF_LIMIT)
        if self._budget.deadline is not None:
            seconds = max(0.0, min(BELIEF_SECONDS, self._budget.seconds_left))
            limits = replace(limits, seconds=seconds)
        # Others cannot be stopped in time, and without a clock they end at another place on
        # another machine.
        belief = make_belief("exact", self._machine, role, limits)
        try:
            for observation in self._knowledge[role].past(known):
                belief.advance(observation)
            self._add_ways(some_histories(belief, MEMBERS, self._seed))
        except FogspielError:
            # One that cannot be found in time stays as far as other histories made it.
            return

    def _successors(self, node: _Node) -> Iterator[_Node]:
        """Those in which the game goes on."""
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
