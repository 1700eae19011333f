"""Whether a game is played in strict turns, found by playing it a little."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine

WALKS = 32
STEPS = 12
SEED = 0x7065_7269_6F64


def turn_period(machine: Machine) -> int:
    """2 if the roles that choose at odd and at even steps differ and stay the same; otherwise 1.

    A wrong answer costs speed, never correctness: it only says when lanes begin their games.
    """
    generator = np.random.default_rng(SEED)
    states = np.repeat(machine.initial()[None, :], WALKS, axis=0)
    choosers: list[set[int]] = [set(), set()]
    for step in range(STEPS):
        states = states[~machine.terminal_batch(states)]
        if not len(states):
            break
        joints = np.zeros((len(states), len(machine.roles)), np.int32)
        for role in range(len(machine.roles)):
            legal = machine.legal_batch(states, RoleId(role))
            if not legal.any(axis=1).all():
                return 1
            if (legal.sum(axis=1) > 1).any():
                choosers[step % 2].add(role)
            joints[:, role] = _draw(legal, generator)
        states = machine.step_batch(states, joints)
    return 2 if choosers[0] and choosers[1] and not choosers[0] & choosers[1] else 1


def _draw(legal: NDArray[np.bool_], generator: np.random.Generator) -> NDArray[np.int64]:
    """(n,) a random legal move in every row."""
    drawn: NDArray[np.int64] = np.where(legal, generator.random(legal.shape), -1.0).argmax(axis=1)
    return drawn
