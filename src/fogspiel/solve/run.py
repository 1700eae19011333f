"""How each method of `methods` is run: from one request to the solver that answers it.

Solvers are imported when they are asked for: some bring libraries that take a while to load.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.machine.protocol import Machine
from fogspiel.solve.game_kind import kind_of
from fogspiel.solve.progress import SolveLimits
from fogspiel.solve.result import OnPoint, SolveResult, uniform
from fogspiel.tree.game_tree import GameTree

if TYPE_CHECKING:
    from fogspiel.solve.lp.exact import ExactSolution

PURE_SECONDS = 30.0
"""For a search without a limit of its own."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MethodAnswer:
    """What a method found."""

    result: SolveResult
    exact: ExactSolution | None = None
    """The same in fractions, from methods that compute in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveRequest:
    """What is to be solved, and how far."""

    tree: GameTree
    limits: SolveLimits
    seed: int = 0
    on_point: OnPoint | None = None
    machine: Machine | None = None
    """That the tree was built from; some methods look at its states too."""


def run_regrets(request: SolveRequest, variant: str) -> MethodAnswer:
    """Counterfactual regrets on the sequence form."""
    from fogspiel.solve.regret.cfr import VARIANTS, minimise_regrets

    result = minimise_regrets(
        request.tree, VARIANTS[variant], limits=request.limits, on_point=request.on_point
    )
    return MethodAnswer(result=result)


def run_plain_regrets(request: SolveRequest) -> MethodAnswer:
    """On the sequence form where there is one, over the tree otherwise."""
    if kind_of(request.tree).is_two_player_constant_sum:
        return run_regrets(request, "cfr")
    from fogspiel.solve.regret.cfr_tree import cfr_on_tree

    return MethodAnswer(
        result=cfr_on_tree(request.tree, limits=request.limits, on_point=request.on_point)
    )


def run_sampled(request: SolveRequest, scheme: str) -> MethodAnswer:
    """Regrets along sampled walks."""
    from fogspiel.solve.regret.mccfr import Scheme, sample_regrets

    result = sample_regrets(
        request.tree,
        Scheme[scheme.upper()],
        seed=request.seed,
        limits=request.limits,
        on_point=request.on_point,
    )
    return MethodAnswer(result=result)


def run_double_oracle(request: SolveRequest) -> MethodAnswer:
    """A growing part of the game. It ends by itself; limits may end it sooner."""
    from fogspiel.solve.oracle.double_oracle import double_oracle

    return MethodAnswer(
        result=double_oracle(request.tree, limits=request.limits, on_point=request.on_point)
    )


def run_lp(request: SolveRequest) -> MethodAnswer:
    """One linear program."""
    from fogspiel.solve.lp.linear import solve_linear

    return MethodAnswer(result=solve_linear(request.tree, seconds=request.limits.seconds))


def run_lp_exact(request: SolveRequest) -> MethodAnswer:
    """One linear program, and the same in fractions."""
    from fogspiel.solve.lp.exact import solve_exactly

    exact = solve_exactly(request.tree)
    return MethodAnswer(result=exact.result, exact=exact)


def run_normal_form(request: SolveRequest) -> MethodAnswer:
    """The matrix of all pure strategies."""
    from fogspiel.solve.lp.normal_form import solve_normal_form

    return MethodAnswer(result=solve_normal_form(request.tree))


def run_induction(request: SolveRequest) -> MethodAnswer:
    """From the ends to the start."""
    from fogspiel.solve.induction.backward import backward_induction

    return MethodAnswer(result=backward_induction(request.tree))


def run_induction_over_states(request: SolveRequest) -> MethodAnswer:
    """From the last states to the first, a matrix game at each."""
    from fogspiel.solve.induction.simultaneous import solve_states
    from fogspiel.tree.state_graph import joint_graph

    if request.machine is None:
        raise ValueError("induction over states needs the machine of the game")
    graph = joint_graph(request.machine, title=request.tree.title)
    return MethodAnswer(result=solve_states(graph).on_tree(request.tree))


def run_alpha_beta(request: SolveRequest) -> MethodAnswer:
    """Induction that skips what cannot matter."""
    from fogspiel.solve.induction.backward import alpha_beta

    return MethodAnswer(result=alpha_beta(request.tree).result)


def run_response(request: SolveRequest) -> MethodAnswer:
    """What one player alone does best."""
    from fogspiel.solve.strategy_value import best_response, worth

    began = perf_counter()
    best = best_response(request.tree, uniform(request.tree), 0)
    found = worth(request.tree, best.strategy)
    return MethodAnswer(
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


def run_pure(request: SolveRequest) -> MethodAnswer:
    """A pure equilibrium. Raises SOL032: `UsageError` if there is none, else `LimitError`."""
    from fogspiel.solve.strategy_value import worth
    from fogspiel.solve.taxonomy.pure_equilibrium import pure_equilibrium

    began = perf_counter()
    seconds = request.limits.seconds or PURE_SECONDS
    found = pure_equilibrium(request.tree, seed=request.seed, seconds=seconds)
    if found.strategy is None:
        error = UsageError if found.exists is False else LimitError
        raise error.of(
            "SOL032",
            f"no pure equilibrium was found: {found.reason}",
            fix="use a method that mixes, or auto",
        )
    worths = worth(request.tree, found.strategy)
    return MethodAnswer(
        result=SolveResult(
            strategy=found.strategy,
            values=worths.values,
            exploitability=worths.exploitability,
            method="pure",
            parameters={},
            iterations=1,
            seconds=perf_counter() - began,
        )
    )
