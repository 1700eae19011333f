"""`shodan`: EXP3 on information sets, from states weighed by how the search saw others play.

Source: Cerny (2014), sections 5.4.1 to 5.4.3. The equations of beliefs, 5.1 to 5.6, are those of
`belief/models`: a history is as probable as chance and the visits of the search make it.
Departures: decisions are kept by what roles know rather than added up over the states of an
information set, which gives the same sums in equation 5.5; the search goes on where it stopped.
EXP3 divides the value of a move by its probability (Auer et al. 2002), where equation 3.15 has
plain sums. Chance counts by its weights in equation 5.4, and from the first step on, where 5.1 has
a uniform start.
Simulations from a role's information set teach the others what it alone knows: in Kuhn poker they
then answer each card as if they saw it, and however many simulations there are, bluffs are not
learnt. So simulations begin at the initial state if enough of them come to the decision for EXP3 to
settle there; otherwise at most the first do so, which tell what others play. Moves are drawn from
the average of EXP3's strategies, exploration left out, instead of by the number of selections.
"""

from __future__ import annotations

from dataclasses import replace

from fogspiel.belief.within_budget import ClockedBelief
from fogspiel.core.budget import Budget
from fogspiel.players.base import pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup, with_reserve
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.kernels.bandits import EXP3
from fogspiel.search.mcts.learned_strategies import VisitedMovesModel
from fogspiel.search.mcts.lockstep import SelectionRule
from fogspiel.search.mcts.roots import RootSampler

GAMMA = 0.05  #: Cerny (2014), section 6.1: the share of exploration
HISTORIES = 20_000
"""Histories that are weighted exactly. The knowledge of others is followed in each, which takes its
time; where there are more, some are drawn."""
FIRST_SHARE = 0.125
"""Share of the simulations for a decision that begin at the initial state, to see how many come to
the decision."""
SETTLED = 10
"""Visits of a decision, times its moves over gamma, that are enough: a visit of the highest value
moves a weight by the inverse of that."""


class ShodanPlayer(SearchPlayer):
    """A player that draws its move from the average strategy of its search."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        rule = SelectionRule(kind=EXP3, constant=GAMMA)
        super().__init__(Setup(scope="knowledge", rule=rule, advice="average", leaves=leaves))

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; the belief asks the search about the others from the first step on."""
        super().start(seat, budget)
        model = VisitedMovesModel(lambda: self._search.decisions)
        self.belief = ClockedBelief(
            self.machine, self.role, self.belief_method, budget, model=model, histories=HISTORIES
        )
        self._beginning = RootSampler(self.belief, self.turn_seed, with_knowledge=True)
        self._starts_over = True
        """Whether simulations from the initial state come to the present decision."""

    def mixture(self, budget: Budget) -> Shares:
        """The average strategy of the search, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        self._begin_anew_if_crowded(budget)
        rest, wanted = with_reserve(budget), SETTLED * len(legal) / GAMMA
        over = self._starts_over and (rest.simulations is None or rest.simulations >= wanted)
        if over:
            rest = self._start_over(rest, wanted)
        roots = self._beginning
        if not (over and self._starts_over):
            roots = RootSampler(self.belief, self.turn_seed, with_knowledge=True)
        self._search.run(roots, rest)
        return self._advised(legal, roots)

    def _start_over(self, budget: Budget, wanted: float) -> Budget:
        """Simulate from the initial state, and see how many come to the decision; what is left.

        wanted: simulations that must do so in all.
        """
        before = self._visits()
        made = self._search.run(self._beginning, budget.portion(FIRST_SHARE))
        self._starts_over = self._visits() - before >= FIRST_SHARE * wanted
        if budget.simulations is None:
            return budget
        return replace(budget, simulations=budget.simulations - made)

    def _visits(self) -> float:
        """Simulations that came to the present decision."""
        key, _ = self._root_decisions(self._beginning)[0]
        found = self._search.decisions.statistics(key)
        return 0.0 if found is None else float(found.visits.sum())
