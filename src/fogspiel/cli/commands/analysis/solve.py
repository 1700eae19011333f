"""`fogspiel solve`: an equilibrium of a game, its value and its exploitability."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fogspiel.cli.commands.analysis.solution import (
    print_solution,
    print_solutions,
    solution_document,
)
from fogspiel.cli.options import FiniteRange, GameChoice, game_options
from fogspiel.cli.output import busy, json_option, print_json, print_table
from fogspiel.cli.progress import Stages

if TYPE_CHECKING:
    from fogspiel import Solution

DEFAULT_MAX_NODES = 20_000_000
AUTO = "auto"  #: The name by which a method is chosen


@click.command()
@click.argument("game", required=False)
@click.option(
    "--method",
    default="auto",
    show_default=True,
    help="`--methods` lists them; with --plot, several may be given: `cfr,cfr+`.",
)
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
    if listing:
        _print_methods(as_json=as_json)
        return 0
    if game is None:
        raise click.UsageError("name a GAME, or give --methods")
    from fogspiel import Solution
    from fogspiel.api.solving import refuse_method
    from fogspiel.api.solving import solve as solve_by

    methods = _methods(method, listed=plot is not None)
    for own in methods:
        refuse_method(own)
    _refuse_files(methods, save, plot)
    loaded = game.load()
    files = [name for name in (save, plot) if name is not None]
    solutions: list[Solution] = []
    with Stages() as shown:
        if evaluate is not None:
            with busy("building the tree …"):
                solutions = [Solution.open(evaluate, loaded, max_nodes=max_nodes)]
            methods = []
        for own in methods:
            solution = solve_by(
                loaded,
                own,
                target=target,
                seconds=seconds,
                iterations=iterations,
                seed=seed,
                max_nodes=max_nodes,
                needs_tree=bool(files),
                on_point=shown.point,
                on_stage=shown.begin,
            )
            solutions.append(solution)
    _write(solutions, save, plot)
    documents = [solution_document(solution, files, seed) for solution in solutions]
    if as_json:
        print_json(documents[0] if len(documents) == 1 else {"solutions": documents})
    elif len(solutions) > 1:
        print_solutions(documents)
    else:
        print_solution(solutions[0], documents[0], rows, is_new=evaluate is None)
    return int(not all(solution.reached for solution in solutions))


def _methods(text: str, *, listed: bool) -> list[str]:
    """The methods that are named. listed: whether there may be several."""
    names = [name.strip() for name in text.split(",")]
    if len(names) > 1 and not listed:
        raise click.UsageError("several methods are compared in a picture: give --plot FILE, too")
    return list(dict.fromkeys(names))


def _print_methods(*, as_json: bool) -> None:
    """List all methods, with what each is and finds."""
    from fogspiel import solvers

    methods = solvers().values()
    if as_json:
        keys = ("name", "what", "finds", "anytime")
        print_json({"methods": [{key: getattr(own, key) for key in keys} for own in methods]})
        return
    rows = [["auto", "picks one by the kind and size of the game", ""]]
    rows += [[own.name, own.what, own.finds] for own in methods]
    print_table("Methods", ("name", "what it is", "what it finds"), rows)


def _refuse_files(methods: Sequence[str], save: str | None, plot: str | None) -> None:
    """Raise an error for files that could not be written, before minutes are spent on them."""
    if plot is not None:
        from fogspiel import solvers
        from fogspiel.lab.framework.presentation import refuse_plot, refuse_point

        refuse_plot(Path(plot))
        for name in methods:
            if name != AUTO and not solvers()[name].anytime:
                refuse_point(name, ())
    if save is not None and len(methods) > 1:
        raise click.UsageError("a file holds the strategy of one method: give one with --save")
    for file in (save, plot):
        if file is not None and not Path(file).absolute().parent.is_dir():
            raise click.UsageError(f"there is no folder {Path(file).parent}")


def _write(solutions: Sequence[Solution], save: str | None, plot: str | None) -> None:
    """Write the files that were asked for."""
    if save is not None:
        with busy("writing the strategy …"):
            solutions[0].save(save)
    if plot is not None:
        from fogspiel.lab.framework.presentation import plot_convergence

        game = solutions[0].game
        curves = {solution.method: solution.curve for solution in solutions}
        title = game.name if len(curves) > 1 else f"{game.name}, {solutions[0].method}"
        plot_convergence(curves, Path(plot), title=title, unit=game.payoff_unit.name)
