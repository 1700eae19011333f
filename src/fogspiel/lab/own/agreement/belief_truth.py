"""Random positions of a game whose whole information sets can be listed, and these sets."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import Position, position_after, random_course
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine

MOST_STEPS = 10_000
HELD = 5
"""States that may be held for each history of the largest set: some of them lead nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """An information set as `exact` gives it."""

    joints: NDArray[np.int32]
    """(n, steps, roles) in ascending order, so that those with the same beginning are together."""
    shares: NDArray[np.float64]
    """(n,) the posterior."""
    numbers: dict[bytes, int]
    """Where each history stands."""

    def __len__(self) -> int:
        """How many histories there are."""
        return len(self.joints)

    def places(self, joints: NDArray[np.int32]) -> NDArray[np.int64]:
        """(m,) where histories stand; -1 for one that does not fit."""
        found = [self.numbers.get(history.tobytes(), -1) for history in joints]
        return np.array(found, np.int64)


def drawn_position(machine: Machine, seed: int) -> Position:
    """Any player's, after any number of steps of a random game."""
    rng = np.random.default_rng([seed, 1])
    course = random_course(machine, MOST_STEPS, seed)
    players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
    steps = int(rng.integers(1, len(course) + 1))
    return position_after(machine, course[:steps], RoleId(int(rng.choice(players))))


def enumerable(
    machine: Machine, position: Position, most: int, seconds: float
) -> tuple[Position, Truth]:
    """The position, or the last before it at which at most so many histories fit; and these."""
    assert position.joints is not None
    last = _last_enumerable(machine, position, most, seconds)
    cut = position_after(machine, position.joints[:last], position.role)
    belief = ExactBelief(BeliefRequest(machine, position.role, _limits(most, seconds)))
    for observation in cut.observations:
        belief.advance(observation)
    found = belief.enumerate(most)
    assert found.complete, "counted before"
    columns = found.joints.reshape(len(found), -1)
    order = np.lexsort(columns.T[::-1]) if last else np.arange(len(found))
    joints = np.ascontiguousarray(found.joints[order])
    return cut, Truth(
        joints=joints,
        shares=found.weights[order] / found.weights.sum(),
        numbers={history.tobytes(): number for number, history in enumerate(joints)},
    )


def _last_enumerable(machine: Machine, position: Position, most: int, seconds: float) -> int:
    belief = ExactBelief(BeliefRequest(machine, position.role, _limits(most, seconds)))
    deadline = time.perf_counter() + seconds
    last = 0
    for step, observation in enumerate(position.observations, start=1):
        belief.limits = belief.limits.within(deadline - time.perf_counter())
        try:
            belief.advance(observation)
        except LimitError:
            break
        size = belief.size()
        if size is not None and size <= most:
            last = step
    return last


def _limits(most: int, seconds: float) -> BeliefLimits:
    return BeliefLimits(histories=HELD * most, seconds=seconds)
