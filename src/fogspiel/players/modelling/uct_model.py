"""A model of opponents that search: several searches of the same state, and what each would do.

Source: Shafiei (2010), section 5.5: UCT plays one move for sure where moves are made at once, and
could be exploited if there were a model of it.
Departures: the model is UCT itself. Where its searches disagree, an opponent may do either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.machine.protocol import Machine, State
from fogspiel.players.searching.search_player import MOST_BYTES
from fogspiel.search.mcts.lockstep import SelectionRule
from fogspiel.search.mcts.roots import SimulationStarts
from fogspiel.search.mcts.state_tree import StateTree

RIVALS = 8
"""Searches, each as an opponent would make one."""
LEAST_SIMULATIONS = 200
"""Of each of them, however few are allowed."""


class UctModel:
    """Searches that go on from step to step, as those of the opponents do."""

    def __init__(self, machine: Machine, *, rule: SelectionRule, seed: int) -> None:
        self._machine, self._rule, self._seed = machine, rule, seed
        self._trees = [self._new_tree() for _ in range(RIVALS)]

    def shares(
        self, state: State, roles: Sequence[RoleId], budget: Budget
    ) -> list[NDArray[np.float64]]:
        """For each of some roles (moves,) how many of the searches choose each in a state."""
        legal = [self._machine.legal(state, role) for role in roles]
        found = [np.zeros(len(moves)) for moves in legal]
        for turn in range(RIVALS):
            if self._trees[turn].bytes > MOST_BYTES // RIVALS:
                self._trees[turn] = self._new_tree()
            tree = self._trees[turn]
            # Time that one did not use is for those that are left.
            part = budget.part(1.0 / (RIVALS - turn)).fewer(1.0 / RIVALS, least=LEAST_SIMULATIONS)
            tree.run(_Known(state, len(self._machine.roles)), part)
            for own, moves, role in zip(found, legal, roles, strict=True):
                verdict = tree.statistics(state, role)
                best = MoveId(int(verdict.moves[verdict.means.argmax()]))
                own[moves.index(best)] += 1.0 / RIVALS
        return found

    def _new_tree(self) -> StateTree:
        self._seed += 1
        return StateTree(self._machine, rule=self._rule, seed=self._seed)


class _Known:
    """A state that is known, as something to draw starts from."""

    def __init__(self, state: State, roles: int) -> None:
        self._state, self._roles = state, roles

    def __call__(self, count: int, seed: int) -> SimulationStarts:
        states = np.repeat(self._state[None, :], count, axis=0)
        return SimulationStarts(states=states, knowledge=np.zeros((count, self._roles), np.uint64))
