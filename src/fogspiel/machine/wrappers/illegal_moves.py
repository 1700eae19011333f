"""Lenient machines for players: an illegal move is replaced by a legal one, as referees do.

Faulty rules may leave a role uncertain about its own legal moves (DYN005): a move is legal in one
state of an information set but not in another. A player that tries such a move in all of them must
not fail, and must expect that the referee draws a legal move instead. Here the replacement is
a function of the state and the move, so that successors and percepts belong together.

Faulty rules may also leave a role without a legal move in a nonterminal state (DYN002). Once such a
state was met, states like it are terminal for players.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, PerceptId, RoleId
from fogspiel.machine.compiled.machine import CompiledMachine
from fogspiel.machine.interpreter.machine import InterpretedMachine
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import (
    DEFAULT_MAX_STEPS,
    Joints,
    Machine,
    Playouts,
    State,
    States,
)
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.machine.uncompiled.batches import Batches

ILLEGAL, UNKNOWN = "MCH001", "MCH002"


def replace_illegal(machine: Machine) -> Machine:
    """A lenient version of the machine, in which illegal moves are replaced.

    Each machine has one such version, which shares all of its results.
    """
    twin = _TWINS.get(machine)
    if twin is None:
        forgiving = _FORGIVING.get(type(machine))
        if forgiving is None:
            return machine
        twin = _TWINS.keep(machine, forgiving.__new__(forgiving))
        twin.__dict__ = machine.__dict__
    return twin


class LenientCompiled(CompiledMachine):
    """Lenient compiled machine. It checks legality only after the first fault, which is rare."""

    _met_illegal = False
    _met_stuck = False

    def terminal_batch(self, states: States) -> NDArray[np.bool_]:
        """(n,) whether each state is terminal, or a role is known to have no move."""
        over = super().terminal_batch(states)
        if self._met_stuck:
            going = np.flatnonzero(~over)
            over[going] = self._stuck(states[going])
        return over

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors; a state in which a role has no move stays the same."""
        if not self._met_illegal:
            try:
                return super().step_batch(states, joints)
            except PlayError as error:
                self._note_illegal(error)
        after = np.array(states)
        going = ~self._stuck(states)
        self._met_stuck |= not going.all()
        legal = self._legal_joints(states[going], joints[going])
        after[going] = super().step_batch(states[going], legal)
        return after

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role) what the role sees."""
        if not self._met_illegal:
            try:
                return super().percepts_batch(states, joints, role)
            except PlayError as error:
                self._note_illegal(error)
        return super().percepts_batch(states, self._legal_joints(states, joints), role)

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """`count` random playouts from each state."""
        found = super().playouts(states, seed=seed, count=count, max_steps=max_steps)
        self._met_stuck |= found.stuck > 0
        return found

    def _note_illegal(self, error: PlayError) -> None:
        if error.findings[0].code not in (ILLEGAL, UNKNOWN):
            raise error
        self._met_illegal = True

    def _stuck(self, states: States) -> NDArray[np.bool_]:
        """(n,) whether some role has no move."""
        roles = map(RoleId, range(len(self.roles)))
        stuck = np.zeros(len(states), np.bool_)
        for role in roles:
            stuck |= ~self.legal_batch(states, role).any(axis=1)
        return stuck

    def _legal_joints(self, states: States, joints: Joints) -> Joints:
        counted = np.array(joints, np.int32)
        rows = np.arange(len(states))
        for role in map(RoleId, range(len(self.roles))):
            legal = self.legal_batch(states, role)
            # Without any legal move, the draw is a number that no move has.
            counted[:, role] %= max(1, legal.shape[1])
            for row in np.flatnonzero(~legal[rows, counted[:, role]]).tolist():
                others = np.flatnonzero(legal[row])
                counted[row, role] = _replacement(states[row], counted[row, role], others)
        return counted


class _OneByOne(Batches):
    """Common base of lenient machines that evaluate one state at a time.

    It stands before the machine among the bases, so that `super()` is the strict machine.
    """

    _met_stuck = False

    def terminal(self, state: State) -> bool:
        """Whether the game is over, or a role is known to have no move."""
        return super().terminal(state) or self._is_known_stuck(state)  # type: ignore[safe-super]

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after every role made its move; the same where a role has none."""
        counted = self._counted(state, joint)
        return state if counted is None else super().step(state, counted)  # type: ignore[safe-super]

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """What a role sees when the joint move is made."""
        counted = self._counted(state, joint)
        if counted is None:
            return ()
        return super().percepts(state, counted, role)  # type: ignore[safe-super]

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """`count` random playouts from each state."""
        found = super().playouts(states, seed=seed, count=count, max_steps=max_steps)
        self._met_stuck |= found.stuck > 0
        return found

    def _is_known_stuck(self, state: State) -> bool:
        """Whether some role has no move, if such a state was met before."""
        roles = map(RoleId, range(len(self.roles)))
        return self._met_stuck and not all(self.legal(state, role) for role in roles)

    def _counted(self, state: State, joint: Sequence[MoveId]) -> list[MoveId] | None:
        """The joint move with illegal moves replaced; None if some role has no legal move."""
        counted = list[MoveId]()
        for role, move in enumerate(joint):
            legal = self.legal(state, RoleId(role))
            if not legal:
                self._met_stuck = True
                return None
            own = move in legal
            counted.append(move if own else MoveId(_replacement(state, move, np.array(legal))))
        return counted


class LenientReference(_OneByOne, ReferenceMachine):
    """Lenient reference machine, on rules in GDL as written."""


class LenientInterpreted(_OneByOne, InterpretedMachine):
    """Lenient interpreter, on rules in POGDDL as written."""


_FORGIVING: dict[
    type, type[LenientCompiled] | type[LenientReference] | type[LenientInterpreted]
] = {
    CompiledMachine: LenientCompiled,
    ReferenceMachine: LenientReference,
    InterpretedMachine: LenientInterpreted,
}
_TWINS: MachineMemo[LenientCompiled | LenientReference | LenientInterpreted] = MachineMemo()


def _replacement(state: State, move: int, legal: NDArray[np.int64]) -> int:
    """One of the legal moves; the move itself if there is none, for the machine to refuse."""
    if not len(legal):
        return move
    return int(legal[crc32(state.tobytes(), int(move)) % len(legal)])
