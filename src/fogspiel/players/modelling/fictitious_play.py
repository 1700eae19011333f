"""Fictitious play: a best response to the opponents' past moves, trusted more as they repeat them.

Sources: Shafiei (2010), section 5.5: a best response to a model with some probability, else the
solution of the states ahead. Brown (1951), Iterative solution of games by fictitious play: the
model is how often each opponent made each of the moves that it has now.
Departures: the probability grows with the number of moves seen, up to the trust that was asked for.
The response concerns the present step alone; afterwards all roles are supposed to follow the
solution. Nothing bounds the risk; with more than two players no value could be guaranteed.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.machine.protocol import player_roles
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.solving.lookahead import Ahead, LookaheadPlayer, Stage

PATIENCE = 2.0  #: Observed moves of each opponent after which the trust is half of its limit


class FictitiousPlayer(LookaheadPlayer):
    """A player that mixes the solution of the states ahead with a response to past moves."""

    def __init__(self, ahead: Ahead, *, trust: float) -> None:
        """trust: the long-run probability of responding to past moves, from 0 to 1."""
        super().__init__(ahead)
        self._trust = trust

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready, and solve the first steps."""
        self._others = [role for role in player_roles(seat.machine) if role != seat.role]
        super().start(seat, budget)

    def looked_ahead(self, budget: Budget) -> Shares | None:
        """The mixed strategy, (legal moves,); None where nothing was solved."""
        shares = super().looked_ahead(budget)
        stage = None if shares is None else self.stage()
        if shares is None or stage is None:
            return shares
        counts = self._counts()
        seen = min(float(own.sum()) for own in counts)
        if seen == 0.0:
            return shares
        answer = int(against(stage, [own / own.sum() for own in counts]).argmax())
        trust = self._trust * seen / (seen + PATIENCE)
        mixed: Shares = (1.0 - trust) * shares / shares.sum()
        mixed[answer] += trust
        return mixed

    def _counts(self) -> list[Shares]:
        """Numbers of times that every opponent made each of its legal moves, (legal moves,)."""
        found = self.belief.sample(1, self.turn_seed)
        state, made = found.states[0], found.joints[0]
        return [
            (made[:, role, None] == self.machine.legal(state, role)).sum(axis=0, dtype=np.float64)
            for role in self._others
        ]


def against(stage: Stage, models: Sequence[Shares]) -> Shares:
    """Expected payoff of each own move if the others behave as models say, (own moves,).

    stage: (own moves, moves of each of the others)
    """
    axes = ascii_lowercase[: stage.ndim]
    expected: Shares = np.einsum(f"{axes},{','.join(axes[1:])}->{axes[0]}", stage, *models)
    return expected
