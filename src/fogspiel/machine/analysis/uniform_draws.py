"""Moves of many simulations at once, drawn at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Joints, Machine, States


def by_chance(machine: Machine, states: States, rng: np.random.Generator) -> NDArray[np.int64]:
    """(n,) moves of chance, by their weights."""
    bounds = np.cumsum(machine.chance_weights_batch(states), axis=1)
    # Rounding must not lead past the last move that has a weight.
    uniforms = rng.random(len(states)) * bounds[:, -1]
    moves: NDArray[np.int64] = (bounds <= uniforms[:, None]).sum(axis=1)
    return moves


def draw_uniform(legal: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """(n,) one of the legal moves of each row. legal: (n, moves)"""
    places = np.cumsum(legal, axis=1)
    picks = np.floor(rng.random(len(legal)) * places[:, -1])
    moves: NDArray[np.int64] = (places <= picks[:, None]).sum(axis=1)
    return moves


def random_joints(machine: Machine, states: States, rng: np.random.Generator) -> Joints:
    """(n, roles) chance by its weights, all others evenly."""
    joints = np.empty((len(states), len(machine.roles)), np.int32)
    for role in map(RoleId, range(len(machine.roles))):
        if role == machine.chance_role:
            joints[:, role] = by_chance(machine, states, rng)
        else:
            joints[:, role] = draw_uniform(machine.legal_batch(states, role), rng)
    return joints
