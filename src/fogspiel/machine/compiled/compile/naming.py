"""The names behind a machine's numbers: fluents, moves and percepts as the rules write them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.compiled.compile.findings import unknown_name
from fogspiel.machine.compiled.compile.network import GateNetwork
from fogspiel.machine.compiled.compile.registers import Values
from fogspiel.machine.compiled.kernel.lanes import pack_bits
from fogspiel.machine.protocol import State


class Naming:
    """From numbers to terms and back."""

    roles: tuple[str, ...]

    def __init__(self, network: GateNetwork, numbers: Values) -> None:
        self.network = network
        self._numbers = numbers

    def key(self, state: State) -> bytes:
        """A value equal for equal states."""
        return state.tobytes()

    def fluent_terms(self, state: State) -> tuple[GroundTerm, ...]:
        """The fluents that hold: first those that change, then those that always do."""
        bits = np.unpackbits(state.view(np.uint8), bitorder="little")
        changing = (self.network.fluents[i] for i in np.flatnonzero(bits))
        return self._numbers.shown((*changing, *self.network.always))

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """The state in which just these fluents hold."""
        bits = np.zeros(len(self.network.fluents), np.bool_)
        always = set(self.network.always)
        for fluent in self._numbers.hidden(fluents):
            if fluent in self._fluent_ids:
                bits[self._fluent_ids[fluent]] = True
            elif fluent not in always:
                raise unknown_name("MCH005", "fluent", fluent)
        return pack_bits(bits)

    def move_count(self, role: RoleId) -> int:
        """Moves of a role."""
        return len(self.network.moves[role])

    def move_term(self, role: RoleId, move: MoveId) -> GroundTerm:
        """A move as the rules write it."""
        return self.network.moves[role][move]

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The id of a move."""
        found = self._move_ids[role].get(move)
        if found is None:
            raise unknown_name("MCH002", f"move of {self.roles[role]}", move)
        return MoveId(found)

    def percept_count(self, role: RoleId) -> int:
        """Percepts of a role."""
        return len(self.network.percepts[role])

    def percept_term(self, role: RoleId, percept: PerceptId) -> GroundTerm:
        """A percept as the rules write it."""
        return self.network.percepts[role][percept]

    @cached_property
    def _fluent_ids(self) -> dict[GroundTerm, int]:
        return {fluent: i for i, fluent in enumerate(self.network.fluents)}

    @cached_property
    def _move_ids(self) -> list[dict[GroundTerm, int]]:
        return [{move: i for i, move in enumerate(moves)} for moves in self.network.moves]
