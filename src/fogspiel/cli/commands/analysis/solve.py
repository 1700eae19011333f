"""`fogspiel solve`: an equilibrium of a game, its value and its exploitability."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fogspiel.cli.commands.analysis.solution import (
    SolvedGame,
    print_solution,
    solution_document,
    write_strategy_file,
)
from fogspiel.cli.options import FiniteRange, GameChoice, game_options
from fogspiel.cli.output import busy, json_option, print_json, print_table
from fogspiel.cli.progress import ConvergenceBar
from fogspiel.core.findings import PlayError, UsageError

if TYPE_CHECKING:
    from fogspiel.games.load import LoadedGame
    from fogspiel.solve.result import Solution
    from fogspiel.tree.game_tree import GameTree
    from fogspiel.tree.state_graph import StateGraph

DEFAULT_TARGET = 1e-3
"""Exploitability in the unit of the index, else as a fraction of half the range of payoffs."""
DEFAULT_SECONDS = 60.0
DEFAULT_MAX_NODES = 20_000_000
UNSUITED = frozenset({"TRE005", "SOL002", "SOL003"})
"""Codes for hidden information, a sum that is not constant, or not two players: the tree may still
do."""


@click.command()
@click.argument("game", required=False)
@click.option("--method", default="auto", show_default=True, help="`--methods` lists them.")
@click.option("--methods", "listing", is_flag=True, help="List the methods, and leave.")
@click.option(
    "--target",
    type=FiniteRange(min=0.0),
    help="Stop at this exploitability, in the unit of the game.  [default: 0.001; 0.05 goals]",
)
@click.option("--seconds", type=FiniteRange(min=0.001), help="Time to solve.  [default: 60]")
@click.option("--iterations", type=click.IntRange(min=1), help="Stop after so many.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--max-nodes", type=click.IntRange(min=1), default=DEFAULT_MAX_NODES, show_default=True
)
@click.option("--rows", type=click.IntRange(min=0), default=12, show_default=True, help="A role.")
@click.option("--save", type=click.Path(dir_okay=False), help="Write the strategy: FILE.json[.gz].")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw convergence: FILE.png or .svg.")
@click.option(
    "--evaluate", type=click.Path(dir_okay=False), help="Do not solve: measure a saved strategy."
)
@game_options
@json_option
def solve(
    game: GameChoice | None,
    *,
    method: str,
    listing: bool,
    target: float | None,
    seconds: float | None,
    iterations: int | None,
    seed: int,
    max_nodes: int,
    rows: int,
    save: str | None,
    plot: str | None,
    evaluate: str | None,
    as_json: bool,
) -> int:
    """Solve GAME: find strategies that nobody gains by leaving, and what they are worth.

    Exploitability is what a player could gain alone, the mean over players; 0 in an equilibrium.
    Exit code 1 if it stays above the target.
    """
    from fogspiel.solve.induction.simultaneous import INDUCTION_LP
    from fogspiel.solve.methods import AUTO, METHODS

    if listing:
        _print_methods(as_json=as_json)
        return 0
    if game is None:
        raise click.UsageError("name a GAME, or give --methods")
    if method != AUTO:
        METHODS.find(method)
    _refuse_files(save, plot)
    loaded = game.load().loaded
    found: SolvedGame[GameTree] | SolvedGame[StateGraph] | None = None
    files = [name for name in (save, plot) if name is not None]
    if evaluate is None and not files and method in (AUTO, INDUCTION_LP):
        # Both need no tree, which may be much larger than the states.
        by_states = solved_by_states if method == INDUCTION_LP else solved_if_open
        found = by_states(loaded, max_nodes, target)
    if found is None:
        began = time.perf_counter()
        tree = build_tree(loaded, max_nodes)
        build_seconds = time.perf_counter() - began
        if evaluate is not None:
            solution, target = evaluated(loaded, tree, Path(evaluate)), None
        else:
            if target is seconds is iterations is None:
                target = default_target(loaded, tree)
            solution = run(loaded, tree, method, target, seconds, iterations, seed)
        found = SolvedGame(
            game=loaded, form=tree, solution=solution, target=target, build_seconds=build_seconds
        )
        _write(found, save, plot)
    document = solution_document(found, files, seed)
    if as_json:
        print_json(document)
    else:
        print_solution(found, document, rows)
    return int(not found.reached)


def _print_methods(*, as_json: bool) -> None:
    """List all methods, with what each is and finds."""
    from fogspiel.solve.methods import AUTO, METHODS

    if as_json:
        keys = ("name", "what", "finds", "anytime")
        print_json(
            {"methods": [{key: getattr(own, key) for key in keys} for own in METHODS.values()]}
        )
        return
    rows = [[AUTO, "picks one by the kind and size of the game", ""]]
    rows += [[own.name, own.what, own.finds] for own in METHODS.values()]
    print_table("Methods", ("name", "what it is", "what it finds"), rows)


def _refuse_files(save: str | None, plot: str | None) -> None:
    """Raise an error for files that could not be written, before minutes are spent on them."""
    if plot is not None:
        from fogspiel.lab.framework.presentation import refuse_plot

        refuse_plot(Path(plot))
    for name in (save, plot):
        if name is not None and not Path(name).absolute().parent.is_dir():
            raise click.UsageError(f"there is no folder {Path(name).parent}")


def solved_by_states(
    game: LoadedGame, max_states: int, target: float | None
) -> SolvedGame[StateGraph]:
    """Solve a game state by state.

    Raises `PlayError` TRE005 if something is hidden, `UsageError` for another kind of game.
    """
    from fogspiel.solve.induction.simultaneous import solve_states
    from fogspiel.tree.state_graph import build_state_graph

    began = time.perf_counter()
    with busy("finding the states …"):
        graph = build_state_graph(game.machine, title=game.name, max_states=max_states)
    build_seconds = time.perf_counter() - began
    with busy("solving state by state …"):
        solution = solve_states(graph)
    return SolvedGame(
        game=game, form=graph, solution=solution, target=target, build_seconds=build_seconds
    )


def solved_if_open(
    game: LoadedGame, max_states: int, target: float | None
) -> SolvedGame[StateGraph] | None:
    """Solve a game with simultaneous moves and no hidden information so; None for all others."""
    from fogspiel.machine.analysis.features import explore

    kind = explore(game.machine, hides=game.hides)
    if kind.players != 2 or not kind.simultaneous:
        return None
    try:
        return solved_by_states(game, max_states, target)
    except (PlayError, UsageError) as error:
        if {finding.code for finding in error.findings} <= UNSUITED:
            return None
        raise


def build_tree(game: LoadedGame, max_nodes: int) -> GameTree:
    """The tree of a game, with a sign of life on a terminal."""
    from fogspiel.tree.build.build import build

    with busy("building the tree …"):
        return build(game.machine, title=game.name, max_nodes=max_nodes)


def run(
    game: LoadedGame,
    tree: GameTree,
    method: str,
    target: float | None,
    seconds: float | None,
    iterations: int | None,
    seed: int,
) -> Solution:
    """Solve a tree; the target is in the unit of the game."""
    from fogspiel.solve.methods import solve as solve_by
    from fogspiel.solve.result import SolveLimits

    scale = game.tree_unit.scale
    if seconds is None and iterations is None:
        seconds = DEFAULT_SECONDS
    limits = SolveLimits(
        iterations=iterations, seconds=seconds, target=None if target is None else target * scale
    )
    with ConvergenceBar(target=target, seconds=seconds, gain_scale=scale) as bar:
        return solve_by(
            tree, method, limits=limits, seed=seed, on_point=bar.show, machine=game.machine
        )


def evaluated(game: LoadedGame, tree: GameTree, path: Path) -> Solution:
    """A saved strategy, evaluated anew on the tree."""
    from fogspiel.solve.files.strategy_file import read_strategy, rules_digest
    from fogspiel.solve.files.strategy_table import strategy_on
    from fogspiel.solve.result import Solution
    from fogspiel.solve.strategy_value import strategy_value

    began = time.perf_counter()
    book = read_strategy(path, rules_digest=rules_digest(game.sources))
    strategy = strategy_on(tree, book)
    return Solution.of(
        strategy,
        strategy_value(tree, strategy),
        book.origin.method,
        parameters=book.origin.parameters,
        iterations=book.origin.iterations,
        seconds=time.perf_counter() - began,
    )


def default_target(game: LoadedGame, tree: GameTree) -> float:
    """The exploitability that is small enough by default: a thousandth of a win or a chip."""
    if game.unit is not None:
        return DEFAULT_TARGET
    payoffs = tree.payoffs
    half = float(payoffs.max() - payoffs.min()) / 2 if len(payoffs) else 0.0
    return DEFAULT_TARGET * (half or 1.0)


def _write(found: SolvedGame[GameTree], save: str | None, plot: str | None) -> None:
    """Write the files that were asked for."""
    if save is not None:
        with busy("writing the strategy …"):
            write_strategy_file(found, Path(save))
    if plot is not None:
        from dataclasses import replace

        from fogspiel.lab.framework.presentation import plot_convergence
        from fogspiel.solve.result import Point

        solution, unit = found.solution, found.unit
        # A method that ends by itself has a single point.
        last = Point(
            iteration=solution.iterations,
            seconds=solution.seconds,
            exploitability=solution.exploitability,
        )
        points = [
            replace(point, exploitability=unit.difference(point.exploitability))
            for point in solution.curve or [last]
        ]
        title = f"{found.game.name}, {solution.method}"
        plot_convergence(points, Path(plot), title=title, unit=unit.name)
