"""Knowledge of roles as numbers, determined by all moves and percepts of the role (its information
set under perfect recall).

`KnowledgeTable` gives exact numbers, from which it can restore the observations. Keys are hashes of
64 bits, which are faster and need no table. Among a million of them two collide with a probability
of about 3 in 100 million; a search would then merge two of its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.kernels.words import mixed
from fogspiel.core.native import native
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.expander import packed_bits
from fogspiel.machine.protocol import Joints, Machine, State, States

NOTHING = 0  #: Number of the knowledge before the first observation
HALF = np.uint64(32)

Keys = NDArray[np.uint64]  #: (n,)


def observation_of(
    machine: Machine, state: State, joint: Sequence[MoveId], role: RoleId
) -> Observation:
    """Observation of a role, its move and percepts, for a joint move in a state."""
    return Observation(joint[role], machine.percepts(state, joint, role))


class KnowledgeTable:
    """Numbers for the knowledge of one role, in a tree of observations that grows on demand."""

    def __init__(self, machine: Machine, role: RoleId) -> None:
        self.machine = machine
        self.role = role
        self._numbers: dict[tuple[int, Observation], int] = {}
        self._steps: list[tuple[int, Observation]] = []
        """Previous number and last observation, for each number but `NOTHING`."""

    def __len__(self) -> int:
        return len(self._steps)

    def number(self, before: int, observation: Observation) -> int:
        """Number of the role's knowledge after an observation, given the number before."""
        step = before, observation
        known = self._numbers.get(step)
        if known is None:
            self._steps.append(step)
            known = self._numbers[step] = len(self._steps)
        return known

    def after(self, before: Keys, states: States, joints: Joints) -> Keys:
        """(n,) numbers of the role's knowledge after joint moves, given the numbers before."""
        seen = self.machine.percepts_batch(states, joints, self.role)
        moves = joints[:, self.role].astype(np.uint64)
        rows = [before[:, None], moves[:, None], packed_bits(seen)]
        firsts, inverse = distinct_rows(np.concatenate(rows, axis=1))
        numbers = np.empty(len(firsts), np.uint64)
        for at, first in enumerate(firsts):
            percepts = tuple(map(PerceptId, np.flatnonzero(seen[first]).tolist()))
            observation = Observation(MoveId(int(joints[first, self.role])), percepts)
            numbers[at] = self.number(int(before[first]), observation)
        return numbers[inverse]

    def past(self, number: int) -> tuple[Observation, ...]:
        """All observations of the role, from the number of its knowledge."""
        backwards = []
        while number != NOTHING:
            number, observation = self._steps[number - 1]
            backwards.append(observation)
        return tuple(reversed(backwards))


def first_knowledge(role: RoleId) -> np.uint64:
    """The key of a role's knowledge before its first observation."""
    return np.uint64((role + 1) * 0x632BE59BD9B4E019 & 0xFFFFFFFFFFFFFFFF)


def knowledge_after(
    machine: Machine, role: RoleId, before: Keys, states: States, joints: Joints
) -> Keys:
    """(n,) keys of a role's knowledge after joint moves, given the keys before."""
    return keys_after(before, observation_keys(machine, role, states, joints))


def knowledge_of(machine: Machine, role: RoleId, past: Iterable[Observation]) -> np.uint64:
    """The key of a role's knowledge after these observations."""
    key = first_knowledge(role)
    for observation in past:
        key = key_after(key, observation_key(machine, role, observation))
    return key


def observation_keys(machine: Machine, role: RoleId, states: States, joints: Joints) -> Keys:
    """(n,) keys of a role's observations of joint moves in states.

    Combined with the key of its knowledge before, they give the key after; their sum stands for
    the observations without their order.
    """
    seen = machine.percepts_batch(states, joints, role)
    return _observation_keys(joints[:, role].astype(np.int64), seen)


def observation_key(machine: Machine, role: RoleId, observation: Observation) -> np.uint64:
    """The key of one observation."""
    seen = np.zeros((1, machine.percept_count(role)), np.bool_)
    seen[0, list(observation.percepts)] = True
    return np.uint64(_observation_keys(np.array([observation.move], np.int64), seen)[0])


def set_keys(role: RoleId, legal: NDArray[np.bool_]) -> Keys:
    """(n,) keys of sets of legal moves of a role, (n, moves)."""
    return _observation_keys(np.full(len(legal), role, np.int64), legal)


def state_keys(states: States, role: RoleId) -> Keys:
    """(n,) keys of states, different for each role."""
    return _state_keys(np.ascontiguousarray(states), first_knowledge(role))


def key_after(before: np.uint64, word: np.uint64) -> np.uint64:
    """A key with one more word."""
    return np.uint64(keys_after(np.array([before]), np.array([word]))[0])


@native
def keys_after(before: Keys, words: Keys) -> Keys:
    """(n,) keys with one more word each."""
    after = np.empty_like(before)
    for row in range(len(before)):
        after[row] = mixed(before[row], words[row])
    return after


@native
def _observation_keys(moves: NDArray[np.int64], seen: NDArray[np.bool_]) -> Keys:
    keys = np.empty(len(moves), np.uint64)
    for row in range(len(moves)):
        key = mixed(np.uint64(0), np.uint64(moves[row] + 1))
        for percept in range(seen.shape[1]):
            if seen[row, percept]:
                key = mixed(key, np.uint64(percept) + (np.uint64(1) << HALF))
        keys[row] = key
    return keys


@native
def _state_keys(states: States, start: np.uint64) -> Keys:
    keys = np.empty(len(states), np.uint64)
    for row in range(len(states)):
        key = start
        for word in range(states.shape[1]):
            key = mixed(key, states[row, word])
        keys[row] = key
    return keys
