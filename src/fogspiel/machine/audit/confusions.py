"""Check that every role knows its legal moves, whether play is over, and its own result.

In GDL-II (Thielscher 2010) these must be the same in all states of an information set: the states
after courses of play in which the role made the same moves and had the same percepts.

The proof visits pairs of states: a pair leads to all pairs of successors that look the same to the
role. It need not visit histories, of which there are many more than states.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from fogspiel.core.terms import MoveId, RoleId, format_term
from fogspiel.machine.audit.state_space import History, StateSpace
from fogspiel.machine.protocol import Machine

MAX_PAIRS = 100_000

LEGAL, END, RESULT = "DYN005", "DYN006", "DYN007"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndistinguishablePair:
    """Two courses of play that a role cannot tell apart, though it should."""

    code: str
    role: RoleId
    first: History
    second: History
    contrast: tuple[str, str]  #: The difference: facts after the first, and after the second


@dataclass(frozen=True, slots=True)
class RoleKnowledge:
    """The facts that a role must know in a state."""

    terminal: bool
    legal: tuple[int, ...] | None
    """None for a role that is not to move, if the rules let one role move at a time: it is told
    when its turn comes."""
    goal: int | None  #: The role's goal, in terminal states only

    @property
    def is_waiting(self) -> bool:
        """Whether another role is to move."""
        return not self.terminal and self.legal is None

    def differs(self, other: RoleKnowledge) -> str | None:
        """The code of what a role that cannot tell both apart does not know; None if nothing."""
        if self.terminal != other.terminal:
            return END
        if self.terminal:
            return RESULT if self.goal != other.goal else None
        if self.is_waiting or other.is_waiting:
            return None
        return LEGAL if self.legal != other.legal else None

    def contrast(self, other: RoleKnowledge, machine: Machine, role: RoleId) -> tuple[str, str]:
        """The facts in which the two situations differ, for this one and for the other."""
        if self.terminal != other.terminal:
            over, going = "the game is over", "it goes on"
            return (over, going) if self.terminal else (going, over)
        if self.terminal:
            payoffs = [Fraction(s.goal or 0, machine.goal_scale) for s in (self, other)]
            return f"it gets {payoffs[0]}", f"it gets {payoffs[1]}"
        own, others = set(self.legal or ()), set(other.legal or ())
        move = min(own ^ others)
        term = format_term(machine.move_term(role, MoveId(move)))
        legal, illegal = f"{term} is legal", f"{term} is not legal"
        return (legal, illegal) if move in own else (illegal, legal)


def confusions_of(
    space: StateSpace, role: RoleId, idle: int | None = None
) -> list[IndistinguishablePair] | None:
    """The first confusion of each kind, an empty list if there are none; None if there are too
    many pairs.

    idle: the move of the role when it is not to move, if the rules let one role move at a time.
    """
    situations = [_situation(space, state, role, idle) for state in range(len(space.states))]
    views = _Views(space, role)
    met: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]] | None] = {(0, 0): None}
    work = deque([(0, 0)])
    found: dict[str, IndistinguishablePair] = {}
    while work:
        pair = work.popleft()
        code = situations[pair[0]].differs(situations[pair[1]])
        if code is not None and code not in found:
            first, second = _histories(space, met, pair)
            contrast = situations[pair[0]].contrast(situations[pair[1]], space.machine, role)
            found[code] = IndistinguishablePair(
                code=code, role=role, first=first, second=second, contrast=contrast
            )
        for successor, children in views.following(pair):
            if successor not in met:
                met[successor] = pair, children
                work.append(successor)
        if len(met) > MAX_PAIRS:
            return None
    return [found[code] for code in sorted(found)]


class _Views:
    """The views of a role by state, each computed once."""

    def __init__(self, space: StateSpace, role: RoleId) -> None:
        self._space = space
        self._role = role
        self._views: dict[int, dict[tuple[int, bytes], dict[int, int]]] = {}

    def following(self, pair: tuple[int, int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Pairs of successors that look the same to the role, with their child numbers."""
        first, second = self._of(pair[0]), self._of(pair[1])
        for view, successors in first.items():
            for other, other_child in second.get(view, {}).items():
                for successor, child in successors.items():
                    yield (successor, other), (child, other_child)

    def _of(self, state: int) -> dict[tuple[int, bytes], dict[int, int]]:
        if state not in self._views:
            self._views[state] = self._space.views(state, self._role)
        return self._views[state]


def _situation(space: StateSpace, state: int, role: RoleId, idle: int | None) -> RoleKnowledge:
    machine = space.machine
    if space.terminal[state]:
        return RoleKnowledge(True, (), machine.goals(space.states[state])[role])
    return going_on(machine.legal(space.states[state], role), idle)


def going_on(legal: tuple[int, ...], idle: int | None) -> RoleKnowledge:
    """The situation of a role with these legal moves."""
    return RoleKnowledge(False, None if legal == (idle,) else tuple(legal), None)


def _histories(
    space: StateSpace,
    met: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]] | None],
    pair: tuple[int, int],
) -> tuple[History, History]:
    first: History = []
    second: History = []
    while (step := met[pair]) is not None:
        pair, children = step
        first.append(tuple(int(m) for m in space.joints[pair[0]][children[0]]))
        second.append(tuple(int(m) for m in space.joints[pair[1]][children[1]]))
    return first[::-1], second[::-1]
