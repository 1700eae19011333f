"""`fogspiel bench`: measurements, each with the facts of the machine it ran on."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial, update_wrapper
from pathlib import Path
from typing import Any, TypeVar

import click

from fogspiel import bundled_games
from fogspiel.cli.commands.measure import bench_tables as tables
from fogspiel.cli.commands.measure.bench_options import (
    MeasurementOption,
    file_option,
    jobs_option,
    known_games,
    memory_option,
    packages_of,
    require_option,
    require_ratio,
    rounds_option,
    seconds_option,
    some_games,
    split_names,
)
from fogspiel.cli.commands.measure.bench_tables import MEBIBYTE, Record
from fogspiel.cli.completion import complete_game
from fogspiel.cli.help import CommandGroup
from fogspiel.cli.options import FiniteRange, count_option, number_option, seed_option
from fogspiel.cli.output import busy, json_option, print_json
from fogspiel.cli.progress import ProgressBar

_Measure = TypeVar("_Measure", bound=Callable[..., Record])

HIDDEN_PLAYER = "ismcts"


@click.group(cls=CommandGroup)
def bench() -> None:
    """Measure speed: playouts, beliefs, search, solving and loading.

    Some measurements compare with other programs where those are installed.
    """


def measurement(
    show: Callable[[Record], None],
    *options: MeasurementOption,
    code: Callable[..., int] = tables.exit_code,
) -> Callable[[_Measure], _Measure]:
    """Make a command of a function from options to a document, which is printed in either form.

    code: the exit code, from the document and `--require`.
    """

    def command(measure: _Measure) -> _Measure:
        def run(*, as_json: bool, require: bool = False, **given: Any) -> int:
            document = measure(**given)
            if as_json:
                print_json(document)
            else:
                show(document)
            return code(document, require=require)

        update_wrapper(run, measure)
        callback: Any = json_option(run)
        for option in reversed(options):
            callback = option(callback)
        bench.command()(callback)
        return measure

    return command


@measurement(tables.show_beliefs, some_games, seconds_option(0.01, 1.0), require_ratio)
def beliefs(named: tuple[str, ...], seconds: float) -> Record:
    """Measure how many histories the method exact finds per second.

    It is compared with a plain search in OpenSpiel. Both run on one core, in three alternating
    rounds; the median by processor time is reported.
    """
    from fogspiel.lab.benchmarks.beliefs import CASES, compare
    from fogspiel.lab.benchmarks.playouts import require_openspiel

    require_openspiel()
    games = known_games(named, [case.game for case in CASES], "beliefs of ")
    with ProgressBar("measuring", len(games)) as bar:
        records = bar.over(games, partial(compare, seconds=seconds))
    return {**_beginning(seconds=seconds), "beliefs": records}


@measurement(
    tables.show_searches,
    some_games,
    seconds_option(0.01, 1.0),
    rounds_option(1),
    click.option(
        "--hidden/--no-hidden",
        default=True,
        help="Also measure all games with hidden information.  [default: --hidden]",
    ),
    require_ratio,
)
def search(named: tuple[str, ...], seconds: float, rounds: int, hidden: bool) -> Record:
    """Measure the simulations per second of uct and ismcts.

    They are compared with the C++ versions of OpenSpiel where it is installed, on one core in
    alternating rounds; the median by processor time is reported. Then ismcts is measured alone on
    every game with hidden information.
    """
    from fogspiel.lab.benchmarks.playouts import INSTALL_OPENSPIEL, NO_OPENSPIEL, has_openspiel
    from fogspiel.lab.benchmarks.simulations import CASES, compare, hidden_games, measure_alone

    secret = hidden_games()
    games = known_games(named, sorted({case.game for case in CASES} | set(secret)), "searches of ")
    skipped = None if has_openspiel() else f"{NO_OPENSPIEL} ({INSTALL_OPENSPIEL})"
    beside = [case for case in CASES if case.game in games]
    others = [game for game in secret if hidden and game in games]
    with ProgressBar("measuring", len(beside) + len(others)) as bar:
        rates = partial(compare, beside=not skipped, seconds=seconds, rounds=rounds)
        first = bar.over(beside, rates)
        second = bar.over(others, partial(measure_alone, player=HIDDEN_PLAYER, seconds=seconds))
    settings = _beginning(seconds=seconds, rounds=rounds, peer_skipped=skipped)
    return {**settings, "search": first, "hidden": second}


@measurement(
    tables.show_solvers,
    click.option(
        "--against",
        default="",
        metavar="PROGRAMS",
        help="Programs to compare with: openspiel, liteefg, or both separated by a comma.",
    ),
    some_games,
    click.option(
        "--target", type=FiniteRange(min=0, min_open=True), default=1e-3, show_default=True,
        help="NashConv to reach, in the payoff unit of each game.",
    ),
    seconds_option(0.01, 60.0, "Limit of processor time for each solver."),
    click.option(
        "--linear/--no-linear",
        default=True,
        help="Also measure the linear program.  [default: --linear]",
    ),
    require_option("if a required figure is not reached"),
)  # fmt: skip
def solve(
    against: str, named: tuple[str, ...], target: float, seconds: float, linear: bool
) -> Record:
    """Measure the processor time until NashConv is at most --target.

    The time of Fogspiel is the median of five runs and includes the evaluations; for other programs
    only the iterations count. For a program that does not reach the target in time, the ratio is a
    lower bound.
    """
    from fogspiel.lab.benchmarks.solve import CASES, compare, compare_linear

    packages = packages_of(against)
    by_game = {case.game: case for case in CASES}
    cases = [by_game[game] for game in known_games(named, list(by_game))]
    times = partial(compare, packages=packages, target=target, seconds=seconds)
    with ProgressBar("measuring", len(cases) + linear) as bar:
        records = bar.over(cases, times)
        program = compare_linear(packages, seconds=seconds) if linear else None
    settings = _beginning(target=target, seconds=seconds, against=packages)
    return {**settings, "games": records, "linear": program}


@measurement(
    tables.show_agreement,
    some_games,
    seed_option,
    click.option(
        "--solved",
        is_flag=True,
        help="Use the strategy that fogspiel solve finds instead of a random strategy.",
    ),
    code=tables.agreement_code,
)
def agreement(named: tuple[str, ...], seed: int, solved: bool) -> Record:
    """Compare exploitability and values of a strategy with those by OpenSpiel.

    The exit code is 1 if they differ by more than 1e-9 in some game.
    """
    from fogspiel.lab.benchmarks.playouts import require_openspiel
    from fogspiel.lab.benchmarks.solve_agreement import TWINS, compare

    require_openspiel()
    games = known_games(named, list(TWINS))
    with ProgressBar("comparing", len(games)) as bar:
        return {"agreement": bar.over(games, partial(compare, seed=seed, solved=solved))}


@measurement(
    tables.show_matches,
    click.option(
        "--game",
        default="tic_tac_toe",
        show_default=True,
        shell_complete=complete_game,
        help="Game to play; all its moves must be visible.",
    ),
    count_option(
        "--at-once", least=1, most=1_000, default=100, help="Number of matches at the same time."
    ),
    seconds_option(1, 60.0, "Duration of the measurement."),
    number_option(
        "--think",
        least=0,
        most=60,
        default=1.0,
        help="Longest time per move of the players, which is drawn uniformly from 0 on.",
    ),
    require_option("after a fault, or if the overhead is too large"),
)
def matches(game: str, at_once: int, seconds: float, think: float) -> Record:
    """Measure the overhead per turn of the game manager with many matches.

    The players run in a separate process and always answer in time, so that every fault is one of
    the manager.
    """
    from fogspiel.lab.benchmarks.matches import MatchLoad, measure_matches
    from fogspiel.lab.benchmarks.processes import machine_facts

    load = MatchLoad(
        game=game,
        at_once=at_once,
        seconds=seconds,
        think_seconds=think,
        play_seconds=max(2.0, 2 * think),
    )
    with busy(f"playing for {seconds:g} s …"):
        record = measure_matches(load)
    return {"machine": machine_facts(), **record}


@measurement(
    tables.show_playouts,
    click.option("--against", type=click.Choice(["openspiel"]), help="Program to compare with."),
    click.option(
        "--games",
        "named",
        metavar="GAMES",
        multiple=True,
        shell_complete=complete_game,
        help="Games to measure, by name or file, separated by commas; may be repeated.",
    ),
    seconds_option(0.01, 1.0),
    rounds_option(3),
    require_ratio,
)
def playouts(against: str | None, named: tuple[str, ...], seconds: float, rounds: int) -> Record:
    """Measure random playouts per second on one core.

    With --against, both programs run in alternating rounds. The median by processor time is
    reported.
    """
    from fogspiel.lab.benchmarks.playouts import PEERS, REQUIRED_RATES, compare, require_openspiel

    if against is not None:
        require_openspiel()
    games = split_names(named) or [*PEERS, *REQUIRED_RATES]
    rates = partial(compare, beside=against is not None, seconds=seconds, rounds=rounds)
    with ProgressBar("measuring", len(games)) as bar:
        records = bar.over(games, rates)
    return {**_beginning(seconds=seconds, rounds=rounds, against=against), "games": records}


@measurement(
    tables.show_loading,
    click.argument("games", nargs=-1, shell_complete=complete_game),
    jobs_option,
    seconds_option(1, 180.0, "Time limit per game."),
    memory_option,
)
def load(games: tuple[str, ...], jobs: int, seconds: float, memory_mb: int) -> Record:
    """Measure the time to read, ground and compile games.

    GAMES are names, files or folders; without any, all bundled games are measured.
    """
    return _sheets("load", games or tuple(bundled_games()), jobs, seconds, memory_mb)


@measurement(
    tables.show_corpus,
    click.argument("places", nargs=-1, required=True, metavar="DIRECTORY..."),
    jobs_option,
    seconds_option(1, 240.0, "Time limit per rule sheet."),
    memory_option,
    file_option("--out", "out", "Also write the JSON document to FILE."),
    file_option("--markdown", "page", "Write a report in Markdown to FILE."),
    code=lambda document, require: 0,
)
def corpus(
    places: tuple[str, ...],
    jobs: int,
    seconds: float,
    memory_mb: int,
    out: str | None,
    page: str | None,
) -> Record:
    """Read, check and play every rule sheet in a folder.

    Each sheet is played at random: 100 games if it can be compiled, otherwise one game of at most
    60 s with the reference reasoner.
    """
    from fogspiel.lab.benchmarks.sheets import markdown

    document = _sheets("sheet", places, jobs, seconds, memory_mb)
    if out is not None:
        Path(out).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if page is not None:
        Path(page).write_text(markdown(document), encoding="utf-8")
    return document


def _beginning(**settings: Any) -> Record:
    """The beginning of a document: the machine, and the settings of the measurement."""
    from fogspiel.lab.benchmarks.processes import machine_facts

    return {"machine": machine_facts(), "settings": settings}


def _sheets(
    kind: str, places: tuple[str, ...], jobs: int, seconds: float, memory_mb: int
) -> Record:
    """The document of measured rule sheets."""
    from fogspiel.lab.benchmarks.processes import machine_facts
    from fogspiel.lab.benchmarks.sheets import run_all, sheets_in, summary

    games = sheets_in(places)
    if not games:
        raise click.UsageError(f"There are no rule files in {', '.join(places)}.")
    facts, memory = machine_facts(), memory_mb * MEBIBYTE
    work = partial(run_all, kind, games, jobs=jobs, seconds=seconds, memory_bytes=memory)
    with ProgressBar("sheets", len(games)) as bar:
        records = work(on_done=bar.advance)
    return {"machine": facts, "summary": summary(records), "sheets": records}
