"""Playing for what a predictable opponent gives away, at a risk that stays bounded.

In every state the next matrix game is known, with what later states are worth at equilibrium. A
model says what the opponent does now; among all mixtures that get at least the value of the state
less what may be risked, the player takes the one that gets most against the model.

Sources: Ganzfried & Sandholm (2015), Safe opponent exploitation, ACM TEAC 3(2), section 6: risk
what was won in expectation. The model is that of `rivals`.
Departures: the player begins with an allowance instead of nothing. Where the rest of the game was
solved to its ends it gets, whoever plays against it, at least the value minus that, on average;
where looking ahead stopped before, values are estimates, and so is what is risked. What the
opponent would do later is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from fogspiel.core.ids import MoveId, RoleId
from fogspiel.machine.protocol import State
from fogspiel.player.ahead_solving import Mixture, Stage
from fogspiel.player.lookahead import Ahead, LookaheadPlayer
from fogspiel.player.protocol import Seat
from fogspiel.player.rivals import Rivals
from fogspiel.player.searching import with_reserve
from fogspiel.search.budget import Budget
from fogspiel.search.lockstep import Rule
from fogspiel.search.values import value_scale

ROUNDING = 1e-9
SOLVING_SHARE = 0.5
"""Of a turn's time, where the state was not solved before."""
POINTS = 100.0
"""Risks are told for goals from 0 to 100."""


@dataclass(frozen=True, slots=True, eq=False)
class _Wager:
    """A turn in which the player may have left the equilibrium."""

    step: int
    """From the start of the match."""
    state: State
    gains: NDArray[np.float64]
    """(moves of the opponent,) what the mixture gets against each, less the value."""


class RiskingPlayer(LookaheadPlayer):
    """Follows an equilibrium, or leaves it as far as the risk allows."""

    def __init__(self, ahead: Ahead, *, allowance: float, rival: Rule) -> None:
        """allowance: goals, of 100, that may be lost against the worst opponent.

        rival: how the opponent is supposed to search.
        """
        super().__init__(ahead)
        self._allowance, self._rival = allowance, rival

    def start(self, seat: Seat, budget: Budget) -> None:
        """As for what lies ahead; nothing has been risked."""
        self._wager: _Wager | None = None
        super().start(seat, budget)
        spread = value_scale(self.machine).spread / self.machine.goal_scale
        self.risk = self._allowance * spread / POINTS
        """What may still be lost, in goals: more than the allowance after the opponent's faults."""
        self._rivals = Rivals(self.machine, rule=self._rival, seed=self.turn_seed)

    def looked_ahead(self, budget: Budget) -> Mixture | None:
        """(legal moves,) a safe response to the model; None where nothing was solved."""
        self._settle()
        shares = super().looked_ahead(budget.part(SOLVING_SHARE))
        stage = None if shares is None else self.stage()
        if shares is None or stage is None or min(stage.shape) == 1:
            return shares
        state: State = self.belief.sample(1, self.turn_seed).states[0]
        (model,) = self._rivals.shares(state, [self._other], with_reserve(budget))
        value = float((shares @ stage).min())
        found = safe_response(stage, model, value - self.risk)
        if found is None:
            return shares
        self._wager = _Wager(len(self.sightings), state, found @ stage - value)
        return found

    def _settle(self) -> None:
        """Count what the opponent's move gave, or took, on average over the own mixture.

        Once a turn has begun: to find out the move takes time of a clock.
        """
        wager = self._wager
        if wager is None or wager.step == len(self.sightings):
            return
        made = self.belief.sample(1, self.turn_seed).joints[0, wager.step, self._other]
        place = self.machine.legal(wager.state, self._other).index(MoveId(int(made)))
        self.risk = max(0.0, self.risk + float(wager.gains[place]))
        self._wager = None

    @property
    def _other(self) -> RoleId:
        roles = [role for role in range(len(self.machine.roles)) if role != self._chance]
        return RoleId(roles[2 - self._player])


def safe_response(stage: Stage, model: Mixture, floor: float) -> Mixture | None:
    """(rows,) the mixture that gets most against a model of the columns, and at least a floor
    against every column; None if there is none.

    stage: (rows, columns) what the rows get.
    """
    rows = len(stage)
    solved = linprog(
        -(stage @ model),
        A_ub=-stage.T,
        b_ub=np.full(stage.shape[1], ROUNDING - floor),
        A_eq=np.ones((1, rows)),
        b_eq=[1.0],
        bounds=(0.0, 1.0),
    )
    return np.maximum(solved.x, 0.0) if solved.status == 0 else None
