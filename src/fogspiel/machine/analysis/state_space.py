"""All states of a small game, with the moves between them: what proofs about play stand on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.machine.audit.breakdown import History, breakdown_after
from fogspiel.machine.protocol import Joints, Machine, State

MAX_EDGES = {"compiled": 400_000, "reference": 15_000}
"""What each engine expands in some seconds."""


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
    """All states that can be reached; None if they are more than the limits allow.

    Raises `BrokenPlayError` where the rules break down.
    """
    space = StateSpace(machine)
    numbers: dict[bytes, int] = {}
    budget = Budget.of(seconds=max_seconds)
    max_edges = MAX_EDGES[machine.engine]
    edges = at = 0
    try:
        _add(space, numbers, machine.initial(), machine.terminal(machine.initial()), (0, 0))
        while at < len(space.states):
            roles = [] if space.terminal[at] else [RoleId(r) for r in range(len(machine.roles))]
            choices = [len(machine.legal(space.states[at], role)) for role in roles]
            edges += prod(choices)
            if edges > max_edges or len(space.states) > max_states or budget.is_over:
                return None
            if not all(choices):
                space.stuck.append(at)
            _visit(space, numbers, at, goes_on=bool(roles) and all(choices))
            at += 1
    except PlayError as error:
        state = space.states[at] if space.states else machine.initial()
        history = space.history(at) if space.states else []
        raise breakdown_after(machine, error, [(state, history)]) from None
    return space


def _visit(space: StateSpace, numbers: dict[bytes, int], at: int, *, goes_on: bool) -> None:
    """Add the children of a state."""
    if not goes_on:
        space.joints.append(np.empty((0, len(space.machine.roles)), np.int32))
        space.children.append(np.empty(0, np.int64))
        return
    expansion = space.machine.expand(space.states[at])
    space.joints.append(expansion.joints)
    children = [
        _add(space, numbers, row, bool(ended), (at, child))
        for child, (row, ended) in enumerate(zip(expansion.states, expansion.terminal, strict=True))
    ]
    space.children.append(np.array(children, np.int64))


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


def history_text(machine: Machine, history: History, idle: GroundTerm | None = None) -> list[str]:
    """Joint moves as people read them: `x (mark 1 1), o noop`.

    idle: a move to leave out, which is made by whoever is not to move.
    """
    return [_joint_text(machine, joint, idle) for joint in history]


def _joint_text(machine: Machine, joint: tuple[int, ...], idle: GroundTerm | None) -> str:
    terms = [machine.move_term(RoleId(r), MoveId(move)) for r, move in enumerate(joint)]
    return ", ".join(
        f"{name} {format_term(term)}"
        for name, term in zip(machine.roles, terms, strict=True)
        if term != idle
    )
