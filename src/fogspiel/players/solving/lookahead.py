"""Depth-limited solving of games with simultaneous moves and perfect information.

The player builds the graph of states that follow the present one within some steps, evaluates its
leaves by random playouts, and solves the resulting game: by a matrix game in each state, or by
counterfactual regret minimisation until the clock is over. The depth grows step by step while there
is time.

Sources: Shafiei (2010), sections 4.6 and 5.2.2, for the player by regrets, and chapter 6, where
matrix games by backward induction are future work.
Departures: the depth grows unless an argument fixes it as Shafiei does. Playouts are made once for
each leaf, the first of the two ways described there. A graph that reaches the ends of the game is
kept for the match; regret minimisation then goes on in every turn, below the present state, as
long as there is time. Other graphs are grown anew in every turn, and take over the regrets of the
states that they share with the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget, bytes_within
from fogspiel.core.findings import FogspielError, LimitError, PlayError
from fogspiel.core.limits import DEFAULT_MAX_BYTES
from fogspiel.core.terms import RoleId
from fogspiel.machine.analysis.features import roles_seeing_all_moves
from fogspiel.machine.protocol import State, player_roles
from fogspiel.players.base import normalised, pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup, with_reserve
from fogspiel.players.solving.lookahead_solvers import GraphSolver
from fogspiel.players.solving.playout_values import PlayoutValues
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.solve.result import Strategy
from fogspiel.tree.state_graph import StateGraph, build_state_graph

Stage = NDArray[np.float64]
"""Payoffs of the player for the joint moves of one state, (own moves, moves of each other)."""
MAX_STATES = 2_000_000
LEAST_STATES = 2_000  #: States that a graph may have, however few simulations are allowed
REGROWN = 2
"""Multiple of these states that the graphs of all depths may have together, without a clock."""
RESERVE_SECONDS = 0.03
MOST_DEPTH = 1_000
GRAPH_SHARE = 0.5  #: Share of the clock for growing the graph; regret minimisation gets the rest
ASKED_SHARE = 0.75  #: The same where the user gives a depth
STOPGAP_SHARE = 0.1
"""Share of that for playouts at depth one, which is used if the given depth takes too long."""
WHOLE_SHARE = 0.3  #: Share of the growing time for trying to find the whole rest of the game
MATRICES_A_SECOND = 100_000  #: States found and solved in a second, a cautious estimate
REGRETS_A_SECOND = 30_000  #: States found and given some hundred iterations in a second
BYTES_A_SECOND, SEEN_BYTES_A_SECOND = 50_000_000, 300_000_000
"""Memory of successors found in a second: with many joint moves, even few states take long. The
larger figure holds where everybody sees all moves, so that observations need not be computed."""
JOINTS_A_SECOND = 20_000  #: Joint moves of one state that are made and played out in a second
LEAST_BYTES, BYTES_A_SIMULATION = 2_000_000, 2_000  #: Memory of successors where no clock runs


@dataclass(frozen=True, slots=True)
class Outlook:
    """A solved graph of the states ahead."""

    graph: StateGraph
    step: int  #: Steps of the match before its first state
    is_whole: bool  #: Whether all its leaves are terminal states
    strategy: Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """The settings by which lookahead players differ."""

    solver: Callable[[], GraphSolver]
    depth: int | None = None  #: Steps; as many as there is time for if not given
    share: float = 1.0  #: Share of the clock for growing the graph
    states_a_second: int  #: States that are found and solved in a second
    each_depth: bool = False  #: Whether every depth is solved on the way, or just the last
    open_fallback: Setup  #: The search to use where solving fails though nothing is hidden
    hidden_fallback: Setup  #: The search to use under hidden information
    leaves: LeafEvaluation = RANDOM_PLAYOUTS  #: Evaluation of the states at the depth limit


class LookaheadPlayer(SearchPlayer):
    """Draws from the solution of the next steps of the game."""

    def __init__(self, ahead: Ahead) -> None:
        super().__init__(ahead.open_fallback)
        self._ahead = ahead

    def start(self, seat: Seat, budget: Budget) -> None:
        """Get ready, and solve the game before it begins, as deep as there is time for."""
        self.setup = self._ahead.open_fallback
        super().start(seat, budget)

    def _search_ahead(self, budget: Budget) -> None:
        self._player = 1 + player_roles(self.machine).index(self.role)
        self._leaves = PlayoutValues(self.machine, self.turn_seed, leaves=self._ahead.leaves)
        self.reason: str | None = None
        """The reason why the player searches instead."""
        self.outlook: Outlook | None = None
        self._solver = self._ahead.solver()
        self._present = 0
        self._look(self.machine.initial(), budget)
        if self._searches:
            super()._search_ahead(budget)

    def think(self, budget: Budget) -> None:
        """Go on solving what follows the present state, or search where nothing can be solved."""
        if self._searches:
            super().think(budget)
        elif budget.deadline is not None and (state := self.known_state()) is not None:
            self._look_from(state, budget)

    def ponder(self, budget: Budget) -> None:
        """Go on solving the graph of the last turn, or with the search where nothing was solved."""
        if self._searches:
            super().ponder(budget)
        else:
            self._go_on(self._present, budget)

    def mixture(self, budget: Budget) -> Shares:
        """The mixed strategy of the solution, or of a search if there is none, (legal moves,)."""
        if len(self.legal_moves(budget)) == 1:
            self.think(budget)
            return pure(1, 0)
        shares = self.looked_ahead(budget) if self.reason is None else None
        return super().mixture(budget) if shares is None else normalised(shares)

    def looked_ahead(self, budget: Budget) -> Shares | None:
        """The mixed strategy of the solution, (legal moves,); None where nothing was solved."""
        state = self.known_state()
        if state is None:
            self._give_up("the role does not know the state", self._ahead.hidden_fallback)
            return None
        self._look_from(state, budget)
        if self.outlook is None:
            return None
        graph, strategy = self.outlook.graph, self.outlook.strategy
        return np.maximum(strategy.at(graph.decision(self._present, self._player)), 0.0)

    def _look_from(self, state: State, budget: Budget) -> None:
        """Go on with the graph of the whole game if there is one, or solve what follows a state."""
        kept = self._kept(state)
        self._present = 0 if kept is None else kept
        if kept is None:
            self._look(state, budget)
        else:
            self._go_on(kept, with_reserve(budget, RESERVE_SECONDS))

    @property
    def _searches(self) -> bool:
        """Whether the player searches instead of solving."""
        return self.reason is not None

    def stage(self) -> Stage | None:
        """The payoffs of the present step in the solution; None where nothing was solved."""
        if self.outlook is None:
            return None
        values = self.outlook.graph.joint_values(self._present, self._solver.state_values())
        return np.moveaxis(values[..., self._player - 1], self._player - 1, 0)

    def _kept(self, state: State) -> int | None:
        """The number of a state in the graph of the whole game; None if there is no such graph."""
        outlook = self.outlook
        if outlook is None or not outlook.is_whole:
            return None
        level = len(self.observations) - outlook.step
        first, end = outlook.graph.level_starts[level : level + 2]
        rows = outlook.graph.states[first:end]
        found = np.flatnonzero((rows[:, : len(state)] == state).all(axis=1))
        return int(first + found[0]) if len(found) else None

    def _go_on(self, state: int, budget: Budget) -> None:
        """Improve the strategy below a state of a graph that was solved before."""
        better = None if self.outlook is None else self._solver.improve(state, budget)
        if self.outlook is not None and better is not None:
            self.outlook = replace(self.outlook, strategy=better)

    def _look(self, state: State, budget: Budget) -> None:
        """Solve the game that follows a state, as deep as there is time for."""
        budget = with_reserve(budget, RESERVE_SECONDS)
        self.outlook = None
        try:
            self._deepen(state, budget)
        except PlayError as error:
            self._give_up(str(error), self._ahead.hidden_fallback)
        except LimitError:
            # A search chooses in this turn; in the next one fewer states may follow.
            return
        except FogspielError as error:
            self._give_up(str(error), self._ahead.open_fallback)

    def _deepen(self, state: State, budget: Budget) -> None:
        ahead, growing = self._ahead, budget.part(self._ahead.share)
        whole = self._whole(state, growing) if ahead.depth is None else None
        if whole is not None:
            self._solve(whole, budget, is_whole=True)
            return
        self._refuse_wide(state, growing)
        # Depth one is the solution to fall back on if the given depth takes too long.
        depths = range(1, MOST_DEPTH) if ahead.depth is None else sorted({1, ahead.depth})
        graph, sizes, is_whole = None, [1.0], False
        for depth in depths:
            began = growing.clock()
            is_stopgap = ahead.depth is not None and depth < ahead.depth
            self._leaves.budget = growing.part(STOPGAP_SHARE) if is_stopgap else growing
            self._leaves.must_answer = graph is None
            try:
                grown = self._grown(state, depth, growing, must=graph is None)
            except LimitError:
                if graph is None:
                    raise
                break
            ends = grown.states[grown.state_payoffs >= 0]
            graph, is_whole = grown, bool(self.machine.terminal_batch(ends).all())
            if ahead.each_depth:
                self._solve(graph, budget, is_whole=is_whole)
            sizes.append(float(len(graph)))
            spent = growing.clock() - began
            too_long = spent * sizes[-1] / sizes[-2] > growing.seconds_left
            # Each depth begins anew: where graphs grow fast, the last one takes most of the time.
            too_often = growing.deadline is None and sum(sizes) > REGROWN * self._room(growing)
            if is_whole or ((too_long or too_often) and not is_stopgap):
                break
        if graph is not None and not ahead.each_depth:
            self._solve(graph, budget, is_whole=is_whole)

    def _refuse_wide(self, state: State, budget: Budget) -> None:
        """Raise `LimitError` PLY020 where there is no time for the joint moves of one step."""
        roles = map(RoleId, range(len(self.machine.roles)))
        joints = prod(len(self.machine.legal(state, role)) for role in roles)
        if joints > JOINTS_A_SECOND * budget.seconds_left:
            raise _too_late()

    def _whole(self, state: State, budget: Budget) -> StateGraph | None:
        """The graph of the whole rest of the game, which needs no playouts; None if too large."""
        part = budget.part(WHOLE_SHARE)
        try:
            return build_state_graph(
                self.machine,
                start=state,
                max_states=self._room(budget),
                max_bytes=self._bytes_within(part),
                progress=lambda _: _refuse_late(part),
            )
        except LimitError:
            return None

    def _grown(self, state: State, depth: int, budget: Budget, *, must: bool) -> StateGraph:
        return build_state_graph(
            self.machine,
            start=state,
            depth=depth,
            evaluate=self._leaves,
            # A depth that the user gave is given up only when time is over.
            max_states=MAX_STATES if must or self._ahead.depth else self._room(budget),
            max_bytes=DEFAULT_MAX_BYTES if must else self._bytes_within(budget),
            progress=None if must else lambda _: _refuse_late(budget),
        )

    def _room(self, budget: Budget) -> int:
        """The number of states that there is time for."""
        if budget.deadline is None:
            return max(LEAST_STATES, budget.simulations or 0)
        fitting = int(self._ahead.states_a_second * max(0.0, budget.seconds_left))
        return min(MAX_STATES, max(fitting, 1))

    def _bytes_within(self, budget: Budget) -> int:
        """Memory of the successors that there is time to find."""
        if budget.deadline is None:
            return max(LEAST_BYTES, BYTES_A_SIMULATION * (budget.simulations or 0))
        all_watch = len(roles_seeing_all_moves(self.machine)) == len(self.machine.roles)
        return bytes_within(budget, SEEN_BYTES_A_SECOND if all_watch else BYTES_A_SECOND)

    def _solve(self, graph: StateGraph, budget: Budget, *, is_whole: bool) -> None:
        step = len(self.observations)
        strategy = self._solver.solve(graph, budget, step=step)
        self.outlook = Outlook(graph, step, is_whole, strategy)

    def _give_up(self, reason: str, fallback: Setup) -> None:
        self.reason = reason
        if fallback != self.setup:
            self.setup = fallback
            self._search = self._new_search()


def _refuse_late(budget: Budget) -> None:
    if budget.is_over:
        raise _too_late()


def _too_late() -> LimitError:
    return LimitError.of(
        "PLY020",
        "the clock was over before the states ahead were found",
        fix="give more time a move",
    )
