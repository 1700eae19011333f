"""State space of a small game: all reachable states and joint moves, on which proofs are based.

It also finds cycles, which prove that a game need not end, and the courses of play to states in
which rules break down."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import Finding, PlayError
from fogspiel.core.terms import GroundTerm, MoveId, RoleId, format_term
from fogspiel.machine.protocol import Joints, Machine, State

MAX_JOINTS = 10_000  #: Most joint moves tried to find the one after which the rules break down

History: TypeAlias = list[tuple[int, ...]]  #: Joint moves from the initial state on


class BrokenPlayError(Exception):
    """The rules broke down, with the course of play that led to the fault, if it was found."""

    def __init__(self, finding: Finding, history: History | None) -> None:
        super().__init__(str(finding))
        self.finding = finding
        self.history = history


def breakdown_after(
    machine: Machine, error: PlayError, places: Iterable[tuple[State, History]]
) -> BrokenPlayError:
    """The breakdown reported by `error`, which is in one of the states or one step after it.

    places: states with the courses of play that lead to them.
    """
    for state, history in places:
        found = _located(machine, state, history)
        if found is not None:
            return found
    return BrokenPlayError(error.findings[0], None)


def _located(machine: Machine, state: State, history: History) -> BrokenPlayError | None:
    try:
        _ask(machine, state)
        choices = [machine.legal(state, RoleId(r)) for r in range(len(machine.roles))]
    except PlayError as error:
        return BrokenPlayError(error.findings[0], history)
    if machine.terminal(state):
        return None
    for joint in islice(product(*choices), MAX_JOINTS):
        try:
            _step(machine, state, joint)
        except PlayError as error:
            return BrokenPlayError(error.findings[0], [*history, tuple(map(int, joint))])
    return None


def _step(machine: Machine, state: State, joint: Sequence[MoveId]) -> None:
    for role in range(len(machine.roles)):
        machine.percepts(state, joint, RoleId(role))
    _ask(machine, machine.step(state, joint))


def _ask(machine: Machine, state: State) -> None:
    """Evaluate everything that the rules say about a state."""
    if machine.terminal(state):
        machine.goals(state)
    else:
        for role in range(len(machine.roles)):
            machine.legal(state, RoleId(role))


MAX_EDGES = {"compiled": 400_000, "reference": 15_000}  #: Most edges: some seconds of each engine


@dataclass(slots=True)
class StateSpace:
    """All reachable states, numbered breadth first; state 0 is the initial state."""

    machine: Machine
    states: list[State] = field(default_factory=list)
    terminal: list[bool] = field(default_factory=list)
    joints: list[Joints] = field(default_factory=list)
    """(children, roles) joint moves of each state; none if it is terminal or a role is stuck."""
    children: list[NDArray[np.int64]] = field(default_factory=list)
    """(children,) number of the state that each joint move of a state leads to, for each state."""
    parents: list[tuple[int, int]] = field(default_factory=list)
    """State and child number by which each state was reached first."""
    stuck: list[int] = field(default_factory=list)
    """Nonterminal states in which some role has no legal move."""

    def history(self, state: int) -> History:
        """A shortest course of play that leads to a state."""
        moves: History = []
        while state != 0:
            state, child = self.parents[state]
            moves.append(tuple(int(move) for move in self.joints[state][child]))
        return moves[::-1]

    def views(self, state: int, role: RoleId) -> dict[tuple[int, bytes], dict[int, int]]:
        """Steps by a role's observation: (own move, percepts) -> state after -> child."""
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
    """All states that can be reached; None if there are more than the limits allow.

    Raises `BrokenPlayError` if the rules break down.
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
    """Joint moves as readable text: `x (mark 1 1), o noop`.

    idle: a move to leave out, which is made by roles that are not to move.
    """
    return [_joint_text(machine, joint, idle) for joint in history]


def _joint_text(machine: Machine, joint: tuple[int, ...], idle: GroundTerm | None) -> str:
    terms = [machine.move_term(RoleId(r), MoveId(move)) for r, move in enumerate(joint)]
    return ", ".join(
        f"{name} {format_term(term)}"
        for name, term in zip(machine.roles, terms, strict=True)
        if term != idle
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """A course of play into a cycle, and once round it."""

    lead: History
    circle: History
    inescapable: bool  #: Whether no course of play from the cycle ends the game


def find_loop(space: StateSpace) -> Cycle | None:
    """A short cycle, preferably one that cannot be left; None if there is none."""
    on_circles = _between_circles(space)
    ending = _can_end(space)
    for state in sorted(on_circles, key=lambda state: (state in ending, state)):
        circle = _shortest_circle(space, state, on_circles)
        if circle is not None:
            lead = space.history(state)
            return Cycle(lead=lead, circle=circle, inescapable=state not in ending)
    return None


def _between_circles(space: StateSpace) -> set[int]:
    """The states on cycles, and on paths from one cycle to another."""
    after = [{int(child) for child in children} for children in space.children]
    before = _predecessors(space)
    left = set(range(len(space.states)))
    # Repeatedly remove states without predecessors or successors, which are on no cycle.
    for ahead, behind in ((after, before), (before, after)):
        counts = {state: len(ahead[state] & left) for state in left}
        work = [state for state, count in counts.items() if count == 0]
        while work:
            state = work.pop()
            left.discard(state)
            for other in behind[state] & left:
                counts[other] -= 1
                if counts[other] == 0:
                    work.append(other)
    return left


def _can_end(space: StateSpace) -> set[int]:
    """The states from which the game can end."""
    before = _predecessors(space)
    found = {state for state, ended in enumerate(space.terminal) if ended} | set(space.stuck)
    work = list(found)
    while work:
        fresh = before[work.pop()] - found
        found |= fresh
        work.extend(fresh)
    return found


def _predecessors(space: StateSpace) -> list[set[int]]:
    before: list[set[int]] = [set() for _ in space.states]
    for state, children in enumerate(space.children):
        for child in children:
            before[int(child)].add(state)
    return before


def _shortest_circle(space: StateSpace, start: int, within: set[int]) -> History | None:
    """The joint moves of a shortest cycle through a state."""
    steps: dict[int, tuple[int, int]] = {}
    work = deque([start])
    while work:
        state = work.popleft()
        for child, successor in enumerate(space.children[state]):
            if int(successor) not in within or int(successor) in steps:
                continue
            steps[int(successor)] = state, child
            if int(successor) == start:
                return _moves_back(space, steps, start)
            work.append(int(successor))
    return None


def _moves_back(space: StateSpace, steps: dict[int, tuple[int, int]], start: int) -> History:
    moves: History = []
    state = start
    while not moves or state != start:
        state, child = steps[state]
        moves.append(tuple(int(move) for move in space.joints[state][child]))
    return moves[::-1]
