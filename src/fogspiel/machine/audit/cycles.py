"""Courses of play that come back to where they were: the proof that a game need not end."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from fogspiel.machine.analysis.state_space import StateSpace
from fogspiel.machine.audit.breakdown import History


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """A way into a circle, and once round it."""

    lead: History
    circle: History
    inescapable: bool
    """Whether no course of play from here on ends the game."""


def find_loop(space: StateSpace) -> Cycle | None:
    """A short loop, rather one that nothing leads out of; None if there is none."""
    on_circles = _between_circles(space)
    ending = _can_end(space)
    for state in sorted(on_circles, key=lambda state: (state in ending, state)):
        circle = _shortest_circle(space, state, on_circles)
        if circle is not None:
            lead = space.history(state)
            return Cycle(lead=lead, circle=circle, inescapable=state not in ending)
    return None


def _between_circles(space: StateSpace) -> set[int]:
    """The states on circles, and on ways from one circle to another."""
    after = [{int(child) for child in children} for children in space.children]
    before = _predecessors(space)
    left = set(range(len(space.states)))
    # Whatever has nothing before or after it is on no circle, and neither is what this uncovers.
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
    """The states from which some course of play ends."""
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
    """The moves of a shortest way from a state back to it."""
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
