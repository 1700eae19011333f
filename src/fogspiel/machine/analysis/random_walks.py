"""Uniform random play of many games side by side: joint moves, random walks, and turn order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Joints, Machine, States

TURN_WALKS = 32
TURN_STEPS = 12
TURN_SEED = 0x7065_7269_6F64  #: Seed of the random walks that find out whether roles take turns


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkStep:
    """One step of all walks that have not ended."""

    walks: NDArray[np.int64]  #: (n,) the walk of each row
    states: States  #: (n, words) states before the step
    legal: tuple[NDArray[np.bool_], ...]  #: Legal moves: for each role (n, moves)
    joints: Joints  #: (n, roles) the joint moves drawn
    successors: States  #: (n, words) states after the step


def random_walks(machine: Machine, count: int, rng: np.random.Generator) -> Iterator[WalkStep]:
    """Random walks from the initial state, one step of all walks at a time until all have ended.

    A walk ends in a terminal state, or in a state in which a role has no legal move.
    """
    states = np.repeat(machine.initial()[None, :], count, axis=0)
    walks = np.arange(count)
    while len(states):
        going = ~machine.terminal_batch(states)
        states, walks = states[going], walks[going]
        if not len(states):
            return
        roles = map(RoleId, range(len(machine.roles)))
        legal = tuple(machine.legal_batch(states, role) for role in roles)
        able = np.logical_and.reduce([mask.any(axis=1) for mask in legal])
        states, walks = states[able], walks[able]
        legal = tuple(mask[able] for mask in legal)
        if not len(states):
            return
        joints = draw_joints(legal, rng)
        successors = machine.step_batch(states, joints)
        yield WalkStep(
            walks=walks, states=states, legal=legal, joints=joints, successors=successors
        )
        states = successors


def turn_period(machine: Machine) -> int:
    """2 if the roles that choose at odd and at even steps differ and stay the same; otherwise 1.

    A wrong answer costs speed but not correctness: it only decides when lanes start their games.
    """
    choosers: list[set[int]] = [set(), set()]
    walks = random_walks(machine, TURN_WALKS, np.random.default_rng(TURN_SEED))
    for number, step in enumerate(islice(walks, TURN_STEPS)):
        for role, legal in enumerate(step.legal):
            if (legal.sum(axis=1) > 1).any():
                choosers[number % 2].add(role)
    return 2 if choosers[0] and choosers[1] and not choosers[0] & choosers[1] else 1


def random_joints(machine: Machine, states: States, rng: np.random.Generator) -> Joints:
    """(n, roles) joint moves: chance draws by its weights, every other role uniformly."""
    joints = np.empty((len(states), len(machine.roles)), np.int32)
    for role in map(RoleId, range(len(machine.roles))):
        if role == machine.chance_role:
            joints[:, role] = draw_chance(machine, states, rng)
        else:
            joints[:, role] = draw_uniform(machine.legal_batch(states, role), rng)
    return joints


def draw_joints(legal: tuple[NDArray[np.bool_], ...], rng: np.random.Generator) -> Joints:
    """(n, roles) a legal move of every role, chance included, drawn uniformly."""
    return np.stack([draw_uniform(mask, rng) for mask in legal], axis=1).astype(np.int32)


def draw_uniform(legal: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """(n,) a uniform random choice among the legal moves of each row. legal: (n, moves)"""
    counts = np.cumsum(legal, axis=1)
    picks = np.floor(rng.random(len(legal)) * counts[:, -1])
    # The pick-th legal move is where the running count first passes the pick.
    moves: NDArray[np.int64] = (counts <= picks[:, None]).sum(axis=1)
    return moves


def draw_chance(machine: Machine, states: States, rng: np.random.Generator) -> NDArray[np.int64]:
    """(n,) moves of chance, drawn by their weights."""
    bounds = np.cumsum(machine.chance_weights_batch(states), axis=1)
    # Rounding must not lead past the last move with a weight.
    uniforms = rng.random(len(states)) * bounds[:, -1]
    moves: NDArray[np.int64] = (bounds <= uniforms[:, None]).sum(axis=1)
    return moves
