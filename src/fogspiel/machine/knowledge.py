"""What roles know, numbered: equal numbers stand for equal moves made and percepts seen.

A model of how others play may depend on all that they did and saw. Histories are then told apart
by it, which takes a number for each role rather than the whole past.

Numbers that stand for states and for what roles know: equal things have equal numbers.

They are hashes of 64 bits. Among a million of them, two different things share one with a
probability of about 3 in 100 million; a search would then mix two of its nodes, no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.core.kernels.hashing import mixed
from fogspiel.core.native import native
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Joints, Machine, State, States

NOTHING = 0
"""The number of having done and seen nothing."""


def observation_of(
    machine: Machine, state: State, joint: Sequence[MoveId], role: RoleId
) -> Observation:
    """What a role observes of a joint move in a state."""
    return Observation(joint[role], machine.percepts(state, joint, role))


class KnowledgeTable:
    """All that one role may know, as a tree that grows as pasts are met."""

    def __init__(self, machine: Machine, role: RoleId) -> None:
        self.machine = machine
        self.role = role
        self._numbers: dict[tuple[int, Observation], int] = {}
        self._pasts: list[tuple[Observation, ...]] = [()]

    def after(
        self, before: NDArray[np.uint64], states: States, joints: Joints
    ) -> NDArray[np.uint64]:
        """(n,) what the role knows after joint moves in states, given what it knew before."""
        seen = self.machine.percepts_batch(states, joints, self.role)
        rows = np.zeros((len(states), 2 + -(-seen.shape[1] // 64)), np.uint64)
        rows[:, 0] = before
        rows[:, 1] = joints[:, self.role]
        packed = np.packbits(seen, axis=1, bitorder="little")
        rows[:, 2:].view(np.uint8).reshape(len(states), -1)[:, : packed.shape[1]] = packed
        firsts, inverse = distinct_rows(rows)
        numbers = np.empty(len(firsts), np.uint64)
        for at, first in enumerate(firsts):
            percepts = tuple(PerceptId(int(p)) for p in np.flatnonzero(seen[first]))
            observation = Observation(MoveId(int(joints[first, self.role])), percepts)
            numbers[at] = self._number(int(before[first]), observation)
        return numbers[inverse]

    def past(self, number: int) -> Sequence[Observation]:
        """What the role did and saw, from its number."""
        return self._pasts[number]

    def _number(self, before: int, observation: Observation) -> int:
        key = (before, observation)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self._pasts)
            self._pasts.append((*self._pasts[before], observation))
        return known


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
    return keys_after(before, observation_keys(machine, role, states, joints))


def observation_keys(machine: Machine, role: RoleId, states: States, joints: Joints) -> Keys:
    """(n,) what a role does and sees in a step: `mixed` with what it knew, what it knows after."""
    seen = machine.percepts_batch(states, joints, role)
    return _sights(joints[:, role].astype(np.int64), seen)


def knowledge_of(machine: Machine, role: RoleId, past: Iterable[Observation]) -> np.uint64:
    """What a role knows that did and saw all this."""
    key = np.array([first_knowledge(role)])
    for observation in past:
        seen = np.zeros((1, machine.percept_count(role)), np.bool_)
        seen[0, list(observation.percepts)] = True
        key = keys_after(key, _sights(np.array([observation.move], np.int64), seen))
    return np.uint64(key[0])


def with_choice(keys: Keys, role: RoleId, legal: NDArray[np.bool_]) -> Keys:
    """(n,) of a role's choice between moves, where something else is known besides."""
    return keys_after(keys, _sights(np.full(len(keys), role, np.int64), legal))


def state_keys(states: States, role: RoleId) -> Keys:
    """(n,) of states, different for each role."""
    return _of_states(np.ascontiguousarray(states), first_knowledge(role))


@native
def keys_after(before: Keys, words: Keys) -> Keys:
    """(n,) keys with one more word each."""
    after = np.empty_like(before)
    for row in range(len(before)):
        after[row] = mixed(before[row], words[row])
    return after


@native
def _sights(moves: NDArray[np.int64], seen: NDArray[np.bool_]) -> Keys:
    keys = np.empty(len(moves), np.uint64)
    for row in range(len(moves)):
        key = mixed(np.uint64(0), np.uint64(moves[row] + 1))
        for percept in range(seen.shape[1]):
            if seen[row, percept]:
                key = mixed(key, np.uint64(percept) + (np.uint64(1) << HALF))
        keys[row] = key
    return keys


@native
def _of_states(states: States, start: np.uint64) -> Keys:
    keys = np.empty(len(states), np.uint64)
    for row in range(len(states)):
        key = start
        for word in range(states.shape[1]):
            key = mixed(key, states[row, word])
        keys[row] = key
    return keys
