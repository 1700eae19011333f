"""Random playouts kept whole: their courses, ends, and what each role knew on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.core.limits import Deadline
from fogspiel.machine.knowledge import Confusion, Situation
from fogspiel.machine.protocol import Joints, Machine, State
from fogspiel.machine.statespace import History
from fogspiel.machine.walks import WalkStep, random_walks

BATCH = 64
MAX_STEPS = 2_000
MAX_SIGHTINGS = 500_000
"""Situations remembered; later ones are still compared with these."""

Course = tuple[int, int]
"""(walk, steps made)"""


@dataclass(slots=True)
class Sample:
    """What was seen in random playouts. Of everything found, the first instance is kept."""

    machine: Machine
    playouts: int = 0
    cut: Course | None = None
    stuck: Course | None = None
    bad_goals: dict[RoleId, Course] = field(default_factory=dict)
    best_goals: Counter[int] = field(default_factory=Counter)
    """Of each role, the largest goal met."""
    confusions: list[Confusion] = field(default_factory=list)
    batches: list[list[tuple[NDArray[np.int64], Joints]]] = field(default_factory=list)
    sightings: dict[tuple[int, bytes], tuple[Situation, Course]] = field(default_factory=dict)

    def history(self, course: Course) -> History:
        """The joint moves of a walk up to a step."""
        walk, steps = course
        moves: History = []
        for walks, joints in self.batches[walk // BATCH][:steps]:
            row = int(np.flatnonzero(walks == walk % BATCH)[0])
            moves.append(tuple(int(move) for move in joints[row]))
        return moves


def sample_play(
    machine: Machine, *, playouts: int, seed: int, knowledge: bool, max_seconds: float
) -> Sample:
    """Play at random. `knowledge`: whether to compare what roles know."""
    sample = Sample(machine)
    rng = np.random.default_rng(seed)
    deadline = Deadline(max_seconds)
    while sample.playouts < playouts and not deadline.passed:
        count = min(BATCH, playouts - sample.playouts)
        _walk(sample, count, rng, knowledge, deadline)
        sample.playouts += count
    return sample


def _walk(
    sample: Sample, count: int, rng: np.random.Generator, knowledge: bool, deadline: Deadline
) -> None:
    machine = sample.machine
    last: list[State] = [machine.initial()] * count
    lengths = [0] * count
    players = [RoleId(r) for r in range(len(machine.roles)) if r != machine.chance_role]
    known = {role: [b""] * count for role in players if knowledge}
    steps: list[tuple[NDArray[np.int64], Joints]] = []
    sample.batches.append(steps)
    first_walk = BATCH * (len(sample.batches) - 1)
    for step in random_walks(machine, count, rng):
        steps.append((step.walks, step.joints))
        for role, keys in known.items():
            _sight_step(sample, step, role, keys, (first_walk, len(steps) - 1))
        for row, walk in enumerate(step.walks):
            last[walk] = step.successors[row]
            lengths[walk] = len(steps)
        if len(steps) == MAX_STEPS or deadline.passed:
            break
    for walk in range(count):
        course = first_walk + walk, lengths[walk]
        if machine.terminal(last[walk]):
            _sight_end(sample, last[walk], players, course)
            for role, keys in known.items():
                goal = machine.goals(last[walk])[role]
                _sight(sample, role, keys[walk], Situation(True, (), goal), course)
        elif len(steps) == MAX_STEPS and lengths[walk] == MAX_STEPS:
            sample.cut = sample.cut or course
        elif not deadline.passed:
            sample.stuck = sample.stuck or course


def _sight_step(
    sample: Sample, step: WalkStep, role: RoleId, keys: list[bytes], origin: Course
) -> None:
    """Note what a role may do in each walk, and add the step to what it knows."""
    seen = sample.machine.percepts_batch(step.states, step.joints, role)
    for row, walk in enumerate(step.walks):
        legal = tuple(int(move) for move in np.flatnonzero(step.legal[role][row]))
        course = origin[0] + int(walk), origin[1]
        _sight(sample, role, keys[walk], Situation(False, legal, None), course)
        view = int(step.joints[row, role]).to_bytes(4) + np.flatnonzero(seen[row]).tobytes()
        keys[walk] = blake2b(keys[walk] + view, digest_size=16).digest()


def _sight(sample: Sample, role: RoleId, key: bytes, situation: Situation, course: Course) -> None:
    """Compare a situation with the one met before under the same knowledge."""
    before = sample.sightings.get((role, key))
    if before is None:
        if len(sample.sightings) < MAX_SIGHTINGS:
            sample.sightings[role, key] = situation, course
        return
    code = before[0].differs(situation)
    if code is not None and all((c.code, c.role) != (code, role) for c in sample.confusions):
        first, second = sample.history(before[1]), sample.history(course)
        sample.confusions.append(Confusion(code=code, role=role, first=first, second=second))


def _sight_end(sample: Sample, state: State, players: list[RoleId], course: Course) -> None:
    for role in players:
        values = sample.machine.goal_values(state, role)
        if len(values) != 1:
            sample.bad_goals.setdefault(role, course)
        sample.best_goals[role] = max(sample.best_goals[role], *values, 0)
