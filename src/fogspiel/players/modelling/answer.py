"""`answer`: the exact best answer to opponents that choose evenly, while what may follow fits.

Source: `solve/response/belief_mdp`. Where there are too many beliefs it searches as `bayes` does,
which is here NORNS' search with decisions by memory. Latent tic-tac-toe fits from the second own
move on within a second, and as a whole in three. What was found for a belief is kept while the
machine lives (`players/modelling/answer_cache`).
"""

from __future__ import annotations

from fogspiel.core.budget import Budget
from fogspiel.machine.memo import MachineMemo
from fogspiel.players.mixing import pure, surely_move
from fogspiel.players.modelling.answer_cache import AnswerCache, Question
from fogspiel.players.modelling.bayes import BayesPlayer
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.roots import RootSampler

SHARE = 0.5
"""Of a clock, for trying; what is left is for simulations if it fails."""


_KEPT: MachineMemo[AnswerCache] = MachineMemo()


class AnswerPlayer(BayesPlayer):
    """Follows the best answer, or searches."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        super().__init__(even=1.0, leaves=leaves)

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready. There is nothing to find out about opponents that choose evenly."""
        SearchPlayer.start(self, seat, budget)

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) the best one surely."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        roots = RootSampler(self.belief, self.turn_seed, with_knowledge=False)
        question = Question(self.machine, self.role, *roots.distinct())
        answers = _KEPT.once(self.machine, AnswerCache)
        move = answers.best(question, budget.part(SHARE))
        if move is None:
            return self.searched(legal, budget)
        return surely_move(legal, move)
