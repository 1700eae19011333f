"""All solvers by name, the games that each fits, and the choice that `auto` makes.

`auto` decides by the class of the game: games that one best response or backward induction solves
are solved so; games of two players with a constant sum go to a linear program while it is small,
and to predictive regrets beyond; all others go to plain regrets, which promise no equilibrium.

A new solver is a function that returns a `Solution`, and one entry in `METHODS`. A new variant of
CFR is one entry in `regret/cfr.VARIANTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from types import MappingProxyType

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.registry import Entry, Registry
from fogspiel.machine.analysis.features import GameKind
from fogspiel.machine.protocol import Machine
from fogspiel.solve.induction.backward import alpha_beta, backward_induction
from fogspiel.solve.induction.simultaneous import INDUCTION_LP, on_tree, solve_states
from fogspiel.solve.regret.cfr import CFR, VARIANTS, Variant, cfr_on_tree, minimise_regrets
from fogspiel.solve.regret.mccfr import Scheme, sample_regrets
from fogspiel.solve.result import OnPoint, Solution, SolveLimits, uniform
from fogspiel.solve.strategy_value import best_response, strategy_value
from fogspiel.tree.game_kind import kind_of
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.state_graph import build_state_graph

AUTO = "auto"
LINEAR_UP_TO = 20_000
"""Sequences of both players up to which a linear program takes about a second."""
PURE_SECONDS = 30.0  #: Time for the search for a pure equilibrium without a limit of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveRequest:
    """A game to solve, and how far."""

    tree: GameTree
    limits: SolveLimits
    seed: int = 0
    on_point: OnPoint | None = None
    machine: Machine | None = None
    """The machine that the tree was built from; some methods need its states."""


Misfit = Callable[[GameKind], str | None]
"""The reason why a method does not fit a class of games; None if it does."""
Run = Callable[[SolveRequest], Solution]


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveMethod(Entry):
    """A way to solve games."""

    finds: str  #: What its solution is, where it fits
    anytime: bool = False  #: Whether it goes on improving until a limit; others end by themselves
    misfit: Misfit
    run: Run


def solve(
    tree: GameTree,
    method: str = AUTO,
    *,
    limits: SolveLimits,
    seed: int = 0,
    on_point: OnPoint | None = None,
    machine: Machine | None = None,
) -> Solution:
    """Solve a game by the method of a name.

    machine: that the tree was built from; `induction-lp` needs it.

    Raises `UsageError` SOL030 for an unknown name, SOL031 for a method that does not fit the game.
    """
    kind = kind_of(tree)
    chosen = chosen_method(kind) if method == AUTO else METHODS.find(method)
    reason = chosen.misfit(kind)
    if reason is not None:
        others = ", ".join(other.name for other in fitting(kind))
        raise UsageError.of(
            "SOL031",
            f"the method {chosen.name} does not apply to this game: {reason}",
            f"use {others}, or auto" if others else "there is no method for it yet",
        )
    return chosen.run(
        SolveRequest(tree=tree, limits=limits, seed=seed, on_point=on_point, machine=machine)
    )


def chosen_method(kind: GameKind) -> SolveMethod:
    """The method that `auto` takes."""
    return METHODS[_choice(kind)]


def why_chosen(kind: GameKind) -> str:
    """The reason for the method that `auto` takes."""
    return _REASONS[_choice(kind)]


def fitting(kind: GameKind) -> list[SolveMethod]:
    """All methods that fit a class of games."""
    return [method for method in METHODS.values() if method.misfit(kind) is None]


def _choice(kind: GameKind) -> str:
    if kind.players == 1:
        return "response"
    if kind.perfect_information:
        return "induction"
    if kind.is_two_player_constant_sum:
        return "lp" if sum(kind.sequences) <= LINEAR_UP_TO else "sapcfr+"
    return "cfr"


_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "response": "there is only one player, so a best response to chance is optimal",
        "induction": "the game has perfect information, so backward induction is exact",
        "lp": "the game has two players, a constant sum and few sequences, so one linear program "
        "is exact and fast",
        "sapcfr+": "the game has two players and a constant sum, but too many sequences for a fast "
        "linear program; CFR approaches an equilibrium, and its exploitability says how closely",
        "cfr": "the game is not constant-sum or has more than two players, and no method "
        "guarantees an equilibrium; CFR approaches a coarse correlated equilibrium, and the "
        "exploitability of its strategy is reported",
    }
)


def _any(kind: GameKind) -> str | None:
    return None


def _two_players_constant_sum(kind: GameKind) -> str | None:
    if kind.players != 2:
        return f"it is for two players, and the game has {kind.players}"
    return None if kind.constant is not None else "it is for constant-sum games"


def _perfect_information(kind: GameKind) -> str | None:
    return None if kind.perfect_information else "it is for games with perfect information"


def _perfect_two_players(kind: GameKind) -> str | None:
    return _perfect_information(kind) or _two_players_constant_sum(kind)


def _alone(kind: GameKind) -> str | None:
    return None if kind.players == 1 else f"it is for one player, and the game has {kind.players}"


def _variant(variant: Variant) -> SolveMethod:
    """A variant of CFR; plain CFR also takes games without sequence form, on the tree."""
    is_plain = variant is CFR

    def run(request: SolveRequest) -> Solution:
        limits, on_point = request.limits, request.on_point
        if is_plain and not kind_of(request.tree).is_two_player_constant_sum:
            return cfr_on_tree(request.tree, limits=limits, on_point=on_point)
        return minimise_regrets(request.tree, variant, limits=limits, on_point=on_point)

    finds = "an approximate equilibrium, which improves with the iterations"
    if is_plain:
        finds += "; without two players and a constant sum, a coarse correlated one"
    return SolveMethod(
        name=variant.name,
        what=variant.what,
        source=variant.source,
        finds=finds,
        anytime=True,
        misfit=_any if is_plain else _two_players_constant_sum,
        run=run,
    )


def _sampling(scheme: Scheme, what: str) -> SolveMethod:
    def run(request: SolveRequest) -> Solution:
        return sample_regrets(
            request.tree,
            scheme,
            seed=request.seed,
            limits=request.limits,
            on_point=request.on_point,
        )

    return SolveMethod(
        name=f"mccfr-{scheme}",
        what=what,
        source="Lanctot, Waugh, Zinkevich and Bowling (2009)",
        finds="an approximate equilibrium, which improves on average; iterations are fast even in "
        "large trees",
        anytime=True,
        misfit=_any,
        run=run,
    )


# Solvers that need SciPy are imported when they run.


def _lp(request: SolveRequest) -> Solution:
    from fogspiel.solve.lp.linear import solve_linear

    return solve_linear(request.tree, seconds=request.limits.seconds)


def _lp_exact(request: SolveRequest) -> Solution:
    from fogspiel.solve.lp.exact import solve_exactly

    return solve_exactly(request.tree)


def _normal_form(request: SolveRequest) -> Solution:
    from fogspiel.solve.lp.linear import solve_normal_form

    return solve_normal_form(request.tree)


def _double_oracle(request: SolveRequest) -> Solution:
    from fogspiel.solve.lp.double_oracle import double_oracle

    return double_oracle(request.tree, limits=request.limits, on_point=request.on_point)


def _induction_over_states(request: SolveRequest) -> Solution:
    if request.machine is None:
        raise ValueError("induction over states needs the machine of the game")
    graph = build_state_graph(request.machine, title=request.tree.title)
    return on_tree(graph, solve_states(graph), request.tree)


def _response(request: SolveRequest) -> Solution:
    began = perf_counter()
    best = best_response(request.tree, uniform(request.tree), 0).strategy
    found = strategy_value(request.tree, best)
    return Solution.of(best, found, "response", seconds=perf_counter() - began)


def _pure(request: SolveRequest) -> Solution:
    """Raise SOL032 where no pure equilibrium is found: `UsageError` if none exists."""
    from fogspiel.solve.taxonomy.classify import pure_equilibrium

    began = perf_counter()
    seconds = request.limits.seconds or PURE_SECONDS
    found = pure_equilibrium(request.tree, seed=request.seed, seconds=seconds)
    if found.strategy is None:
        error = UsageError if found.exists is False else LimitError
        raise error.of(
            "SOL032",
            f"no pure equilibrium was found: {found.reason}",
            "use a method that finds mixed strategies, or auto",
        )
    value = strategy_value(request.tree, found.strategy)
    return Solution.of(found.strategy, value, "pure", seconds=perf_counter() - began)


METHODS = Registry(
    "method",
    "SOL030",
    (
        *map(_variant, VARIANTS.values()),
        _sampling(Scheme.EXTERNAL, "Monte Carlo CFR that samples chance and the opponents"),
        _sampling(Scheme.OUTCOME, "Monte Carlo CFR that samples single histories"),
        SolveMethod(
            name="lp",
            what="linear program over the sequence form",
            finds="an equilibrium",
            misfit=_two_players_constant_sum,
            run=_lp,
        ),
        SolveMethod(
            name="lp-exact",
            what="linear program over the sequence form in exact fractions",
            finds="an equilibrium",
            misfit=_two_players_constant_sum,
            run=_lp_exact,
        ),
        SolveMethod(
            name="normal-form",
            what="linear program over the matrix of all pure strategies",
            finds="an equilibrium",
            misfit=_two_players_constant_sum,
            run=_normal_form,
        ),
        SolveMethod(
            name="double-oracle",
            what="linear programs on a growing subset of the strategies",
            finds="an equilibrium, or bounds of the value if it is stopped earlier",
            anytime=True,
            misfit=_two_players_constant_sum,
            run=_double_oracle,
        ),
        SolveMethod(
            name="induction",
            what="backward induction from the terminal states",
            finds="a subgame-perfect equilibrium, for any number of players",
            misfit=_perfect_information,
            run=lambda request: backward_induction(request.tree),
        ),
        SolveMethod(
            name=INDUCTION_LP,
            what="backward induction with a matrix game in each state",
            finds="an equilibrium in every state, for games with simultaneous moves but without "
            "hidden information",
            misfit=_two_players_constant_sum,
            run=_induction_over_states,
        ),
        SolveMethod(
            name="alpha-beta",
            what="minimax search with alpha-beta pruning",
            finds="the value, and strategies that guarantee it",
            misfit=_perfect_two_players,
            run=lambda request: alpha_beta(request.tree),
        ),
        SolveMethod(
            name="pure",
            what="search for an equilibrium in pure strategies",
            finds="a pure equilibrium, if there is one",
            misfit=_any,
            run=_pure,
        ),
        SolveMethod(
            name="response",
            what="best response to chance, for games with one player",
            finds="an optimal strategy",
            misfit=_alone,
            run=_response,
        ),
    ),
    also=[AUTO],
)
