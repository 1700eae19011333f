"""Keeping up with a match: what the role holds possible, and which moves it has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogspiel.belief.methods import make_belief
from fogspiel.belief.protocol import Belief, BeliefLimits, OffersWitness, Sighting
from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.player.protocol import Seat
from fogspiel.search.budget import Budget

BELIEF_SECONDS = 5.0
"""That finding out what is possible may take in one step, whatever the clock says."""
BELIEF_HISTORIES = 200_000


class Tracking:
    """A player's bookkeeping. Players inherit it and choose."""

    belief_method = "auto"

    def start(self, seat: Seat, budget: Budget) -> None:
        """Nothing has happened so far."""
        self.machine: Machine = seat.machine
        self.role: RoleId = seat.role
        self.seed = seat.seed
        self.sightings: list[Sighting] = []
        limits = BeliefLimits(histories=BELIEF_HISTORIES, seconds=BELIEF_SECONDS)
        self.belief: Belief = make_belief(self.belief_method, self.machine, self.role, limits)

    def observe(self, move: MoveId, percepts: Sequence[PerceptId]) -> None:
        """Take note of a step."""
        self.sightings.append(Sighting(move, tuple(percepts)))
        self.belief.advance(move, percepts)

    def stop(self) -> None:
        """Let go of what was found out."""
        del self.belief

    def legal_moves(self) -> tuple[MoveId, ...]:
        """The role's moves, which are the same in all states that it holds possible."""
        state = self.belief.witness() if isinstance(self.belief, OffersWitness) else None
        if state is None:
            state = self.belief.sample(1, self.turn_seed).states[0]
        return self.machine.legal(state, self.role)

    @property
    def turn_seed(self) -> int:
        """A seed for each turn."""
        return int(np.random.SeedSequence([self.seed, len(self.sightings)]).generate_state(1)[0])
