"""`bayes`: the best move against opponents of unknown type, weighed by what they did.

See `search/mcts/opponent_types`. A part of the simulations tells how types choose; if all beliefs
that may follow then fit, the best answer is exact (`search/mcts/typed_answer`), else the other
simulations find it. The start clock goes to simulations from the beginning of play: what types do
before the role has its first say is known from them.
"""

from __future__ import annotations

import numpy as np

from fogspiel.core.budget import Budget, bytes_within, in_time
from fogspiel.core.findings import UsageError
from fogspiel.core.ids import MoveId
from fogspiel.machine.knowledge import with_choice
from fogspiel.players.arguments import number
from fogspiel.players.mixing import pure, surely_move
from fogspiel.players.modelling.answer_cache import rows_within
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup, ucb, with_reserve
from fogspiel.search.evaluation.evaluations import EVALUATIONS
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation, leaf_evaluation_of
from fogspiel.search.mcts.opponent_types import TypedRoots, TypeSearch, memory_of, typed_answer

UCT_CONSTANT = 1.0
"""A smaller one never finds out that rolling the dice pays in Meier."""
EVEN = 0.75
"""How probable it is before play that an opponent chooses evenly."""
FIRST_SHARE = 0.4
"""Of simulations, before an exact answer is tried."""
EXACT_SHARE = 0.6
"""Of what is left then, for trying."""


class BayesPlayer(SearchPlayer):
    """The most visited move against all types together."""

    _search: TypeSearch

    def __init__(self, even: float = EVEN, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        rule = ucb(UCT_CONSTANT)
        super().__init__(Setup(scope="observer", rule=rule, advice="visits", leaves=leaves))
        self._even = even

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready, and find out how types play."""
        super().start(seat, budget)
        self._search.run(self._roots(), with_reserve(budget))

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) the best one surely."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        self._search.run(self._roots(), with_reserve(budget).portion(FIRST_SHARE))
        move = self._exact(budget.portion(EXACT_SHARE))
        if move is not None:
            return surely_move(legal, move)
        return self.searched(legal, budget.portion(1.0 - FIRST_SHARE))

    def searched(self, legal: tuple[MoveId, ...], budget: Budget) -> Shares:
        """(legal moves,) the most visited one surely."""
        self._begin_anew_if_crowded(budget)
        self._search.run(self._roots(), with_reserve(budget))
        return pure(len(legal), int(self._visits(legal).argmax()))

    def _exact(self, budget: Budget) -> MoveId | None:
        return typed_answer(
            self.machine,
            self.role,
            self._roots(),
            self._search.decisions,
            max_rows=rows_within(budget),
            max_bytes=bytes_within(budget),
            progress=in_time(budget),
        )

    def _visits(self, legal: tuple[MoveId, ...]) -> Shares:
        """(legal moves,) of the search; means break ties."""
        options = np.zeros((1, self.machine.move_count(self.role)), np.bool_)
        options[0, list(legal)] = True
        memory = np.array([memory_of(self.machine, self.role, self.observations)])
        node = self._search.decisions.find(with_choice(memory, self.role, options)[0])
        if node is None:
            return np.ones(len(legal))
        # Arms stand in the order of the legal moves.
        return self._shares(self._search.decisions.arms(node))

    def _roots(self) -> TypedRoots:
        return TypedRoots(self.belief, self._even, self._search.decisions, self.turn_seed)

    def _new_search(self) -> TypeSearch:
        setup = self.setup
        return TypeSearch(
            self.machine, self.role, rule=setup.rule, seed=self.turn_seed, leaves=setup.leaves
        )


def bayes(argument: str) -> BayesPlayer:
    """With a prior of its own, an evaluation, or both: `bayes:0.5,mobility`.

    Raises `UsageError` PLY021 for no probability, and those of `leaf_evaluation_of`.
    """
    first, comma, rest = argument.partition(",")
    if first in EVALUATIONS:
        return BayesPlayer(leaves=leaf_evaluation_of(argument))
    even = number(first, 1.0)
    if even is None:
        raise UsageError.of(
            "PLY021",
            f"the player bayes takes a probability; got {first!r}",
            fix=f"write bayes, or bayes:{EVEN}",
        )
    return BayesPlayer(even, leaf_evaluation_of(rest)) if comma else BayesPlayer(even)
