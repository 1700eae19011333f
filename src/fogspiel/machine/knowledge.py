"""What roles know, numbered: equal numbers stand for equal moves made and percepts seen.

A model of how others play may depend on all that they did and saw. Histories are then told apart
by it, which takes a number for each role rather than the whole past.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows
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
