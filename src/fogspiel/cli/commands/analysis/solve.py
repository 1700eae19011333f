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
from fogspiel.cli.completion import AUTO_METHOD, complete_game, completing, solver_names
from fogspiel.cli.options import (
    MAX_NODES_HELP,
    GameChoice,
    count_option,
    game_options,
    number_option,
    seed_option,
)
from fogspiel.cli.output import busy, json_option, print_json, print_names, say
from fogspiel.cli.progress import Stages

if TYPE_CHECKING:
    from fogspiel import Solution

DEFAULT_MAX_NODES = 20_000_000
AUTO = "auto"  #: The name by which a method is chosen


@click.command()
@click.argument("game", required=False, shell_complete=complete_game)
@click.option(
    "--method",
    default="auto",
    show_default=True,
    shell_complete=completing(solver_names),
    help="Solution method; --methods lists them. With --plot, several methods separated by commas.",
)
@click.option(
    "--methods",
    "listing",
    is_flag=True,
    help="List the methods and exit; with --method NAME, describe that one.",
)
@number_option(
    "--target",
    least=0.0,
    help="Exploitability to reach, in the payoff unit of the game.  [default: 0.001, or 0.05 where "
    "payoffs are goals]",
)
@number_option("--seconds", least=0.001, help="Time limit.  [default: 60]")
@count_option("--iterations", least=1, help="Iteration limit.")
@seed_option
@count_option("--max-nodes", least=1, default=DEFAULT_MAX_NODES, help=MAX_NODES_HELP)
@count_option("--rows", least=0, default=12, help="Rows of the strategy table to print per role.")
@click.option(
    "--save",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the strategy to FILE.json or FILE.json.gz.",
)
@click.option(
    "--plot",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Plot the exploitability over time to FILE.png or FILE.svg.",
)
@click.option(
    "--evaluate",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Measure the strategy saved in FILE instead of solving.",
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
    """Solve GAME: compute an equilibrium and its exploitability.

    Exploitability is the payoff that a player gains by switching to a best response, averaged over
    the players. It is 0 in an equilibrium. The exit code is 1 if it stays above the target.
    """
    if listing:
        _print_methods(None if method == AUTO else method, as_json=as_json)
        return 0
    if game is None:
        raise click.UsageError("Give the name or the file of a GAME, or --methods.")
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
            with busy("building the game tree …"):
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
        raise click.UsageError("Several methods are compared in a plot: give --plot FILE too.")
    return list(dict.fromkeys(names))


def _print_methods(name: str | None, *, as_json: bool) -> None:
    """List all methods, a line for each; or say everything about the one of a name."""
    from fogspiel import solvers
    from fogspiel.api.solving import refuse_method

    if name is not None:
        refuse_method(name)
    methods = [own for own in solvers().values() if name in (None, own.name)]
    if as_json:
        keys = ("name", "what", "finds", "anytime")
        print_json({"methods": [{key: getattr(own, key) for key in keys} for own in methods]})
    elif name is None:
        print_names("Methods", [AUTO_METHOD, *((own.name, own.what) for own in methods)])
        say("`fogspiel solve --methods --method NAME` describes a method.")
    else:
        (own,) = methods
        until = "until a limit or the target is reached" if own.anytime else "until it is done"
        say(f"{own.name}: {own.what}.")
        say(f"Result: {own.finds}. It runs {until}.")
        if own.source:
            say(f"Source: {own.source}.")


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
        raise click.UsageError("--save writes the strategy of one method: give only one.")
    for file in (save, plot):
        if file is not None and not Path(file).absolute().parent.is_dir():
            raise click.UsageError(f"There is no folder {Path(file).parent}.")


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
