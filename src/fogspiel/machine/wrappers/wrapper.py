"""Wrappers: machines that forward all operations to another machine, except for some.

`ObservationMultiset` adds the multiset of each role's observations to the states, as a number. It
forgets their order, but often suffices: in tic-tac-toe with hidden marks it tells which cells were
tried with what result. A strategy that depends on this number depends on the state alone, so that
all algorithms on states apply to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId, format_term
from fogspiel.machine.knowledge import Keys, first_knowledge, observation_keys
from fogspiel.machine.protocol import (
    DEFAULT_MAX_STEPS,
    Engine,
    Joints,
    Machine,
    Playouts,
    State,
    States,
)
from fogspiel.machine.uncompiled.batches import Batches


class MachineWrapper(Batches):
    """Forwards all operations to the wrapped machine. Implements `Machine`.

    A subclass whose states have more words overrides `_plain`, and what makes states or keys.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @property
    def engine(self) -> Engine:
        """The implementation of the wrapped machine."""
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
        """Factor by which goals are multiplied so that they are whole numbers."""
        return self._machine.goal_scale

    def initial(self) -> State:
        """The state in which play begins."""
        return self._machine.initial()

    def terminal(self, state: State) -> bool:
        """Whether the game is over."""
        return self._machine.terminal(self._plain(state))

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The moves of a role, ascending."""
        return self._machine.legal(self._plain(state), role)

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after a joint move."""
        return self._machine.step(state, joint)

    def percepts(
        self, state: State, joint: Sequence[MoveId], role: RoleId
    ) -> tuple[PerceptId, ...]:
        """What a role sees."""
        return self._machine.percepts(self._plain(state), joint, role)

    def goals(self, state: State) -> tuple[int, ...]:
        """The goal of every role."""
        return self._machine.goals(self._plain(state))

    def goal_values(self, state: State, role: RoleId) -> tuple[int, ...]:
        """Every goal value of a role that holds."""
        return self._machine.goal_values(self._plain(state), role)

    def chance_weights(self, state: State) -> NDArray[np.float64]:
        """(moves,) probabilities of the legal moves of chance."""
        return self._machine.chance_weights(self._plain(state))

    def chance_weights_batch(self, states: States) -> NDArray[np.float64]:
        """(n, moves of chance) probabilities."""
        return self._machine.chance_weights_batch(self._plain(states))

    def terminal_batch(self, states: States) -> NDArray[np.bool_]:
        """(n,) whether each state is terminal."""
        return self._machine.terminal_batch(self._plain(states))

    def legal_batch(self, states: States, role: RoleId) -> NDArray[np.bool_]:
        """(n, moves of the role) legality."""
        return self._machine.legal_batch(self._plain(states), role)

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        return self._machine.step_batch(states, joints)

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role) what it sees."""
        return self._machine.percepts_batch(self._plain(states), joints, role)

    def goals_batch(self, states: States) -> NDArray[np.int64]:
        """(n, roles) goals."""
        return self._machine.goals_batch(self._plain(states))

    def key(self, state: State) -> bytes:
        """A value equal for equal states."""
        return self._machine.key(state)

    def fluent_terms(self, state: State) -> tuple[GroundTerm, ...]:
        """The fluents that hold."""
        return self._machine.fluent_terms(self._plain(state))

    def fluent_rows(self, states: States) -> States:
        """(n, words) rows of fluents."""
        return self._machine.fluent_rows(self._plain(states))

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """The state in which exactly these fluents hold."""
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

    def _plain(self, states: States) -> States:
        """A state or several as the wrapped machine has them, without words that were added."""
        return states


class ObservationMultiset(MachineWrapper):
    """A machine whose states end with a number for each role's observations; a `Machine`."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._words = len(machine.initial())

    def memories(self, states: States, role: RoleId) -> Keys:
        """(n,) number of a role's observations in each state, different for each role."""
        return np.ascontiguousarray(states[:, self._words + role])

    def initial(self) -> State:
        """The initial state, in which no role has any observation."""
        nothing = [first_knowledge(RoleId(role)) for role in range(len(self.roles))]
        return np.concatenate([self._machine.initial(), nothing])

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after a joint move."""
        after: State = self.step_batch(state[None, :], np.array([joint], np.int32))[0]
        return after

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        plain = self._plain(states)
        after = np.empty_like(states)
        after[:, : self._words] = self._machine.step_batch(plain, joints)
        for role in map(RoleId, range(len(self.roles))):
            before = self.memories(states, role)
            if role == self.chance_role:
                after[:, self._words + role] = before
                continue
            # Keys are added, which forgets the order of observations but not their number.
            seen = observation_keys(self._machine, role, plain, joints)
            after[:, self._words + role] = before + seen
        return after

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """`count` random playouts from each state."""
        plain = self._plain(states)
        return self._machine.playouts(plain, seed=seed, count=count, max_steps=max_steps)

    def key(self, state: State) -> bytes:
        """A hashable value that is equal for equal states with equal observations."""
        return state.tobytes()

    def _plain(self, states: States) -> States:
        return np.ascontiguousarray(states[..., : self._words])
