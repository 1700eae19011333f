"""Numbers that stand for states and for what roles know: equal things have equal numbers.

They are hashes of 64 bits. Among a million of them, two different things share one with a
probability of about 3 in 100 million; a search would then mix two of its nodes, no more.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import Sighting
from fogspiel.core.ids import RoleId
from fogspiel.core.native import native
from fogspiel.machine.protocol import Joints, Machine, States

Keys = NDArray[np.uint64]
"""(n,)"""

HALF = np.uint64(32)


def first_knowledge(role: RoleId) -> np.uint64:
    """The key of a role that has done and seen nothing."""
    return np.uint64((role + 1) * 0x632BE59BD9B4E019 & 0xFFFFFFFFFFFFFFFF)


def knowledge_after(
    machine: Machine, role: RoleId, before: Keys, states: States, joints: Joints
) -> Keys:
    """(n,) what a role knows after joint moves in states, given what it knew before."""
    seen = machine.percepts_batch(states, joints, role)
    return _with_sights(before, joints[:, role].astype(np.int64), seen)


def knowledge_of(machine: Machine, role: RoleId, past: Iterable[Sighting]) -> np.uint64:
    """What a role knows that did and saw all this."""
    key = np.array([first_knowledge(role)])
    for sighting in past:
        seen = np.zeros((1, machine.percept_count(role)), np.bool_)
        seen[0, list(sighting.percepts)] = True
        key = _with_sights(key, np.array([sighting.move], np.int64), seen)
    return np.uint64(key[0])


def with_choice(keys: Keys, role: RoleId, legal: NDArray[np.bool_]) -> Keys:
    """(n,) of a role's choice between moves, where something else is known besides."""
    return _with_sights(keys, np.full(len(keys), role, np.int64), legal)


def state_keys(states: States, role: RoleId) -> Keys:
    """(n,) of states, different for each role."""
    return _of_states(np.ascontiguousarray(states), first_knowledge(role))


@native
def _mixed(key: np.uint64, word: np.uint64) -> np.uint64:
    """By the last steps of SplitMix64 (Steele, Lea & Flood 2014): every bit changes all others.

    Less is not enough. Boards differ in few bits, and two words that differ in their high bits
    must not make up for each other.
    """
    key = (key ^ word) + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@native
def _with_sights(before: Keys, moves: NDArray[np.int64], seen: NDArray[np.bool_]) -> Keys:
    after = np.empty_like(before)
    for row in range(len(before)):
        key = _mixed(before[row], np.uint64(moves[row] + 1))
        for percept in range(seen.shape[1]):
            if seen[row, percept]:
                key = _mixed(key, np.uint64(percept) + (np.uint64(1) << HALF))
        after[row] = _mixed(key, np.uint64(seen.shape[1] == 0))
    return after


@native
def _of_states(states: States, start: np.uint64) -> Keys:
    keys = np.empty(len(states), np.uint64)
    for row in range(len(states)):
        key = start
        for word in range(states.shape[1]):
            key = _mixed(key, states[row, word])
        keys[row] = key
    return keys
