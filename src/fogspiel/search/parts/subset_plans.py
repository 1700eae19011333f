"""Plans in a subset of the parts of a game: in the other parts any move is as good as waiting.

A plan counts only if it works in the whole game, and reaches the best goal that the rules know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.analysis.independent_parts import CLOCK, Parts
from fogspiel.machine.protocol import Machine, State, States

MOST_STATES = 100_000  #: States met in one subset of the parts
AT_ONCE = 1 << 10  #: States whose steps are made between two looks at the clock

Way = tuple[int | None, ...]
"""Moves of a plan; None where any move outside the parts in question will do."""
ELSEWHERE = -1  #: The same in arrays


@dataclass(frozen=True, slots=True)
class SubsetPlan:
    """The moves of one player up to the end of the game."""

    moves: tuple[MoveId, ...]
    goal: int  #: The goal of the role, by the scale of the machine: the best that there is


def plan_in_subset(
    machine: Machine,
    parts: Parts,
    role: RoleId,
    state: State,
    budget: Budget,
    most: int = MOST_STATES,
) -> SubsetPlan | None:
    """Search the parts that one gate of the goals reads, small subsets first.

    most: states met in one subset.
    """
    most = min(most, budget.simulations or most)
    for members in _sets(parts):
        if budget.is_over:
            return None
        way = _way(_Search(machine, parts, role, members, most, budget), state)
        if way is not None:
            plan = carried_out(machine, parts, role, state, way, members)
            if plan is not None and plan.goal == parts.best_goals[role]:
                return plan
    return None


def carried_out(
    machine: Machine,
    parts: Parts,
    role: RoleId,
    state: State,
    way: Way,
    members: Sequence[int],
) -> SubsetPlan | None:
    """Try a plan in the whole game; None where it cannot be carried out or does not end it."""
    outside = ~np.isin(parts.of_moves[role], members)
    moves: list[MoveId] = []
    for wanted in way:
        if machine.terminal(state):
            break
        legal = machine.legal(state, role)
        fitting = [m for m in legal if (outside[m] if wanted is None else m == wanted)]
        if not fitting:
            return None
        moves.append(fitting[0])
        state = machine.step(state, [fitting[0]])
    if not machine.terminal(state):
        return None
    return SubsetPlan(tuple(moves), machine.goals(state)[role])


def _sets(parts: Parts) -> Iterator[list[int]]:
    """Proper subsets of the parts."""
    every = (1 << parts.count) - 1
    masks = {parts.supports[node] & every for node in parts.asking}
    masks.add(sum(1 << int(part) for part in np.flatnonzero(parts.relevant)))
    for mask in sorted(masks - {0, every}, key=lambda mask: (mask.bit_count(), mask)):
        yield [part for part in range(parts.count) if mask >> part & 1]


@dataclass(frozen=True, slots=True)
class _Search:
    """A subset of the parts to search, and limits."""

    machine: Machine
    parts: Parts
    role: RoleId
    members: Sequence[int]
    most: int
    budget: Budget


def _way(search: _Search, start: State) -> Way | None:
    """A shortest way to the best goal, breadth first, as if nothing happened in other parts."""
    machine, parts, role = search.machine, search.parts, search.role
    keep = parts.mask(*search.members, CLOCK)
    inside = np.isin(parts.of_moves[role], search.members)
    layers = [_Layer(start[None, :], np.zeros(1, np.int64), np.zeros(1, np.int32))]
    met = layers[0].states
    while len(met) <= search.most and search.budget.seconds_left > 0.0:
        pieces = list[_Layer]()
        for first in range(0, len(layers[-1].states), AT_ONCE):
            if search.budget.is_over:
                return None
            piece = _following(machine, role, layers[-1].states[first : first + AT_ONCE], inside)
            piece.states = (piece.states & keep) | (start & ~keep)
            piece.parents += first
            pieces.append(piece.only(distinct_rows(piece.states)[0]))
        layer = _joined(pieces)
        layer = layer.only(distinct_rows(layer.states)[0])
        over = machine.terminal_batch(layer.states)
        if over.any():
            goals = machine.goals_batch(np.ascontiguousarray(layer.states[over]))[:, role]
            if goals.max() == parts.best_goals[role]:
                ends = np.flatnonzero(over)[goals == goals.max()]
                return _back([*layers, layer], int(ends[0]))
        layer = layer.only(np.flatnonzero(~over))
        firsts, _ = distinct_rows(np.concatenate([met, layer.states]))
        layer = layer.only(firsts[firsts >= len(met)] - len(met))
        if not len(layer.states):
            return None
        layers.append(layer)
        met = np.concatenate([met, layer.states])
    return None


@dataclass(slots=True)
class _Layer:
    """States after a number of steps."""

    states: States
    parents: NDArray[np.int64]  #: (n,) predecessors in the layer before
    moves: NDArray[np.int32]

    def only(self, rows: NDArray[np.int64]) -> _Layer:
        return _Layer(np.ascontiguousarray(self.states[rows]), self.parents[rows], self.moves[rows])


def _following(machine: Machine, role: RoleId, states: States, inside: NDArray[np.bool_]) -> _Layer:
    """All steps inside the subset, and one outside where there are any."""
    legal = machine.legal_batch(states, role)
    rows, moves = np.nonzero(legal & inside)
    outside = legal & ~inside
    waiting = np.flatnonzero(outside.any(axis=1))
    played = np.concatenate([moves, outside[waiting].argmax(axis=1)]).astype(np.int32)
    parents = np.concatenate([rows, waiting])
    after = machine.step_batch(np.ascontiguousarray(states[parents]), played[:, None])
    told = np.concatenate([moves, np.full(len(waiting), ELSEWHERE)]).astype(np.int32)
    return _Layer(after, parents, told)


def _joined(pieces: Sequence[_Layer]) -> _Layer:
    return _Layer(
        np.concatenate([piece.states for piece in pieces]),
        np.concatenate([piece.parents for piece in pieces]),
        np.concatenate([piece.moves for piece in pieces]),
    )


def _back(layers: Sequence[_Layer], end: int) -> Way:
    moves: list[int | None] = []
    for layer in reversed(layers[1:]):
        move = int(layer.moves[end])
        moves.append(None if move == ELSEWHERE else move)
        end = int(layer.parents[end])
    return tuple(reversed(moves))
