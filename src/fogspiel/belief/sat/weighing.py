"""Histories played again, many at once: where they lead, and how probable they are.

Histories are sorted, so those that begin alike stand together; what they share is played once.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Histories
from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Joints, Machine, States

PORTION = 1 << 14
"""Histories that are played together."""
ROWS = 1 << 13
"""States whose legal moves are held at a time."""


def weighed(
    machine: Machine,
    role: RoleId,
    joints: NDArray[np.int32],
    *,
    complete: bool,
    even_chance: bool,
    deadline: float = np.inf,
) -> Histories:
    """Histories with their states and weights; not all of them where time runs out.

    joints: (n, steps, roles), all of them legal and as the role did and saw.
    even_chance: whether all legal moves of chance are always equally probable.
    """
    states, logs = [machine.initial()[None, :][:0]], [np.empty(0)]
    done = 0
    while done < len(joints) and (done == 0 or time.perf_counter() < deadline):
        portion = joints[done : done + PORTION]
        order = lexicographic(portion)
        ends, shares = _played(machine, role, portion[order], even_chance=even_chance)
        back = np.argsort(order)
        states.append(ends[back])
        logs.append(shares[back])
        done += len(portion)
    log_weights = np.concatenate(logs)
    return Histories(
        joints=joints[:done],
        states=np.concatenate(states),
        # Products of many probabilities vanish; only proportions matter.
        weights=np.exp(log_weights - log_weights.max(initial=-np.inf)),
        complete=complete and done == len(joints),
    )


def lexicographic(joints: NDArray[np.int32]) -> NDArray[np.int64]:
    """The order of histories. Only moves that differ somewhere decide it."""
    columns = joints.reshape(len(joints), -1)
    if not len(columns):
        return np.empty(0, np.int64)
    varied = columns[:, (columns != columns[0]).any(axis=0)]
    if not varied.shape[1]:
        return np.arange(len(joints))
    order: NDArray[np.int64] = np.lexsort(varied.T[::-1])
    return order


def _played(
    machine: Machine, role: RoleId, joints: NDArray[np.int32], *, even_chance: bool
) -> tuple[States, NDArray[np.float64]]:
    """(n, words) and (n,) where sorted histories lead, and the logarithms of their weights."""
    states = machine.initial()[None, :]
    nodes = np.zeros(len(joints), np.int64)
    logs = np.zeros(1)
    changed = np.zeros(len(joints), np.bool_)
    changed[:1] = True
    for step in range(joints.shape[1]):
        changed[1:] |= (joints[1:, step] != joints[:-1, step]).any(axis=1)
        firsts = np.flatnonzero(changed)
        origins, made = nodes[firsts], joints[firsts, step]
        shares = _log_shares(machine, role, states, made, origins, even_chance=even_chance)
        logs = logs[origins] + shares
        states = machine.step_batch(states[origins], made)
        nodes = np.cumsum(changed) - 1
    return states[nodes], logs[nodes]


def _log_shares(
    machine: Machine,
    role: RoleId,
    states: States,
    made: Joints,
    origins: NDArray[np.int64],
    *,
    even_chance: bool,
) -> NDArray[np.float64]:
    """(m,) logarithm of how probable each step is in its state.

    states: (n, words), of which the steps start at `origins`.
    """
    logs = np.zeros(len(made))
    for other in (RoleId(number) for number in range(len(machine.roles)) if number != role):
        if other == machine.chance_role and not even_chance:
            with np.errstate(divide="ignore"):
                logs += np.log(_chance_shares(machine, states, made[:, other], origins))
            continue
        counts = np.concatenate(
            [
                machine.legal_batch(states[first : first + ROWS], other).sum(axis=1)
                for first in range(0, len(states), ROWS)
            ]
        )
        logs -= np.log(counts[origins])
    return logs


def _chance_shares(
    machine: Machine, states: States, moves: NDArray[np.int32], origins: NDArray[np.int64]
) -> NDArray[np.float64]:
    chance = machine.chance_role
    assert chance is not None
    table = np.zeros((len(states), machine.move_count(chance)))
    for row, state in enumerate(states):
        table[row, list(machine.legal(state, chance))] = machine.chance_weights(state)
    shares: NDArray[np.float64] = table[origins, moves]
    return shares
