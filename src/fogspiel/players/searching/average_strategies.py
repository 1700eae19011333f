"""`shodan` and `oos`: players that draw moves from the average strategy of their search.

Source of `oos`: Lisy, Lanctot & Bowling (2015), "Online Monte Carlo counterfactual regret
minimization for search in imperfect information games", algorithm 1 with information set targeting.
Simulations begin at the initial state, so that strategies before the present decision, which say
what others may hold, are learnt as well. One role learns in each simulation; it explores, the
others follow their strategies. Most simulations are led along a history of the role's information
set.
Departures of `oos`: others slip with a small probability, or what follows from moves that they
never make would not be learnt. Where histories are too many to list, all simulations are led, along
some of them.
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
from fogspiel.players.base import pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup, with_reserve
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.algorithms import GAMMA, OUTCOME_SAMPLING, SHODAN
from fogspiel.search.mcts.roots import Targets, first_roots
from fogspiel.search.mcts.statistics import VisitedMovesModel, decision_visits

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
        super().__init__(Setup(algorithm=SHODAN, advice="average", leaves=leaves))

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; the belief asks the search about the others from the first step on."""
        super().start(seat, budget)
        model = VisitedMovesModel(self._search)
        self.belief = ClockedBelief(
            self.machine, self.role, self.belief_method, budget, model=model, histories=HISTORIES
        )
        self._beginning = first_roots(self.machine)
        self._starts_over = True
        """Whether enough simulations from the initial state reach the present decision."""

    def mixture(self, budget: Budget) -> Shares:
        """The average strategy of the search, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return pure(1, 0)
        rest, wanted = with_reserve(budget), SETTLED * len(legal) / GAMMA
        over = self._starts_over and (rest.simulations is None or rest.simulations >= wanted)
        if over:
            rest = self._start_over(rest, wanted)
        present = self._roots()
        self._search.prune(self._beginning, budget)
        self._search.run(self._beginning if over and self._starts_over else present, rest)
        return self._advised(legal, present)

    def think(self, budget: Budget) -> None:
        """Search from the initial state on, where others learn nothing that they cannot know.

        The search goes on from there while others move, too.
        """
        self._search_ahead(budget)

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
        known = knowledge_of(self.machine, self.role, self.observations)
        legal = np.zeros(self.machine.move_count(self.role), np.bool_)
        legal[list(self.legal_moves())] = True
        return decision_visits(self._search, known, self.role, legal)


class OosPlayer(SearchPlayer):
    """A player that keeps the regrets and average strategies of its search from step to step."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        super().__init__(Setup(algorithm=OUTCOME_SAMPLING, advice="average", leaves=leaves))

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready, and sample histories from the initial state on."""
        self._targets: Targets | None = None
        super().start(seat, budget)

    def mixture(self, budget: Budget) -> Shares:
        """The average strategy, (legal moves,)."""
        legal = self.legal_moves(budget)
        self._sample(budget)
        return self._advised(legal, self._roots())

    def think(self, budget: Budget) -> None:
        """Sample histories through the present information set."""
        if budget.deadline is not None:
            self._sample(budget)

    def ponder(self, budget: Budget) -> None:
        """Sample histories through the information set of the last turn."""
        self._search.run(first_roots(self.machine), budget, self._targets)

    def _sample(self, budget: Budget) -> None:
        self._targets = Targets(self.belief, self.turn_seed) if self.observations else None
        self._search.run(first_roots(self.machine), with_reserve(budget), self._targets)
