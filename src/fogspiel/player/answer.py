"""`answer`: the exact best answer to opponents that choose evenly, while what may follow fits.

Source: `solve/best_answer`. Where there are too many beliefs it searches as `bayes` does, which is
here NORNS' search with decisions by memory.
Latent tic-tac-toe fits from the second own move on within a second, and as a whole in three.

What was found for a belief is kept while the machine lives, with what it took: a later match with
the same budget makes the same moves, only sooner.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from fogspiel.belief.rounding import rounded
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import MoveId
from fogspiel.machine.protocol import Machine, States
from fogspiel.player.bayes import BayesPlayer, rows_within
from fogspiel.player.mixing import surely
from fogspiel.player.protocol import Seat, Shares
from fogspiel.player.searching import SearchPlayer
from fogspiel.player.solutions import in_time
from fogspiel.search.budget import Budget
from fogspiel.search.ends import PLAYED_OUT, Ending
from fogspiel.search.roots import Roots
from fogspiel.solve.best_answer import best_answer
from fogspiel.tree.building_limits import DEFAULT_MAX_BYTES

BYTES_A_SECOND = 300_000_000
"""Of all that follows from beliefs in one step: each state takes 120."""
SHARE = 0.5
"""Of a clock, for trying; what is left is for simulations if it fails."""


@dataclass(slots=True)
class _Kept:
    """What is known about a belief."""

    refused: int = 0
    """The largest number of rows that was not enough."""
    rows: int = 0
    """That the answer took."""
    move: MoveId | None = None


_KEPT: WeakKeyDictionary[Machine, dict[bytes, _Kept]] = WeakKeyDictionary()


class AnswerPlayer(BayesPlayer):
    """Follows the best answer, or searches."""

    def __init__(self, ending: Ending = PLAYED_OUT) -> None:
        super().__init__(even=1.0, ending=ending)

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready. There is nothing to find out about opponents that choose evenly."""
        SearchPlayer.start(self, seat, budget)

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) the best one surely."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return surely(1, 0)
        roots = Roots(self.belief, self.turn_seed, with_knowledge=False)
        move = self._best(*roots.distinct(), budget=budget.part(SHARE))
        if move is None:
            return self.searched(legal, budget)
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
                max_bytes=bytes_within(budget),
                progress=in_time(budget),
            )
        except LimitError:
            kept.refused = rows
            return None
        kept.rows = found.rows
        kept.move = found.move
        return kept.move

    def _key(self, states: States, weights: Shares) -> bytes:
        order = np.lexsort(states.T)
        return bytes([self.role]) + states[order].tobytes() + rounded(weights[order]).tobytes()


def bytes_within(budget: Budget) -> int:
    """That one step may take: nobody looks at the clock inside it."""
    if budget.deadline is None:
        return DEFAULT_MAX_BYTES
    return min(DEFAULT_MAX_BYTES, int(BYTES_A_SECOND * max(0.0, budget.seconds_left)))
