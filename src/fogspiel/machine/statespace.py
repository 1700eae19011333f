"""All states of a small game, with the moves between them: what proofs about play stand on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.limits import Deadline
from fogspiel.core.terms import format_term
from fogspiel.machine.protocol import Joints, Machine, State

MAX_EDGES = 400_000

History = list[tuple[int, ...]]
"""Joint moves from the start on."""


@dataclass(slots=True)
class StateSpace:
    """State 0 is the initial one; states are numbered as they are met, breadth first."""

    machine: Machine
    states: list[State] = field(default_factory=list)
    terminal: list[bool] = field(default_factory=list)
    joints: list[Joints] = field(default_factory=list)
    """Of each state, (children, roles); none in terminal states, and where a role is stuck."""
    children: list[NDArray[np.int64]] = field(default_factory=list)
    """Of each state, (children,) the number of the state that each joint move leads to."""
    parents: list[tuple[int, int]] = field(default_factory=list)
    """(state, child) by which each was met first."""
    stuck: list[int] = field(default_factory=list)
    """States that are not terminal, where some role has no legal move."""

    def history(self, state: int) -> History:
        """A shortest course of play that leads to a state."""
        moves: History = []
        while state != 0:
            state, child = self.parents[state]
            moves.append(tuple(int(move) for move in self.joints[state][child]))
        return moves[::-1]

    def find_cycle(self) -> History | None:
        """A course of play that comes back to a state it was in; None if there is none."""
        unfinished = {0: 0}
        path = [0]
        finished: set[int] = set()
        while path:
            state = path[-1]
            child = unfinished[state]
            if child == len(self.children[state]):
                finished.add(state)
                del unfinished[state]
                path.pop()
                continue
            unfinished[state] = child + 1
            successor = int(self.children[state][child])
            if successor in unfinished:
                # The next child of each state on the path, less one, is the move that was taken.
                return [tuple(int(m) for m in self.joints[s][unfinished[s] - 1]) for s in path]
            if successor not in finished:
                unfinished[successor] = 0
                path.append(successor)
        return None

    def views(self, state: int, role: RoleId) -> dict[tuple[int, bytes], dict[int, int]]:
        """What a role can do and see in a step: (own move, percepts) -> state after -> child."""
        joints = self.joints[state]
        if not len(joints):
            return {}
        rows = np.repeat(self.states[state][None, :], len(joints), axis=0)
        seen = self.machine.percepts_batch(rows, joints, role)
        views: dict[tuple[int, bytes], dict[int, int]] = defaultdict(dict)
        for child, successor in enumerate(self.children[state]):
            view = int(joints[child, role]), np.flatnonzero(seen[child]).tobytes()
            views[view].setdefault(int(successor), child)
        return views


def enumerate_states(machine: Machine, *, max_states: int, max_seconds: float) -> StateSpace | None:
    """All states that can be reached; None if they are more than the limits allow."""
    space = StateSpace(machine)
    numbers: dict[bytes, int] = {}
    deadline = Deadline(max_seconds)
    edges = 0
    _add(space, numbers, machine.initial(), machine.terminal(machine.initial()), (0, 0))
    at = 0
    while at < len(space.states):
        state = space.states[at]
        choices = [machine.legal(state, RoleId(r)) for r in range(len(machine.roles))]
        edges += prod(len(moves) for moves in choices)
        if edges > MAX_EDGES or len(space.states) > max_states or deadline.passed:
            return None
        if space.terminal[at] or not all(choices):
            if not space.terminal[at]:
                space.stuck.append(at)
            space.joints.append(np.empty((0, len(machine.roles)), np.int32))
            space.children.append(np.empty(0, np.int64))
        else:
            expansion = machine.expand(state)
            space.joints.append(expansion.joints)
            children = [
                _add(space, numbers, row, bool(ended), (at, child))
                for child, (row, ended) in enumerate(
                    zip(expansion.states, expansion.terminal, strict=True)
                )
            ]
            space.children.append(np.array(children, np.int64))
        at += 1
    return space


def _add(
    space: StateSpace,
    numbers: dict[bytes, int],
    state: State,
    terminal: bool,
    parent: tuple[int, int],
) -> int:
    key = space.machine.key(state)
    if key not in numbers:
        numbers[key] = len(space.states)
        space.states.append(state)
        space.terminal.append(terminal)
        space.parents.append(parent)
    return numbers[key]


def history_text(machine: Machine, history: History) -> list[str]:
    """Joint moves as people read them: `x (mark 1 1), o noop`."""
    return [
        ", ".join(
            f"{name} {format_term(machine.move_term(RoleId(role), MoveId(joint[role])))}"
            for role, name in enumerate(machine.roles)
        )
        for joint in history
    ]
