"""Random walks through a game, many side by side: the raw material of surveys and audits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Joints, Machine, States


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkStep:
    """One step of all walks that are in a state where play goes on."""

    walks: NDArray[np.int64]
    """(n,) which walk each row belongs to."""
    states: States
    """(n, words) before the step."""
    legal: tuple[NDArray[np.bool_], ...]
    """Of each role, (n, moves) legality."""
    joints: Joints
    """(n, roles) what was drawn."""
    successors: States
    """(n, words)"""


def random_walks(machine: Machine, count: int, rng: np.random.Generator) -> Iterator[WalkStep]:
    """Walk from the start until every walk has ended, one step of all walks at a time.

    A walk ends in a terminal state, or where a role has no legal move.
    """
    states = np.repeat(machine.initial()[None, :], count, axis=0)
    walks = np.arange(count)
    while len(states):
        going = ~machine.terminal_batch(states)
        states, walks = states[going], walks[going]
        if not len(states):
            return
        legal = legal_masks(machine, states)
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


def legal_masks(machine: Machine, states: States) -> tuple[NDArray[np.bool_], ...]:
    """Of each role, (n, moves) legality."""
    return tuple(machine.legal_batch(states, RoleId(role)) for role in range(len(machine.roles)))


def draw_joints(legal: tuple[NDArray[np.bool_], ...], rng: np.random.Generator) -> Joints:
    """(n, roles) a uniformly drawn legal move for every role; every row must have one."""
    columns = []
    for mask in legal:
        counts = mask.sum(axis=1)
        picks = (rng.random(len(mask)) * counts).astype(np.int64)
        # The pick-th legal move is where the running count first passes the pick.
        columns.append((mask.cumsum(axis=1) > picks[:, None]).argmax(axis=1))
    return np.stack(columns, axis=1).astype(np.int32)
