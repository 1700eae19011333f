"""Strategies computed for a whole game, as far as its tree fits: equilibria, and safe responses.

Sources: `solve/methods` chooses the method for an equilibrium; Johanson, Zinkevich & Bowling
(2007) and Shafiei (2010), section 5.4, for the restricted Nash response to a model, which is here
an opponent that chooses evenly.
Departures: where more than two play, or the sum of goals differs, there is no restricted response;
a best response to even play takes its place, whatever the confidence.

What was computed for a machine is kept while the machine lives: it depends on the rules alone, so
that later matches begin with it. Where a clock ended it, a much longer one has it computed anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from fogspiel.core.budget import TIME_IS_OVER, Budget, FailedSizes, in_time
from fogspiel.core.findings import LimitError
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import Machine
from fogspiel.solve.files.strategy_table import RoleStrategy, role_strategy
from fogspiel.solve.methods import AUTO, LINEAR_UP_TO, chosen_method, solve
from fogspiel.solve.progress import SolveLimits
from fogspiel.solve.response.restricted_nash import ModelledGame
from fogspiel.solve.result import Strategy, uniform
from fogspiel.solve.strategy_value import best_response
from fogspiel.tree.build.build import build
from fogspiel.tree.game_kind import kind_of
from fogspiel.tree.game_tree import GameTree

MAX_NODES = 300_000  #: Of a tree where no clock says how much there is time for
NODES_A_SECOND = 60_000  #: That are built, solved and written down, by a careful guess
MOST_NODES = 5_000_000
MAX_ITERATIONS = 1_000  #: Of regrets, where no clock ends them
TARGET = 0.01  #: Exploitability in goals that is good enough
SEQUENCES_A_SECOND = 10_000  #: That a linear program takes
SHARE = 0.6  #: Of the time left that solvers get; the strategy must be written down too
MUCH_LONGER = 1.5  #: Times the clock, with which what it ended is worth computing anew


@dataclass(frozen=True, slots=True)
class SolveTask:
    """What is to be solved, for whom, and until when."""

    machine: Machine
    tree: GameTree
    player: int  #: From 0 on
    budget: Budget

    @property
    def limits(self) -> SolveLimits:
        """For solvers that go on getting better."""
        if self.budget.deadline is None:
            return SolveLimits(iterations=MAX_ITERATIONS, target=TARGET)
        return SolveLimits(seconds=max(0.01, SHARE * self.budget.seconds_left), target=TARGET)

    def has_time_for_program(self) -> bool:
        """Whether a linear program is likely to end in time."""
        sequences = sum(kind_of(self.tree).sequences)
        return sequences <= min(LINEAR_UP_TO, SEQUENCES_A_SECOND * self.budget.seconds_left)


Solver = Callable[[SolveTask], Strategy]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A strategy, and how long it was computed."""

    book: RoleStrategy
    seconds: float
    """By the clock that ended it: infinite where none did, 0 where that time went elsewhere."""

    def will_do(self, budget: Budget) -> bool:
        """Whether more would not come out with a budget."""
        if budget.deadline is None:
            return math.isinf(self.seconds)
        return budget.seconds_left < MUCH_LONGER * self.seconds


@dataclass(slots=True)
class _Shelf:
    """What is known about one machine."""

    tree: GameTree | None = None
    out_of_reach: FailedSizes = field(default_factory=FailedSizes)  #: Numbers of nodes
    kept: dict[tuple[str, int], _Kept] = field(default_factory=dict)  #: By solver and player


_SHELVES: MachineMemo[_Shelf] = MachineMemo()


def book_for(
    machine: Machine, player: int, name: str, solver: Solver, budget: Budget
) -> RoleStrategy:
    """What a player, from 0 on, does everywhere by a solver of that name.

    Raises `LimitError` TRE001 for a game that is too large, PLY020 where time is over, and the
    errors of the solver.
    """
    shelf = _SHELVES.once(machine, _Shelf)
    kept = shelf.kept.get((name, player))
    if kept is None or not kept.will_do(budget):
        tree = _tree(machine, shelf, budget)
        began, left, has_stalled = budget.clock(), budget.seconds_left, budget.stall_watch()
        strategy = solver(SolveTask(machine, tree, player, budget))
        seconds = math.inf if budget.clock() - began < SHARE * left else left
        if kept is None and has_stalled():
            seconds = 0.0
        kept = _Kept(role_strategy(tree, strategy, player + 1), seconds)
        shelf.kept[name, player] = kept
    return kept.book


def nodes_within(budget: Budget) -> int:
    """How large a tree there is time for."""
    most = MAX_NODES if budget.deadline is None else MOST_NODES
    return budget.affordable(most=most, a_second=NODES_A_SECOND)


def equilibrium(task: SolveTask) -> Strategy:
    """By the method that fits, regrets where a program would take too long."""
    method = AUTO
    if chosen_method(kind_of(task.tree)).name == "lp" and not task.has_time_for_program():
        method = "sapcfr+"
    return solve(task.tree, method, limits=task.limits, machine=task.machine).strategy


def restricted_response(confidence: float) -> Solver:
    """To opponents that choose evenly with this probability, and else do what they like."""

    def solver(task: SolveTask) -> Strategy:
        even = uniform(task.tree)
        if not kind_of(task.tree).is_two_player_constant_sum:
            return best_response(task.tree, even, task.player).strategy
        modelled = ModelledGame(task.tree, even, task.player)
        limits = None if task.has_time_for_program() else task.limits
        return modelled.restricted_strategy(confidence, limits=limits)

    return solver


def _tree(machine: Machine, shelf: _Shelf, budget: Budget) -> GameTree:
    if shelf.tree is None:
        limit = nodes_within(budget)
        if shelf.out_of_reach.forbids(limit):
            raise LimitError.of(
                TIME_IS_OVER,
                f"the game has more than the {limit:,} nodes that there is time for",
                fix="give more time at the start, or a strategy from a file",
            )
        has_stalled = budget.stall_watch()
        try:
            shelf.tree = build(machine, max_nodes=limit, progress=in_time(budget))
        except LimitError as error:
            shelf.out_of_reach.remember(limit, error, has_stalled=has_stalled())
            raise
    return shelf.tree
