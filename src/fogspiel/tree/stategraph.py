"""The states that a tree passes through, each expanded once, however many courses of play meet it.

Every edge knows what each role did and saw, as a number that is equal for equal sights.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.growing_array import GrowingArray
from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.limits import MAX_DENOMINATOR, too_large
from fogspiel.core.observation import Observation
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.expander import stuck
from fogspiel.machine.protocol import Joints, Machine, State
from fogspiel.tree.labels import observed_terms

Legal = tuple[tuple[MoveId, ...], ...]
"""The legal moves of all roles."""


class ExactStateGraph:
    """States by number, in the order in which they were met."""

    def __init__(self, machine: Machine, max_nodes: int) -> None:
        self.machine = machine
        self._max_nodes = max_nodes
        self._choices = 0
        self._roles = [RoleId(role) for role in range(len(machine.roles))]
        self._states: list[State] = []
        self._numbers: dict[bytes, int] = {}
        self.legal: list[Legal | None] = []
        """Of each state that was expanded."""
        self.terminal = GrowingArray[np.int64](np.int64)
        self.counts = GrowingArray[np.int64](np.int64, len(self._roles))
        """(states, roles) legal moves; 0 before a state is expanded."""
        self.legal_ids = GrowingArray[np.int64](np.int64, len(self._roles))
        """(states, roles) equal for equal legal moves of the role."""
        self.first_edges = GrowingArray[np.int64](np.int64)
        """(states,) where the edges of a state begin; they stand in the order of joint moves."""
        self.successors = GrowingArray[np.int64](np.int64)
        """(edges,) the state after."""
        self.sights = GrowingArray[np.int64](np.int64, len(self._roles))
        """(edges, roles) equal where the role did and saw the same."""
        self._legal_numbers: list[dict[tuple[MoveId, ...], int]] = [{} for _ in self._roles]
        self._sight_numbers: list[dict[tuple[int, bool, bytes], int]] = [{} for _ in self._roles]
        self._sight_list: list[list[tuple[int, bool, bytes]]] = [[] for _ in self._roles]
        self._lotteries: dict[int, tuple[Fraction, ...]] = {}
        initial = machine.initial()
        self._add([initial], np.array([machine.terminal(initial)]))

    def expand(self, numbers: NDArray[np.int64]) -> None:
        """Make sure that states, none of them terminal, are expanded."""
        fresh = [number for number in numbers.tolist() if self.legal[number] is None]
        if not fresh:
            return
        rows = _as_rows([self._states[number] for number in fresh])
        matrices = [self.machine.legal_batch(rows, role) for role in self._roles]
        legal: list[Legal] = []
        for at, number in enumerate(fresh):
            own = tuple(
                tuple(MoveId(move) for move in np.flatnonzero(matrix[at]).tolist())
                for matrix in matrices
            )
            self._note_legal(number, own)
            legal.append(own)
        self._refuse_edges(legal)
        joints = np.array([joint for own in legal for joint in product(*own)], np.int32)
        sizes = np.array([prod(map(len, own)) for own in legal], np.int64)
        self.first_edges.rows[fresh] = len(self.successors) + np.cumsum(sizes) - sizes
        self._add_edges(np.repeat(rows, sizes, axis=0), joints, np.repeat(fresh, sizes))

    def lottery(self, number: int) -> tuple[Fraction, ...]:
        """The exact probabilities of the legal moves of chance in a state."""
        if number not in self._lotteries:
            weights = self.machine.chance_weights(self._states[number])
            exact = tuple(
                Fraction(weight).limit_denominator(MAX_DENOMINATOR) for weight in weights.tolist()
            )
            if sum(exact) != 1:
                raise PlayError.of(
                    "TRE002",
                    "the probabilities of chance, as fractions, add up to "
                    f"{sum(exact, Fraction(0))}",
                    fix="use weights that are small whole numbers",
                )
            self._lotteries[number] = exact
        return self._lotteries[number]

    def goals(self, numbers: Sequence[int]) -> NDArray[np.int64]:
        """(n, roles) the goals in some terminal states."""
        if not numbers:
            return np.empty((0, len(self._roles)), np.int64)
        return self.machine.goals_batch(_as_rows([self._states[number] for number in numbers]))

    def sight_terms(self, role: RoleId, sight: int) -> list[GroundTerm]:
        """What a role did, where it had a choice, and what it saw besides its own move."""
        move, is_forced, percepts = self._sight_list[role][sight]
        seen = tuple(map(PerceptId, np.frombuffer(percepts, np.int64).tolist()))
        observation = Observation(MoveId(move), seen)
        return observed_terms(self.machine, role, observation, is_forced=is_forced)

    def _note_legal(self, number: int, legal: Legal) -> None:
        for role, moves in enumerate(legal):
            if not moves:
                raise stuck(self.machine.roles[role])
            numbers = self._legal_numbers[role]
            self.legal_ids.rows[number, role] = numbers.setdefault(moves, len(numbers))
            self.counts.rows[number, role] = len(moves)
        self.legal[number] = legal

    def _refuse_edges(self, legal: Sequence[Legal]) -> None:
        """Raise an error before more is enumerated than the tree may have nodes."""
        # Where nobody has a choice, there is no node either.
        counts = (prod(map(len, own)) for own in legal)
        self._choices += sum(count for count in counts if count > 1)
        if self._choices > self._max_nodes:
            raise too_large(self._max_nodes)

    def _add_edges(
        self, rows: NDArray[np.uint64], joints: Joints, numbers: NDArray[np.int64]
    ) -> None:
        after = self.machine.step_batch(rows, joints)
        self.successors.add(self._add(list(after), self.machine.terminal_batch(after)))
        sights = np.empty(joints.shape, np.int64)
        counts = self.counts.rows[numbers]
        for role in self._roles:
            seen = self.machine.percepts_batch(rows, joints, role)
            known, listed = self._sight_numbers[role], self._sight_list[role]
            forced = (counts[:, role] == 1).tolist()
            for edge, move in enumerate(joints[:, role].tolist()):
                sight = move, forced[edge], np.flatnonzero(seen[edge]).tobytes()
                found = known.get(sight)
                if found is None:
                    found = known[sight] = len(listed)
                    listed.append(sight)
                sights[edge, role] = found
        self.sights.add(sights)

    def _add(self, states: Sequence[State], terminal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The numbers of states, which are new or not."""
        key = self.machine.key
        numbers = np.empty(len(states), np.int64)
        ends: list[int] = []
        for at, state in enumerate(states):
            name = key(state)
            number = self._numbers.get(name)
            if number is None:
                number = self._numbers[name] = len(self._states)
                self._states.append(state)
                ends.append(int(terminal[at]))
            numbers[at] = number
        blank = np.zeros((len(ends), len(self._roles)), np.int64)
        self.legal.extend([None] * len(ends))
        self.terminal.add(np.array(ends, np.int64))
        self.counts.add(blank)
        self.legal_ids.add(blank)
        self.first_edges.add(blank[:, 0])
        return numbers


def _as_rows(states: Sequence[State]) -> NDArray[np.uint64]:
    """States of one or several lengths below each other; missing words are zero."""
    width = max(map(len, states))
    if all(len(state) == width for state in states):
        return np.array(states)
    rows = np.zeros((len(states), width), np.uint64)
    for at, state in enumerate(states):
        rows[at, : len(state)] = state
    return rows
