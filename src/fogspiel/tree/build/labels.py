"""Names of the infosets of a tree that was built, found when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.observation import Observation
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.protocol import Machine
from fogspiel.tree.infoset_names import ObservationText, exact_text, observation_text
from fogspiel.tree.labels import InfosetLabels, observed_terms

Numbers = NDArray[np.int32]
"""(n,)"""


@dataclass(slots=True)
class PlayerRecord:
    """What a player knew, did and saw, step by step, in numbers that count on through all steps."""

    steps: list[NDArray[np.int32]] = field(default_factory=lambda: [np.full((1, 2), -1, np.int32)])
    """Of each step (n, 2): what the player knew before, and its last sight."""
    sights: list[NDArray[np.uint64]] = field(default_factory=list)
    """Of each step (n, 1 + words); see `Layer`."""
    known: list[Numbers] = field(default_factory=list)
    """Of each step, what the player knows at its infosets."""
    legal: list[Numbers] = field(default_factory=list)
    """Of each step, which of `tables` each infoset offers."""
    tables: list[NDArray[np.bool_]] = field(default_factory=list)
    """Of each step (n, moves) sets of moves."""
    _before: int = 0
    """Numbers before this step's."""
    _sight_count: int = 0

    def add_infosets(
        self, known: NDArray[np.int64], legal: Numbers, table: NDArray[np.bool_]
    ) -> None:
        """Note the infosets of a step: what the player knows, and its moves as rows of a table."""
        self.known.append((known + self._before).astype(np.int32))
        self.legal.append(legal)
        self.tables.append(table)

    def add_step(self, steps: NDArray[np.int32], sights: NDArray[np.uint64]) -> None:
        """Note what the player knows after a step, as in `steps`, but in numbers of this step."""
        steps += np.array([self._before, self._sight_count], np.int32)
        self._before += len(self.steps[-1])
        self._sight_count += len(sights)
        self.steps.append(steps)
        self.sights.append(sights)


class BuiltNames:
    """Names of infosets by what the player did and saw. Implements `Names`."""

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
        """What the player did and saw."""
        names, own = self._find(infoset)
        return names.labels[own]

    def actions(self, infoset: int) -> tuple[str, ...]:
        """The actions to choose from."""
        names, own = self._find(infoset)
        return names.actions(own)

    def sights(self, infoset: int) -> tuple[ObservationText, ...]:
        """What the player did and saw, step by step and whole."""
        names, own = self._find(infoset)
        return names.sights(own)

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
        self._sight_bounds = np.cumsum([0, *map(len, record.sights)])
        self._sights: dict[int, ObservationText] = {}

    @cached_property
    def labels(self) -> list[str]:
        """Of all infosets at once: whether a name is taken, only all names tell."""
        labels = InfosetLabels(self._terms, {self._role: self._knowledge})
        known = np.concatenate(self._record.known).tolist()
        return [labels.label(self._role, number) for number in known]

    def actions(self, infoset: int) -> tuple[str, ...]:
        step, at = _place(self._infoset_bounds, infoset)
        legal = self._record.tables[step][self._record.legal[step][at]]
        moves = map(MoveId, np.flatnonzero(legal).tolist())
        return tuple(exact_text(self._machine.move_term(self._role, move)) for move in moves)

    def sights(self, infoset: int) -> tuple[ObservationText, ...]:
        step, at = _place(self._infoset_bounds, infoset)
        known = int(self._record.known[step][at])
        found: list[ObservationText] = []
        while known > 0:
            known, sight = self._knowledge[known].tolist()
            if sight not in self._sights:
                observation, _ = self._sight(sight)
                text = observation_text(self._machine, self._role, observation)
                self._sights[sight] = text
            found.append(self._sights[sight])
        return tuple(reversed(found))

    @cached_property
    def _knowledge(self) -> NDArray[np.int32]:
        """(n, 2) what the player knew before, and its last sight; row 0 is nothing."""
        return np.concatenate(self._record.steps)

    def _terms(self, role: RoleId, sight: int) -> list[GroundTerm]:
        observation, forced = self._sight(sight)
        return observed_terms(self._machine, role, observation, is_forced=forced)

    def _sight(self, sight: int) -> tuple[Observation, bool]:
        """An observation, and whether its move was forced."""
        step, at = _place(self._sight_bounds, sight)
        row = self._record.sights[step][at]
        bits = np.unpackbits(row[1:].view(np.uint8), bitorder="little")
        percepts = tuple(PerceptId(percept) for percept in np.flatnonzero(bits).tolist())
        move = int(row[0])
        return Observation(MoveId(move >> 1), percepts), move % 2 == 1


def _place(bounds: NDArray[np.int64], number: int) -> tuple[int, int]:
    """The step that a number belongs to, and its place there."""
    step = int(np.searchsorted(bounds, number, side="right")) - 1
    return step, number - int(bounds[step])
