"""Histories played again from the start: where they lead, how probable they are, who knows what.

Histories that begin alike are played once as long as they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import CallClock
from fogspiel.belief.protocol import Histories
from fogspiel.belief.transitions import Indices, Reals, proportions
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.knowledge import Keys, first_knowledge, knowledge_after
from fogspiel.machine.protocol import Joints, Machine, States

PORTION = 1 << 14  #: Histories that are played together
CHUNK = 1 << 12
CELLS = 1 << 24  #: Pairs of a state and a move whose probabilities are held at a time

_Number = TypeVar("_Number", np.float64, np.uint64)


def carried_along(
    machine: Machine,
    joints: NDArray[np.int32],
    start: NDArray[_Number],
    after: Callable[[NDArray[_Number], States, Indices, Joints], NDArray[_Number]],
) -> tuple[States, NDArray[_Number]]:
    """The states that histories lead to, and values that are carried along them.

    joints: (n, steps, roles). start: (1, …) the value of the empty history.
    after: from values (k, …) and states (k, words) of different histories to the values (m, …) of
    those one step longer: by origins (m,), the histories that they continue, and moves (m, roles).
    """
    if not len(joints):
        return machine.initial()[None, :][:0], start[:0]
    order = lexicographic(joints)
    joints = joints[order]
    states, values = machine.initial()[None, :], start
    nodes = np.zeros(len(joints), np.int64)
    changed = np.zeros(len(joints), np.bool_)
    changed[:1] = True
    for step in range(joints.shape[1]):
        changed[1:] |= (joints[1:, step] != joints[:-1, step]).any(axis=1)
        firsts = np.flatnonzero(changed)
        origins, made = nodes[firsts], joints[firsts, step]
        values = after(values, states, origins, made)
        states = machine.step_batch(states[origins], made)
        nodes = np.cumsum(changed) - 1
    back = nodes[np.argsort(order)]
    return states[back], values[back]


def lexicographic(joints: NDArray[np.int32]) -> Indices:
    """The order of histories. Only moves that differ somewhere decide it."""
    columns = joints.reshape(len(joints), -1)
    if not len(columns):
        return np.empty(0, np.int64)
    varied = columns[:, (columns != columns[0]).any(axis=0)]
    if not varied.shape[1]:
        return np.arange(len(joints))
    order: Indices = np.lexsort(varied.T[::-1])
    return order


def knowledge_at_end(machine: Machine, joints: NDArray[np.int32]) -> Keys:
    """(n, roles) what every role but chance knows after histories.

    joints: (n, steps, roles)
    """
    roles = [RoleId(role) for role in range(len(machine.roles))]

    def after(known: Keys, states: States, origins: Indices, made: Joints) -> Keys:
        known, states = known[origins], states[origins]
        for role in roles:
            if role != machine.chance_role:
                before = np.ascontiguousarray(known[:, role])
                known[:, role] = knowledge_after(machine, role, before, states, made)
        return known

    start = np.array([[first_knowledge(role) for role in roles]])
    return carried_along(machine, joints, start, after)[1]


def log_probabilities(
    machine: Machine, role: RoleId, joints: NDArray[np.int32]
) -> tuple[States, Reals]:
    """The states that histories lead to, and the logarithms of their probabilities.

    A role's own moves are given, all others choose uniformly at random. joints: (n, steps, roles)
    """

    def after(logs: Reals, states: States, origins: Indices, made: Joints) -> Reals:
        logs = logs[origins]
        for other in map(RoleId, range(len(machine.roles))):
            if other != role:
                logs += _log_choices(machine, other, states, origins, made[:, other])
        return logs

    return carried_along(machine, joints, np.zeros(1), after)


def _log_choices(
    machine: Machine, role: RoleId, states: States, origins: Indices, moves: NDArray[np.int32]
) -> Reals:
    """(m,) the logarithm of the probability of each move in its state."""
    size = max(1, CELLS // max(1, machine.move_count(role)))
    chunks = [states[first : first + size] for first in range(0, len(states), size)]
    if role != machine.chance_role:
        counts = [machine.legal_batch(chunk, role).sum(axis=1) for chunk in chunks]
        even: Reals = -np.log(np.concatenate(counts)[origins])
        return even
    # Origins ascend, so those of a chunk stand side by side.
    bounds = np.searchsorted(origins, np.arange(0, len(states), size)).tolist()
    parts = []
    for number, (chunk, first) in enumerate(zip(chunks, bounds, strict=True)):
        own = slice(first, bounds[number + 1] if number + 1 < len(bounds) else None)
        table = machine.chance_weights_batch(chunk)
        parts.append(table[origins[own] - number * size, moves[own]])
    with np.errstate(divide="ignore"):
        drawn: Reals = np.log(np.concatenate(parts))
    return drawn


def weighed(
    machine: Machine,
    role: RoleId,
    joints: NDArray[np.int32],
    *,
    complete: bool,
    clock: CallClock | None = None,
) -> Histories:
    """Histories with their states and weights; not all of them where time runs out.

    joints: (n, steps, roles), all of them possible.
    """
    states, logs = [machine.initial()[None, :][:0]], [np.empty(0)]
    done = 0
    while done < len(joints) and (done == 0 or clock is None or not clock.over):
        portion = joints[done : done + PORTION]
        ends, log_weights = log_probabilities(machine, role, portion)
        states.append(ends)
        logs.append(log_weights)
        done += len(portion)
    return Histories(
        joints=joints[:done],
        states=np.concatenate(states),
        weights=proportions(np.concatenate(logs)),
        complete=complete and done == len(joints),
    )


def consistent(
    machine: Machine, role: RoleId, observations: Sequence[Observation], joints: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """(n,) whether each history is legal and gives the role its observations.

    joints: (n, steps, roles)
    """
    parts = [
        _consistent(machine, role, observations, joints[first : first + CHUNK])
        for first in range(0, len(joints), CHUNK)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)


def _consistent(
    machine: Machine, role: RoleId, observations: Sequence[Observation], joints: NDArray[np.int32]
) -> NDArray[np.bool_]:
    alive = np.arange(len(joints))
    states = np.repeat(machine.initial()[None, :], len(joints), axis=0)
    for step, observation in enumerate(observations):
        moves = np.ascontiguousarray(joints[alive, step])
        good = ~machine.terminal_batch(states) & (moves[:, role] == observation.move)
        after = _after(machine, states, moves)
        if after is None:
            good &= _legal(machine, states, moves)
        alive, states, moves = alive[good], states[good], moves[good]
        if not len(alive):
            break
        seen = machine.percepts_batch(states, moves, role)
        expected = np.zeros(seen.shape[1], np.bool_)
        expected[list(observation.percepts)] = True
        fits = (seen == expected).all(axis=1)
        states = machine.step_batch(states, moves) if after is None else after[good]
        alive, states = alive[fits], states[fits]
        if not len(alive):
            break
    fits = np.zeros(len(joints), np.bool_)
    fits[alive] = True
    return fits


def _after(machine: Machine, states: States, moves: Joints) -> States | None:
    """The states that moves lead to; None if some are illegal, which the machine finds anyway."""
    try:
        return machine.step_batch(states, moves)
    except PlayError:
        return None


def _legal(machine: Machine, states: States, moves: Joints) -> NDArray[np.bool_]:
    """(n,) whether every role's move is legal."""
    rows = np.arange(len(moves))
    good = np.ones(len(moves), np.bool_)
    for role in range(len(machine.roles)):
        good &= machine.legal_batch(states, RoleId(role))[rows, moves[:, role]]
    return good
