"""Batched operations of machines without gates, as loops over single states."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from random import Random

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError
from fogspiel.core.terms import MoveId, Observation, RoleId
from fogspiel.machine.layers import empty_run, merged, run_of_one
from fogspiel.machine.protocol import (
    DEFAULT_MAX_STEPS,
    Continuations,
    Expansion,
    Joints,
    Layer,
    LayerRun,
    Machine,
    Playouts,
    State,
    States,
    too_many_continuations,
)


class Batches(Machine):
    """The batched operations of `Machine`, implemented by those on one state."""

    @abstractmethod
    def move_text(self, role: RoleId, move: MoveId) -> str:
        """A move as text."""

    def chance_weights_batch(self, states: States) -> NDArray[np.float64]:
        """(n, moves of chance met so far) probabilities, 0 where a move is not legal."""
        role = self.chance_role
        if role is None:
            return np.empty((len(states), 0))
        legal = [list(self.legal(state, role)) for state in states]
        weights = np.zeros((len(states), self.move_count(role)))
        for row, moves, state in zip(weights, legal, states, strict=True):
            row[moves] = self.chance_weights(state)
        return weights

    def terminal_batch(self, states: States) -> NDArray[np.bool_]:
        """(n,) whether each state is terminal."""
        return np.array([self.terminal(state) for state in states], dtype=np.bool_)

    def legal_batch(self, states: States, role: RoleId) -> NDArray[np.bool_]:
        """(n, moves of the role met so far) legality."""
        rows = [self.legal(state, role) for state in states]
        return _marked(rows, self.move_count(role))

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        return _stacked(
            [self.step(state, _moves(joint)) for state, joint in zip(states, joints, strict=True)]
        )

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role met so far) what the role sees."""
        rows = [
            self.percepts(state, _moves(joint), role)
            for state, joint in zip(states, joints, strict=True)
        ]
        return _marked(rows, self.percept_count(role))

    def goals_batch(self, states: States) -> NDArray[np.int64]:
        """(n, roles) goals."""
        goals = [self.goals(state) for state in states]
        return np.array(goals, dtype=np.int64).reshape(len(goals), len(self.roles))

    def expand(self, state: State) -> Expansion:
        """All children of a state that is not terminal."""
        joints = list(product(*(self.legal(state, RoleId(r)) for r in range(len(self.roles)))))
        states = _stacked([self.step(state, joint) for joint in joints])
        return Expansion(
            joints=np.array(joints, dtype=np.int32).reshape(len(joints), len(self.roles)),
            states=states,
            terminal=self.terminal_batch(states),
        )

    def continuations(
        self,
        states: States,
        role: RoleId,
        observation: Observation,
        limit: int | None = None,
        among: Sequence[NDArray[np.bool_]] | None = None,
    ) -> Continuations:
        """All steps from the states that are consistent with a role's observation."""
        move = observation.move
        rows: list[tuple[int, tuple[MoveId, ...], State, float]] = []
        seen = tuple(sorted(observation.percepts))
        for parent, state in enumerate(states):
            if self.terminal(state) or move not in self.legal(state, role):
                continue
            for joint, share in self._joints_with(state, role, move):
                if not _tried(joint, role, among):
                    continue
                if self.percepts(state, joint, role) == seen:
                    rows.append((parent, joint, self.step(state, joint), share))
                    if limit is not None and len(rows) > limit:
                        raise too_many_continuations(limit)
        return Continuations(
            parents=np.array([row[0] for row in rows], np.int64),
            joints=np.array([row[1] for row in rows], np.int32).reshape(-1, len(self.roles)),
            states=_stacked([row[2] for row in rows]),
            shares=np.array([row[3] for row in rows], np.float64),
        )

    def layers(
        self,
        first: Layer,
        role: RoleId,
        observations: Sequence[Observation],
        limit: int,
    ) -> LayerRun:
        """The layer that follows one, consistent with the role's observation; none if too large."""
        try:
            found = self.continuations(first.states, role, observations[0], limit)
        except LimitError:
            return empty_run(first, len(self.roles))
        return run_of_one(*merged(first, found))

    def _joints_with(
        self, state: State, role: RoleId, move: MoveId
    ) -> Iterator[tuple[tuple[MoveId, ...], float]]:
        """Joint moves with one role's move given, with the probability of the others' moves."""
        options: list[list[tuple[MoveId, float]]] = []
        for other in map(RoleId, range(len(self.roles))):
            moves = self.legal(state, other)
            if other == role:
                options.append([(move, 1.0)])
            elif other == self.chance_role:
                options.append(list(zip(moves, self.chance_weights(state), strict=True)))
            else:
                options.append([(choice, 1.0 / len(moves)) for choice in moves])
        for chosen in product(*options):
            yield tuple(choice for choice, _ in chosen), prod(share for _, share in chosen)

    def circuit(self) -> None:
        """None, since these machines have no gates."""
        return

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """`count` random playouts from each state; each role plays at random, chance by weight."""
        random = Random(seed)
        goal_sums = np.zeros((len(states), len(self.roles)), dtype=np.int64)
        steps = stuck = cut = 0
        for row, start in enumerate(states):
            for _ in range(count):
                state, made = start, 0
                while not self.terminal(state):
                    if made == max_steps:
                        cut += 1
                        break
                    joint = self._random_joint(state, random)
                    if joint is None:
                        stuck += 1
                        break
                    state = self.step(state, joint)
                    made += 1
                goal_sums[row] += self.goals(state)
                steps += made
        counts = np.full(len(states), count, dtype=np.int64)
        return Playouts(goal_sums=goal_sums, counts=counts, steps=steps, stuck=stuck, cut=cut)

    def _random_joint(self, state: State, random: Random) -> tuple[MoveId, ...] | None:
        """A move for every role; None if a role has none."""
        joint = []
        for index in range(len(self.roles)):
            role = RoleId(index)
            moves = self.legal(state, role)
            if not moves:
                return None
            # Sorted by text, since ids depend on which states this machine has met before.
            order = sorted(range(len(moves)), key=lambda at: self.move_text(role, moves[at]))
            by_weight = len(moves) > 1 and role == self.chance_role
            weights = self.chance_weights(state) if by_weight else None
            if weights is None or weights.min() == weights.max():
                pick = order[random.randrange(len(moves))]
            else:
                pick = random.choices(order, [float(weights[at]) for at in order])[0]
            joint.append(moves[pick])
        return tuple(joint)


def _tried(
    joint: Sequence[MoveId], role: RoleId, among: Sequence[NDArray[np.bool_]] | None
) -> bool:
    """Whether the moves of the other roles are among those to be tried."""
    return among is None or all(
        other == role or (move < len(among[other]) and bool(among[other][move]))
        for other, move in enumerate(joint)
    )


def _moves(joint: NDArray[np.int32]) -> tuple[MoveId, ...]:
    return tuple(MoveId(int(move)) for move in joint)


def _marked(rows: Sequence[Sequence[int]], width: int) -> NDArray[np.bool_]:
    """(rows, width) truth values, True at the listed places of each row."""
    marks = np.zeros((len(rows), width), dtype=np.bool_)
    for mark, row in zip(marks, rows, strict=True):
        mark[list(row)] = True
    return marks


def _stacked(states: Sequence[State]) -> States:
    """(n, words) rows of different lengths, padded with zeros."""
    words = max((len(state) for state in states), default=1)
    stack = np.zeros((len(states), words), dtype=np.uint64)
    for row, state in zip(stack, states, strict=True):
        row[: len(state)] = state
    return stack
