"""Random playouts with all their moves, terminal states, and the roles' knowledge on the way."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.terms import RoleId
from fogspiel.machine.analysis.random_walks import WalkStep, random_walks
from fogspiel.machine.audit.confusions import IndistinguishablePair, RoleKnowledge, going_on
from fogspiel.machine.audit.state_space import History, breakdown_after
from fogspiel.machine.knowledge import Keys, first_knowledge, knowledge_after
from fogspiel.machine.protocol import Joints, Machine, State, player_roles

BATCH = 64
MAX_STEPS = 2_000
MAX_SIGHTINGS = 500_000  #: Most situations kept; later ones are only compared with these

MAX_ENDS = 2_000  #: Most terminal states kept

Course = tuple[int, int]  #: A course of play: number of the walk, number of steps


@dataclass(slots=True)
class Sample:
    """Results of random playouts, with the first instance of every fault."""

    machine: Machine
    idle: Sequence[int | None] | None = None
    """Each role's move when it is not to move, if the rules let one role move at a time."""
    playouts: int = 0
    cut: Course | None = None
    stuck: Course | None = None
    stuck_roles: list[RoleId] = field(default_factory=list)  #: Roles without a move there
    contested: Course | None = None
    """Course of play to a state with two roles to move, if the rules let one move at a time."""
    legal_met: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Moves of each role that were legal in some state."""
    ends: dict[bytes, tuple[State, Course]] = field(default_factory=dict)
    """Terminal states, by their key."""
    bad_goals: dict[RoleId, tuple[Course, tuple[int, ...]]] = field(default_factory=dict)
    """The first end at which a role has no goal or several, and these."""
    best_goals: Counter[int] = field(default_factory=Counter)  #: Largest goal of each role
    confusions: list[IndistinguishablePair] = field(default_factory=list)
    batches: list[list[tuple[NDArray[np.int64], Joints]]] = field(default_factory=list)
    observations: dict[tuple[int, int], tuple[RoleKnowledge, Course]] = field(default_factory=dict)

    def history(self, course: Course) -> History:
        """The joint moves of a walk up to a step."""
        walk, steps = course
        moves: History = []
        for walks, joints in self.batches[walk // BATCH][:steps]:
            row = int(np.flatnonzero(walks == walk % BATCH)[0])
            moves.append(tuple(int(move) for move in joints[row]))
        return moves


def sample_play(
    machine: Machine,
    *,
    playouts: int,
    seed: int,
    knowledge: bool,
    max_seconds: float,
    idle: Sequence[int | None] | None = None,
) -> Sample:
    """Play at random. knowledge: whether to compare what roles know; idle: as in `Sample`.

    Raises `BrokenPlayError` if the rules break down.
    """
    sample = Sample(machine, idle)
    rng = np.random.default_rng(seed)
    budget = Budget.of(seconds=max_seconds)
    while sample.playouts < playouts and not budget.is_over:
        count = min(BATCH, playouts - sample.playouts)
        _walk(sample, count, rng, knowledge, budget)
        sample.playouts += count
    return sample


def _walk(
    sample: Sample, count: int, rng: np.random.Generator, knowledge: bool, budget: Budget
) -> None:
    machine = sample.machine
    batch = _Batch(
        first=BATCH * len(sample.batches),
        last=[machine.initial()] * count,
        lengths=[0] * count,
    )
    players = player_roles(machine)
    known = {role: np.full(count, first_knowledge(role)) for role in players if knowledge}
    steps: list[tuple[NDArray[np.int64], Joints]] = []
    sample.batches.append(steps)
    try:
        for step in random_walks(machine, count, rng):
            steps.append((step.walks, step.joints))
            _note_moves(sample, step, (batch.first, len(steps) - 1))
            for role, keys in known.items():
                _sight_step(sample, step, role, keys, (batch.first, len(steps) - 1))
            for row, walk in enumerate(step.walks):
                batch.last[walk] = step.successors[row]
                batch.lengths[walk] = len(steps)
            if len(steps) == MAX_STEPS or budget.is_over:
                break
        _finish(sample, batch, players, known, budget)
    except PlayError as error:
        courses = [batch.course(walk) for walk in range(count)]
        places = [
            (state, sample.history(course))
            for state, course in zip(batch.last, courses, strict=True)
        ]
        raise breakdown_after(machine, error, places) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """Walks side by side."""

    first: int
    last: list[State]  #: The state that each walk has reached
    lengths: list[int]  #: The number of steps of each walk

    def course(self, walk: int) -> Course:
        return self.first + walk, self.lengths[walk]


def _finish(
    sample: Sample,
    batch: _Batch,
    players: list[RoleId],
    known: dict[RoleId, Keys],
    budget: Budget,
) -> None:
    """Record how each walk ended."""
    machine = sample.machine
    for walk, state in enumerate(batch.last):
        course = batch.course(walk)
        if machine.terminal(state):
            _sight_end(sample, state, players, course)
            for role, keys in known.items():
                goal = machine.goals(state)[role]
                _sight(sample, role, int(keys[walk]), RoleKnowledge(True, (), goal), course)
        elif batch.lengths[walk] == MAX_STEPS:
            sample.cut = sample.cut or course
        elif not budget.is_over and sample.stuck is None:
            sample.stuck, sample.stuck_roles = course, stuck_roles(machine, state)


def stuck_roles(machine: Machine, state: State) -> list[RoleId]:
    """The roles that have no legal move in a state."""
    return [
        role for role in map(RoleId, range(len(machine.roles))) if not machine.legal(state, role)
    ]


def _note_moves(sample: Sample, step: WalkStep, origin: Course) -> None:
    """Record legal moves, and states in which two roles are to move."""
    for role, mask in enumerate(step.legal):
        sample.legal_met[role].update(map(int, np.flatnonzero(mask.any(axis=0))))
    if sample.idle is None or sample.contested is not None:
        return
    idle = np.array([-1 if move is None else move for move in sample.idle])
    contested = np.flatnonzero((step.joints != idle).sum(axis=1) > 1)
    if len(contested):
        sample.contested = origin[0] + int(step.walks[contested[0]]), origin[1]


def _sight_step(sample: Sample, step: WalkStep, role: RoleId, keys: Keys, origin: Course) -> None:
    """Record a role's legal moves in each walk, and add the step to its knowledge."""
    for row, walk in enumerate(step.walks):
        legal = tuple(int(move) for move in np.flatnonzero(step.legal[role][row]))
        course = origin[0] + int(walk), origin[1]
        idle = sample.idle[role] if sample.idle is not None else None
        _sight(sample, role, int(keys[walk]), going_on(legal, idle), course)
    before, machine = keys[step.walks], sample.machine
    keys[step.walks] = knowledge_after(machine, role, before, step.states, step.joints)


def _sight(
    sample: Sample, role: RoleId, key: int, situation: RoleKnowledge, course: Course
) -> None:
    """Compare a situation with an earlier one in the same information set."""
    before = sample.observations.get((role, key))
    if before is None:
        if len(sample.observations) < MAX_SIGHTINGS:
            sample.observations[role, key] = situation, course
        return
    if before[0].is_waiting and not situation.is_waiting:
        # Nothing can differ from a waiting role: keep a situation to compare later ones with.
        sample.observations[role, key] = situation, course
    code = before[0].differs(situation)
    if code is not None and all((c.code, c.role) != (code, role) for c in sample.confusions):
        first, second = sample.history(before[1]), sample.history(course)
        contrast = before[0].contrast(situation, sample.machine, role)
        sample.confusions.append(
            IndistinguishablePair(
                code=code, role=role, first=first, second=second, contrast=contrast
            )
        )


def _sight_end(sample: Sample, state: State, players: list[RoleId], course: Course) -> None:
    if len(sample.ends) < MAX_ENDS:
        sample.ends.setdefault(sample.machine.key(state), (state, course))
    for role in players:
        values = sample.machine.goal_values(state, role)
        if len(values) != 1:
            sample.bad_goals.setdefault(role, (course, tuple(values)))
        sample.best_goals[role] = max(sample.best_goals[role], *values, 0)
