"""Exact best responses to opponent models, given a belief, computed within a budget and kept.

Source: `solve/response/belief_mdp`. Each response is kept with the work that it took, so that a
later match with the same number of simulations makes the same moves, only sooner. With a clock, a
response that was found before is used however long it took.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogspiel.belief.protocol import rounded
from fogspiel.core.budget import Budget, FailedSizes, bytes_within, in_time
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.protocol import Machine, States
from fogspiel.machine.wrappers.fixed_opponents import Behaviour, uniform_policy
from fogspiel.players.protocol import Shares
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

ROWS_A_SIMULATION = 20
"""States of beliefs that are expanded in the time of a simulation (latent tic-tac-toe: 23)."""
ROWS_A_SECOND = 1_500_000
"""States of beliefs that are expanded in a second (latent tic-tac-toe: 2,200,000)."""
MOST_ROWS = 8_000_000


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """A belief for which the best move is sought, and the behaviour of the others."""

    machine: Machine
    role: RoleId
    states: States
    weights: Shares  #: The probability of each state, (n,)
    behaviour: Behaviour = uniform_policy

    def key(self) -> bytes:
        """A key of the role and its belief, for one game and one behaviour of the others."""
        order = np.lexsort(self.states.T)
        belief = self.states[order].tobytes() + rounded(self.weights[order]).tobytes()
        return bytes([self.role]) + belief


@dataclass(slots=True)
class _Answer:
    """A best response, or the sizes for which it was not found."""

    out_of_reach: FailedSizes = field(default_factory=FailedSizes)  #: Numbers of rows
    rows: int = 0  #: Rows that the answer took
    move: MoveId | None = None


class AnswerCache:
    """Best responses in one game, by belief."""

    def __init__(self) -> None:
        self._answers: dict[bytes, _Answer] = {}

    def best(self, question: AnswerKey, budget: Budget) -> MoveId | None:
        """The best move; None where expanding all beliefs takes too long."""
        rows = rows_within(budget)
        kept = self._answers.setdefault(question.key(), _Answer())
        if kept.move is not None:
            return kept.move if budget.deadline is not None or kept.rows <= rows else None
        if kept.out_of_reach.forbids(rows):
            return None
        has_stalled = budget.stall_watch()
        try:
            found = solve_belief_mdp(
                question.machine,
                question.role,
                question.behaviour,
                start=(question.states, question.weights),
                max_rows=rows,
                max_bytes=bytes_within(budget),
                progress=in_time(budget),
            )
        except (LimitError, PlayError) as error:
            # Games in which a role cannot know its legal moves have no exact response.
            kept.out_of_reach.remember(rows, error, has_stalled=has_stalled())
            return None
        kept.rows, kept.move = found.rows, found.move
        return kept.move


def rows_within(budget: Budget) -> int:
    """The number of states of beliefs that can be expanded within a budget."""
    return budget.affordable(most=MOST_ROWS, a_second=ROWS_A_SECOND, a_simulation=ROWS_A_SIMULATION)
