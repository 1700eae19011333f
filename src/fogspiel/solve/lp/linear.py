"""Equilibria of games of two players with a constant sum by one linear program, in two forms.

Sequences, in a sparse program. Source: Koller, Megiddo & von Stengel (1996), Games and Economic
Behavior 14(2); Richards (2012), sections 2.4 and 5.5, calls it ESLP. The first player's plan x
maximises its payoff against the best response; q are the values of the other's infosets, which its
best response makes tight:

    maximise q[0]  subject to  E x = e,  F' q <= A' x,  x >= 0

The prices of the second constraints are the other player's plan, so one program gives both.
Departures: none. HiGHS solves the program; its rounding errors are cut off, and the values of the
strategies are then computed from them alone.

Pure strategies, the normal form. They are reduced (Kuhn 1953): a pure strategy says nothing about
infosets that it avoids itself. Even so there are exponentially many; this is for small games, and
to check other methods (Richards 2012, sections 2.3 and 2.4, sets the two side by side).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, product
from math import prod
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

from fogspiel.core.findings import LimitError
from fogspiel.solve.arrays import Plan, Treeplex, joined
from fogspiel.solve.matrix import solve_matrix
from fogspiel.solve.result import Point, Solution, action_starts
from fogspiel.solve.sequence_form import (
    SequenceGame,
    SequencePayoffs,
    require_constant_sum,
    sequence_game,
)
from fogspiel.solve.strategy_value import value_of_plans
from fogspiel.tree.game_tree import GameTree

NEGLIGIBLE = 1e-9  #: Probability below which a plan reaches an infoset by rounding errors only
INTERIOR_FROM = 20_000
"""Sequences of both players from which an interior point method is faster than the simplex."""
SIMPLEX, INTERIOR = "highs-ds", "highs-ipm"  #: Methods of HiGHS; both end in a vertex
SOLVED, OUT_OF_TIME = 0, 1  #: Status numbers of SciPy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Maximin:
    """A player's best plan against the best response, as the program gives it: not rounded."""

    plan: Plan
    other_plan: Plan  #: A multiple of the other player's plan
    plan_losses: NDArray[np.float64]
    """(own sequences,) losses in the unit of the program: 0 on best responses to the other plan."""
    other_losses: NDArray[np.float64]
    """(other sequences,) the same for the other player and best responses to the plan."""
    iterations: int


def solve_linear(game: SequenceGame | GameTree, *, seconds: float | None = None) -> Solution:
    """An equilibrium of a game of two players with a constant sum.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play, and `LimitError`
    SOL011 when the program is not solved in time.
    """
    began = perf_counter()
    if isinstance(game, GameTree):
        game = sequence_game(game)
    require_constant_sum(game)
    best = maximin(*game.treeplexes, game.payoffs[0], seconds=seconds)
    return solution_of(game, (best.plan, best.other_plan), "lp", began, iterations=best.iterations)


def solution_of(
    game: SequenceGame,
    plans: tuple[Plan, Plan],
    method: str,
    began: float,
    *,
    iterations: int = 1,
    parameters: dict[str, object] | None = None,
    curve: tuple[Point, ...] = (),
) -> Solution:
    """A solution from plans of both players, cleaned and evaluated.

    plans: multiples of plans are fine, and so are rounding errors.
    """
    behaviours = [completed(game, player, plans) for player in (0, 1)]
    strategy = joined(action_starts(game.tree.infosets), behaviours)
    clean = (game.treeplexes[0].plan(strategy), game.treeplexes[1].plan(strategy))
    return Solution.of(
        strategy,
        value_of_plans(game, clean),
        method,
        parameters=parameters,
        iterations=iterations,
        seconds=perf_counter() - began,
        curve=curve,
    )


def maximin(
    own: Treeplex,
    other: Treeplex,
    own_payoffs: SequencePayoffs,
    *,
    seconds: float | None = None,
) -> Maximin:
    """The plan of a player with the highest payoff against the best response."""
    program = plan_program(own, other, own_payoffs)
    large = own.sequence_count + other.sequence_count >= INTERIOR_FROM
    # Where one method meets numbers that it cannot handle, the other may.
    for method in (INTERIOR, SIMPLEX) if large else (SIMPLEX, INTERIOR):
        solution = linprog(
            program.costs,
            A_ub=program.responses,
            b_ub=np.zeros(other.sequence_count),
            A_eq=program.flows,
            b_eq=program.flow_totals,
            bounds=program.bounds,
            method=method,
            options={} if seconds is None else {"time_limit": seconds},
        )
        if solution.status in (SOLVED, OUT_OF_TIME):
            break
    if solution.status != SOLVED:
        raise LimitError.of(
            "SOL011",
            "the linear program was not solved "
            + (
                "in the time that was given"
                if (solution.status == OUT_OF_TIME)
                else f"by HiGHS: {solution.message!s}"
            ),
            fix="give more time, or solve the game by counterfactual regrets",
        )
    return Maximin(
        plan=solution.x[: own.sequence_count],
        other_plan=-solution.ineqlin.marginals,
        plan_losses=solution.lower.marginals[: own.sequence_count],
        other_losses=solution.ineqlin.residual,
        iterations=int(solution.nit),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanProgram:
    """The program of a player: variables are its plan, then the values of the other's infosets.

    The first of the values is that of the whole game, less the offset of the payoffs, in a unit in
    which the largest entry is 1.
    """

    costs: NDArray[np.float64]  #: (variables,) the objective, which is minimised
    responses: csr_array
    """(other sequences, variables) constraints ≤ 0: no response is better than the values say."""
    flows: csr_array
    """(1 + own infosets, variables) equal to `flow_totals`: the equations of a plan."""
    flow_totals: NDArray[np.float64]
    bounds: NDArray[np.float64]  #: (variables, 2)


def plan_program(own: Treeplex, other: Treeplex, own_payoffs: SequencePayoffs) -> PlanProgram:
    """The linear program at the head of this file."""
    flows = plan_equations(own)
    totals = np.zeros(flows.shape[0])
    totals[0] = 1.0
    costs = np.zeros(own.sequence_count + 1 + len(other.parents))
    costs[own.sequence_count] = -1.0
    bounds = np.full((len(costs), 2), (-np.inf, np.inf))
    bounds[: own.sequence_count, 0] = 0.0
    nothing = csr_array((flows.shape[0], 1 + len(other.parents)))
    payoffs = scaled_matrix(own_payoffs, other)
    return PlanProgram(
        costs=costs,
        responses=hstack([-payoffs.T, plan_equations(other).T], format="csr"),
        flows=hstack([flows, nothing], format="csr"),
        flow_totals=totals,
        bounds=bounds,
    )


def scaled_matrix(payoffs: SequencePayoffs, other: Treeplex) -> csr_array:
    """(own sequences, other sequences) payoffs in a unit in which the largest entry is 1."""
    scaled = replace(payoffs, entries=payoffs.entries / unit(payoffs))
    return scaled.matrix(other.sequence_count)


def unit(payoffs: SequencePayoffs) -> float:
    """The largest entry, which programs count as 1."""
    return float(np.abs(payoffs.entries).max(initial=0.0)) or 1.0


def plan_equations(side: Treeplex) -> csr_array:
    """(1 + infosets, sequences) the empty sequence; then outflow less inflow of each infoset."""
    infosets = np.arange(1, 1 + len(side.parents))
    rows = np.concatenate([[0], infosets, np.repeat(infosets, side.counts)])
    columns = np.concatenate([[0], side.parents, np.arange(1, side.sequence_count)])
    signs = np.ones(len(rows))
    signs[infosets] = -1.0
    return csr_array((signs, (rows, columns)), shape=(len(infosets) + 1, side.sequence_count))


def completed(game: SequenceGame, player: int, plans: tuple[Plan, Plan]) -> NDArray[np.float64]:
    """(own sequences,) behaviour that follows a plan wherever the plan leads.

    At infosets that the player itself avoids, all best responses to the other's plan get equal
    probability: of no effect in an equilibrium, but better play after a mistake.
    """
    side = game.treeplexes[player]
    plan = np.maximum(plans[player], 0.0)
    values = game.payoffs[player].values(np.maximum(plans[1 - player], 0.0))
    side.best(values)
    behaviour = np.ones(side.sequence_count)
    if not len(side.parents):
        return behaviour
    starts = side.firsts - 1
    best = np.repeat(np.maximum.reduceat(values[1:], starts), side.counts)
    scale = max(1.0, float(np.abs(values).max()))
    good = (values[1:] >= best - NEGLIGIBLE * scale).astype(np.float64)
    reached = np.repeat(np.add.reduceat(plan[1:], starts) > NEGLIGIBLE, side.counts)
    weights = np.where(reached, plan[1:], good)
    behaviour[1:] = weights / np.repeat(np.add.reduceat(weights, starts), side.counts)
    return behaviour


MAX_CELLS = 1_000_000  #: Entries of the matrix, unless said otherwise


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalForm:
    """Pure strategies of both players, and the payoffs of each pair of them."""

    game: SequenceGame
    strategies: tuple[csr_array, csr_array]
    """Matrices (strategies, sequences) of both players: 1 for the sequences that one plays."""
    payoffs: tuple[NDArray[np.float64], NDArray[np.float64]]
    """(strategies of player 1, strategies of player 2) the payoffs of each player."""


def normal_form(tree: GameTree, *, max_cells: int = MAX_CELLS) -> NormalForm:
    """All reduced pure strategies. Raises `LimitError` SOL013 if there are too many."""
    game = sequence_game(tree)
    counts = [strategy_count(side) for side in game.treeplexes]
    if prod(counts) > max_cells:
        raise _too_many(counts, max_cells)
    first, second = (_pure_plans(side) for side in game.treeplexes)
    own, other = game.payoffs
    return NormalForm(
        game=game,
        strategies=(first, second),
        payoffs=(
            (first @ own.matrix(second.shape[1]) @ second.T).toarray() + own.offset,
            (second @ other.matrix(first.shape[1]) @ first.T).toarray().T + other.offset,
        ),
    )


def solve_normal_form(tree: GameTree, *, max_cells: int = MAX_CELLS) -> Solution:
    """An equilibrium of a game of two players with a constant sum.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play; `LimitError` SOL013
    if there are too many pure strategies.
    """
    began = perf_counter()
    form = normal_form(tree, max_cells=max_cells)
    require_constant_sum(form.game)
    solution = solve_matrix(form.payoffs[0])
    plans = (solution.row @ form.strategies[0], solution.column @ form.strategies[1])
    sizes = dict(zip(tree.players, form.payoffs[0].shape, strict=True))
    parameters: dict[str, object] = {"pure strategies": sizes}
    return solution_of(form.game, plans, "normal-form", began, parameters=parameters)


def strategy_count(side: Treeplex) -> int:
    """The number of reduced pure strategies of a player."""
    # For each sequence, the number of ways to go on after it.
    ways = [1] * side.sequence_count
    for infoset in range(len(side.parents) - 1, -1, -1):
        first = int(side.firsts[infoset])
        ways[int(side.parents[infoset])] *= sum(ways[first : first + int(side.counts[infoset])])
    return ways[0]


def _pure_plans(side: Treeplex) -> csr_array:
    """(strategies, sequences) all of them; the first action of the first infoset comes first."""
    following: list[list[int]] = [[] for _ in range(side.sequence_count)]
    for infoset, parent in enumerate(side.parents.tolist()):
        following[parent].append(infoset)
    played = [(0, *rest) for rest in _continuations(side, following, 0)]
    starts = np.cumsum([0, *map(len, played)])
    columns = np.fromiter(chain.from_iterable(played), np.int64, starts[-1])
    shape = (len(played), side.sequence_count)
    return csr_array((np.ones(len(columns)), columns, starts), shape=shape)


def _continuations(
    side: Treeplex, following: list[list[int]], sequence: int
) -> Iterator[tuple[int, ...]]:
    """All continuations of a sequence, each as the further sequences that are played."""
    choices = []
    for infoset in following[sequence]:
        first = int(side.firsts[infoset])
        choices.append(
            [
                (own, *rest)
                for own in range(first, first + int(side.counts[infoset]))
                for rest in _continuations(side, following, own)
            ]
        )
    for chosen in product(*choices):
        yield tuple(chain.from_iterable(chosen))


def _too_many(counts: list[int], max_cells: int) -> LimitError:
    sizes = " and ".join(_readable(count) for count in counts)
    return LimitError.of(
        "SOL013",
        f"the players have {sizes} pure strategies: more pairs than {max_cells:,}",
        fix="use the sequence form (linear), which grows with the game, not with its strategies",
    )


def _readable(count: int) -> str:
    digits = len(str(count))
    return f"{count:,}" if digits <= 12 else f"about 10^{digits - 1}"
