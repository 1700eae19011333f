"""Players that solve what lies ahead, where moves are made at once and nothing is hidden.

From the present state all joint moves are followed for some steps; states there are valued by
random playouts, and the game that this makes is solved: by one matrix game a state, or by regrets
until the clock is over. Depth grows from one step on while there is time.

Sources: Shafiei (2010), section 4.6 and 5.2.2, for the player by regrets, and chapter 6, where he
names matrix games from the last states on as future work.
Departures: he fixes the depth before play, which an argument does here too; playouts are made once
for each leaf, the first of the two ways that he describes. A game that was followed to its ends is
not followed again; regrets go on in every turn, about what can come after the present state.
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
from fogspiel.machine.protocol import State
from fogspiel.players.base import normalised, pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup, with_reserve
from fogspiel.players.solving.lookahead_solvers import GraphSolver
from fogspiel.players.solving.playout_values import PlayoutValues
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.search.mcts.roots import RootSampler
from fogspiel.solve.result import Strategy
from fogspiel.tree.state_graph import StateGraph, build_state_graph

Stage = NDArray[np.float64]
"""(own moves, moves of each of the others) the player's values of joint moves in one state."""
MAX_STATES = 2_000_000
LEAST_STATES = 2_000  #: That a graph may have, however few simulations are allowed
REGROWN = 2  #: Times as many as that, all depths together, where no clock says how long to go on
RESERVE_SECONDS = 0.03
MOST_DEPTH = 1_000
GRAPH_SHARE = 0.5  #: Of the time that growing the graph may take, where regrets need the rest
ASKED_SHARE = 0.75  #: The same where a depth was asked for
STOPGAP_SHARE = 0.1
"""Of that, for playouts of the one step that must do if the depth that was asked for does not."""
WHOLE_SHARE = 0.3  #: Of the time, for finding out whether the rest of the game is small
MATRICES_A_SECOND = 100_000  #: States that are found and solved, by a careful guess
REGRETS_A_SECOND = 30_000  #: States that are found and given some hundred iterations
BYTES_A_SECOND, SEEN_BYTES_A_SECOND = 50_000_000, 300_000_000
"""Of what joint moves lead to: where they are many, few states take long to expand. The latter
where all see them, so that nobody has to be asked what they saw."""
JOINTS_A_SECOND = 20_000  #: Joint moves of one state that are made, and played on from
LEAST_BYTES, BYTES_A_SIMULATION = 2_000_000, 2_000  #: The same, where no clock runs


@dataclass(frozen=True, slots=True)
class Outlook:
    """What lies ahead, solved."""

    graph: StateGraph
    step: int  #: Of its first state, from the start of the match
    is_whole: bool  #: Whether all ends are ends of the game
    strategy: Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """What makes one such player differ from another."""

    solver: Callable[[], GraphSolver]
    depth: int | None = None  #: Steps; as many as there is time for if not given
    share: float = 1.0  #: Of the time, for growing the graph
    states_a_second: int  #: How many it can deal with
    each_depth: bool = False  #: Whether every depth is solved on the way, or just the last
    open_fallback: Setup  #: The search that plays where solving fails though nothing is hidden
    hidden_fallback: Setup  #: The search that plays where something is
    leaves: LeafEvaluation = RANDOM_PLAYOUTS  #: What values the states in which looking ahead stops


class LookaheadPlayer(SearchPlayer):
    """Draws from the solution of what lies ahead."""

    def __init__(self, ahead: Ahead) -> None:
        super().__init__(ahead.open_fallback)
        self._ahead = ahead

    def start(self, seat: Seat, budget: Budget) -> None:
        """See whether the whole game can be solved before it begins."""
        self.setup = self._ahead.open_fallback
        super().start(seat, budget)
        roles = [role for role in range(len(self.machine.roles)) if role != self._chance]
        self._player = 1 + roles.index(int(self.role))
        self._leaves = PlayoutValues(self.machine, self.turn_seed, leaves=self._ahead.leaves)
        self.reason: str | None = None
        """Why the player searches instead."""
        self.outlook: Outlook | None = None
        self._solver = self._ahead.solver()
        self._present = 0
        self._look(self.machine.initial(), budget)

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) by the solution, or what a search advises where there is none."""
        if len(self.legal_moves(budget)) == 1:
            return pure(1, 0)
        shares = self.looked_ahead(budget) if self.reason is None else None
        return super().mixture(budget) if shares is None else normalised(shares)

    def looked_ahead(self, budget: Budget) -> Shares | None:
        """(legal moves,) how probable each is to be chosen; None where nothing was solved."""
        states, _ = RootSampler(self.belief, self.turn_seed, with_knowledge=False).distinct()
        if len(states) != 1:
            self._give_up("the role does not know the state", self._ahead.hidden_fallback)
            return None
        kept = self._kept(states[0])
        if kept is None:
            self._look(states[0], budget)
            kept = 0
        else:
            self._go_on(kept, with_reserve(budget, RESERVE_SECONDS))
        self._present = kept
        if self.outlook is None:
            return None
        graph, strategy = self.outlook.graph, self.outlook.strategy
        return np.maximum(strategy.at(graph.decision(kept, self._player)), 0.0)

    def stage(self) -> Stage | None:
        """The game of one step that was looked at last; None where nothing was solved."""
        if self.outlook is None:
            return None
        values = self.outlook.graph.joint_values(self._present, self._solver.state_values())
        return np.moveaxis(values[..., self._player - 1], self._player - 1, 0)

    def _kept(self, state: State) -> int | None:
        """The state in a whole game that was solved before."""
        outlook = self.outlook
        if outlook is None or not outlook.is_whole:
            return None
        level = len(self.observations) - outlook.step
        first, end = outlook.graph.level_starts[level : level + 2]
        rows = outlook.graph.states[first:end]
        found = np.flatnonzero((rows[:, : len(state)] == state).all(axis=1))
        return int(first + found[0]) if len(found) else None

    def _go_on(self, state: int, budget: Budget) -> None:
        """Use a turn for what was not settled before."""
        better = None if self.outlook is None else self._solver.improve(state, budget)
        if self.outlook is not None and better is not None:
            self.outlook = replace(self.outlook, strategy=better)

    def _look(self, state: State, budget: Budget) -> None:
        """Solve what lies ahead of a state, as deep as there is time for."""
        budget = with_reserve(budget, RESERVE_SECONDS)
        self.outlook = None
        try:
            self._deepen(state, budget)
        except PlayError as error:
            self._give_up(str(error), self._ahead.hidden_fallback)
        except LimitError:
            # A search takes this turn; in the next one there may be less to look at.
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
        # One step must do if there is no time for as many as are wanted.
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
            graph, is_whole = grown, _ends_alone(self.machine.terminal_batch, grown)
            if ahead.each_depth:
                self._solve(graph, budget, is_whole=is_whole)
            sizes.append(float(len(graph)))
            spent = growing.clock() - began
            too_long = spent * sizes[-1] / sizes[-2] > growing.seconds_left
            # Each depth begins anew, which is little beside the last one where games grow.
            too_often = growing.deadline is None and sum(sizes) > REGROWN * self._room(growing)
            if is_whole or ((too_long or too_often) and not is_stopgap):
                break
        if graph is not None and not ahead.each_depth:
            self._solve(graph, budget, is_whole=is_whole)

    def _refuse_wide(self, state: State, budget: Budget) -> None:
        """Raise `LimitError` PLY020 where not even one step can be looked at in time."""
        roles = map(RoleId, range(len(self.machine.roles)))
        joints = prod(len(self.machine.legal(state, role)) for role in roles)
        if joints > JOINTS_A_SECOND * budget.seconds_left:
            raise _too_late()

    def _whole(self, state: State, budget: Budget) -> StateGraph | None:
        """All that can follow, if it is not much: then nothing has to be played out."""
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
            # A depth that was asked for is given up only where time is over.
            max_states=MAX_STATES if must or self._ahead.depth else self._room(budget),
            max_bytes=DEFAULT_MAX_BYTES if must else self._bytes_within(budget),
            progress=None if must else lambda _: _refuse_late(budget),
        )

    def _room(self, budget: Budget) -> int:
        """How many states there is time for."""
        if budget.deadline is None:
            return max(LEAST_STATES, budget.simulations or 0)
        fitting = int(self._ahead.states_a_second * max(0.0, budget.seconds_left))
        return min(MAX_STATES, max(fitting, 1))

    def _bytes_within(self, budget: Budget) -> int:
        """What there is time to expand."""
        if budget.deadline is None:
            return max(LEAST_BYTES, BYTES_A_SIMULATION * (budget.simulations or 0))
        all_watch = len(roles_seeing_all_moves(self.machine)) == len(self.machine.roles)
        return bytes_within(budget, SEEN_BYTES_A_SECOND if all_watch else BYTES_A_SECOND)

    def _solve(self, graph: StateGraph, budget: Budget, *, is_whole: bool) -> None:
        strategy = self._solver.solve(graph, budget)
        self.outlook = Outlook(graph, len(self.observations), is_whole, strategy)

    def _give_up(self, reason: str, fallback: Setup) -> None:
        self.reason = reason
        if fallback != self.setup:
            self.setup = fallback
            self._search = self._new_search()

    @property
    def _chance(self) -> int | None:
        return self.machine.chance_role


def _ends_alone(is_terminal: Callable[..., NDArray[np.bool_]], graph: StateGraph) -> bool:
    """Whether a graph ends only where the game does."""
    ends = graph.states[graph.state_payoffs >= 0]
    return bool(is_terminal(ends).all())


def _refuse_late(budget: Budget) -> None:
    if budget.is_over:
        raise _too_late()


def _too_late() -> LimitError:
    return LimitError.of(
        "PLY020",
        "the clock was over before the states ahead were found",
        fix="give more time a move",
    )
