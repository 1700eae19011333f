"""Histories played again: the last word on whether they fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Joints, Machine, States

CHUNK = 1 << 12


def consistent(
    machine: Machine, role: RoleId, observations: Sequence[Observation], joints: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """(n,) whether each history is legal and looks to the role as it did.

    joints: (n, steps, roles)
    """
    parts = [
        _fitting(machine, role, observations, joints[first : first + CHUNK])
        for first in range(0, len(joints), CHUNK)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)


def _fitting(
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
    """Where the moves lead; None if some are not legal, which the machine tells at no cost."""
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
