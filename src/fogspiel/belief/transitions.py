"""Steps that fit an observation, with their probabilities: from points to points.

Methods move over points: a point is a state, preceded by a number for what each other role knows
where that matters. The share of a step is the probability of all that others and chance do in it
(Richards 2012, equations 5.1 to 5.3): chance by its weights, others uniformly at random or as an
`OpponentModel` says. The observer's own moves are known, so their probability is the same in all
histories and left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import BeliefBase
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest, ChosenMoves, Histories, same_state
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.analysis.cost import expansion_seconds
from fogspiel.machine.analysis.random_walks import random_joints
from fogspiel.machine.knowledge import NOTHING, KnowledgeTable
from fogspiel.machine.protocol import (
    Continuations,
    Joints,
    Layer,
    LayerSteps,
    Machine,
    State,
    States,
)

Points = NDArray[np.uint64]  #: (n, roles whose knowledge is kept + words)
Indices = NDArray[np.int64]
Reals = NDArray[np.float64]

CHUNK = 1 << 12  #: States whose legal moves are looked at together
ROW_BYTES = 24  #: Memory of a step beside its state and its moves


class Transitions:
    """Steps from points to points, as one role observes them."""

    def __init__(self, request: BeliefRequest, *, by_knowledge: bool = False) -> None:
        """by_knowledge: keep what others know, also where no model asks for it."""
        self.machine = request.machine
        self.role = request.role
        self.model = request.model
        roles = [RoleId(index) for index in range(len(self.machine.roles))]
        self.others = [r for r in roles if r not in (self.role, self.machine.chance_role)]
        kept = by_knowledge or (self.model is not None and self.model.needs_knowledge)
        self._words = len(self.machine.initial())
        self.knowledge = [KnowledgeTable(self.machine, other) for other in self.others * kept]

    @property
    def plain(self) -> bool:
        """Whether points are states and the others choose uniformly at random."""
        return self.model is None and not self.knowledge

    def start(self) -> Points:
        """(1, …) the point where play begins."""
        start = self.machine.initial()[None, :]
        nothing = np.full((1, len(self.knowledge)), NOTHING, np.uint64)
        return np.concatenate([nothing, start], axis=1)

    def first_layer(self) -> Layer:
        """The point where play begins, with its one history."""
        return Layer(states=self.start(), counts=np.ones(1), weights=np.ones(1))

    def affordable(self, limits: BeliefLimits, used: int = 0) -> int:
        """The number of steps that may be found at a time, where some bytes are in use already.

        Steps are sorted once they are found, and for that moment held twice.
        """
        words = len(self.knowledge) + self._words
        each = 8 * words + 4 * len(self.machine.roles) + ROW_BYTES
        return max(0, min(limits.histories, (limits.bytes - used) // (2 * each)))

    def states(self, points: Points) -> States:
        """(n, words) the states of points."""
        return points[:, len(self.knowledge) :]

    def after(
        self, points: Points, observation: Observation, limit: int | None = None
    ) -> Continuations:
        """All steps from the points that fit the observation; they lead to points.

        Raises `LimitError` MCH014 beyond the limit.
        """
        states = self.states(points)
        found = self.machine.continuations(states, self.role, observation, limit=limit)
        if not len(found.parents) or self.plain:
            return found
        shares = found.shares if self.model is None else self._modelled(points, found)
        known = self._known(points[found.parents], states[found.parents], found.joints)
        ends = np.concatenate([known, found.states], axis=1)
        return Continuations(parents=found.parents, joints=found.joints, states=ends, shares=shares)

    def step(self, points: Points, joints: Joints) -> Points:
        """(n, …) the points that joint moves lead to."""
        states = self.states(points)
        ends = self.machine.step_batch(states, joints)
        return np.concatenate([self._known(points, states, joints), ends], axis=1)

    def successors(
        self, points: Points, observation: Observation, limit: int | None = None
    ) -> tuple[Successors, Indices]:
        """The steps that fit from all different points, and which of these each point is.

        Histories that are followed side by side often stand at the same point, all of them at
        first. The steps from it are found once, and each history makes its own choice.
        """
        firsts, which = distinct_rows(points)
        found = self.after(points[firsts], observation, limit)
        return successors_of(found, len(firsts)), which

    def _known(self, points: Points, states: States, joints: Joints) -> Points:
        known = np.empty((len(points), len(self.knowledge)), np.uint64)
        for column, table in enumerate(self.knowledge):
            known[:, column] = table.after(points[:, column], states, joints)
        return known

    def _modelled(self, points: Points, found: Continuations) -> Reals:
        """(m,) shares in which each other role chooses by the model."""
        shares = found.shares.copy()
        for column, other in enumerate(self.others):
            counts = legal_counts(self.machine, self.states(points), other)[found.parents]
            rows = np.flatnonzero(counts > 1)
            if len(rows):
                chosen = points[found.parents[rows]]
                moves = found.joints[rows, other]
                shares[rows] *= counts[rows] * self._probabilities(column, chosen, moves)
        return shares

    def _probabilities(self, column: int, points: Points, moves: NDArray[np.int32]) -> Reals:
        """(n,) the probability of each move of a role. Equal questions are asked once."""
        assert self.model is not None
        own = points[:, column : column + 1] if self.knowledge else points[:, :0]
        rows = np.concatenate([moves[:, None].astype(np.uint64), own, self.states(points)], axis=1)
        firsts, inverse = distinct_rows(rows)
        pasts = None
        if self.knowledge:
            table = self.knowledge[column]
            pasts = [table.past(int(number)) for number in own[firsts, 0]]
        states, other = self.states(points)[firsts], self.others[column]
        chosen = ChosenMoves(other, states, moves[firsts], pasts)
        return self.model.probabilities(self.machine, chosen)[inverse]


class PointBelief(BeliefBase):
    """A belief by a method that follows histories from point to point."""

    def __init__(self, request: BeliefRequest, *, by_knowledge: bool = False) -> None:
        super().__init__(request)
        self.transitions = Transitions(request, by_knowledge=by_knowledge)

    def histories(
        self, joints: NDArray[np.int32], points: Points, weights: Reals, *, complete: bool = False
    ) -> Histories:
        """Histories that lead to points."""
        return Histories(
            # Before the first step layers do not tell the number of roles.
            joints=joints.reshape(*joints.shape[:2], len(self.machine.roles)),
            states=self.transitions.states(points),
            weights=weights,
            complete=complete,
        )

    def share_of(self, state: State, points: Points, weights: Reals) -> float:
        """The part of the weight of points that are in a state."""
        here = same_state(self.transitions.states(points), state)
        return float(weights[here].sum() / weights.sum())

    def expansion_seconds(self, points: Points, observation: Observation) -> float:
        """The time that it takes to try all that others may have done."""
        states = self.transitions.states(points)
        return expansion_seconds(self.machine, states, self.role, observation.percepts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Successors:
    """The steps from some points, sorted by the point they start from."""

    starts: Indices  #: (n + 1,) the steps from point i are starts[i]:starts[i + 1]
    joints: Joints  #: (m, roles)
    points: Points  #: (m, …) the points that the steps lead to
    shares: Reals  #: (m,)
    masses: Reals  #: (n,) sum of the shares of the steps from each point: 0 where no step fits

    def draw(self, origins: Indices, rng: np.random.Generator) -> Indices:
        """(k,) a step from each of some points, by share. Their masses must not be 0."""
        flow = np.concatenate([[0.0], np.cumsum(self.shares)])
        first, last = self.starts[origins], self.starts[origins + 1] - 1
        low, high = flow[first], flow[last + 1]
        aims = low + rng.random(len(origins)) * (high - low)
        # Rounding must not lead out of the steps of the point.
        inside: Indices = np.clip(np.searchsorted(flow, aims, side="right") - 1, first, last)
        return inside

    def spread(self, origins: Indices) -> tuple[Indices, Indices]:
        """All steps from some points, one point after the other: whose each is, and which."""
        return spread(self.starts[origins], self.starts[origins + 1] - self.starts[origins])


def successors_of(found: Continuations, count: int) -> Successors:
    """Steps sorted by their parents, of which there are `count`."""
    order = np.argsort(found.parents, kind="stable")
    parents, shares = found.parents[order], found.shares[order]
    return Successors(
        starts=np.searchsorted(parents, np.arange(count + 1)).astype(np.int64),
        joints=found.joints[order],
        points=found.states[order],
        shares=shares,
        masses=sums_by_owner(parents, shares, count),
    )


def sample_backward(
    layers: Sequence[Layer], steps: Sequence[LayerSteps], ends: Indices, rng: np.random.Generator
) -> NDArray[np.int32]:
    """(n, steps, roles) a history to each of some states of the last layer, by its probability."""
    roles = steps[0].joints.shape[1] if steps else 0
    joints = np.empty((len(ends), len(steps), roles), np.int32)
    at = ends
    for depth in range(len(steps) - 1, -1, -1):
        step = steps[depth]
        flow = np.cumsum(layers[depth].weights[step.parents] * step.shares)
        before = np.concatenate([[0.0], flow])
        low, high = before[step.starts[at]], before[step.starts[at + 1]]
        picks = np.searchsorted(flow, low + rng.random(len(at)) * (high - low), side="right")
        # Rounding must not lead out of the steps of the state.
        picks = np.clip(picks, step.starts[at], step.starts[at + 1] - 1)
        joints[:, depth] = step.joints[picks]
        at = step.parents[picks]
    return joints


def enumerate_backward(
    steps: Sequence[LayerSteps], ends: Indices
) -> tuple[NDArray[np.int32], Indices, Reals]:
    """All histories to some states of the last layer: joint moves, the end of each, its weight."""
    roles = steps[0].joints.shape[1] if steps else 0
    at, last = ends, np.arange(len(ends))
    # A product of many probabilities vanishes, the sum of their logarithms does not.
    logs = np.zeros(len(ends))
    columns: list[NDArray[np.int32]] = []
    rows: list[Indices] = []
    for step in reversed(steps):
        chosen, picks = spread(step.starts[at], step.starts[at + 1] - step.starts[at])
        columns.append(step.joints[picks])
        rows.append(chosen)
        with np.errstate(divide="ignore"):
            logs = logs[chosen] + np.log(step.shares[picks])
        at, last = step.parents[picks], last[chosen]
    joints = np.empty((len(at), len(steps), roles), np.int32)
    place = np.arange(len(at))
    for depth in range(len(steps)):
        joints[:, depth] = columns[len(steps) - 1 - depth][place]
        place = rows[len(steps) - 1 - depth][place]
    return joints, last, proportions(logs)


def drawn_steps(
    machine: Machine,
    role: RoleId,
    states: States,
    observation: Observation,
    rng: np.random.Generator,
) -> Continuations:
    """A random step from each state, of which those are given that fit the observation.

    Chance draws by its weights, others choose uniformly at random. Shares say nothing here.
    """
    rows = np.flatnonzero(~machine.terminal_batch(states))
    legal = machine.legal_batch(states[rows], role)
    rows = rows[legal[:, observation.move]] if observation.move < legal.shape[1] else rows[:0]
    before = np.ascontiguousarray(states[rows])
    joints = np.empty((0, len(machine.roles)), np.int32)
    after, fits = before, np.zeros(len(rows), np.bool_)
    if len(rows):
        joints = random_joints(machine, before, rng)
        joints[:, role] = observation.move
        seen = machine.percepts_batch(before, joints, role)
        told = np.zeros(max(machine.percept_count(role), seen.shape[1]), np.bool_)
        told[list(observation.percepts)] = True
        # A machine that numbers percepts as it meets them may not have met all in these states.
        fits = (seen == told[: seen.shape[1]]).all(axis=1) & ~told[seen.shape[1] :].any()
        after = machine.step_batch(before[fits], joints[fits])
    return Continuations(
        parents=rows[fits], joints=joints[fits], states=after, shares=np.ones(int(fits.sum()))
    )


def spread(starts: Indices, counts: Indices) -> tuple[Indices, Indices]:
    """Many ranges, one after the other: which range each place belongs to, and the place."""
    owners = np.repeat(np.arange(len(starts)), counts)
    offsets = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    return owners, starts[owners] + offsets


def sums_by_owner(owners: Indices, shares: Reals, count: int) -> Reals:
    """(count,) shares added up by owner."""
    sums = np.zeros(count)
    np.add.at(sums, owners, shares)
    return sums


def proportions(logs: Reals) -> Reals:
    """Weights from logarithms, the largest 1: only their proportions matter."""
    largest = logs.max(initial=-np.inf)
    return np.exp(logs - largest) if np.isfinite(largest) else np.zeros(len(logs))


def systematic(weights: Reals, count: int, rng: np.random.Generator) -> Indices:
    """(count,) places drawn by weight from one comb with teeth at equal distances.

    Each place comes its expected number of times, rounded up or down; that disturbs a population
    less than independent draws.
    """
    places = np.flatnonzero(weights > 0.0)
    edges = np.cumsum(weights[places])
    comb = (np.arange(count) + rng.random()) * (edges[-1] / count)
    teeth = np.minimum(np.searchsorted(edges, comb, side="right"), len(places) - 1)
    drawn: Indices = places[teeth]
    return drawn


def legal_counts(machine: Machine, states: States, role: RoleId) -> Indices:
    """(n,) the number of legal moves of a role in each state."""
    counts = [
        machine.legal_batch(states[first : first + CHUNK], role).sum(axis=1)
        for first in range(0, len(states), CHUNK)
    ]
    return np.concatenate(counts).astype(np.int64)
