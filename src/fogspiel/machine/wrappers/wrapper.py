"""A machine that stands in front of another and changes some of what it says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.machine.protocol import Engine, Joints, Machine, State, States
from fogspiel.machine.uncompiled.batches import Batches


class MachineWrapper(Batches):
    """Says what the machine behind it says. Implements `Machine`."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @property
    def engine(self) -> Engine:
        """What runs the rules."""
        return self._machine.engine

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles."""
        return self._machine.roles

    @property
    def chance_role(self) -> RoleId | None:
        """The role whose moves are drawn by chance."""
        return self._machine.chance_role

    @property
    def goal_scale(self) -> int:
        """By which goals are too large."""
        return self._machine.goal_scale

    def initial(self) -> State:
        """The state in which play begins."""
        return self._machine.initial()

    def terminal(self, state: State) -> bool:
        """Whether the game is over."""
        return self._machine.terminal(state)

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of a role, ascending."""
        return self._machine.legal(state, role)

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after a joint move."""
        return self._machine.step(state, joint)

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """What a role sees."""
        return self._machine.percepts(state, joint, role)

    def goals(self, state: State) -> tuple[int, ...]:
        """The goal of every role."""
        return self._machine.goals(state)

    def goal_values(self, state: State, role: RoleId) -> tuple[int, ...]:
        """Every goal value of a role that holds."""
        return self._machine.goal_values(state, role)

    def chance_weights(self, state: State) -> NDArray[np.float64]:
        """(moves,) probabilities of the legal moves of chance."""
        return self._machine.chance_weights(state)

    def chance_weights_batch(self, states: States) -> NDArray[np.float64]:
        """(n, moves of chance) probabilities."""
        return self._machine.chance_weights_batch(states)

    def terminal_batch(self, states: States) -> NDArray[np.bool_]:
        """(n,) whether each state is terminal."""
        return self._machine.terminal_batch(states)

    def legal_batch(self, states: States, role: RoleId) -> NDArray[np.bool_]:
        """(n, moves of the role) legality."""
        return self._machine.legal_batch(states, role)

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        return self._machine.step_batch(states, joints)

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role) what it sees."""
        return self._machine.percepts_batch(states, joints, role)

    def goals_batch(self, states: States) -> NDArray[np.int64]:
        """(n, roles) goals."""
        return self._machine.goals_batch(states)

    def key(self, state: State) -> bytes:
        """A value equal for equal states."""
        return self._machine.key(state)

    def fluent_terms(self, state: State) -> tuple[GroundTerm, ...]:
        """The fluents that hold."""
        return self._machine.fluent_terms(state)

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """The state in which just these fluents hold."""
        return self._machine.state_of(fluents)

    def move_count(self, role: RoleId) -> int:
        """Moves of a role."""
        return self._machine.move_count(role)

    def move_term(self, role: RoleId, move: MoveId) -> GroundTerm:
        """A move as a term."""
        return self._machine.move_term(role, move)

    def move_text(self, role: RoleId, move: MoveId) -> str:
        """A move as text."""
        return format_term(self.move_term(role, move))

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The number of a move."""
        return self._machine.move_id(role, move)

    def percept_count(self, role: RoleId) -> int:
        """Percepts of a role."""
        return self._machine.percept_count(role)

    def percept_term(self, role: RoleId, percept: PerceptId) -> GroundTerm:
        """A percept as a term."""
        return self._machine.percept_term(role, percept)
