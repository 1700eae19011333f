"""Names of the information sets of a tree that was built, made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.rules.sexpr import exact_text
from fogspiel.tree.game_tree import (
    ObservationText,
    distinct_labels,
    infoset_label,
    observation_label,
    observation_text,
)

Numbers = NDArray[np.int32]  #: (n,)


@dataclass(slots=True)
class PlayerRecord:
    """What a player knew and observed in all steps, in numbers that count on through the steps."""

    steps: list[NDArray[np.int32]] = field(default_factory=lambda: [np.full((1, 2), -1, np.int32)])
    """(n, 2) what the player knew before, and its last observation, for each step."""
    observations: list[NDArray[np.uint64]] = field(default_factory=list)
    """(n, 1 + words) the observations of each step; see `ExpandedLayer`."""
    known: list[Numbers] = field(default_factory=list)
    """(infosets,) what the player knows at the infosets of each step."""
    legal: list[Numbers] = field(default_factory=list)
    """(infosets,) the row of `tables` that each infoset of each step offers."""
    tables: list[NDArray[np.bool_]] = field(default_factory=list)
    """(n, moves) the different sets of moves of each step."""
    _before: int = 0  #: Numbers before this step's
    _observation_count: int = 0

    def add_infosets(
        self, known: NDArray[np.int64], legal: Numbers, table: NDArray[np.bool_]
    ) -> None:
        """Note the infosets of a step: what the player knows, and its moves as rows of a table."""
        self.known.append((known + self._before).astype(np.int32))
        self.legal.append(legal)
        self.tables.append(table)

    def add_step(self, steps: NDArray[np.int32], observations: NDArray[np.uint64]) -> None:
        """Note what the player knows after a step, as in `steps`, but in numbers of this step."""
        steps += np.array([self._before, self._observation_count], np.int32)
        self._before += len(self.steps[-1])
        self._observation_count += len(observations)
        self.steps.append(steps)
        self.observations.append(observations)


class BuiltNames:
    """Names of infosets by what the player did and saw. Implements `TreeNames`."""

    def __init__(
        self,
        machine: Machine,
        roles: Sequence[RoleId],
        records: Sequence[PlayerRecord],
        starts: NDArray[np.int64],
    ) -> None:
        """starts: (players + 1,) the infosets of each player."""
        self._players = [
            _PlayerNames(machine, role, record) for role, record in zip(roles, records, strict=True)
        ]
        self._starts = starts

    def infoset(self, infoset: int) -> str:
        """A label that no other infoset of the player has."""
        names, own = self._find(infoset)
        return names.labels[own]

    def label(self, infoset: int) -> str:
        """What the player did and saw, cut for reading: others may have the same label."""
        names, own = self._find(infoset)
        return names.label(own)

    def actions(self, infoset: int) -> tuple[str, ...]:
        """The actions to choose from."""
        names, own = self._find(infoset)
        return names.actions(own)

    def observations(self, infoset: int) -> tuple[ObservationText, ...]:
        """What the player did and saw, step by step and whole."""
        names, own = self._find(infoset)
        return names.observations(own)

    def _find(self, infoset: int) -> tuple[_PlayerNames, int]:
        """The names of the infoset's player, and the infoset's number among its own."""
        if not 0 <= infoset < self._starts[-1]:
            raise IndexError(f"infosets have numbers below {self._starts[-1]}; got {infoset}")
        player = int(np.searchsorted(self._starts, infoset, side="right")) - 1
        return self._players[player], infoset - int(self._starts[player])


class _PlayerNames:
    """Names of the infosets of one player, by their numbers among its own."""

    def __init__(self, machine: Machine, role: RoleId, record: PlayerRecord) -> None:
        self._machine = machine
        self._role = role
        self._record = record
        self._infoset_bounds = np.cumsum([0, *map(len, record.known)])
        self._observation_bounds = np.cumsum([0, *map(len, record.observations)])
        self._texts: dict[int, ObservationText] = {}
        self._labels: dict[int, str] = {}
        self._actions: dict[tuple[int, int], tuple[str, ...]] = {}

    @cached_property
    def labels(self) -> list[str]:
        """Labels of all infosets at once: whether one is taken, only all of them tell."""
        return list(distinct_labels(map(self.label, range(int(self._infoset_bounds[-1])))))

    def label(self, infoset: int) -> str:
        return infoset_label(map(self._observation_label, self._backwards(infoset)))

    def actions(self, infoset: int) -> tuple[str, ...]:
        step, at = _place(self._infoset_bounds, infoset)
        key = step, int(self._record.legal[step][at])
        if key not in self._actions:
            legal = self._record.tables[step][key[1]]
            self._actions[key] = move_names(self._machine, self._role, legal)
        return self._actions[key]

    def observations(self, infoset: int) -> tuple[ObservationText, ...]:
        found: list[ObservationText] = []
        for number in self._backwards(infoset):
            if number not in self._texts:
                observation, _ = self._observation(number)
                self._texts[number] = observation_text(self._machine, self._role, observation)
            found.append(self._texts[number])
        return tuple(reversed(found))

    def _backwards(self, infoset: int) -> Iterator[int]:
        """The numbers of the observations that led to an infoset, the last one first."""
        step, at = _place(self._infoset_bounds, infoset)
        known = int(self._record.known[step][at])
        while known > 0:
            known, observation = self._knowledge[known].tolist()
            yield observation

    @cached_property
    def _knowledge(self) -> NDArray[np.int32]:
        """(n, 2) what the player knew before, and its last observation; row 0 is nothing."""
        return np.concatenate(self._record.steps)

    def _observation_label(self, number: int) -> str:
        if number not in self._labels:
            observation, is_forced = self._observation(number)
            self._labels[number] = observation_label(
                self._machine, self._role, observation, is_forced=is_forced
            )
        return self._labels[number]

    def _observation(self, number: int) -> tuple[Observation, bool]:
        """An observation, and whether its move was forced."""
        step, at = _place(self._observation_bounds, number)
        row = self._record.observations[step][at]
        bits = np.unpackbits(row[1:].view(np.uint8), bitorder="little")
        percepts = tuple(map(PerceptId, np.flatnonzero(bits).tolist()))
        move = int(row[0])
        return Observation(MoveId(move >> 1), percepts), move % 2 == 1


class ChanceNames:
    """Names of the moves of chance at the nodes of a tree whose histories were not merged."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._first_nodes: list[int] = []
        self._legal: list[NDArray[np.bool_]] = []

    def add_step(self, first_node: int, legal: NDArray[np.bool_]) -> None:
        """Note the chance nodes of a step, which stand side by side, and their moves."""
        if len(legal):
            self._first_nodes.append(first_node)
            self._legal.append(legal)

    def __call__(self, node: int) -> tuple[str, ...]:
        """The moves to draw from at a chance node."""
        assert self._machine.chance_role is not None
        step = int(np.searchsorted(self._first_nodes, node, side="right")) - 1
        legal = self._legal[step][node - self._first_nodes[step]]
        return move_names(self._machine, self._machine.chance_role, legal)


def move_names(machine: Machine, role: RoleId, legal: NDArray[np.bool_]) -> tuple[str, ...]:
    """The names of some moves of a role. legal: (moves,)"""
    moves = map(MoveId, np.flatnonzero(legal).tolist())
    return tuple(exact_text(machine.move_term(role, move)) for move in moves)


def _place(bounds: NDArray[np.int64], number: int) -> tuple[int, int]:
    """The step that a number belongs to, and its place there."""
    step = int(np.searchsorted(bounds, number, side="right")) - 1
    return step, number - int(bounds[step])
