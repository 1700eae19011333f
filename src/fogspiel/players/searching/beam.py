"""`beam`: puzzles of one player without chance, by beam search for the best line of moves.

The player first looks for a plan by independent parts (`players/searching/parts`). If there is
none, it runs beam searches of growing width (`search/beam`), before play and in every turn, until a
line is proven best. Until then half of each turn goes to UCT, whose move is made if its mean is
higher than the certain goal of the line. In games with chance or other roles it plays as `parts`.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId
from fogspiel.machine.analysis.cost import affordable_steps
from fogspiel.machine.analysis.independent_parts import best_goals
from fogspiel.players.base import pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.parts import PLANNING_SHARE, PartsPlayer
from fogspiel.players.searching.search_player import with_reserve
from fogspiel.search.beam import ActionLine, BeamSearch
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts.statistics import root_statistics

PLAYOUTS = 4  #: Playouts from each state that is evaluated by them
TURN_SHARE = 0.5  #: Share of a turn for the beam search
WALKS_TRIED, WALKS_COST = 64, 8
"""Playouts that are timed, and most time of all walks of an evaluation, as a multiple of theirs."""
WALKS_SHARE = 0.25  #: Share of the start clock for these walks


class BeamPlayer(PartsPlayer):
    """A player that looks for the best line where the game is a puzzle."""

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready; look for a plan, then for a line."""
        self._beam: BeamSearch | None = None
        self.line: ActionLine | None = None
        """The best line so far, from `_line_step` on."""
        self._line_step = 0
        super().start(seat, budget)

    def _search_ahead(self, budget: Budget) -> None:
        if len(self.machine.roles) > 1 or self.machine.chance_role is not None:
            super()._search_ahead(budget)
            return
        self._take_apart(budget.part(PLANNING_SHARE))
        if self.plan is None:
            self._beam = self._new_beam(budget)
            self._look(budget)

    def mixture(self, budget: Budget) -> Shares:
        """The next move of the best line, (legal moves,)."""
        legal = self.legal_moves(budget)
        if self._beam is None or len(legal) == 1:
            return super().mixture(budget)
        self.line = self._rest()
        if self.line is None or not self.line.proven:
            self._look(budget.portion(TURN_SHARE))
            if self.line is None or not self.line.proven:
                advised = super().mixture(budget.fewer(1.0 - TURN_SHARE))
                if self.line is None or self._promised() > self.line.goal:
                    return advised
        return pure(len(legal), legal.index(self.line.moves[0]))

    def think(self, budget: Budget) -> None:
        """Look for a better line as in a turn, unless the line is proven to be best."""
        if self._beam is None:
            super().think(budget)
        elif budget.deadline is not None:
            self.line = self._rest()
            if self.line is None or not self.line.proven:
                self._look(budget.portion(TURN_SHARE))
                super().think(budget)

    def _promised(self) -> float:
        """The mean goal of simulations after their best move."""
        state = self.known_state()
        if state is None:
            return -inf
        roots, scale = self._roots(), value_scale(self.machine)
        for _, found in root_statistics(self._search, roots, self.role):
            best = int(self._preferred(found).argmax())
            return scale.low + scale.spread * float(found.means[best])
        return -inf

    def _focus(self) -> None:
        """Search the whole game where its means are to be compared with the goal of a line."""
        if self._beam is None:
            super()._focus()

    def _look(self, budget: Budget) -> None:
        """Look for a better line from the present state."""
        state = self.known_state()
        if self._beam is None or state is None or self.machine.terminal(state):
            return
        found = self._beam.run(state, with_reserve(budget))
        if found is not None and (self.line is None or found.goal >= self.line.goal):
            self.line, self._line_step = found, len(self.observations)

    def _has_walks(self, budget: Budget) -> bool:
        """Whether there is time for the walks that an evaluation is made from."""
        if budget.deadline is None:
            return True
        began, share = budget.clock(), WALKS_SHARE / WALKS_COST * budget.seconds_left
        played = self.machine.playouts(
            self.machine.initial()[None, :],
            seed=0,
            count=WALKS_TRIED,
            max_steps=affordable_steps(self.machine, WALKS_TRIED, share),
        )
        return played.cut == 0 and budget.clock() - began < share

    def _rest(self) -> ActionLine | None:
        """The rest of the line, if it was followed so far."""
        done = tuple(observation.move for observation in self.observations[self._line_step :])
        if self.line is None or self.line.moves[: len(done)] != done:
            return None
        self._line_step = len(self.observations)
        left: tuple[MoveId, ...] = self.line.moves[len(done) :]
        return replace(self.line, moves=left) if left else None

    def _new_beam(self, budget: Budget) -> BeamSearch:
        machine, leaves = self.machine, self.setup.leaves
        ranks = [leaves.evaluator(machine, PLAYOUTS)]
        if leaves == RANDOM_PLAYOUTS and machine.engine == "compiled" and self._has_walks(budget):
            ranks.append(LeafEvaluation(name="fuzzy").evaluator(machine))
        known = best_goals(machine)
        highest = None if known is None else known[self.role]
        return BeamSearch(machine, self.role, seed=self.turn_seed, ranks=ranks, highest=highest)
