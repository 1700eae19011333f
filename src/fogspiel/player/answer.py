"""`answer`: the exact best answer to opponents that choose evenly, while what may follow fits.

Source: `solve/best_answer`; where there are too many beliefs, `norns-belief` plays.
Latent tic-tac-toe fits from the second own move on within a second, and as a whole in three.

What was found for a belief is kept while the machine lives, with what it took: a later match with
the same budget makes the same moves, only sooner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from fogspiel.core.findings import LimitError
from fogspiel.core.ids import MoveId, PerceptId
from fogspiel.machine.protocol import Machine, States
from fogspiel.player.mixing import Mixer, surely
from fogspiel.player.norns import NornsBeliefPlayer
from fogspiel.player.protocol import Seat, Shares
from fogspiel.player.solutions import in_time
from fogspiel.search.budget import Budget
from fogspiel.search.ends import PLAYED_OUT, Ending
from fogspiel.search.roots import Roots
from fogspiel.solve.best_answer import best_answer

ROWS_A_SIMULATION = 20
"""States of beliefs that are followed in the time of a simulation (latent tic-tac-toe: 23)."""
ROWS_A_SECOND = 1_500_000
"""In latent tic-tac-toe it is 2,200,000."""
SHARE = 0.5
"""Of a clock, for trying; what is left is for simulations if it fails."""
MOST_ROWS = 8_000_000


@dataclass(slots=True)
class _Kept:
    """What is known about a belief."""

    refused: int = 0
    """The largest number of rows that was not enough."""
    rows: int = 0
    """That the answer took."""
    move: MoveId | None = None


_KEPT: WeakKeyDictionary[Machine, dict[bytes, _Kept]] = WeakKeyDictionary()


class AnswerPlayer(Mixer):
    """Follows the best answer, or lets `norns-belief` search."""

    def __init__(self, ending: Ending = PLAYED_OUT) -> None:
        self._search = NornsBeliefPlayer(ending)

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready."""
        super().start(seat, budget)
        self._search.start(seat, budget)

    def observe(self, move: MoveId, percepts: Sequence[PerceptId]) -> None:
        """Take note of a step."""
        super().observe(move, percepts)
        self._search.observe(move, percepts)

    def stop(self) -> None:
        """Let go of what was found out."""
        super().stop()
        self._search.stop()

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) the best one surely."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return surely(1, 0)
        roots = Roots(self.belief, self.turn_seed, with_knowledge=False)
        move = self._best(*roots.distinct(), budget=budget.part(SHARE))
        if move is None:
            return self._search.mixture(budget)
        return surely(len(legal), legal.index(move))

    def _best(self, states: States, weights: Shares, *, budget: Budget) -> MoveId | None:
        """The best move; None where following all beliefs takes too long."""
        kept = _KEPT.setdefault(self.machine, {}).setdefault(self._key(states, weights), _Kept())
        rows = rows_within(budget)
        if kept.move is not None:
            return kept.move if kept.rows <= rows else None
        if rows <= kept.refused:
            return None
        try:
            found = best_answer(
                self.machine,
                self.role,
                start=(states, weights),
                max_rows=rows,
                progress=in_time(budget),
            )
        except LimitError:
            kept.refused = rows
            return None
        kept.rows = found.rows
        # The first of the best, whatever rounding says about equals.
        best = (move for move, worth in found.moves.items() if worth >= found.value - 1e-9)
        kept.move = next(best)
        return kept.move

    def _key(self, states: States, weights: Shares) -> bytes:
        order = np.lexsort(states.T)
        shares = np.round(weights[order] * 2.0**40).astype(np.int64)
        return bytes([self.role]) + states[order].tobytes() + shares.tobytes()


def rows_within(budget: Budget) -> int:
    """States of beliefs that there is time to follow."""
    rows = MOST_ROWS
    if budget.simulations is not None:
        rows = min(rows, ROWS_A_SIMULATION * budget.simulations)
    if budget.deadline is not None:
        rows = min(rows, int(ROWS_A_SECOND * max(0.0, budget.seconds_left)))
    return rows
