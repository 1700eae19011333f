"""`shodan` and `oos`: players that draw moves from the average strategy of their search.

Source of `oos`: Lisy, Lanctot & Bowling (2015); see `search/outcome_sampling/oos`.
Source of `shodan`: Cerny (2014), sections 5.4.1 to 5.4.3: EXP3 on information sets, with possible
states weighed by the others' strategies in the search. The equations of beliefs, 5.1 to 5.6, are
those of `belief/models`: chance and the visits of the search give the probability of a history.
Departures of `shodan`: statistics are kept by information set rather than added up over its
states, which gives the same sums in equation 5.5. The search is kept from step to step.
EXP3 divides the value of a move by its probability (Auer et al. 2002), where equation 3.15 has
plain sums. Chance counts by its weights in equation 5.4, and from the first step on, where 5.1 has
a uniform start.
Simulations that begin in a role's information set leak its knowledge to the others: in Kuhn poker
they learn to respond to each card as if they saw it, and the role never learns to bluff.
Simulations therefore begin at the initial state if enough of them reach the decision for EXP3 to
settle there. Otherwise at most the first ones do, to learn the others' strategies. Moves are drawn
from the average of EXP3's strategies without exploration, instead of by the number of selections.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fogspiel.belief.within_budget import ClockedBelief
from fogspiel.core.budget import Budget
from fogspiel.machine.knowledge import knowledge_of
from fogspiel.players.base import MixedPlayer, normalised, pure, uniform_policy
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import MOST_BYTES, SearchPlayer, Setup, with_reserve
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import look_at_goals
from fogspiel.search.mcts.kernels.bandits import EXP3
from fogspiel.search.mcts.learned_strategies import VisitedMovesModel
from fogspiel.search.mcts.lockstep import SelectionRule
from fogspiel.search.mcts.roots import RootSampler, Targets
from fogspiel.search.outcome_sampling.oos import OutcomeSampling

GAMMA = 0.05  #: Cerny (2014), section 6.1: the share of exploration
HISTORIES = 20_000
"""Histories that are weighted exactly. If there are more, a sample is drawn, since it takes time to
find what the others know in each."""
FIRST_SHARE = 0.125
"""Share of the simulations that begin at the initial state to count how many reach the decision."""
SETTLED = 10
"""Visits after which EXP3 has settled at a decision, in units of its moves over gamma: a visit of
the highest value changes the exponent of a weight by the inverse of this unit."""


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
        """Whether enough simulations from the initial state reach the present decision."""

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
        """Simulate from the initial state, count visits of the decision, and return what is left.

        wanted: visits of the decision that EXP3 needs in all.
        """
        before = self._visits()
        made = self._search.run(self._beginning, budget.portion(FIRST_SHARE))
        self._starts_over = self._visits() - before >= FIRST_SHARE * wanted
        if budget.simulations is None:
            return budget
        return replace(budget, simulations=budget.simulations - made)

    def _visits(self) -> float:
        """Simulations that reached the present decision."""
        key, _ = self._root_decisions(self._beginning)[0]
        found = self._search.decisions.statistics(key)
        return 0.0 if found is None else float(found.visits.sum())


class OosPlayer(MixedPlayer):
    """A player that keeps the regrets and average strategies of its search from step to step."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        self._leaves = leaves

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; walks begin with the first choice."""
        super().start(seat, budget)
        look_at_goals(self.machine, budget)
        self._search = self._new_search()

    def mixture(self, budget: Budget) -> Shares:
        """The average strategy, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        if self._search.is_crowded(budget) or self._search.bytes > MOST_BYTES:
            self._search = self._new_search()
        targets = Targets(self.belief, self.turn_seed) if self.observations else None
        self._search.run(targets, with_reserve(budget))
        key = knowledge_of(self.machine, self.role, self.observations)
        found = self._search.decisions.statistics(key)
        if found is None:
            return uniform_policy(len(legal))
        average = dict(zip(found.moves.tolist(), found.strategy, strict=True))
        # If a role cannot know its legal moves, the decision may have other moves.
        return normalised(np.array([average.get(move, 0.0) for move in legal]))

    def _new_search(self) -> OutcomeSampling:
        return OutcomeSampling(self.machine, self.role, seed=self.turn_seed, leaves=self._leaves)
