"""Whether a role knows what it must: its legal moves, whether play is over, its own result.

A game of GDL-II (Thielscher 2010) is fair to its players only if these are the same in all states
that a role cannot tell apart: those that courses of play lead to in which it did and saw the same.

Proved on pairs of states: from a pair, all pairs follow whose steps look the same to the role. That
decides the matter without visiting histories, which are many more than states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fogspiel.core.ids import RoleId
from fogspiel.machine.statespace import History, StateSpace

MAX_PAIRS = 100_000

LEGAL, END, RESULT = "DYN005", "DYN006", "DYN007"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Two courses of play that a role cannot tell apart, though it should."""

    code: str
    role: RoleId
    first: History
    second: History


@dataclass(frozen=True, slots=True)
class Situation:
    """What a role must know in a state."""

    terminal: bool
    legal: tuple[int, ...]
    goal: int | None
    """In terminal states."""

    def differs(self, other: Situation) -> str | None:
        """The code of what a role does not know if it holds both possible; None if nothing."""
        if self.terminal != other.terminal:
            return END
        if self.terminal:
            return RESULT if self.goal != other.goal else None
        return LEGAL if self.legal != other.legal else None


def confusions_of(space: StateSpace, role: RoleId) -> list[Confusion] | None:
    """The first confusion of each kind, an empty list if there are none.

    None if there are too many pairs to say.
    """
    situations = [_situation(space, state, role) for state in range(len(space.states))]
    views = _Views(space, role)
    met: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]] | None] = {(0, 0): None}
    work = [(0, 0)]
    found: dict[str, Confusion] = {}
    while work:
        pair = work.pop()
        code = situations[pair[0]].differs(situations[pair[1]])
        if code is not None and code not in found:
            first, second = _histories(space, met, pair)
            found[code] = Confusion(code=code, role=role, first=first, second=second)
        for successor, children in views.following(pair):
            if successor not in met:
                met[successor] = pair, children
                work.append(successor)
        if len(met) > MAX_PAIRS:
            return None
    return [found[code] for code in sorted(found)]


class _Views:
    """The views of a role by state, worked out once each."""

    def __init__(self, space: StateSpace, role: RoleId) -> None:
        self._space = space
        self._role = role
        self._views: dict[int, dict[tuple[int, bytes], dict[int, int]]] = {}

    def following(self, pair: tuple[int, int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Pairs of successors that look the same from here, with the children they are."""
        first, second = self._of(pair[0]), self._of(pair[1])
        for view, successors in first.items():
            for other, other_child in second.get(view, {}).items():
                for successor, child in successors.items():
                    yield (successor, other), (child, other_child)

    def _of(self, state: int) -> dict[tuple[int, bytes], dict[int, int]]:
        if state not in self._views:
            self._views[state] = self._space.views(state, self._role)
        return self._views[state]


def _situation(space: StateSpace, state: int, role: RoleId) -> Situation:
    machine = space.machine
    if space.terminal[state]:
        return Situation(True, (), machine.goals(space.states[state])[role])
    return Situation(False, tuple(machine.legal(space.states[state], role)), None)


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
