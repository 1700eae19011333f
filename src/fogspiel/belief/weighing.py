"""Histories played again, many at once: where they lead, and how probable they are.

Histories are sorted, so those that begin alike stand together; what they share is played once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Histories, Sighting
from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Joints, Machine, States

PORTION = 1 << 13
"""States whose legal moves are held at a time."""


def weighed(
    machine: Machine,
    role: RoleId,
    sightings: Sequence[Sighting],
    joints: NDArray[np.int32],
    *,
    complete: bool,
    even_chance: bool,
) -> Histories:
    """Histories with their states and weights.

    joints: (n, steps, roles)
    even_chance: whether all legal moves of chance are always equally probable.
    All must fit: one that does not is a mistake of the method that found it.
    """
    order = lexicographic(joints)
    joints = joints[order]
    states = machine.initial()[None, :]
    nodes = np.zeros(len(joints), np.int64)
    logs = np.zeros(1)
    changed = np.zeros(len(joints), np.bool_)
    changed[:1] = True
    for step, sighting in enumerate(sightings):
        parents = nodes
        changed[1:] |= (joints[1:, step] != joints[:-1, step]).any(axis=1)
        firsts = np.flatnonzero(changed)
        made = joints[firsts, step]
        before = states[parents[firsts]]
        assert _fit(machine, role, sighting, before, made), f"step {step + 1} does not fit"
        shares = _log_shares(machine, role, states, made, parents[firsts], even_chance=even_chance)
        logs = logs[parents[firsts]] + shares
        states = machine.step_batch(before, made)
        nodes = np.cumsum(changed) - 1
    weights = np.exp(logs - logs.max(initial=-np.inf)) if len(joints) else np.empty(0)
    back = np.argsort(order)
    return Histories(
        joints=joints[back],
        states=states[nodes][back],
        weights=weights[nodes][back],
        complete=complete,
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


def _fit(machine: Machine, role: RoleId, sighting: Sighting, states: States, made: Joints) -> bool:
    """Whether all steps are what the role did and saw. Legality is checked by the step itself."""
    expected = np.zeros(machine.percept_count(role), np.bool_)
    expected[list(sighting.percepts)] = True
    seen = machine.percepts_batch(states, made, role)
    return bool(
        (made[:, role] == sighting.move).all()
        and (seen == expected).all()
        and not machine.terminal_batch(states).any()
    )


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
                machine.legal_batch(states[first : first + PORTION], other).sum(axis=1)
                for first in range(0, len(states), PORTION)
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
