"""`outguess`: the best answer to opponents that choose evenly, or search as if all were seen.

Before play it computes what searchers would do for all that they may know
(`solve/response/pimc_opponent`). What was seen since then says how probable each type and each
state is, both together. The move is the exact best answer to both types
(`solve/response/belief_mdp`) where all that may follow fits, else to searchers alone while they are
probable: they do so little of what they might that far less follows from it. Where that does not
fit either, and in games with too many states, it plays as `ismcts` does.

Sources: Harsanyi (1967) for types; Southey et al. (2005) for weighing them;
`solve/response/pimc_opponent`. What was computed for a machine is kept while the machine lives,
with what it took: a later match with the same budget makes the same moves, only sooner.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fogspiel.core.budget import Budget, FailedSizes, bytes_within, in_time
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.core.observation import Observation
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import Machine, States
from fogspiel.machine.wrappers.bayesian_game import OTHER, TYPES, BayesianGame
from fogspiel.machine.wrappers.observation_multiset import ObservationMultiset
from fogspiel.players.mixing import pure, surely_move
from fogspiel.players.modelling.answer_cache import ROWS_A_SIMULATION, AnswerCache, Question
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import UCT_CONSTANT, SearchPlayer, Setup, ucb
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.solve.response.pimc_opponent import PimcOpponent

PRIOR = 0.5
"""Of even choice, before play."""
DOUBT = 0.05
"""How often a searcher is taken to have chosen evenly: no move refutes the type for good."""
MODEL_SHARE = 0.95
"""Of the clock before play, for what searchers would do."""
FORWARD_SHARE = 0.55
"""Of that, for finding the states; judging them looks at no clock, and takes the rest at most."""
STATES_A_SECOND = 660_000
"""Of play going on, that are found and judged in latent tic-tac-toe."""
MOST_STATES = 2_000_000
BYTES_A_STATE = 400
"""While the states of a step are found: a few hundred thousand in one step need no more."""
BOTH_SHARE, ONE_SHARE = 0.5, 0.25
"""Of a turn, for the answer to both types, and to searchers alone."""
PROBABLE = 0.25
"""That opponents are searchers, if they alone are to be answered."""
NEGLIGIBLE = 1e-6
"""Of all that is possible."""
MOST_STEPS = 200_000
"""That may have led to what is possible now."""


@dataclass(slots=True)
class _Kept:
    """What is known about a machine."""

    out_of_reach: FailedSizes = field(default_factory=FailedSizes)
    """Numbers of states."""
    searchers: tuple[ObservationMultiset, PimcOpponent] | None = None
    answers: AnswerCache = field(default_factory=AnswerCache)


_KEPT: MachineMemo[_Kept] = MachineMemo()


class OutguessPlayer(SearchPlayer):
    """Answers types of opponents, or searches."""

    def __init__(self, leaves: LeafEvaluation = RANDOM_PLAYOUTS) -> None:
        rule = ucb(UCT_CONSTANT)
        super().__init__(Setup(scope="knowledge", rule=rule, advice="visits", leaves=leaves))

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready, and find out what searchers would do."""
        super().start(seat, budget)
        self._others = [
            RoleId(other)
            for other in range(len(self.machine.roles))
            if other not in (self.role, self.machine.chance_role)
        ]
        self._model = _searchers(self.machine, budget.part(MODEL_SHARE))
        self._followed = 0
        self._states: States = self.machine.initial()[None, :]
        if self._model is not None:
            self._states = self._model[0].initial()[None, :]
        self._weights = np.array([[PRIOR, 1.0 - PRIOR]])
        """(n, types) how probable each state is with each type."""

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) the best answer surely, or what the simulations advise."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
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
        """Whether what is possible could be brought up to date."""
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
        """States after a step, weighed by how probable it is that each type led there.

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

    def _both(self, machine: ObservationMultiset, searchers: PimcOpponent) -> Question:
        """About opponents of either type."""
        typed = BayesianGame(machine, searchers)
        states, weights = typed.typed(self._states, self._weights, NEGLIGIBLE)
        return Question(typed, self.role, states, weights, typed.behaviour)

    def _searching(self, machine: ObservationMultiset, searchers: PimcOpponent) -> Question:
        """About searchers alone."""
        weights = self._weights[:, OTHER] / self._weights[:, OTHER].sum()
        rows = np.flatnonzero(weights >= NEGLIGIBLE)
        shares = weights[rows] / weights[rows].sum()
        return Question(machine, self.role, self._states[rows], shares, searchers)

    def _best(self, question: Question, budget: Budget) -> MoveId | None:
        """The best move; None where following all that is possible takes too long."""
        return _KEPT.once(self.machine, _Kept).answers.best(question, budget)


def _searchers(machine: Machine, budget: Budget) -> tuple[ObservationMultiset, PimcOpponent] | None:
    """What searchers would do; None where there are too many states.

    A machine that meets fluents as it goes has no states that memories could be added to.
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
