"""Sums of impartial games under normal play (whoever cannot move loses), by Grundy numbers.

Source: Sprague (1935) and Grundy (1939); Conway (1976), On Numbers and Games, chapter 11.

Whether a game is of this kind is proved part by part: both players have the same moves in it, it
keeps still while nothing is done in it, the game is over exactly where no part has a move left, and
then whoever is to move has the lower goal. All combinations of the parts' classes are checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.analysis.independent_parts import CLOCK, WAITING, Parts, parts_of
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.search.parts.graphs import PartGraph, part_graph

MOST_COMBINATIONS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class ImpartialSum:
    """A game that was proved to be a sum of impartial games, from a state on."""

    machine: Machine
    parts: Parts
    graphs: tuple[PartGraph, ...]
    numbers: tuple[NDArray[np.int64], ...]  #: Grundy numbers of the states of each part

    def number(self, state: State) -> int:
        """The Grundy number of a state: 0 where the role to move loses against perfect play."""
        total = 0
        for part in range(self.parts.count):
            total ^= self._own(part, state)
        return total

    def winning(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The winning moves of the role on turn."""
        legal = self.machine.legal(state, role)
        total = self.number(state)
        found = []
        for move in legal:
            part = int(self.parts.of_moves[role][move])
            if part == WAITING:
                continue
            wanted = total ^ self._own(part, state)
            joint = [
                move if other == role else self.machine.legal(state, RoleId(other))[0]
                for other in range(len(self.machine.roles))
            ]
            if self._own(part, self.machine.step(state, joint)) == wanted:
                found.append(move)
        return tuple(found)

    def _own(self, part: int, state: State) -> int:
        mask, graph = self.parts.mask(part), self.graphs[part]
        same = ((graph.states & mask) == (state & mask)).all(axis=1)
        return int(self.numbers[part][np.flatnonzero(same)[0]])


def impartial_sum(machine: Machine, start: State, budget: Budget) -> ImpartialSum | None:
    """The game as a sum of impartial ones; None where that cannot be proved.

    budget: simulations are states of parts.
    """
    parts = parts_of(machine)
    if parts is None or len(machine.roles) != 2 or machine.chance_role is not None:
        return None
    if not parts.count or not (parts.keeps & parts.timeless).all():
        return None
    turns = _turns(machine, parts, start)
    graphs = [] if turns is None else _common(machine, parts, turns, budget)
    numbers = [own for own in map(_grundy, graphs) if own is not None]
    if turns is None or len(numbers) < parts.count:
        return None
    if not _ends_by_rule(machine, parts, graphs, turns):
        return None
    return ImpartialSum(machine, parts, tuple(graphs), tuple(numbers))


def _common(
    machine: Machine, parts: Parts, turns: tuple[State, State], budget: Budget
) -> list[PartGraph]:
    """The graph of each part, which both players share; fewer where they do not."""
    found: list[PartGraph] = []
    for part in range(parts.count):
        try:
            mine, theirs = (
                part_graph(machine, parts, part, turn, (RoleId(role),), budget)
                for role, turn in enumerate(turns)
            )
        except FogspielError:
            break
        if not _same(mine, theirs, parts.mask(part)):
            break
        if not _takes_turns(machine, parts, part, (mine, theirs), turns):
            break
        found.append(mine)
    return found


def _turns(machine: Machine, parts: Parts, start: State) -> tuple[State, State] | None:
    """The start with the first role to move, and with the second; None if they do not alternate.

    The role that is not to move has a single move, which does nothing; the other has none such.
    """
    every = (1 << parts.count) - 1
    for number, part in enumerate(np.concatenate(parts.of_moves).tolist()):
        if part == WAITING and parts.supports[int(parts.circuit.legal[number]) >> 1] & every:
            return None
    state, found = start, []
    mask = parts.mask(CLOCK)
    for _ in range(2):
        movers = [
            role
            for role in (0, 1)
            if any(parts.of_moves[role][m] != WAITING for m in machine.legal(state, RoleId(role)))
        ]
        waiting = [role for role in (0, 1) if role not in movers]
        if len(movers) != 1 or len(machine.legal(state, RoleId(waiting[0]))) != 1:
            return None
        own = machine.legal(state, RoleId(movers[0]))
        if any(parts.of_moves[movers[0]][move] == WAITING for move in own):
            return None
        found.append((movers[0], state))
        joint = [machine.legal(state, RoleId(role))[0] for role in (0, 1)]
        state = (machine.step(state, joint) & mask) | (start & ~mask)
    by_role = dict(found)
    if len(by_role) != 2 or not np.array_equal(state, start):
        return None
    return by_role[0], by_role[1]


def _takes_turns(
    machine: Machine,
    parts: Parts,
    part: int,
    graphs: tuple[PartGraph, PartGraph],
    turns: tuple[State, State],
) -> bool:
    """Whether no role has a move in the part while the other is to move."""
    clock = parts.mask(CLOCK)
    for role in (0, 1):
        states = (graphs[role].states & ~clock) | (turns[1 - role] & clock)
        legal = machine.legal_batch(states, RoleId(role))
        if (legal & (parts.of_moves[role] == part)).any():
            return False
    return True


def _same(one: PartGraph, other: PartGraph, mask: State) -> bool:
    """Whether two players have the same states and steps in a part."""

    def steps(graph: PartGraph) -> set[tuple[bytes, bytes]]:
        rows = [row.tobytes() for row in graph.states & mask]
        pairs = zip(graph.parents.tolist(), graph.children.tolist(), strict=True)
        return {(rows[parent], rows[child]) for parent, child in pairs}

    return len(one.states) == len(other.states) and steps(one) == steps(other)


def _grundy(graph: PartGraph) -> NDArray[np.int64] | None:
    """(states,) the least number that no child has; None where the graph has a cycle."""
    children: list[list[int]] = [[] for _ in graph.states]
    for parent, child in zip(graph.parents.tolist(), graph.children.tolist(), strict=True):
        children[parent].append(child)
    numbers = np.full(len(graph.states), -1, np.int64)
    on_way = np.zeros(len(graph.states), np.bool_)
    todo = [0]
    while todo:
        state = todo[-1]
        if numbers[state] >= 0:
            todo.pop()
            continue
        missing = [child for child in children[state] if numbers[child] < 0]
        if missing:
            if on_way[state]:
                return None
            on_way[state] = True
            todo.extend(missing)
            continue
        taken = {int(numbers[child]) for child in children[state]}
        numbers[state] = next(n for n in range(len(taken) + 1) if n not in taken)
        todo.pop()
    return numbers


def _ends_by_rule(
    machine: Machine, parts: Parts, graphs: list[PartGraph], turns: tuple[State, State]
) -> bool:
    """Whether the game ends exactly where nobody can move, and is lost for the role to move."""
    stuck = []
    for graph in graphs:
        moving = np.zeros(len(graph.states), np.bool_)
        moving[graph.parents] = True
        by_class = [moving[graph.classes == number] for number in range(len(graph.values))]
        if any(own.any() != own.all() for own in by_class):
            return False
        stuck.append([not own.any() for own in by_class])
    if prod(map(len, stuck)) > MOST_COMBINATIONS:
        return False
    nothing = np.ones(1, np.bool_)
    for own in stuck:
        nothing = (nothing[:, None] & np.array(own)).reshape(-1)
    for role, turn in enumerate(turns):
        states = _combined(parts, graphs, turn)
        if not np.array_equal(machine.terminal_batch(states), nothing):
            return False
        goals = machine.goals_batch(np.ascontiguousarray(states[nothing]))
        if (goals[:, role] >= goals[:, 1 - role]).any():
            return False
    return True


def _combined(parts: Parts, graphs: list[PartGraph], turn: State) -> States:
    """(n, words) a state for each combination of classes; those of the last part vary fastest."""
    states = turn[None, :]
    for part, graph in enumerate(graphs):
        mask = parts.mask(part)
        _, firsts = np.unique(graph.classes, return_index=True)
        own = graph.states[firsts] & mask
        states = ((states & ~mask)[:, None, :] | own).reshape(-1, len(turn))
    return np.ascontiguousarray(states)
