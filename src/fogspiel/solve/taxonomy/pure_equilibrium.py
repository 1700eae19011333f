"""Pure equilibria: does the game have one, or must somebody mix?

Perfect information always has one, found by backward induction. With two players and a constant sum
equilibria are pairs of plans that each guarantee the value of the game, so there is a pure one if
and only if both players have a pure plan that does: a program with whole numbers looks for it.
Otherwise best responses to best responses may end in one, and a normal form that is small enough
decides; where neither helps, the answer is that it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from fogspiel.core.findings import LimitError
from fogspiel.solve.game_kind import kind_of
from fogspiel.solve.induction.backward import backward_induction
from fogspiel.solve.lp.linear import plan_program, solve_linear, unit
from fogspiel.solve.lp.normal_form import NormalForm, normal_form
from fogspiel.solve.result import Strategy, action_starts, uniform
from fogspiel.solve.sequence_form import SequenceGame, sequence_game
from fogspiel.solve.strategy_value import best_response, worth, worth_of_plans
from fogspiel.solve.treeplex import Plan, Treeplex, fold_plan, joined
from fogspiel.tree.game_tree import GameTree

ROUNDS = 30
"""Of best responses to best responses."""
STARTS = 8
"""Pure strategies drawn at random that they start from."""
TOLERANCE = 1e-7
"""Of gains, as a part of the range of payoffs."""
SOLVED, IMPOSSIBLE = 0, 2
"""Of SciPy's status numbers."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PureEquilibrium:
    """Whether a game has an equilibrium in which nobody mixes, and why."""

    exists: bool | None
    """None if it is not known."""
    reason: str
    strategy: Strategy | None = None
    """Such an equilibrium."""


def pure_equilibrium(tree: GameTree, *, seed: int = 0, seconds: float = 10.0) -> PureEquilibrium:
    """Whether a game of any number of players has a pure equilibrium.

    seconds: for each program with whole numbers.
    """
    kind = kind_of(tree)
    if kind.players == 1:
        best = best_response(tree, uniform(tree), 0).strategy
        return PureEquilibrium(exists=True, reason="one player decides alone", strategy=best)
    if kind.perfect_information:
        induced = backward_induction(tree).strategy
        return PureEquilibrium(exists=True, reason="nothing is hidden", strategy=induced)
    if kind.is_two_player_constant_sum:
        return _by_guarantees(sequence_game(tree), seconds)
    return _general(tree, np.random.default_rng(seed))


def _general(tree: GameTree, rng: np.random.Generator) -> PureEquilibrium:
    """Any sum, any number of players: a pure equilibrium may be found, or not be known."""
    found = _by_responses(tree, rng)
    if found is not None:
        reason = "best responses to best responses come to rest"
        return PureEquilibrium(exists=True, reason=reason, strategy=found)
    count = len(tree.players)
    if count > 2:
        return PureEquilibrium(
            exists=None,
            reason="best responses to best responses did not come to rest, and for "
            f"{count} players there is no other method here",
        )
    try:
        return _by_normal_form(normal_form(tree))
    except LimitError as error:
        return PureEquilibrium(exists=None, reason=error.findings[0].message)


def _by_guarantees(game: SequenceGame, seconds: float) -> PureEquilibrium:
    """Two players, constant sum: pure plans that guarantee the value, or a proof of none."""
    values = solve_linear(game).values
    plans = []
    for player, name in enumerate(game.tree.players):
        plan, proved = pure_guarantee(game, player, values[player], seconds)
        if plan is None:
            if proved:
                reason = f"{name} must mix: no pure strategy guarantees it the value of the game"
                return PureEquilibrium(exists=False, reason=reason)
            reason = f"no pure strategy for {name} was found or excluded in {seconds:g} seconds"
            return PureEquilibrium(exists=None, reason=reason)
        plans.append(plan)
    if worth_of_plans(game, (plans[0], plans[1])).exploitability > _least(game.tree):
        return PureEquilibrium(exists=None, reason="rounding hides whether a pure plan is optimal")
    behaviours = [_behaviour(side, plan) for side, plan in zip(game.treeplexes, plans, strict=True)]
    return PureEquilibrium(
        exists=True,
        reason="both players have pure strategies that guarantee the value of the game",
        strategy=joined(action_starts(game.tree.infosets), behaviours),
    )


def pure_guarantee(
    game: SequenceGame, player: int, value: float, seconds: float
) -> tuple[Plan | None, bool]:
    """A pure plan of a player that gets a value for sure, and whether None is a proof of none."""
    own, other = game.treeplexes[player], game.treeplexes[1 - player]
    payoffs = game.payoffs[player]
    program = plan_program(own, other, payoffs)
    bounds = program.bounds.copy()
    bounds[: own.sequence_count, 1] = 1.0
    bounds[own.sequence_count, 0] = (value - payoffs.offset) / unit(payoffs) - TOLERANCE
    solution = milp(
        np.zeros(len(program.costs)),
        integrality=np.arange(len(program.costs)) < own.sequence_count,
        bounds=Bounds(bounds[:, 0], bounds[:, 1]),
        constraints=[
            LinearConstraint(program.answers, -np.inf, 0.0),
            LinearConstraint(program.flows, program.flow_totals, program.flow_totals),
        ],
        options={"time_limit": seconds},
    )
    if solution.x is None:
        return None, solution.status == IMPOSSIBLE
    return np.round(solution.x[: own.sequence_count]), False


def _by_responses(tree: GameTree, rng: np.random.Generator) -> Strategy | None:
    """A pure profile in which nobody gains alone, if best responses lead to one."""
    least = _least(tree)
    for _ in range(STARTS):
        strategy = _random_pure(tree, rng)
        for _ in range(ROUNDS):
            for player in range(len(tree.players)):
                strategy = best_response(tree, strategy, player).strategy
            if worth(tree, strategy).exploitability <= least:
                return strategy
    return None


def _by_normal_form(form: NormalForm) -> PureEquilibrium:
    """Any two players: cells in which nobody gains by another row or column."""
    first, second = form.payoffs
    least = _least(form.game.tree)
    steady = (first >= first.max(axis=0) - least) & (second >= second.max(axis=1)[:, None] - least)
    cells = np.argwhere(steady)
    if not len(cells):
        return PureEquilibrium(exists=False, reason="no pair of pure strategies is steady")
    behaviours = [
        _behaviour(side, strategies[[place]].toarray()[0])
        for side, strategies, place in zip(
            form.game.treeplexes, form.strategies, cells[0].tolist(), strict=True
        )
    ]
    return PureEquilibrium(
        exists=True,
        reason="found among all pairs of pure strategies",
        strategy=joined(action_starts(form.game.tree.infosets), behaviours),
    )


def _behaviour(side: Treeplex, plan: Plan) -> Plan:
    """Pure behaviour that follows a pure plan; the first action where the plan does not lead."""
    behaviour = np.empty_like(plan)
    fold_plan(side.parents, side.firsts, side.counts, plan, behaviour)
    for parent, first, count in zip(side.parents, side.firsts, side.counts, strict=True):
        if plan[parent] == 0.0:
            behaviour[first : first + count] = 0.0
            behaviour[first] = 1.0
    return behaviour


def _random_pure(tree: GameTree, rng: np.random.Generator) -> Strategy:
    starts = action_starts(tree.infosets)
    probabilities = np.zeros(int(starts[-1]))
    probabilities[starts[:-1] + rng.integers(tree.infosets.action_counts)] = 1.0
    return Strategy(starts=starts, probabilities=probabilities)


def _least(tree: GameTree) -> float:
    """The smallest gain that counts."""
    payoffs = tree.payoffs
    return TOLERANCE * float(np.ptp(payoffs)) if payoffs.size else 0.0
