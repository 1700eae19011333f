"""Machines for players: a move that is not legal is replaced by one that is, as referees do it.

Rules of strangers may leave a role in doubt about its own moves (DYN005): what is legal in one of
the states that it holds possible is not in another. A player that tries such a move in all of them
must not fail, and has to reckon with what happens then: the referee draws a legal move instead.
Here the move that replaces another goes by the state and by the move, so that a step and what is
seen of it belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.interpreted.machine import InterpretedMachine
from fogspiel.machine.protocol import Joints, Machine, State, States
from fogspiel.machine.reference.machine import ReferenceMachine

ILLEGAL = "MCH001"


def lenient(machine: Machine) -> Machine:
    """The same machine, but for moves that are not legal: those are replaced.

    Each machine has one, which shares with it all that it found out.
    """
    twin = _TWINS.get(machine)
    if twin is None:
        forgiving = _FORGIVING.get(type(machine))
        if forgiving is None:
            return machine
        twin = _TWINS[machine] = forgiving.__new__(forgiving)
        twin.__dict__ = machine.__dict__
    return twin


class LenientCompiled(CompiledMachine):
    """On gates. Most rules leave no doubt: legality is looked at from the first fault on."""

    _met_illegal = False

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        if not self._met_illegal:
            try:
                return super().step_batch(states, joints)
            except PlayError as error:
                if error.findings[0].code != ILLEGAL:
                    raise
                self._met_illegal = True
        return super().step_batch(states, self._legal_joints(states, joints))

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role) what the role sees."""
        if self._met_illegal:
            joints = self._legal_joints(states, joints)
        return super().percepts_batch(states, joints, role)

    def _legal_joints(self, states: States, joints: Joints) -> Joints:
        counted = np.array(joints, np.int32)
        rows = np.arange(len(states))
        for role in map(RoleId, range(len(self.roles))):
            legal = self.legal_batch(states, role)
            for row in np.flatnonzero(~legal[rows, counted[:, role]]).tolist():
                others = np.flatnonzero(legal[row])
                counted[row, role] = _replacement(states[row], counted[row, role], others)
        return counted


class LenientReference(ReferenceMachine):
    """On rules as they are written."""

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after every role made its move."""
        return super().step(state, _legal_joint(self, state, joint))

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """What a role sees when the joint move is made."""
        return super().percepts(state, _legal_joint(self, state, joint), role)


class LenientInterpreted(InterpretedMachine):
    """On actions as they are written."""

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after every role made its move."""
        return super().step(state, _legal_joint(self, state, joint))

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """What a role is told when the joint move is made."""
        return super().percepts(state, _legal_joint(self, state, joint), role)


_FORGIVING: dict[
    type, type[LenientCompiled] | type[LenientReference] | type[LenientInterpreted]
] = {
    CompiledMachine: LenientCompiled,
    ReferenceMachine: LenientReference,
    InterpretedMachine: LenientInterpreted,
}
_TWINS: WeakKeyDictionary[Machine, LenientCompiled | LenientReference | LenientInterpreted] = (
    WeakKeyDictionary()
)


def _legal_joint(machine: Machine, state: State, joint: Sequence[MoveId]) -> list[MoveId]:
    counted = list[MoveId]()
    for role, move in enumerate(joint):
        legal = machine.legal(state, RoleId(role))
        own = move in legal or not legal
        counted.append(move if own else MoveId(_replacement(state, move, np.array(legal))))
    return counted


def _replacement(state: State, move: int, legal: NDArray[np.int64]) -> int:
    """One of the legal moves; the move itself where there is none, for the machine to refuse."""
    if not len(legal):
        return move
    return int(legal[crc32(state.tobytes(), int(move)) % len(legal)])
