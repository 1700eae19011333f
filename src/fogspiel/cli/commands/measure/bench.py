"""`fogspiel bench`: measurements, each with the facts of the machine it ran on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from pathlib import Path
from typing import Any, TypeVar

import click

from fogspiel import bundled_games
from fogspiel.cli.commands.measure import bench_tables as tables
from fogspiel.cli.commands.measure.bench_tables import MEBIBYTE, Record
from fogspiel.cli.options import FiniteRange
from fogspiel.cli.output import busy, json_option, print_json
from fogspiel.cli.progress import ProgressBar

_Measure = TypeVar("_Measure", bound=Callable[..., Record])
_Option = Callable[[Any], Any]

HIDDEN_PLAYER = "ismcts"


def seconds_option(least: float, default: float, text: str | None = None) -> _Option:
    """The time of a measurement."""
    kind = FiniteRange(min=least)
    return click.option("--seconds", type=kind, default=default, show_default=True, help=text)


def require_option(what: str) -> _Option:
    """The wish that a measurement which is not good enough ends with exit code 1."""
    return click.option("--require", is_flag=True, help=f"Exit code 1 {what}.")


some_games = click.option("--games", "named", multiple=True, help="Some of the games, repeated.")
require_ratio = require_option("if a required ratio is missed")
jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Sheets at a time."
)
memory_option = click.option(
    "--memory-mb", type=click.IntRange(min=256), default=4096, show_default=True, help="Per sheet."
)


@click.group()
def bench() -> None:
    """Measure playouts, beliefs, search and solving beside peers, matches, loading, rule sheets."""


def measurement(
    show: Callable[[Record], None], *options: _Option, code: Callable[..., int] = tables.exit_code
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
    """Histories found a second by `exact` on one core, beside a plain search in OpenSpiel.

    Both by processor time, in three alternating rounds of SECONDS each; medians are reported.
    """
    from fogspiel.lab.benchmarks.beliefs import CASES, compare
    from fogspiel.lab.benchmarks.playouts import require_openspiel

    require_openspiel()
    games = _known(named, [case.game for case in CASES], "beliefs of ")
    with ProgressBar("measuring", len(games)) as bar:
        records = bar.over(games, partial(compare, seconds=seconds))
    return {**_beginning(seconds=seconds), "beliefs": records}


@measurement(
    tables.show_searches,
    some_games,
    seconds_option(0.01, 1.0),
    click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True),
    click.option(
        "--hidden/--no-hidden", default=True, help="Measure all games with hidden facts too."
    ),
    require_ratio,
)
def search(named: tuple[str, ...], seconds: float, rounds: int, hidden: bool) -> Record:
    """Simulations a second of `uct` and `ismcts` on one core, by processor time.

    Beside OpenSpiel's in C++ where it is installed: ours and theirs take turns, ROUNDS of SECONDS
    each, and medians are reported. Then `ismcts` for SECONDS on every game with hidden information.
    """
    from fogspiel.lab.benchmarks.playouts import INSTALL_OPENSPIEL, NO_OPENSPIEL, has_openspiel
    from fogspiel.lab.benchmarks.simulations import CASES, compare, hidden_games, measure_alone

    secret = hidden_games()
    games = _known(named, sorted({case.game for case in CASES} | set(secret)), "searches of ")
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
        "--against", default="", metavar="PEERS", help="openspiel, liteefg, or both with a comma."
    ),
    some_games,
    click.option(
        "--target", type=FiniteRange(min=0, min_open=True), default=1e-3, show_default=True,
        help="nash_conv, in the unit of each game.",
    ),
    seconds_option(0.01, 60.0, "Of the processor, for each solver."),
    click.option("--linear/--no-linear", default=True, help="Measure the linear program too."),
    require_option("if a required figure is missed"),
)  # fmt: skip
def solve(
    against: str, named: tuple[str, ...], target: float, seconds: float, linear: bool
) -> Record:
    """Seconds of the processor until nash_conv is at most TARGET.

    Ours are medians of five runs, evaluations included; peers are on the clock while they iterate.
    A peer that does not get there in SECONDS gives a lower bound of the ratio.
    """
    from fogspiel.lab.benchmarks.solve import CASES, compare, compare_linear

    packages = _packages(against)
    by_game = {case.game: case for case in CASES}
    cases = [by_game[game] for game in _known(named, list(by_game))]
    times = partial(compare, packages=packages, target=target, seconds=seconds)
    with ProgressBar("measuring", len(cases) + linear) as bar:
        records = bar.over(cases, times)
        program = compare_linear(packages, seconds=seconds) if linear else None
    settings = _beginning(target=target, seconds=seconds, against=packages)
    return {**settings, "games": records, "linear": program}


@measurement(
    tables.show_agreement,
    some_games,
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True),
    click.option(
        "--solved", is_flag=True, help="Measure what `auto` finds, not a random strategy."
    ),
    code=tables.agreement_code,
)
def agreement(named: tuple[str, ...], seed: int, solved: bool) -> Record:
    """Measure a strategy by our count and by OpenSpiel's: exploitability and values.

    Exit code 1 if they differ by more than 1e-9 on some game.
    """
    from fogspiel.lab.benchmarks.playouts import require_openspiel
    from fogspiel.lab.benchmarks.solve_agreement import TWINS, compare

    require_openspiel()
    games = _known(named, list(TWINS))
    with ProgressBar("comparing", len(games)) as bar:
        return {"agreement": bar.over(games, partial(compare, seed=seed, solved=solved))}


@measurement(
    tables.show_matches,
    click.option("--game", default="tic_tac_toe", show_default=True, help="Without hidden moves."),
    click.option("--at-once", type=click.IntRange(1, 1_000), default=100, show_default=True),
    seconds_option(1, 60.0),
    click.option(
        "--think",
        type=FiniteRange(min=0, max=60),
        default=1.0,
        show_default=True,
        help="Seconds that players think at most, every time up to it being as likely.",
    ),
    require_option("for a fault or too much overhead"),
)
def matches(game: str, at_once: int, seconds: float, think: float) -> Record:
    """Manage many matches at once, and measure what the manager adds to every turn.

    Players run in a process of their own and are never late: every fault is one of the manager.
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
    click.option("--against", type=click.Choice(["openspiel"]), help="Measure a peer beside us."),
    click.option(
        "--games", "named", multiple=True, help="Names or files, repeated or with commas between."
    ),
    seconds_option(0.01, 1.0),
    click.option("--rounds", type=click.IntRange(min=3), default=3, show_default=True),
    require_ratio,
)
def playouts(against: str | None, named: tuple[str, ...], seconds: float, rounds: int) -> Record:
    """Random playouts a second on one core, by processor time.

    Ours and the peer's run in turn, at least three rounds of SECONDS each; medians are reported.
    """
    from fogspiel.lab.benchmarks.playouts import PEERS, REQUIRED_RATES, compare, require_openspiel

    if against is not None:
        require_openspiel()
    games = _split(named) or [*PEERS, *REQUIRED_RATES]
    rates = partial(compare, beside=against is not None, seconds=seconds, rounds=rounds)
    with ProgressBar("measuring", len(games)) as bar:
        records = bar.over(games, rates)
    return {**_beginning(seconds=seconds, rounds=rounds, against=against), "games": records}


@measurement(
    tables.show_loading,
    click.argument("games", nargs=-1),
    jobs_option,
    seconds_option(1, 180.0),
    memory_option,
)
def load(games: tuple[str, ...], jobs: int, seconds: float, memory_mb: int) -> Record:
    """Seconds to read, ground and build GAMES: names, files or directories; all bundled ones."""
    return _sheets("load", games or tuple(bundled_games()), jobs, seconds, memory_mb)


@measurement(
    tables.show_corpus,
    click.argument("places", nargs=-1, required=True, metavar="DIRECTORY..."),
    jobs_option,
    seconds_option(1, 240.0),
    memory_option,
    click.option(
        "--out", type=click.Path(dir_okay=False), help="Write the JSON document here too."
    ),
    click.option(
        "--markdown", "page", type=click.Path(dir_okay=False), help="Write a report here."
    ),
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
    """Read, check and play every rule sheet of a DIRECTORY.

    100 random games on the compiled machine, or one within 60 s on the reference reasoner.
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


def _known(named: tuple[str, ...], games: Sequence[str], what: str = "") -> Sequence[str]:
    """The games that were named, or all; others are bad usage."""
    for name in named:
        if name not in games:
            verb = "are" if what else "is"
            raise click.UsageError(f"{what}{name} {verb} not measured; use {', '.join(games)}")
    return named or games


def _split(named: tuple[str, ...]) -> list[str]:
    """Names apart at commas, except those inside the parentheses of a family."""
    parts = [part.strip() for word in named for part in re.split(r",(?![^()]*\))", word)]
    return [part for part in parts if part]


def _packages(against: str) -> list[str]:
    """The peers that were named, all of them installed."""
    from fogspiel.lab.benchmarks.playouts import require_openspiel
    from fogspiel.lab.benchmarks.solve import PEERS
    from fogspiel.lab.benchmarks.solve_peers import require_liteefg

    packages = [word.strip() for word in against.split(",") if word.strip()]
    for package in packages:
        if package not in PEERS:
            raise click.UsageError(f"{package} is no peer; use {', '.join(PEERS)}")
    if packages:
        require_openspiel()
    if "liteefg" in packages:
        require_liteefg()
    return packages


def _sheets(
    kind: str, places: tuple[str, ...], jobs: int, seconds: float, memory_mb: int
) -> Record:
    """The document of measured rule sheets."""
    from fogspiel.lab.benchmarks.processes import machine_facts
    from fogspiel.lab.benchmarks.sheets import run_all, sheets_in, summary

    games = sheets_in(places)
    if not games:
        raise click.UsageError(f"no rule files in {', '.join(places)}")
    facts, memory = machine_facts(), memory_mb * MEBIBYTE
    work = partial(run_all, kind, games, jobs=jobs, seconds=seconds, memory_bytes=memory)
    with ProgressBar("sheets", len(games)) as bar:
        records = work(on_done=bar.advance)
    return {"machine": facts, "summary": summary(records), "sheets": records}
