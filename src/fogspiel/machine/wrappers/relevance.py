"""The relevant subgame: a game without the parts on which neither goals nor terminal states depend.

All moves in irrelevant parts are equally good, as are moves without any effect; only the first of
them is kept. The subgame has the same values as the game while such moves do not run out. They
never do if they can always be made, and not soon if many parts have some, as a move stays legal
until another one is made in its part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.analysis.independent_parts import CLOCK, WAITING, Parts
from fogspiel.machine.protocol import (
    DEFAULT_MAX_STEPS,
    Joints,
    Machine,
    Playouts,
    State,
    States,
)
from fogspiel.machine.wrappers.wrapper import MachineWrapper

MANY_PARTS = 8  #: Number of irrelevant parts with legal moves that will not run out soon


class RelevantSubgame(MachineWrapper):
    """The relevant subgame from a state on. Implements `Machine`."""

    def __init__(self, machine: Machine, parts: Parts, frame: State) -> None:
        """frame: a state that gives irrelevant fluents their values."""
        super().__init__(machine)
        self._parts = parts
        matters = np.flatnonzero(parts.relevant).tolist()
        self._mask = parts.mask(CLOCK, *matters)
        self._frame = frame & ~self._mask
        # Chance keeps all of its moves, since their probabilities would be lost.
        self._idle = [
            None
            if role == machine.chance_role
            else (own == WAITING) | ~np.isin(own, [WAITING, *matters])
            for role, own in enumerate(parts.of_moves)
        ]

    def stands_at(self, state: State) -> bool:
        """Whether irrelevant fluents have the same values in a state as in this subgame."""
        return bool((state & ~self._mask == self._frame).all())

    def lasts(self, state: State, role: RoleId) -> bool:
        """Whether a role's irrelevant moves will not run out, or not soon."""
        parts, idle = self._parts, self._idle[role]
        if idle is None:
            return True
        literals = parts.circuit.legal[slice(*parts.circuit.role_starts[role : role + 2])]
        does_not_matter = sum(1 << int(part) for part in np.flatnonzero(~parts.relevant))
        reads = [parts.supports[int(literal) >> 1] for literal in literals[idle]]
        if not any(read & does_not_matter for read in reads):
            return True
        legal = self._machine.legal_batch(state[None, :], role)[0] & idle
        offered = set(parts.of_moves[role][legal].tolist()) - {WAITING}
        return len(offered) >= MANY_PARTS

    def legal(self, state: State, role: RoleId) -> tuple[MoveId, ...]:
        """The relevant moves of a role, and the first of its irrelevant moves."""
        moves = np.flatnonzero(self.legal_batch(state[None, :], role)[0])
        return tuple(MoveId(int(move)) for move in moves)

    def legal_batch(self, states: States, role: RoleId) -> NDArray[np.bool_]:
        """(n, moves of the role) legality."""
        legal = self._machine.legal_batch(states, role)
        idle = self._idle[role]
        if idle is not None:
            waiting = legal & idle
            legal[:, idle] = False
            rows = np.flatnonzero(waiting.any(axis=1))
            legal[rows, waiting[rows].argmax(axis=1)] = True
        return legal

    def step(self, state: State, joint: Sequence[MoveId]) -> State:
        """The state after a joint move, with irrelevant fluents unchanged."""
        return self._still(self._machine.step(state, joint))

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        return self._still(self._machine.step_batch(states, joints))

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """Random playouts of the whole game."""
        return self._machine.playouts(states, seed=seed, count=count, max_steps=max_steps)

    def _still(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        found: NDArray[np.uint64] = (states & self._mask) | self._frame
        return found
