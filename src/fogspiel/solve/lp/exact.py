"""Exact equilibria, in fractions, of games of two players with a constant sum.

The optimum that the simplex method ends in is a vertex: what is tight there determines it. So the
program is solved in floating point first; which sequences are not played and which answers lose
nothing is read off, and the equations that this leaves are solved in fractions. Nothing rests on
the reading: both plans are checked to be plans, what each guarantees is computed by a best response
in fractions, and the result stands only if the two guarantees meet.

Source: Applegate, Cook, Dash & Espinoza (2007), Operations Research Letters 35(6), for the idea to
solve an optimal basis exactly and to verify it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import LimitError
from fogspiel.core.limits import MAX_DENOMINATOR
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.solve.lp.fractions import RIGHT, Equation, solve_equations
from fogspiel.solve.lp.linear import maximin, result_of
from fogspiel.solve.result import SolveResult
from fogspiel.solve.sequence_form import SequenceGame, require_constant_sum, sequence_game
from fogspiel.solve.treeplex import Plan, Treeplex
from fogspiel.tree.game_tree import GameTree, node_sequences

TIGHT = 1e-9
"""What counts as zero in the floating-point optimum."""

GUESSED_DENOMINATOR = 1000
"""Of a probability that the optimum leaves free."""

ExactPlan = tuple[Fraction, ...]
"""(sequences of a player,) how probable its own actions make each."""
ExactPayoffs = Mapping[tuple[int, int], Fraction]
"""Of a player, by its own sequence and the other's: sums over leaves, weighed by chance."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExactSolution:
    """An equilibrium in fractions."""

    values: tuple[Fraction, Fraction]
    probabilities: tuple[Fraction, ...]
    """Of all actions, as in the strategy of the result."""
    result: SolveResult
    """The same in floating point."""

    def at(self, infoset: int) -> tuple[Fraction, ...]:
        """(actions of the infoset,)"""
        starts = self.result.strategy.starts
        return self.probabilities[starts[infoset] : starts[infoset + 1]]


def solve_exactly(tree: GameTree) -> ExactSolution:
    """An equilibrium with exact probabilities.

    Raises `UsageError` SOL002 without a constant sum, SOL003 unless two play; `LimitError` SOL012
    if fractions do not confirm what floating point says.
    """
    began = perf_counter()
    game = sequence_game(tree)
    constant = require_constant_sum(game)
    payoffs = exact_payoffs(tree)
    best = maximin(*game.treeplexes, game.payoffs[0])
    first = _vertex(game, payoffs[1], 0, best.plan, best.answer_losses < TIGHT)
    second = _vertex(game, payoffs[0], 1, best.answer, best.plan_losses < TIGHT)
    # What a player is sure of is what the best answer leaves it.
    sure = (
        constant - best_value(game.treeplexes[1], payoffs[1], first),
        constant - best_value(game.treeplexes[0], payoffs[0], second),
    )
    if sum(sure) != constant:
        raise _unconfirmed(f"the guarantees {sure[0]} and {sure[1]} do not meet")
    plans = (np.array(first, np.float64), np.array(second, np.float64))
    result = result_of(game, plans, "exact linear", began, iterations=best.iterations)
    return ExactSolution(
        values=sure, probabilities=_behaviour(game, (first, second), result), result=result
    )


def exact_payoffs(tree: GameTree) -> tuple[ExactPayoffs, ExactPayoffs]:
    """Of both players, each by its own sequence and the other's."""
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
        shares = [Fraction(probabilities[e]).limit_denominator(MAX_DENOMINATOR) for e in edges]
        if sum(shares) != 1:
            raise _unconfirmed("the probabilities of chance are no short fractions")
        for edge, share in zip(edges, shares, strict=True):
            reach[targets[edge]] += reach[node] * share
    return reach


def _vertex(
    game: SequenceGame,
    payoffs: ExactPayoffs,
    player: int,
    rounded: Plan,
    tight: NDArray[np.bool_],
) -> ExactPlan:
    """The plan of a player that its sequences in use and the other's best answers determine.

    payoffs: of the other player; rounded: the plan in floating point; tight: (other sequences,).
    """
    played = rounded > TIGHT
    # Inside a face of equally good plans a fraction near by will do: it is checked like the rest.
    guesses = {
        sequence: Fraction(float(rounded[sequence])).limit_denominator(GUESSED_DENOMINATOR)
        for sequence in np.flatnonzero(played).tolist()
    }
    own, other = game.treeplexes[player], game.treeplexes[1 - player]
    equations = [*_plan_equations(own, played), *_answer_equations(other, payoffs, tight, played)]
    solution = solve_equations(equations, guesses)
    if solution is None:
        raise _unconfirmed("no strategies make tight what is tight")
    plan = tuple(solution.get(sequence, Fraction(0)) for sequence in range(own.sequence_count))
    if min(plan) < 0:
        raise _unconfirmed("a probability would be negative")
    return plan


def _plan_equations(side: Treeplex, played: NDArray[np.bool_]) -> list[Equation]:
    """Unknown s is sequence s; those that are not played are left out."""
    equations = [{0: Fraction(1), RIGHT: Fraction(1)}]
    for parent, first, count in zip(side.parents, side.firsts, side.counts, strict=True):
        row = {int(s): Fraction(1) for s in range(first, first + count) if played[s]}
        if played[parent]:
            row[int(parent)] = Fraction(-1)
        equations.append(row)
    return equations


def _answer_equations(
    side: Treeplex, payoffs: ExactPayoffs, tight: NDArray[np.bool_], played: NDArray[np.bool_]
) -> list[Equation]:
    """A tight sequence earns the value of its infoset: by its leaves, and by what comes after.

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
    for (answer, sequence), payoff in payoffs.items():
        if answer in rows and played[sequence]:
            rows[answer][sequence] = payoff
    return list(rows.values())


def best_value(side: Treeplex, payoffs: ExactPayoffs, other: ExactPlan) -> Fraction:
    """The most that a player can get against a plan of the other."""
    values = [Fraction(0)] * side.sequence_count
    for (own, against), payoff in payoffs.items():
        values[own] += payoff * other[against]
    for infoset in range(len(side.parents) - 1, -1, -1):
        first = int(side.firsts[infoset])
        best = max(values[first : first + int(side.counts[infoset])])
        values[int(side.parents[infoset])] += best
    return values[0]


def _behaviour(
    game: SequenceGame, plans: tuple[ExactPlan, ExactPlan], result: SolveResult
) -> tuple[Fraction, ...]:
    """Exact where a plan leads; elsewhere the uniform choice of the result, made exact."""
    exact: list[Fraction] = []
    rounded = iter(result.strategy.probabilities.tolist())
    for side, plan in zip(game.treeplexes, plans, strict=True):
        for parent, first, count in zip(side.parents, side.firsts, side.counts, strict=True):
            for sequence in range(first, first + count):
                share = Fraction(next(rounded)).limit_denominator(int(count))
                exact.append(plan[sequence] / plan[parent] if plan[parent] else share)
    return tuple(exact)


def _unconfirmed(why: str) -> LimitError:
    return LimitError.of(
        "SOL012",
        f"the optimum could not be confirmed in fractions: {why}",
        fix="solve the game in floating point; its exploitability says how exact that is",
    )
