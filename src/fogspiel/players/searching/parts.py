"""`parts`: solves games made of independent ones part by part, and searches elsewhere.

Games of one player are solved by a plan for each part (`search/parts/plans`), sums of impartial
games by their Grundy numbers (`search/parts/impartial`). In all other games, and where there is no
plan, the player searches. The search leaves out fluents and moves that neither goals nor the end of
the game depend on (`machine/wrappers/relevance`).
"""

from __future__ import annotations

from dataclasses import replace

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId
from fogspiel.machine.analysis.independent_parts import Parts, parts_of
from fogspiel.machine.protocol import Machine
from fogspiel.machine.wrappers.relevance import RelevantSubgame
from fogspiel.players.base import pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer
from fogspiel.search.evaluation.value_scale import share_goals
from fogspiel.search.parts.impartial import ImpartialSum, impartial_sum
from fogspiel.search.parts.plans import plan_by_parts
from fogspiel.search.parts.subset_plans import SubsetPlan

WORK = 200_000  #: Gates that are looked at to find parts
WORK_A_SECOND = 50_000  #: Gates looked at in a second, by a careful guess
LEAST_STATES = 2_000  #: States of parts that are searched however few simulations are allowed
PLANNING_SHARE = 0.5  #: Share of a clock for finding parts, plans and Grundy numbers


class PartsPlayer(SearchPlayer):
    """A player that follows a plan or Grundy numbers, and simulates where there are none."""

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; find the independent parts, and a plan or Grundy numbers."""
        self.plan: SubsetPlan | None = None
        """Moves from the initial state on, one a step."""
        self.sum: ImpartialSum | None = None
        self._parts: Parts | None = None
        self._focused: RelevantSubgame | None = None
        super().start(seat, budget)

    def _search_ahead(self, budget: Budget) -> None:
        self._take_apart(budget.part(PLANNING_SHARE))
        if self.plan is None and self.sum is None and budget.deadline is not None:
            self._focus()
            super()._search_ahead(budget)

    def think(self, budget: Budget) -> None:
        """Search what matters from the present state on, without a choice to be made."""
        if budget.deadline is not None:
            self._focus()
            super().think(budget)

    def mixture(self, budget: Budget) -> Shares:
        """The next move of a plan, one that wins, or what simulations advise, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return pure(1, 0)
        for move in (self._planned(), self._winning()):
            if move is not None and move in legal:
                return pure(len(legal), legal.index(move))
        self._focus()
        return super().mixture(budget)

    def _take_apart(self, budget: Budget) -> None:
        self._parts = parts_of(self.machine, work_within(budget))
        if self._parts is None:
            return
        states = None if budget.simulations is None else max(LEAST_STATES, budget.simulations)
        room = replace(budget, simulations=states)
        start = self.machine.initial()
        self.plan = plan_by_parts(self.machine, self.role, start, room)
        self.sum = impartial_sum(self.machine, start, room)

    def _planned(self) -> MoveId | None:
        """The next move of the plan, if it was followed so far."""
        step = len(self.observations)
        if self.plan is None or step >= len(self.plan.moves):
            return None
        done = tuple(observation.move for observation in self.observations)
        return self.plan.moves[step] if done == self.plan.moves[:step] else None

    def _winning(self) -> MoveId | None:
        """A move that wins against any reply; None where there is none, or none known."""
        state = self.known_state()
        if self.sum is None or state is None:
            return None
        return next(iter(self.sum.winning(state, self.role)), None)

    def _focus(self) -> None:
        """Let the search leave out what is irrelevant."""
        state = self.known_state()
        if state is None or self._parts is None or self._parts.relevant.all():
            return
        if self._focused is None or not self._focused.stands_at(state):
            before = self._focused
            focused = RelevantSubgame(self.machine, self._parts, state)
            share_goals(self.machine, focused)
            self._focused = focused if focused.lasts(state, self.role) else None
            if self._focused is not None or before is not None:
                self._search = self._new_search()

    @property
    def searched_machine(self) -> Machine:
        """The game that is searched."""
        return self.machine if self._focused is None else self._focused


def work_within(budget: Budget) -> int:
    """Number of gates that there is time to look at for parts."""
    return budget.affordable(most=WORK, a_second=WORK_A_SECOND)
