"""Keeping up with a match: what the role holds possible, and which moves it has."""

from __future__ import annotations

import numpy as np

from fogspiel.belief.within_budget import ClockedBelief
from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import Machine
from fogspiel.machine.wrappers.illegal_moves import replace_illegal
from fogspiel.players.protocol import Seat


class BeliefPlayer:
    """A player's bookkeeping. Players inherit it and choose."""

    belief_method = "auto"

    def start(self, seat: Seat, budget: Budget) -> None:
        """Nothing has happened so far."""
        self.machine: Machine = replace_illegal(seat.machine)
        self.role: RoleId = seat.role
        self.seed = seat.seed
        self.observations: list[Observation] = []
        self._legal: tuple[int, tuple[MoveId, ...]] | None = None
        """The number of steps so far, and the moves then."""
        self.belief = ClockedBelief(self.machine, self.role, self.belief_method, budget)

    def observe(self, observation: Observation) -> None:
        """Take note of a step. What follows from it is found out when it is asked for."""
        self.observations.append(observation)
        self.belief.advance(observation)

    def stop(self) -> None:
        """Let go of what was found out."""
        del self.belief

    def legal_moves(self, budget: Budget | None = None) -> tuple[MoveId, ...]:
        """The role's moves, which are the same in all states that it holds possible.

        If the rules do not let it know them, they are those of one of these states.
        budget: given where a turn begins, since finding out what is possible takes its share.
        """
        if budget is not None:
            self.belief.open(budget)
        step = len(self.observations)
        if self._legal is None or self._legal[0] != step:
            state = self.belief.witness()
            if state is None:
                state = self.belief.sample(1, self.turn_seed).states[0]
            self._legal = step, self.machine.legal(state, self.role)
        return self._legal[1]

    @property
    def turn_seed(self) -> int:
        """A seed for each turn."""
        return int(np.random.SeedSequence([self.seed, len(self.observations)]).generate_state(1)[0])
