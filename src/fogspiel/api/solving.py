"""Solving a game: the choice between its tree and its states, targets, and limits in its unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from fogspiel.api.solution import DEFAULT_MAX_NODES, Point, Solution
from fogspiel.api.tree import Tree
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.limits import refuse_count
from fogspiel.machine.analysis.features import explore
from fogspiel.solve.induction.simultaneous import INDUCTION_LP, solve_states
from fogspiel.solve.methods import AUTO, METHODS, SolveMethod, chosen_method
from fogspiel.solve.methods import solve as solve_tree
from fogspiel.solve.result import SolveLimits, uniform
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.game_kind import kind_of
from fogspiel.tree.state_graph import build_state_graph

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DEFAULT_TARGET = 1e-3
FEW_NODES = 200  #: Nodes of a tree that is solved twice, first to load the kernels of a method
LOADING_SECONDS = 1.0
"""Exploitability in the unit of the index, else as a fraction of half the range of payoffs."""
DEFAULT_SECONDS = 60.0
UNSUITED = frozenset({"TRE005", "SOL002", "SOL003"})
"""Codes for hidden information, a sum that is not constant, or not two players: the tree may still
do."""

OnPoint = Callable[[Point], bool]
"""An observer of a solver, told the exploitability so far; True stops the solver."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of some work that begins, such as building the tree."""

    text: str
    steps: int | None = None  #: The number of its steps, where that is known
    iterates: bool = False  #: Whether a solver begins, of which points come
    target: float | None = None  #: The exploitability that it goes for, in the unit of the game
    seconds: float | None = None  #: The time that it has


OnStage = Callable[[Stage], object]  #: Told what begins


def ignore(stage: Stage) -> None:
    """Tell nobody."""


def solvers() -> Mapping[str, SolveMethod]:
    """The methods of `Game.solve` by name; `auto` chooses one of them.

    Returns: for each what it is, what it `finds`, its `source`, and whether it is `anytime`: it
    then goes on getting better until a limit, where others end by themselves.

    >>> fs.solvers()["lp"].finds
    'an equilibrium'
    >>> [name for name, method in fs.solvers().items() if method.anytime][:3]
    ['cfr', 'cfr+', 'lcfr']
    """
    return METHODS


def refuse_method(method: str) -> None:
    """Raise `UsageError` SOL030 for a method that is unknown."""
    if method != AUTO:
        METHODS.find(method)


def solve(
    game: Game,
    method: str = AUTO,
    *,
    target: float | None = None,
    seconds: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
    max_nodes: int = DEFAULT_MAX_NODES,
    needs_tree: bool = False,
    on_point: OnPoint | None = None,
    on_stage: OnStage = ignore,
) -> Solution:
    """Solve a game; `Game.solve` says what the arguments mean.

    needs_tree: whether the solution must be one of the tree, as files are.
    on_stage: told what begins.
    """
    refuse_method(method)
    refuse_count("max_nodes", max_nodes)
    refuse_count("seed", seed, 0)
    limits = None
    if any(limit is not None for limit in (target, seconds, iterations)):
        limits = SolveLimits(iterations=iterations, seconds=seconds, target=target)
    if not needs_tree and method == INDUCTION_LP:
        return solve_by_states(game, max_nodes, target, on_stage)
    if not needs_tree and method == AUTO:
        solution = solved_if_open(game, max_nodes, target, on_stage)
        if solution is not None:
            return solution
    on_stage(Stage("building the tree"))
    began = perf_counter()
    tree = game.tree(max_nodes=max_nodes)
    build_seconds = perf_counter() - began
    limits = limits or SolveLimits(target=default_target(tree))
    if limits.seconds is None and limits.iterations is None:
        limits = replace(limits, seconds=DEFAULT_SECONDS)
    on_stage(Stage("loading the kernels"))
    load_kernels(tree, method)
    on_stage(Stage("solving", iterates=True, target=limits.target, seconds=limits.seconds))
    scale = game.payoff_unit.scale
    solved = solve_tree(
        tree.levels,
        method,
        limits=replace(limits, target=None if limits.target is None else limits.target * scale),
        seed=seed,
        on_point=None if on_point is None else _in_unit(on_point, scale),
        machine=game.machine,
    )
    return Solution(game, solved, tree, target=limits.target, build_seconds=build_seconds)


def load_kernels(tree: Tree, method: str) -> None:
    """Load the kernels of a method, so that the time to build them is none of the time to solve.

    A method that goes on until a limit makes one iteration. Others solve the game if it is small;
    in a large one, loading is little of the whole, and the kernels of the evaluation are enough.
    """
    levels = tree.levels
    kind = kind_of(levels)
    chosen = chosen_method(kind) if method == AUTO else METHODS.find(method)
    if chosen.name in _LOADED or chosen.misfit(kind) is not None:
        return
    if chosen.anytime or len(tree) <= FEW_NODES:
        limits = SolveLimits(iterations=1, seconds=LOADING_SECONDS)
        with suppress(UsageError):  # it will be raised again
            solve_tree(levels, chosen.name, limits=limits, machine=tree.game.machine)
    else:
        strategy_value(levels, uniform(levels))
    _LOADED.add(chosen.name)


_LOADED = set[str]()  #: Methods whose kernels this process has loaded


def default_target(tree: Tree) -> float:
    """The exploitability that is small enough by default: a thousandth of a win or a chip."""
    if tree.game.loaded.unit is not None:
        return DEFAULT_TARGET
    payoffs = tree.levels.payoffs
    half = float(payoffs.max() - payoffs.min()) / 2 if len(payoffs) else 0.0
    return DEFAULT_TARGET * (half or 1.0)


def _in_unit(on_point: OnPoint, scale: float) -> OnPoint:
    return lambda point: on_point(replace(point, exploitability=point.exploitability / scale))


def solved_if_open(
    game: Game, max_states: int, target: float | None = None, on_stage: OnStage = ignore
) -> Solution | None:
    """Solve a game with simultaneous moves and no hidden information by its states.

    Returns: None for all other games, which need their tree.
    """
    kind = explore(game.machine, hides=game.loaded.hides)
    if kind.players != 2 or not kind.simultaneous:
        return None
    try:
        return solve_by_states(game, max_states, target, on_stage)
    except (PlayError, UsageError) as error:
        if {finding.code for finding in error.findings} <= UNSUITED:
            return None
        raise


def solve_by_states(
    game: Game, max_states: int, target: float | None = None, on_stage: OnStage = ignore
) -> Solution:
    """Solve a game state by state.

    Raises `PlayError` TRE005 if something is hidden, `UsageError` for another kind of game.
    """
    on_stage(Stage("finding the states"))
    began = perf_counter()
    graph = build_state_graph(game.machine, title=game.name, max_states=max_states)
    build_seconds = perf_counter() - began
    on_stage(Stage("solving state by state"))
    return Solution(game, solve_states(graph), graph, target=target, build_seconds=build_seconds)
