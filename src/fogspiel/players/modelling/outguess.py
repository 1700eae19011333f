"""`outguess`: a best response to opponents that play at random, or search as if they saw all.

Before play it computes the strategy of the second type, searchers, at all their information sets
(`solve/response/pimc_opponent`). In play, observations update the joint probability of types and
states. The move is the exact best response to both types (`solve/response/belief_mdp`) if all
beliefs that may follow fit the budget. Otherwise it is the best response to searchers alone while
these are probable: they mix so few moves that far fewer beliefs follow. If that does not fit
either, and in games with too many states, it plays as `ismcts` does. What is left of the clock
before play, forced turns, and time in which others move are for that search.

Sources: Harsanyi (1967) for types; Southey et al. (2005) for weighing them;
`solve/response/pimc_opponent`. Results are kept while the machine of the game lives, with the work
that they took: a later match with the same budget makes the same moves, only sooner.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogspiel.core.budget import Budget, FailedSizes, bytes_within, in_time
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import MoveId, Observation
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import Machine, States, player_roles
from fogspiel.machine.wrappers.fixed_opponents import OTHER, TYPES, BayesianGame
from fogspiel.machine.wrappers.wrapper import ObservationMultiset
from fogspiel.players.base import pure, surely_move
from fogspiel.players.modelling.answer_cache import ROWS_A_SIMULATION, AnswerCache, AnswerKey
from fogspiel.players.protocol import Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.algorithms import ISMCTS
from fogspiel.solve.response.pimc_opponent import PimcOpponent

PRIOR = 0.5  #: Prior probability of opponents that play uniformly at random
DOUBT = 0.05  #: Probability of a random move by a searcher, so that no move rules the type out
MODEL_SHARE = 0.95  #: Share of the clock before play for the model of searchers
FORWARD_SHARE = 0.55
"""Share of that for finding the states; evaluating them looks at no clock, and takes the rest."""
STATES_A_SECOND = 660_000
"""Non-terminal states that are found and evaluated in a second in latent tic-tac-toe."""
MOST_STATES = 2_000_000
BYTES_A_STATE = 400
"""Memory while the states of a step are found: a few hundred thousand in one step need no more."""
BOTH_SHARE, ONE_SHARE = 0.5, 0.25
"""Shares of a turn for the response to both types, and to searchers alone."""
PROBABLE = 0.25  #: Least probability of searchers for a response to them alone
NEGLIGIBLE = 1e-6  #: Probability of a state below which it is left out
MOST_STEPS = 200_000  #: Joint moves that may have led to the present states


@dataclass(slots=True)
class _Kept:
    """Results for one game."""

    out_of_reach: FailedSizes = field(default_factory=FailedSizes)  #: Numbers of states
    searchers: tuple[ObservationMultiset, PimcOpponent] | None = None
    answers: AnswerCache = field(default_factory=AnswerCache)


_KEPT: MachineMemo[_Kept] = MachineMemo()


class OutguessPlayer(SearchPlayer):
    """A player that makes a best response to types of opponents, or searches."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        super().__init__(Setup(algorithm=ISMCTS, advice="visits", leaves=leaves))

    def _search_ahead(self, budget: Budget) -> None:
        """Compute the model of searchers, and the first move if the role has a choice at once.

        The rest of the clock is for the search that takes over where a response does not fit.
        """
        self._others = [role for role in player_roles(self.machine) if role != self.role]
        self._model = _searchers(self.machine, budget.part(MODEL_SHARE))
        self._followed = 0
        self._states: States = self.machine.initial()[None, :]
        if self._model is not None:
            self._states = self._model[0].initial()[None, :]
        self._weights = np.array([[PRIOR, 1.0 - PRIOR]])
        """Joint probabilities of states and types, (n, types)."""
        is_timed = budget.deadline is not None
        if self._model is not None and is_timed and len(self.legal_moves()) > 1:
            self._best(self._both(*self._model), budget.part(BOTH_SHARE))
        super()._search_ahead(budget)

    def think(self, budget: Budget) -> None:
        """Update the possible states, and search."""
        if budget.deadline is not None:
            if self._model is not None and not self._keeps_up(*self._model):
                self._model = None
            super().think(budget)

    def mixture(self, budget: Budget) -> Shares:
        """The best response for certain, or what simulations advise, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return pure(1, 0)
        if self._model is not None and not self._keeps_up(*self._model):
            self._model = None
        if self._model is None:
            return super().mixture(budget)
        move = self._best(self._both(*self._model), budget.portion(BOTH_SHARE))
        if move is None and self._weights[:, OTHER].sum() >= PROBABLE:
            move = self._best(self._searching(*self._model), budget.portion(ONE_SHARE))
        if move is None:
            return super().mixture(budget.fewer(1.0 - BOTH_SHARE - ONE_SHARE))
        return surely_move(legal, move)

    def _keeps_up(self, machine: ObservationMultiset, searchers: PimcOpponent) -> bool:
        """Whether the possible states could be updated for all observations."""
        try:
            for observation in self.observations[self._followed :]:
                self._follow(machine, searchers, observation)
                self._followed += 1
        except LimitError:
            return False
        return True

    def _follow(
        self, machine: ObservationMultiset, searchers: PimcOpponent, observation: Observation
    ) -> None:
        """Update the possible states for a step, with their joint probabilities with types.

        Raises `LimitError` MCH014 where there are too many.
        """
        plain = np.ascontiguousarray(self._states[:, : len(self.machine.initial())])
        steps = self.machine.continuations(plain, self.role, observation, MOST_STEPS)
        weights = self._weights[steps.parents] * steps.shares[:, None]
        for other in self._others:
            legal = self.machine.legal_batch(plain, other)
            chosen = searchers(other, self._states, legal)[steps.parents, steps.joints[:, other]]
            ratios = chosen * legal.sum(axis=1)[steps.parents]
            weights[:, OTHER] *= (1.0 - DOUBT) * ratios + DOUBT
        after = machine.step_batch(self._states[steps.parents], steps.joints)
        firsts, inverse = distinct_rows(after)
        self._weights = np.zeros((len(firsts), TYPES))
        np.add.at(self._weights, inverse, weights / weights.sum())
        self._states = after[firsts]

    def _both(self, machine: ObservationMultiset, searchers: PimcOpponent) -> AnswerKey:
        """The belief over states and types, with opponents of either type."""
        typed = BayesianGame(machine, searchers)
        states, weights = typed.typed(self._states, self._weights, NEGLIGIBLE)
        return AnswerKey(typed, self.role, states, weights, typed.behaviour)

    def _searching(self, machine: ObservationMultiset, searchers: PimcOpponent) -> AnswerKey:
        """The belief over states, with searchers as opponents."""
        weights = self._weights[:, OTHER] / self._weights[:, OTHER].sum()
        rows = np.flatnonzero(weights >= NEGLIGIBLE)
        rest = weights[rows] / weights[rows].sum()
        return AnswerKey(machine, self.role, self._states[rows], rest, searchers)

    def _best(self, question: AnswerKey, budget: Budget) -> MoveId | None:
        """The best move; None where expanding all beliefs takes too long."""
        return _KEPT.once(self.machine, _Kept).answers.best(question, budget)


def _searchers(machine: Machine, budget: Budget) -> tuple[ObservationMultiset, PimcOpponent] | None:
    """The model of searchers; None where there are too many states.

    Only compiled machines have states of fixed size, to which observations can be added.
    """
    if machine.engine != "compiled":
        return None
    kept = _KEPT.once(machine, _Kept)
    states = budget.affordable(
        most=MOST_STATES, a_second=STATES_A_SECOND, a_simulation=ROWS_A_SIMULATION
    )
    if kept.searchers is not None:
        return kept.searchers if kept.searchers[1].rows <= states else None
    if kept.out_of_reach.forbids(states):
        return None
    remembering, has_stalled = ObservationMultiset(machine), budget.stall_watch()
    try:
        found = PimcOpponent(
            remembering,
            max_rows=states,
            max_bytes=min(bytes_within(budget), BYTES_A_STATE * states),
            progress=in_time(budget.part(FORWARD_SHARE)),
        )
    except LimitError as error:
        kept.out_of_reach.remember(states, error, has_stalled=has_stalled())
        return None
    kept.searchers = remembering, found
    return kept.searchers
