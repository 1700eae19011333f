"""A game whose states also hold the type of the opponents, which nobody sees.

All of them are of one type from the beginning to the end (Harsanyi 1967). The best answer
(`solve/response/belief_mdp`) then takes into account that what they do will tell of which.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Joints, Machine, State, States
from fogspiel.machine.wrappers.fixed_opponents import Behaviour, uniform_policy
from fogspiel.machine.wrappers.wrapper import MachineWrapper

EVEN, OTHER = 0, 1
TYPES = 2


class BayesianGame(MachineWrapper):
    """A machine whose states end with the type: whole layers of states only.

    Implements as much of `Machine` as `best_answer` asks for.
    """

    def __init__(self, machine: Machine, other: Behaviour) -> None:
        """other: how opponents behave that do not choose evenly."""
        super().__init__(machine)
        self._other = other
        self._words = len(machine.initial())

    def behaviour(
        self, role: RoleId, states: States, legal: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """(n, moves) probabilities, by the type. Implements `Behaviour`."""
        shares = uniform_policy(role, states, legal)
        rows = np.flatnonzero(states[:, -1] == OTHER)
        if len(rows):
            shares[rows] = self._other(role, self._plain(states[rows]), legal[rows])
        return shares

    def typed(
        self, states: States, weights: NDArray[np.float64], least: float
    ) -> tuple[States, NDArray[np.float64]]:
        """States with their types, and how probable both together are.

        weights: (n, types) less than `least` is left out.
        """
        rows, types = np.nonzero(weights >= least)
        shares = weights[rows, types]
        both = np.concatenate([states[rows], types[:, None].astype(np.uint64)], axis=1)
        return both, shares / shares.sum()

    def initial(self) -> State:
        """The beginning of play, with opponents that choose evenly."""
        return np.append(self._machine.initial(), np.uint64(EVEN))

    def terminal_batch(self, states: States) -> NDArray[np.bool_]:
        """(n,) whether each state is terminal."""
        return self._machine.terminal_batch(self._plain(states))

    def legal_batch(self, states: States, role: RoleId) -> NDArray[np.bool_]:
        """(n, moves of the role) legality."""
        return self._machine.legal_batch(self._plain(states), role)

    def step_batch(self, states: States, joints: Joints) -> States:
        """(n, words) successors, of the same type."""
        after = np.empty_like(states)
        after[:, : self._words] = self._machine.step_batch(self._plain(states), joints)
        after[:, -1] = states[:, -1]
        return after

    def percepts_batch(self, states: States, joints: Joints, role: RoleId) -> NDArray[np.bool_]:
        """(n, percepts of the role) what it sees."""
        return self._machine.percepts_batch(self._plain(states), joints, role)

    def goals_batch(self, states: States) -> NDArray[np.int64]:
        """(n, roles) goals."""
        return self._machine.goals_batch(self._plain(states))

    def chance_weights_batch(self, states: States) -> NDArray[np.float64]:
        """(n, moves of chance) probabilities."""
        return self._machine.chance_weights_batch(self._plain(states))

    def _plain(self, states: States) -> States:
        return np.ascontiguousarray(states[:, : self._words])
