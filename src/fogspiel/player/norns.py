"""`norns` and `norns-belief`: one role by itself, others part of chance, and questions have worth.

Source: Geisser, Keller & Mattmueller (2014), section 3: states of the past from a belief state
tree, the future by UCT on own actions and observations, and in the end the move of the best mean.
`norns-belief` keeps its decisions by belief instead of by past (`search/alone`); where the beliefs
that may follow hold no more states than simulations are allowed, it follows them all (`solve`).
"""

from __future__ import annotations

from math import prod

import numpy as np

from fogspiel.core.findings import LimitError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.player.mixing import surely
from fogspiel.player.protocol import Shares
from fogspiel.player.searching import MOST_BYTES, SearchPlayer, Setup, ucb, with_reserve
from fogspiel.search.alone import AloneSearch, BeliefSearch
from fogspiel.search.budget import Budget
from fogspiel.search.ends import PLAYED_OUT, Ending
from fogspiel.search.roots import Roots
from fogspiel.solve.best_answer import best_answer

UCT_CONSTANT = 1.0
"""Questions pay late: a smaller one settles for a guess (measured on number guessing)."""

MOST_ROWS = 200_000
"""States of beliefs that are followed to solve what lies ahead."""
STEPS_A_SECOND = 4_000_000
"""Steps from them that are made in a second: half of what was measured on number guessing."""
SOLVING_SHARE = 0.3
"""Of the clock, which solving may take before simulations begin."""


class NornsPlayer(SearchPlayer):
    """Belief state tree and action-observation UCT."""

    belief_method = "tree"

    def __init__(self, ending: Ending = PLAYED_OUT) -> None:
        rule = ucb(UCT_CONSTANT)
        super().__init__(Setup(scope="observer", rule=rule, advice="values", ending=ending))

    def _new_search(self) -> AloneSearch:
        rule, ending = self.setup.rule, self.setup.ending
        return AloneSearch(self.machine, self.role, rule=rule, seed=self.turn_seed, ending=ending)


class NornsBeliefPlayer(NornsPlayer):
    """The same with one decision for equal beliefs."""

    belief_method = "auto"

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) the move of the best mean where these states are held possible."""
        legal = self.legal_moves()
        if len(legal) == 1:
            return surely(1, 0)
        roots = Roots(self.belief, self.turn_seed, with_knowledge=False)
        solved = self._solved(roots, budget)
        if solved is not None:
            return surely(len(legal), legal.index(solved))
        search = self._search
        if not isinstance(search, BeliefSearch) or search.forest.bytes > MOST_BYTES:
            self._search = search = self._new_search()
        self._root = search.root(*roots.distinct())
        search.run(search.from_root(self._root), with_reserve(budget))
        return self._advised(legal, roots)

    def _solved(self, roots: Roots, budget: Budget) -> MoveId | None:
        """The best move, where all beliefs that may follow are fewer than the simulations."""
        rows = MOST_ROWS if budget.simulations is None else min(MOST_ROWS, budget.simulations)
        start = roots.distinct()
        if budget.deadline is not None:
            roles = map(RoleId, range(len(self.machine.roles)))
            each = prod(len(self.machine.legal(start[0][0], role)) for role in roles)
            rows = min(rows, int(budget.seconds_left * SOLVING_SHARE * STEPS_A_SECOND) // each)
        try:
            found = best_answer(self.machine, self.role, start=start, max_rows=rows)
        except LimitError:
            return None
        # The first of the best, whatever rounding says about equals.
        return next(move for move, worth in found.moves.items() if worth >= found.value - 1e-9)

    def _new_search(self) -> BeliefSearch:
        rule, ending = self.setup.rule, self.setup.ending
        return BeliefSearch(self.machine, self.role, rule=rule, seed=self.turn_seed, ending=ending)

    def _decisions(self, roots: Roots) -> list[tuple[np.uint64, float]]:
        return [(self._root, 1.0)]
