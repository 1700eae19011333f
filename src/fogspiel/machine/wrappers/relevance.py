"""A game without what does not matter: parts that neither goals nor its end depend on stand still.

Moves in such parts are as good as each other, and as moves that do nothing at all: of all of them
the first stays. While such moves do not run out, what is left has the same values as the game. They
never do where they can always be made, and not soon where many parts have some: each is there until
somebody makes a move in its part.
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

MANY_PARTS = 8  #: In which moves can be made that do not matter


class RelevantSubgame(MachineWrapper):
    """The game from a state on. Implements `Machine`."""

    def __init__(self, machine: Machine, parts: Parts, frame: State) -> None:
        """frame: a state in which what does not matter stands as it does now."""
        super().__init__(machine)
        self._parts = parts
        matters = np.flatnonzero(parts.relevant).tolist()
        self._mask = parts.mask(CLOCK, *matters)
        self._frame = frame & ~self._mask
        # Chance keeps its moves: how probable each is would be lost.
        self._idle = [
            None
            if role == machine.chance_role
            else (own == WAITING) | ~np.isin(own, [WAITING, *matters])
            for role, own in enumerate(parts.of_moves)
        ]

    def stands_at(self, state: State) -> bool:
        """Whether what does not matter is in a state as it is here."""
        return bool((state & ~self._mask == self._frame).all())

    def lasts(self, state: State, role: RoleId) -> bool:
        """Whether moves that do not matter will not run out, or not soon."""
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
        """The moves of a role, of those that do not matter the first."""
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
        """The state after a joint move, but for what does not matter."""
        return self._still(self._machine.step(state, joint))

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors."""
        return self._still(self._machine.step_batch(states, joints))

    def playouts(
        self, states: States, *, seed: int, count: int, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Playouts:
        """As in the whole game."""
        return self._machine.playouts(states, seed=seed, count=count, max_steps=max_steps)

    def _still(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        found: NDArray[np.uint64] = (states & self._mask) | self._frame
        return found
