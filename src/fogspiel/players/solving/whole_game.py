"""Strategies for whole games whose tree fits: equilibria, and restricted Nash responses.

Sources: `solve/methods` chooses the method for an equilibrium; Johanson, Zinkevich & Bowling
(2007) and Shafiei (2010), section 5.4, for the restricted Nash response to an opponent model, which
is here the uniform random policy.
Departures: restricted responses need two players and a constant sum. In other games a best response
to uniform random opponents takes their place, whatever the confidence.

Strategies are kept while the machine of the game lives, for later matches: they depend on the rules
alone. One that a clock cut short is computed anew when there is much more time. It does not go on
in later turns: solvers forget their regrets once they have answered, they would iterate over the
whole game though most of it is out of reach by then, and its table takes almost as long to write as
the solver had. `players/solving/lookahead` goes on below the present state alone.
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
from fogspiel.solve.response.restricted_nash import ModelledGame
from fogspiel.solve.result import SolveLimits, Strategy, uniform
from fogspiel.solve.strategy_value import best_response
from fogspiel.tree.build.build import build
from fogspiel.tree.game_kind import kind_of
from fogspiel.tree.game_tree import GameTree

MAX_NODES = 300_000  #: Nodes of a tree to be solved without a clock
NODES_A_SECOND = 60_000  #: Nodes built and solved in a second, tables included, cautiously guessed
MOST_NODES = 5_000_000  #: Nodes of a tree to be solved, however long the clock
MAX_ITERATIONS = 1_000  #: Iterations of regret minimisation without a clock
TARGET = 0.01  #: Exploitability in goals at which iterative solvers stop
SEQUENCES_A_SECOND = 10_000  #: Sequences of a linear program that is solved in a second
SHARE = 0.6  #: Share of the time left for the solver; writing the strategy table takes the rest
MUCH_LONGER = 1.5  #: Factor by which a clock must be longer for a strategy to be computed anew


@dataclass(frozen=True, slots=True)
class SolveTask:
    """A game tree to be solved for one player within a budget."""

    machine: Machine
    tree: GameTree
    player: int  #: Number of the player, counted from 0
    budget: Budget

    @property
    def limits(self) -> SolveLimits:
        """Limits of iterative solvers."""
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
    """A computed strategy, and the clock that it was computed with."""

    book: RoleStrategy
    seconds: float
    """Seconds of the clock that cut the solver short; infinite if none did, and 0 if that time went
    elsewhere, such as into loading kernels."""

    def will_do(self, budget: Budget) -> bool:
        """Whether a budget is too small to find a better strategy."""
        if budget.deadline is None:
            return math.isinf(self.seconds)
        return budget.seconds_left < MUCH_LONGER * self.seconds


@dataclass(slots=True)
class _Shelf:
    """Results kept for one game."""

    tree: GameTree | None = None
    out_of_reach: FailedSizes = field(default_factory=FailedSizes)  #: Numbers of nodes
    kept: dict[tuple[str, int], _Kept] = field(default_factory=dict)
    """Strategies, by the name of the solver and the number of the player."""


_SHELVES: MachineMemo[_Shelf] = MachineMemo()


def book_for(
    machine: Machine, player: int, name: str, solver: Solver, budget: Budget
) -> RoleStrategy:
    """The strategy of a player, counted from 0, by a solver of that name, computed or kept.

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
    """The number of tree nodes that there is time to solve."""
    most = MAX_NODES if budget.deadline is None else MOST_NODES
    return budget.affordable(most=most, a_second=NODES_A_SECOND)


def equilibrium(task: SolveTask) -> Strategy:
    """An equilibrium by the method that fits; CFR where a linear program takes too long."""
    method = AUTO
    if chosen_method(kind_of(task.tree)).name == "lp" and not task.has_time_for_program():
        method = "sapcfr+"
    return solve(task.tree, method, limits=task.limits, machine=task.machine).strategy


def restricted_response(confidence: float) -> Solver:
    """A solver for the response to opponents that play uniformly at random with a probability.

    With the remaining probability they play so as to minimise the payoff of the player.
    """

    def solver(task: SolveTask) -> Strategy:
        model = uniform(task.tree)
        if not kind_of(task.tree).is_two_player_constant_sum:
            return best_response(task.tree, model, task.player).strategy
        modelled = ModelledGame(task.tree, model, task.player)
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
