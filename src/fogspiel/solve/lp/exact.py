"""Exact equilibria, in fractions, of games of two players with a constant sum.

The simplex method ends in a vertex, which the tight constraints determine. So the program is solved
in floating point first; the sequences that are not played and the responses that lose nothing are
read off, and the equations that remain are solved in fractions. The result does not rest on the
reading: both plans are checked to be plans, the guarantee of each is computed by a best response in
fractions, and the two guarantees must meet.

Source: Applegate, Cook, Dash & Espinoza (2007), Operations Research Letters 35(6), for the idea to
solve an optimal basis exactly and to verify it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from heapq import heapify, heappop, heappush
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError
from fogspiel.core.limits import MAX_DENOMINATOR
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.solve.arrays import Plan, Treeplex
from fogspiel.solve.lp.linear import maximin, solution_of
from fogspiel.solve.result import Solution
from fogspiel.solve.sequence_form import SequenceGame, require_constant_sum, sequence_game
from fogspiel.tree.game_tree import GameTree, node_sequences

TIGHT = 1e-9  #: The largest number that counts as zero in the floating-point optimum
GUESSED_DENOMINATOR = 1000  #: The largest denominator of a probability that the optimum leaves free

ExactPlan = tuple[Fraction, ...]  #: (sequences of a player,) a plan in fractions
ExactPayoffs = Mapping[tuple[int, int], Fraction]
"""A player's payoffs by its own sequence and the other's: sums over leaves, weighted by chance."""
Equation = dict[int, Fraction]
"""Coefficients of the unknowns that have one; the right side stands at `RIGHT`."""
RIGHT = -1


def solve_exactly(tree: GameTree) -> Solution:
    """An equilibrium with exact values and probabilities.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play; `LimitError` SOL012
    if fractions do not confirm what floating point says.
    """
    began = perf_counter()
    game = sequence_game(tree)
    constant = require_constant_sum(game)
    payoffs = exact_payoffs(tree)
    best = maximin(*game.treeplexes, game.payoffs[0])
    first = _vertex(game, payoffs[1], 0, best.plan, best.other_losses < TIGHT)
    second = _vertex(game, payoffs[0], 1, best.other_plan, best.plan_losses < TIGHT)
    # A player is guaranteed what the best response to its plan leaves.
    sure = (
        constant - best_value(game.treeplexes[1], payoffs[1], first),
        constant - best_value(game.treeplexes[0], payoffs[0], second),
    )
    if sum(sure) != constant:
        raise _unconfirmed(f"the guarantees {sure[0]} and {sure[1]} do not meet")
    plans = (np.array(first, np.float64), np.array(second, np.float64))
    found = solution_of(game, plans, "lp-exact", began, iterations=best.iterations)
    behaviour = _behaviour(game, (first, second), found)
    return replace(found, exact_values=sure, exact_probabilities=behaviour)


def exact_payoffs(tree: GameTree) -> tuple[ExactPayoffs, ExactPayoffs]:
    """The payoffs of both players, each by its own sequence and the other's."""
    reach = _exact_reach(tree)
    payoffs: tuple[dict[tuple[int, int], Fraction], ...] = ({}, {})
    sequences = node_sequences(tree).tolist()
    for leaf in tree.leaves.tolist():
        first, second = sequences[leaf]
        row = tree.exact_payoffs[int(tree.node_payoffs[leaf])]
        for own, pair in enumerate(((first, second), (second, first))):
            payoffs[own][pair] = payoffs[own].get(pair, Fraction(0)) + reach[leaf] * row[own]
    return payoffs[0], payoffs[1]


def _exact_reach(tree: GameTree) -> list[Fraction]:
    """(nodes,) the probability that chance plays towards each."""
    reach = [Fraction(0)] * len(tree)
    reach[0] = Fraction(1)
    movers, targets = tree.movers.tolist(), tree.targets.tolist()
    first_edges, probabilities = tree.first_edges.tolist(), tree.probabilities.tolist()
    for node, mover in enumerate(movers):
        edges = range(first_edges[node], first_edges[node + 1])
        if mover != CHANCE:
            for edge in edges:
                reach[targets[edge]] += reach[node]
            continue
        chances = [Fraction(probabilities[e]).limit_denominator(MAX_DENOMINATOR) for e in edges]
        if sum(chances) != 1:
            raise _unconfirmed("the probabilities of chance are no short fractions")
        for edge, chance in zip(edges, chances, strict=True):
            reach[targets[edge]] += reach[node] * chance
    return reach


def _vertex(
    game: SequenceGame,
    payoffs: ExactPayoffs,
    player: int,
    rounded: Plan,
    tight: NDArray[np.bool_],
) -> ExactPlan:
    """The plan of a player that its sequences in use and the other's best responses determine.

    payoffs: of the other player; rounded: the plan in floating point; tight: (other sequences,).
    """
    played = rounded > TIGHT
    # Where many plans are equally good, a fraction nearby will do: it is checked like the rest.
    guesses = {
        sequence: Fraction(float(rounded[sequence])).limit_denominator(GUESSED_DENOMINATOR)
        for sequence in np.flatnonzero(played).tolist()
    }
    own, other = game.treeplexes[player], game.treeplexes[1 - player]
    equations = [*_plan_equations(own, played), *_response_equations(other, payoffs, tight, played)]
    solution = solve_equations(equations, guesses)
    if solution is None:
        raise _unconfirmed("no strategies make tight what is tight")
    plan = tuple(solution.get(sequence, Fraction(0)) for sequence in range(own.sequence_count))
    if min(plan) < 0:
        raise _unconfirmed("a probability would be negative")
    return plan


def _plan_equations(side: Treeplex, played: NDArray[np.bool_]) -> list[Equation]:
    """The equations of a plan: unknown s is sequence s; those that are not played are left out."""
    equations = [{0: Fraction(1), RIGHT: Fraction(1)}]
    for parent, first, count in zip(side.parents, side.firsts, side.counts, strict=True):
        row = {int(s): Fraction(1) for s in range(first, first + count) if played[s]}
        if played[parent]:
            row[int(parent)] = Fraction(-1)
        equations.append(row)
    return equations


def _response_equations(
    side: Treeplex, payoffs: ExactPayoffs, tight: NDArray[np.bool_], played: NDArray[np.bool_]
) -> list[Equation]:
    """Equations that let each tight sequence earn the value of its infoset.

    It earns by its leaves and by the infosets that follow.

    The unknown value of infoset i stands after the plan's sequences, at len(played) + 1 + i; that
    of the whole game, the infoset of the empty sequence, at len(played).
    """
    rows: dict[int, Equation] = {sequence: {} for sequence in np.flatnonzero(tight).tolist()}
    game_value = len(played)
    if 0 in rows:
        rows[0][game_value] = Fraction(-1)
    for infoset, first in enumerate(side.firsts.tolist()):
        own_value = game_value + 1 + infoset
        for sequence in range(first, first + int(side.counts[infoset])):
            if sequence in rows:
                rows[sequence][own_value] = Fraction(-1)
        if (parent := int(side.parents[infoset])) in rows:
            rows[parent][own_value] = Fraction(1)
    for (response, sequence), payoff in payoffs.items():
        if response in rows and played[sequence]:
            rows[response][sequence] = payoff
    return list(rows.values())


def best_value(side: Treeplex, payoffs: ExactPayoffs, other: ExactPlan) -> Fraction:
    """The value of a best response to a plan of the other player."""
    values = [Fraction(0)] * side.sequence_count
    for (own, against), payoff in payoffs.items():
        values[own] += payoff * other[against]
    for infoset in range(len(side.parents) - 1, -1, -1):
        first = int(side.firsts[infoset])
        best = max(values[first : first + int(side.counts[infoset])])
        values[int(side.parents[infoset])] += best
    return values[0]


def _behaviour(
    game: SequenceGame, plans: tuple[ExactPlan, ExactPlan], found: Solution
) -> tuple[Fraction, ...]:
    """(actions,) exact where a plan leads; elsewhere the uniform choice of the solution."""
    exact: list[Fraction] = []
    rounded = iter(found.strategy.probabilities.tolist())
    for side, plan in zip(game.treeplexes, plans, strict=True):
        for parent, first, count in zip(side.parents, side.firsts, side.counts, strict=True):
            for sequence in range(first, first + count):
                uniform = Fraction(next(rounded)).limit_denominator(int(count))
                exact.append(plan[sequence] / plan[parent] if plan[parent] else uniform)
    return tuple(exact)


def solve_equations(
    equations: Iterable[Equation], guesses: Mapping[int, Fraction]
) -> dict[int, Fraction] | None:
    """A solution of sparse linear equations; None if there is none.

    guesses: values of unknowns that the equations leave free; 0 if there is no guess.
    Gauss elimination that always takes the shortest equation left, so that few entries are filled.
    """
    rows = [{key: value for key, value in row.items() if value} for row in equations]
    where: defaultdict[int, set[int]] = defaultdict(set)
    for number, row in enumerate(rows):
        for key in row:
            if key != RIGHT:
                where[key].add(number)
    queue = [(len(row), number) for number, row in enumerate(rows)]
    heapify(queue)
    pivots: list[tuple[int, Equation]] = []
    while queue:
        length, number = heappop(queue)
        row = rows[number]
        if length != len(row):  # it has changed since it was queued, and is queued again
            continue
        pivot = min((key for key in row if key != RIGHT), key=lambda k: len(where[k]), default=None)
        if pivot is None:
            if row:
                return None  # 0 = something else
            continue
        for key in row:
            if key != RIGHT:
                where[key].discard(number)
        pivots.append((pivot, row))
        for other in list(where[pivot]):
            _eliminate(rows[other], row, pivot, other, where)
            heappush(queue, (len(rows[other]), other))
        rows[number] = {}
    found = {pivot for pivot, _ in pivots}
    free = {key: guesses.get(key, Fraction(0)) for key in where if key not in found}
    return _back_substituted(pivots, free)


def _eliminate(
    target: Equation, row: Equation, pivot: int, number: int, where: defaultdict[int, set[int]]
) -> None:
    """Subtract a multiple of `row` from `target`, so that it loses the pivot."""
    factor = target[pivot] / row[pivot]
    for key, value in row.items():
        left = target.get(key, Fraction(0)) - factor * value
        if left:
            if key != RIGHT and key not in target:
                where[key].add(number)
            target[key] = left
        elif key in target:
            del target[key]
            if key != RIGHT:
                where[key].discard(number)


def _back_substituted(
    pivots: list[tuple[int, Equation]], free: dict[int, Fraction]
) -> dict[int, Fraction]:
    solution = dict(free)
    for pivot, row in reversed(pivots):
        total = row.get(RIGHT, Fraction(0))
        for key, value in row.items():
            if key not in (RIGHT, pivot):
                total -= value * solution[key]
        solution[pivot] = total / row[pivot]
    return solution


def _unconfirmed(why: str) -> LimitError:
    return LimitError.of(
        "SOL012",
        f"the optimum could not be confirmed in fractions: {why}",
        fix="solve the game in floating point; its exploitability says how exact that is",
    )
