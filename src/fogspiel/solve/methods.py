"""All ways to solve a game, by name: what each is, what it fits, and which to take.

`auto` looks at the kind of the game: what can be solved outright by induction or one best response
is; games of two players with a constant sum go to a linear program while that is small, and to
discounted regrets beyond; everything else goes to plain regrets, which promise no equilibrium.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from fogspiel.core.findings import Finding, UsageError
from fogspiel.solve.anytime import Limits
from fogspiel.solve.kinds import Kind, kind_of
from fogspiel.solve.results import OnPoint, SolveResult, uniform
from fogspiel.tree.levels import LevelTree

if TYPE_CHECKING:
    from fogspiel.solve.linear_exact import ExactSolution

AUTO = "auto"
LINEAR_UP_TO = 4_000
"""Sequences of both players up to which a linear program takes about a second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """What a method found."""

    result: SolveResult
    exact: ExactSolution | None = None
    """The same in fractions, from methods that compute in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be solved, and how far."""

    tree: LevelTree
    limits: Limits
    seed: int = 0
    on_point: OnPoint | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way to solve games."""

    name: str
    what: str
    finds: str
    """What its answer is, where it fits."""
    anytime: bool
    """Whether it goes on getting better until a limit; others end by themselves."""
    misfit: Callable[[Kind], str | None]
    """Why it does not fit a kind of game; None if it does."""
    run: Callable[[Request], Answer]


def solve(
    tree: LevelTree,
    method: str = AUTO,
    *,
    limits: Limits,
    seed: int = 0,
    on_point: OnPoint | None = None,
) -> Answer:
    """Solve a game by the method of a name.

    Raises `UsageError` SOL030 for an unknown name, SOL031 for a method that does not fit the game.
    """
    kind = kind_of(tree)
    chosen = chosen_method(kind) if method == AUTO else named(method)
    reason = chosen.misfit(kind)
    if reason is not None:
        raise UsageError(_misfit(chosen, reason, kind))
    answer = chosen.run(Request(tree=tree, limits=limits, seed=seed, on_point=on_point))
    return replace(answer, result=replace(answer.result, method=chosen.name))


def named(method: str) -> Method:
    """The method of a name. Raises `UsageError` SOL030."""
    if method not in METHODS:
        raise UsageError(
            Finding(
                code="SOL030",
                message=f"there is no method {method!r}",
                fix=f"use one of {', '.join([AUTO, *METHODS])}",
            )
        )
    return METHODS[method]


def chosen_method(kind: Kind) -> Method:
    """What `auto` takes."""
    return METHODS[_choice(kind)]


def why_chosen(kind: Kind) -> str:
    """The reason for what `auto` takes, for people."""
    return _REASONS[_choice(kind)]


def fitting(kind: Kind) -> list[Method]:
    """All methods that fit a kind of game."""
    return [method for method in METHODS.values() if method.misfit(kind) is None]


def _choice(kind: Kind) -> str:
    if kind.players == 1:
        return "response"
    if kind.perfect_information:
        return "induction"
    if kind.is_two_player_constant_sum:
        return "lp" if sum(kind.sequences) <= LINEAR_UP_TO else "dcfr"
    return "cfr"


_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "response": "one player decides alone, so a best response to chance is all there is",
        "induction": "nothing is hidden, so every position can be solved from its successors",
        "lp": "two players, constant sum and few sequences: one linear program is exact and quick",
        "dcfr": "two players and constant sum, too large for a quick linear program: regrets come "
        "close to an equilibrium, and exploitability says how close",
        "cfr": "the sum is not constant or more than two play: no method here promises an "
        "equilibrium; regrets approach a coarse correlated one, and exploitability tells the rest",
    }
)


def _any(kind: Kind) -> str | None:
    return None


def _two_players_constant_sum(kind: Kind) -> str | None:
    if kind.players != 2:
        return f"it is for two players, and {kind.players} play"
    return None if kind.constant is not None else "the sum of payoffs is not constant"


def _perfect_information(kind: Kind) -> str | None:
    return None if kind.perfect_information else "some player does not always know where it is"


def _perfect_two_players(kind: Kind) -> str | None:
    return _perfect_information(kind) or _two_players_constant_sum(kind)


def _alone(kind: Kind) -> str | None:
    return None if kind.players == 1 else f"it is for one player, and {kind.players} play"


def _regrets(request: Request, variant: str) -> Answer:
    from fogspiel.solve.cfr import VARIANTS, minimise_regrets

    result = minimise_regrets(
        request.tree, VARIANTS[variant], limits=request.limits, on_point=request.on_point
    )
    return Answer(result=result)


def _lp(request: Request) -> Answer:
    from fogspiel.solve.linear import solve_linear

    return Answer(result=solve_linear(request.tree, seconds=request.limits.seconds))


def _lp_exact(request: Request) -> Answer:
    from fogspiel.solve.linear_exact import solve_exactly

    exact = solve_exactly(request.tree)
    return Answer(result=exact.result, exact=exact)


def _normal_form(request: Request) -> Answer:
    from fogspiel.solve.normal_form import solve_normal_form

    return Answer(result=solve_normal_form(request.tree))


def _induction(request: Request) -> Answer:
    from fogspiel.solve.induction import backward_induction

    return Answer(result=backward_induction(request.tree))


def _alpha_beta(request: Request) -> Answer:
    from fogspiel.solve.induction import alpha_beta

    return Answer(result=alpha_beta(request.tree).result)


def _response(request: Request) -> Answer:
    from fogspiel.solve.response import best_response, worth

    began = perf_counter()
    best = best_response(request.tree, uniform(request.tree), 0)
    found = worth(request.tree, best.strategy)
    return Answer(
        result=SolveResult(
            strategy=best.strategy,
            values=found.values,
            exploitability=found.exploitability,
            method="response",
            parameters={},
            iterations=1,
            seconds=perf_counter() - began,
        )
    )


def _cfr_method(name: str, what: str) -> Method:
    return Method(
        name=name,
        what=what,
        finds="comes ever closer to an equilibrium",
        anytime=True,
        misfit=_two_players_constant_sum,
        run=lambda request: _regrets(request, name),
    )


def _exact_method(
    name: str,
    what: str,
    run: Callable[[Request], Answer],
    misfit: Callable[[Kind], str | None] = _two_players_constant_sum,
    finds: str = "an equilibrium",
) -> Method:
    return Method(name=name, what=what, finds=finds, anytime=False, misfit=misfit, run=run)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            _cfr_method("cfr", "counterfactual regret minimisation, as published in 2007"),
            _cfr_method("cfr+", "regrets never below 0, later iterations count more"),
            _cfr_method("lcfr", "linear CFR: iteration t counts t times"),
            _cfr_method("dcfr", "discounted CFR: early regrets fade"),
            _cfr_method("pcfr+", "predictive CFR+: plays as if the last regrets came again"),
            _exact_method("lp", "one sparse linear program over sequences", _lp),
            _exact_method("lp-exact", "the same in fractions, for small games", _lp_exact),
            _exact_method("normal-form", "a matrix of all pure strategies", _normal_form),
            _exact_method(
                "induction",
                "backward induction from the ends",
                _induction,
                _perfect_information,
                "an equilibrium in every position, for any number of players",
            ),
            _exact_method(
                "alpha-beta",
                "induction that skips what cannot matter",
                _alpha_beta,
                _perfect_two_players,
                "the value, and play that is sure of it",
            ),
            _exact_method(
                "response", "best response to chance alone", _response, _alone, "the best play"
            ),
        )
    }
)


def _misfit(method: Method, reason: str, kind: Kind) -> Finding:
    others = ", ".join(other.name for other in fitting(kind))
    return Finding(
        code="SOL031",
        message=f"{method.name} does not fit this game: {reason}",
        fix=f"use {others}, or auto" if others else "there is no method for it yet",
    )
