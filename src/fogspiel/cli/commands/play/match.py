"""`fogspiel match`: many matches between players, and the tables of their results."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import (
    GameChoice,
    entrant,
    game_options,
    match_clocks,
    seconds_option,
    simulations_option,
    start_seconds_option,
)
from fogspiel.cli.output import busy, json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar
from fogspiel.core.values import Unit

if TYPE_CHECKING:
    from fogspiel.games.load import LoadedGame
    from fogspiel.play.clocks import MatchClocks
    from fogspiel.play.records.format import RecordFolder
    from fogspiel.play.series import Series, Tally


DEFAULT_GAMES = 100


@click.command()
@click.argument("game")
@click.argument("players", nargs=-1, required=True, metavar="PLAYER...")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    help="How many.  [default: 100, or the next number that --swap can share evenly]",
)
@seconds_option
@start_seconds_option
@simulations_option
@click.option("--swap", is_flag=True, help="Rotate seats, so that all play every role as often.")
@click.option("--record", metavar="DIR", help="Write every match to a file for `fogspiel replay`.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@game_options
@json_option
def match(
    game: GameChoice,
    players: tuple[str, ...],
    *,
    games: int | None,
    seconds: float | None,
    start_seconds: float | None,
    simulations: int | None,
    swap: bool,
    record: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Let one PLAYER for each role of GAME, in the order of the rules, play many games.

    Means have intervals of 95 % (Student's t). The highest goal wins, a shared one is a draw; a
    player alone wins by 100 and loses by 0. `fogspiel players` lists who can play.
    """
    from fogspiel.play.series import play_series, refuse_entrants, warm_up

    clocks = match_clocks(seconds, simulations, start_seconds)
    entrants = [entrant(name, game.word) for name in players]
    loaded = game.load().loaded
    refuse_entrants(loaded.machine, len(entrants))
    # The default never is at odds with --swap.
    count = games or -(-DEFAULT_GAMES // len(players)) * len(players)
    if seconds is not None:
        with busy("loading the kernels …"):
            warm_up(loaded.machine, entrants)
    began = time.perf_counter()
    with ProgressBar("games", count) as progress:
        series = play_series(
            loaded.machine,
            entrants,
            games=count,
            start_budget=clocks.start_budget,
            turn_budget=clocks.turn_budget,
            seed=seed,
            swap=swap,
            on_match=progress.advance,
            records=_records(loaded, record, clocks),
        )
    spent = time.perf_counter() - began
    settings = {"games": count, "seconds": seconds, "simulations": simulations, "swap": swap}
    settings |= {} if start_seconds is None else {"start_seconds": start_seconds}
    if as_json:
        print_json(_document(loaded, series, settings, seed, spent))
    else:
        _print(loaded, series, settings, spent)


def _records(game: LoadedGame, folder: str | None, clocks: MatchClocks) -> RecordFolder | None:
    from pathlib import Path

    from fogspiel.play.records.format import RecordFolder
    from fogspiel.solve.files.strategy_file import rules_digest

    if folder is None:
        return None
    rules = rules_digest(game.sources)
    return RecordFolder(folder=Path(folder), game=game.name, rules=rules, clocks=clocks)


def _document(
    game: LoadedGame, series: Series, settings: dict[str, Any], seed: int, seconds: float
) -> dict[str, Any]:
    unit = game.unit
    return {
        "game": game.name,
        "engine": game.machine.engine,
        "players": list(series.entrants),
        "roles": list(series.roles),
        "settings": settings,
        "seed": seed,
        "seconds": seconds,
        "interval": "Student's t",
        "payoff_unit": unit.name if unit else None,
        "results": [tally_record(tally, unit) for tally in series.results()],
        "totals": [tally_record(tally, unit) for tally in series.totals()],
    }


def _print(game: LoadedGame, series: Series, settings: dict[str, Any], seconds: float) -> None:
    unit = game.unit
    click.echo(
        f"{game.name}: {settings['games']:,} games, {_allowed(settings)} a move"
        f"{_before_play(settings)}, in {seconds:.3g} s ({game.machine.engine} machine)"
    )
    # Totals say more than the rows above only where seats were swapped.
    print_tallies(series, unit, with_totals=settings["swap"])
    for tally in series.totals():
        if tally.late:
            click.echo(_lateness(tally))
        if tally.replaced:
            click.echo(_doubt(tally))


def _allowed(settings: dict[str, Any]) -> str:
    if settings["seconds"] is not None:
        return f"{settings['seconds']:g} s"
    count: int = settings["simulations"]
    return f"{count:,} simulation{'s' if count > 1 else ''}"


def _before_play(settings: dict[str, Any]) -> str:
    """Text about the time before play, where it was given."""
    seconds = settings.get("start_seconds")
    return "" if seconds is None else f" after {seconds:g} s before play"


def _lateness(tally: Tally) -> str:
    most = f"by {1000 * tally.most_late_seconds:.3g} ms at most"
    return f"{tally.player} was late {tally.late:,} time{'s' if tally.late > 1 else ''}, {most}"


def _doubt(tally: Tally) -> str:
    moves = f"{tally.replaced:,} move{'s' if tally.replaced > 1 else ''}"
    return (
        f"{moves} of {tally.player} turned out not to be legal and gave way to drawn ones: "
        "the rules do not let a role know its moves (fogspiel explain DYN005)"
    )


def print_tallies(series: Series, unit: Unit | None, *, with_totals: bool) -> None:
    """A row for every player in each role, and perhaps for all roles together."""
    columns = ["player", "role", ">games", ">mean goal", ">± 95 %"]
    columns += [f">mean payoff, {unit.name}"] if unit else []
    columns += [">wins", ">draws", ">losses"]
    tallies = series.results() + (series.totals() if with_totals else [])
    print_table(None, columns, [_row(tally, unit) for tally in tallies])


def _row(tally: Tally, unit: Unit | None) -> list[str]:
    # Half the interval, because both of its ends would not fit a terminal of 80 columns.
    half = None if tally.interval is None else (tally.interval[1] - tally.interval[0]) / 2
    return [
        tally.player,
        tally.role or "all roles",
        f"{tally.games:,}",
        f"{tally.mean_goal:.3f}",
        "" if half is None else f"{half:.3f}",
        *([f"{unit.value(tally.mean_goal):+.4f}"] if unit else []),
        f"{tally.wins:,}",
        f"{tally.draws:,}",
        f"{tally.losses:,}",
    ]


def tally_record(tally: Tally, unit: Unit | None) -> dict[str, Any]:
    """A tally as the document holds it; players are numbered from 1, as they were named."""
    record: dict[str, Any] = {"player": tally.player, "entry": tally.entry + 1}
    if tally.role is not None:
        record["role"] = tally.role
    record |= {
        "games": tally.games,
        "mean_goal": tally.mean_goal,
        "ci95": None if tally.interval is None else list(tally.interval),
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "late": tally.late,
        "most_late_seconds": tally.most_late_seconds,
        "replaced": tally.replaced,
    }
    if unit is not None:
        record["mean_payoff"] = unit.value(tally.mean_goal)
        ends = tally.interval and sorted(map(unit.value, tally.interval))
        record["payoff_ci95"] = ends
    return record
