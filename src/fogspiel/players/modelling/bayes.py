"""`bayes` and `answer`: best responses to opponents that play at random, or see everything.

`bayes` is a Bayesian opponent model: it weighs types of opponents by their observed moves (see
`search/mcts/opponent_types`). A share of the simulations learns the strategies of the types. If all
beliefs that may follow then fit the budget, the best response is exact; otherwise the remaining
simulations approximate it. The start clock is for simulations from the initial state, which learn
what types do before the role's first move.

`answer` makes the exact best response to uniform random opponents if all beliefs that may follow
fit the budget (`solve/response/belief_mdp`). Otherwise it searches as `bayes` does for this single
type, which is the search of NORNS with one decision per information set. Latent tic-tac-toe fits
from the second own move on within a second, and as a whole in three. The response to a belief is
kept while the machine of the game lives (`players/modelling/answer_cache`).
"""

from __future__ import annotations

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId
from fogspiel.machine.memo import MachineMemo
from fogspiel.players.base import pure, surely_move
from fogspiel.players.modelling.answer_cache import AnswerCache, AnswerKey, rows_within
from fogspiel.players.names import Arguments
from fogspiel.players.protocol import Shares, number
from fogspiel.players.search_arguments import leaves_in
from fogspiel.players.searching.search_player import SearchPlayer, Setup, with_reserve
from fogspiel.search.evaluation.evaluations import EVALUATIONS
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.algorithms import OPPONENT_TYPES
from fogspiel.search.mcts.opponent_types import typed_answer, typed_roots
from fogspiel.search.mcts.roots import Roots

EVEN = 0.75  #: Prior probability that an opponent plays uniformly at random
FIRST_SHARE = 0.4  #: Share of the budget for simulations before an exact response is tried
EXACT_SHARE = 0.6  #: Share of the budget left then for the exact response
ANSWER_SHARE = 0.5
"""Share of a clock in which `answer` tries an exact response; the rest is for simulations."""


class BayesPlayer(SearchPlayer):
    """A player that makes the most visited move against all types together."""

    def __init__(self, even: float = EVEN, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        super().__init__(Setup(algorithm=OPPONENT_TYPES, advice="visits", leaves=leaves))
        self._even = even

    def _search_ahead(self, budget: Budget) -> None:
        self._search_from(self._roots(), budget)

    def mixture(self, budget: Budget) -> Shares:
        """The best move for certain, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return pure(1, 0)
        self._search.prune(self._roots(), budget)
        self._search.run(self._roots(), with_reserve(budget).portion(FIRST_SHARE))
        exact = budget.portion(EXACT_SHARE)
        move = typed_answer(
            self.machine,
            self.role,
            self._roots(),
            self._search,
            max_rows=rows_within(exact),
            budget=exact,
        )
        if move is not None:
            return surely_move(legal, move)
        return self.searched(legal, budget.portion(1.0 - FIRST_SHARE))

    def searched(self, legal: tuple[MoveId, ...], budget: Budget) -> Shares:
        """The most visited move for certain, (legal moves,)."""
        roots = self._roots()
        self._search_from(roots, budget)
        return self._advised(legal, roots)

    def _roots(self) -> Roots:
        return typed_roots(self.belief, self._even, self._search, self.turn_seed)


def bayes(arguments: Arguments) -> BayesPlayer:
    """The player with its own prior, an evaluation, or both: `bayes:0.5,mobility`.

    Raises `UsageError` PLY021 for no probability, and those of `leaf_evaluation_of`.
    """
    if arguments.next_word() in EVALUATIONS:
        return BayesPlayer(leaves=leaves_in(arguments))
    first = arguments.word()
    even = EVEN if first is None else number(first, 1.0)
    if even is None:
        raise arguments.unusable(str(first), f"a probability, e.g. bayes:{EVEN}")
    return BayesPlayer(even, leaves_in(arguments))


_KEPT: MachineMemo[AnswerCache] = MachineMemo()


class AnswerPlayer(BayesPlayer):
    """A player that makes the exact best response to random opponents, or searches."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        super().__init__(even=1.0, leaves=leaves)

    def _search_ahead(self, budget: Budget) -> None:
        """Find the first move if the role has a choice at once, and search."""
        if budget.deadline is not None:
            if len(self.legal_moves()) > 1:
                self._exact(budget.part(ANSWER_SHARE))
            super()._search_ahead(budget)

    def mixture(self, budget: Budget) -> Shares:
        """The best move for certain, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return pure(1, 0)
        move = self._exact(budget.part(ANSWER_SHARE))
        return self.searched(legal, budget) if move is None else surely_move(legal, move)

    def _exact(self, budget: Budget) -> MoveId | None:
        """The best response in the present belief; None where that takes too long."""
        question = AnswerKey(self.machine, self.role, *self.possible_states())
        return _KEPT.once(self.machine, AnswerCache).best(question, budget)
