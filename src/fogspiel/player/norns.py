"""`norns` and `norns-belief`: one role by itself, others part of chance, and questions have worth.

Source: Geisser, Keller & Mattmueller (2014), section 3: states of the past from a belief state
tree, the future by UCT on own actions and observations, and in the end the move of the best mean.
`norns-belief` keeps its decisions by belief instead of by past (`search/alone`).
"""

from __future__ import annotations

import numpy as np

from fogspiel.core.ids import MoveId
from fogspiel.player.searching import MOST_BYTES, SearchPlayer, Setup, ucb, with_reserve
from fogspiel.search.alone import AloneSearch, BeliefSearch
from fogspiel.search.budget import Budget
from fogspiel.search.roots import Roots

UCT_CONSTANT = 1.0
"""Questions pay late: a smaller one settles for a guess (measured on number guessing)."""


class NornsPlayer(SearchPlayer):
    """Belief state tree and action-observation UCT."""

    belief_method = "tree"

    def __init__(self) -> None:
        rule = ucb(UCT_CONSTANT)
        super().__init__(Setup(scope="observer", rule=rule, advice="values"))

    def _new_search(self) -> AloneSearch:
        return AloneSearch(self.machine, self.role, rule=self.setup.rule, seed=self.turn_seed)


class NornsBeliefPlayer(NornsPlayer):
    """The same with one decision for equal beliefs."""

    belief_method = "auto"

    def choose(self, budget: Budget) -> MoveId:
        """The move of the best mean where these states are held possible."""
        legal = self.legal_moves()
        if len(legal) == 1:
            return legal[0]
        roots = Roots(self.belief, self.turn_seed, with_knowledge=False)
        search = self._search
        if not isinstance(search, BeliefSearch) or search.forest.bytes > MOST_BYTES:
            self._search = search = self._new_search()
        self._root = search.root(*roots.distinct())
        search.run(search.from_root(self._root), with_reserve(budget))
        return self._advised(legal, roots)

    def _new_search(self) -> BeliefSearch:
        return BeliefSearch(self.machine, self.role, rule=self.setup.rule, seed=self.turn_seed)

    def _decisions(self, roots: Roots) -> list[tuple[np.uint64, float]]:
        return [(self._root, 1.0)]
