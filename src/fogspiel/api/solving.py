"""Solving a game: the choice between its tree and its states, targets, and limits in its unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from fogspiel.api.solution import DEFAULT_MAX_NODES, Solution
from fogspiel.api.tree import Tree
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.machine.analysis.features import explore
from fogspiel.solve.induction.simultaneous import INDUCTION_LP, solve_states
from fogspiel.solve.methods import AUTO, METHODS
from fogspiel.solve.methods import solve as solve_tree
from fogspiel.solve.result import Point, SolveLimits
from fogspiel.tree.state_graph import build_state_graph

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DEFAULT_TARGET = 1e-3
"""Exploitability in the unit of the index, else as a fraction of half the range of payoffs."""
DEFAULT_SECONDS = 60.0
UNSUITED = frozenset({"TRE005", "SOL002", "SOL003"})
"""Codes for hidden information, a sum that is not constant, or not two players: the tree may still
do."""

OnPoint = Callable[[Point], bool]
"""An observer of a solver, told the exploitability so far; True stops the solver."""
OnStage = Callable[[str], object]  #: Told what begins, such as "building the tree"


def _ignore(stage: str) -> None:
    """Tell nobody."""


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
    on_stage: OnStage = _ignore,
) -> Solution:
    """Solve a game; `Game.solve` says what the arguments mean.

    needs_tree: whether the solution must be one of the tree, as files are.
    """
    if method != AUTO:
        METHODS.find(method)
    if not needs_tree and method == INDUCTION_LP:
        return _solve_by_states(game, max_nodes, target, on_stage)
    if not needs_tree and method == AUTO and _has_open_states(game):
        try:
            return _solve_by_states(game, max_nodes, target, on_stage)
        except (PlayError, UsageError) as error:
            if not {finding.code for finding in error.findings} <= UNSUITED:
                raise
    on_stage("building the tree")
    began = perf_counter()
    tree = game.tree(max_nodes=max_nodes)
    build_seconds = perf_counter() - began
    if target is seconds is iterations is None:
        target = default_target(tree)
    if seconds is None and iterations is None:
        seconds = DEFAULT_SECONDS
    unit = game.payoff_unit
    limits = SolveLimits(
        iterations=iterations,
        seconds=seconds,
        target=None if target is None else target * unit.scale,
    )
    on_stage("solving")
    solved = solve_tree(
        tree.levels,
        method,
        limits=limits,
        seed=seed,
        on_point=None if on_point is None else _in_unit(on_point, unit.scale),
        machine=game.machine,
    )
    return Solution(game, solved, tree, target=target, build_seconds=build_seconds)


def default_target(tree: Tree) -> float:
    """The exploitability that is small enough by default: a thousandth of a win or a chip."""
    if tree.game.loaded.unit is not None:
        return DEFAULT_TARGET
    payoffs = tree.levels.payoffs
    half = float(payoffs.max() - payoffs.min()) / 2 if len(payoffs) else 0.0
    return DEFAULT_TARGET * (half or 1.0)


def _in_unit(on_point: OnPoint, scale: float) -> OnPoint:
    return lambda point: on_point(replace(point, exploitability=point.exploitability / scale))


def _has_open_states(game: Game) -> bool:
    """Whether two play at once, so that matrix games over the states may solve the game."""
    kind = explore(game.machine, hides=game.loaded.hides)
    return kind.players == 2 and kind.simultaneous


def _solve_by_states(
    game: Game, max_states: int, target: float | None, on_stage: OnStage
) -> Solution:
    """Solve a game state by state.

    Raises `PlayError` TRE005 if something is hidden, `UsageError` for another kind of game.
    """
    on_stage("finding the states")
    began = perf_counter()
    graph = build_state_graph(game.machine, title=game.name, max_states=max_states)
    build_seconds = perf_counter() - began
    on_stage("solving state by state")
    return Solution(game, solve_states(graph), graph, target=target, build_seconds=build_seconds)
