"""Richards' taxonomy: does a game have dominant strategies, a pure equilibrium, or only mixed ones?

Source: Richards (2012), chapter 5. The class decides which way to decide at a single point can be
optimal: with dominant strategies no model of the opponent is needed (section 5.3), with a pure
equilibrium a model and a search suffice (section 5.4), and otherwise no evaluation of single
positions can do without mixing, which takes a linear program (section 5.5).
Departures: the class is found by computation. Where that takes too long it is unknown.

Games with perfect information always have a pure equilibrium, found by backward induction. With two
players and a constant sum, equilibria are pairs of plans that each guarantee the value of the game,
so there is a pure one if and only if both players have a pure plan that does: a mixed-integer
program looks for it. Otherwise iterated best responses may converge to one, and a small normal form
decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from fogspiel.core.findings import LimitError
from fogspiel.solve.arrays import Plan, Treeplex, joined, treeplex
from fogspiel.solve.induction.backward import backward_induction
from fogspiel.solve.lp.linear import NormalForm, normal_form, plan_program, solve_linear, unit
from fogspiel.solve.result import Strategy, action_starts, uniform
from fogspiel.solve.sequence_form import SequenceGame, sequence_game
from fogspiel.solve.strategy_value import best_response, strategy_value, value_of_plans
from fogspiel.solve.taxonomy.dominance import Dominance, Dominant, dominant_strategy
from fogspiel.tree.game_kind import kind_of
from fogspiel.tree.game_tree import GameTree

ROUNDS = 30  #: Rounds of iterated best responses
STARTS = 8  #: Random pure strategies that they start from
TOLERANCE = 1e-7  #: The largest gain that counts as 0, as a part of the range of payoffs
SOLVED, IMPOSSIBLE = 0, 2  #: Status numbers of SciPy


class GameClass(Enum):
    """The strongest kind of equilibrium that a game has."""

    DOMINANT = "dominant"
    PURE = "pure"
    MIXED = "mixed"
    UNKNOWN = "unknown"

    @property
    def procedure(self) -> str:
        """The decision procedure that fits, after Richards (2012), chapter 5."""
        return _PROCEDURES[self]


_PROCEDURES = {
    GameClass.DOMINANT: "evaluate each action by itself; no opponent model is needed",
    GameClass.PURE: "search against an opponent model; mixed strategies are not needed",
    GameClass.MIXED: "compute mixed strategies by linear programming or regret minimisation",
    GameClass.UNKNOWN: "use a method for mixed strategies, which is always correct",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PureEquilibrium:
    """A pure equilibrium of a game, or the reason why none is known."""

    exists: bool | None  #: Whether there is one; None if it is not known
    reason: str  #: The reason in words
    strategy: Strategy | None = None  #: One of them, where one was found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Taxonomy:
    """The class of a game, with reasons."""

    game_class: GameClass  #: The strongest kind of equilibrium, with the fitting `procedure`
    dominant: tuple[Dominant, ...]  #: The dominant strategy of each player
    pure: PureEquilibrium  #: A pure equilibrium, or the reason why none is known


def taxonomy(tree: GameTree, *, seed: int = 0, seconds: float = 10.0) -> Taxonomy:
    """The class of a game of any number of players.

    seconds: for each mixed-integer program; at most four may be needed.
    """
    dominant = _dominant(tree, seed, seconds)
    if all(own.behaviour is not None for own in dominant):
        pure = PureEquilibrium(
            exists=True,
            reason="every player has a dominant strategy",
            strategy=_profile(tree, dominant),
        )
        return Taxonomy(game_class=GameClass.DOMINANT, dominant=dominant, pure=pure)
    pure = pure_equilibrium(tree, seed=seed, seconds=seconds)
    return Taxonomy(game_class=_class(dominant, pure), dominant=dominant, pure=pure)


def _class(dominant: tuple[Dominant, ...], pure: PureEquilibrium) -> GameClass:
    """The strongest class, or unknown if a stronger one than was found may exist."""
    if pure.exists is False:
        return GameClass.MIXED
    none = any(own.kind is Dominance.NONE for own in dominant)
    return GameClass.PURE if pure.exists and none else GameClass.UNKNOWN


def _dominant(tree: GameTree, seed: int, seconds: float) -> tuple[Dominant, ...]:
    count = len(tree.players)
    if count == 1:
        best = treeplex(tree.infosets, 1).behaviour(best_response(tree, uniform(tree), 0).strategy)
        alone = "there is only one player"
        return (Dominant(kind=Dominance.WEAK, reason=alone, behaviour=best),)
    if count == 2:
        game = sequence_game(tree)
        return tuple(
            dominant_strategy(game, player, seed=seed, seconds=seconds) for player in (0, 1)
        )
    reason = f"dominance is only examined for two players, and the game has {count}"
    return (Dominant(kind=Dominance.UNKNOWN, reason=reason),) * count


def _profile(tree: GameTree, dominant: tuple[Dominant, ...]) -> Strategy:
    behaviours = [own.behaviour for own in dominant if own.behaviour is not None]
    return joined(action_starts(tree.infosets), behaviours)


def pure_equilibrium(tree: GameTree, *, seed: int = 0, seconds: float = 10.0) -> PureEquilibrium:
    """A pure equilibrium of a game of any number of players, or a proof of none.

    seconds: for each mixed-integer program.
    """
    kind = kind_of(tree)
    if kind.players == 1:
        best = best_response(tree, uniform(tree), 0).strategy
        return PureEquilibrium(exists=True, reason="there is only one player", strategy=best)
    if kind.perfect_information:
        induced = backward_induction(tree).strategy
        return PureEquilibrium(
            exists=True, reason="the game has perfect information", strategy=induced
        )
    if kind.is_two_player_constant_sum:
        return _by_guarantees(sequence_game(tree), seconds)
    return _general(tree, np.random.default_rng(seed))


def _general(tree: GameTree, rng: np.random.Generator) -> PureEquilibrium:
    """A pure equilibrium for any payoffs and any number of players."""
    found = _by_responses(tree, rng)
    if found is not None:
        reason = "iterated best responses converge"
        return PureEquilibrium(exists=True, reason=reason, strategy=found)
    count = len(tree.players)
    if count > 2:
        return PureEquilibrium(
            exists=None,
            reason="iterated best responses did not converge, and there is no other method for "
            f"{count} players",
        )
    try:
        return _by_normal_form(normal_form(tree))
    except LimitError as error:
        return PureEquilibrium(exists=None, reason=error.findings[0].message)


def _by_guarantees(game: SequenceGame, seconds: float) -> PureEquilibrium:
    """A pure equilibrium of a constant-sum game: pure plans that guarantee the value."""
    values = solve_linear(game).values
    plans = []
    for player, name in enumerate(game.tree.players):
        plan, proved = pure_guarantee(game, player, values[player], seconds)
        if plan is None:
            if proved:
                reason = f"no pure strategy of {name} guarantees the value of the game"
                return PureEquilibrium(exists=False, reason=reason)
            reason = f"the search for a pure strategy of {name} took longer than {seconds:g} s"
            return PureEquilibrium(exists=None, reason=reason)
        plans.append(plan)
    if value_of_plans(game, (plans[0], plans[1])).exploitability > _least(game.tree):
        return PureEquilibrium(
            exists=None, reason="rounding errors leave open whether a pure strategy is optimal"
        )
    behaviours = [_behaviour(side, plan) for side, plan in zip(game.treeplexes, plans, strict=True)]
    return PureEquilibrium(
        exists=True,
        reason="both players have pure strategies that guarantee the value of the game",
        strategy=joined(action_starts(game.tree.infosets), behaviours),
    )


def pure_guarantee(
    game: SequenceGame, player: int, value: float, seconds: float
) -> tuple[Plan | None, bool]:
    """A pure plan of a player that guarantees a value, and whether None is a proof of none."""
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
            LinearConstraint(program.responses, -np.inf, 0.0),
            LinearConstraint(program.flows, program.flow_totals, program.flow_totals),
        ],
        options={"time_limit": seconds},
    )
    if solution.x is None:
        return None, solution.status == IMPOSSIBLE
    return np.round(solution.x[: own.sequence_count]), False


def _by_responses(tree: GameTree, rng: np.random.Generator) -> Strategy | None:
    """A pure equilibrium, if iterated best responses lead to one."""
    least = _least(tree)
    for _ in range(STARTS):
        strategy = _random_pure(tree, rng)
        for _ in range(ROUNDS):
            for player in range(len(tree.players)):
                strategy = best_response(tree, strategy, player).strategy
            if strategy_value(tree, strategy).exploitability <= least:
                return strategy
    return None


def _by_normal_form(form: NormalForm) -> PureEquilibrium:
    """A pure equilibrium of any game of two players: a cell that nobody gains by leaving."""
    first, second = form.payoffs
    least = _least(form.game.tree)
    steady = (first >= first.max(axis=0) - least) & (second >= second.max(axis=1)[:, None] - least)
    cells = np.argwhere(steady)
    if not len(cells):
        return PureEquilibrium(exists=False, reason="no pair of pure strategies is an equilibrium")
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
    behaviour = side.behaviour_of(plan)
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
    """The largest gain that counts as 0."""
    payoffs = tree.payoffs
    return TOLERANCE * float(np.ptp(payoffs)) if payoffs.size else 0.0
