"""`fogspiel match`: many matches between players, and the tables of their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.completion import complete_player
from fogspiel.cli.options import (
    GameChoice,
    count_option,
    default_clock,
    default_simulations_option,
    game_argument,
    game_options,
    seconds_option,
    seed_option,
    start_seconds_option,
)
from fogspiel.cli.output import json_option, print_json, print_table, say
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel import Series
    from fogspiel.api.matches.series import SeriesRow

SHOWN_LINES = 2  #: Lines of a player's code that are shown with its first fault


@click.command()
@game_argument
@click.argument(
    "players", nargs=-1, required=True, metavar="PLAYER...", shell_complete=complete_player
)
@count_option(
    "--games",
    least=1,
    help="Number of games.  [default: 100; with --swap, the next multiple of the seatings]",
)
@seconds_option
@start_seconds_option
@default_simulations_option
@click.option(
    "--swap", is_flag=True, help="Rotate the seats, so that everyone plays each role equally often."
)
@click.option("--record", metavar="DIR", help="Write a record of every match for fogspiel replay.")
@seed_option
@click.option(
    "--isolate",
    is_flag=True,
    help="Run your own players in separate processes with limits of time and memory.",
)
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
    isolate: bool,
    as_json: bool,
) -> None:
    """Play many games between players, and report their results.

    Give one PLAYER for each role of GAME, in the order of the rules; `fogspiel players` lists the
    players. Means have 95 % confidence intervals (Student's t). The player with the highest goal
    wins, and equal highest goals are a draw. In a game for one player, 100 is a win and 0 a loss.
    """
    from fogspiel.api.matches.series import default_games

    simulations = default_clock(seconds, simulations, start_seconds)
    loaded = game.load()
    with ProgressBar("games", games or default_games(len(players))) as progress:
        series = loaded.series(
            *players,
            games=games,
            seconds=seconds,
            simulations=simulations,
            start_seconds=start_seconds,
            seed=seed,
            swap=swap,
            record=record,
            on_match=progress.advance,
            isolate=isolate,
        )
    settings = {"games": series.games, "seconds": seconds, "simulations": simulations, "swap": swap}
    settings |= {} if start_seconds is None else {"start_seconds": start_seconds}
    settings |= {"isolate": True} if isolate else {}
    if as_json:
        print_json(_document(series, settings, seed))
    else:
        _print(series, settings)


def _document(series: Series, settings: dict[str, Any], seed: int) -> dict[str, Any]:
    return {
        "game": series.game.name,
        "engine": series.game.machine.engine,
        "players": list(series.entrants),
        "roles": list(series.game.players),
        "settings": settings,
        "seed": seed,
        "seconds": series.seconds,
        "interval": "Student's t",
        **payoff_tables(series),
    }


def _print(series: Series, settings: dict[str, Any]) -> None:
    count: int = settings["games"]
    games = f"{count:,} game{'s' if count > 1 else ''}"
    say(
        f"{series.game.name}: {games}, {_allowed(settings)} per move"
        f"{_before_play(settings)}, in {series.seconds:.3g} s "
        f"({series.game.machine.engine} machine)"
    )
    # Totals say more than the rows above only where seats were swapped.
    print_rows(series, with_totals=settings["swap"])
    for row in series.totals:
        if row.late:
            say(_lateness(row))
        if settings.get("isolate") and row.faults:
            click.echo(_faults(row))
        elif row.replaced:
            say(_doubt(row))


def _allowed(settings: dict[str, Any]) -> str:
    if settings["seconds"] is not None:
        return f"{settings['seconds']:g} s"
    count: int = settings["simulations"]
    return f"{count:,} simulation{'s' if count > 1 else ''}"


def _before_play(settings: dict[str, Any]) -> str:
    """Text about the time before play, where it was given."""
    seconds = settings.get("start_seconds")
    return "" if seconds is None else f" and {seconds:g} s before the first move"


def _lateness(row: SeriesRow) -> str:
    most = f"by at most {1000 * row.most_late_seconds:.3g} ms"
    return f"{row.label} exceeded its time {row.late:,} time{'s' if row.late > 1 else ''}, {most}"


def _faults(row: SeriesRow) -> str:
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(row.faults.items()))
    total = sum(row.faults.values())
    said = (
        f"{row.label} made {total:,} fault{'s' if total > 1 else ''} ({kinds}); {row.replaced:,} "
        "of its moves were replaced by random ones. --record writes all faults. The first:"
    )
    fault = row.first_fault
    lines = [] if fault is None else [fault.text, *fault.trace[-SHOWN_LINES:]]
    return "\n  ".join([said, *(" ".join(line.split()) for line in lines)])


def _doubt(row: SeriesRow) -> str:
    moves = f"{row.replaced:,} move{'s' if row.replaced > 1 else ''}"
    return (
        f"{moves} of {row.label} were illegal in the true state and were replaced by random "
        "moves: the rules do not tell the role its legal moves (fogspiel explain DYN005)"
    )


def print_rows(series: Series, *, with_totals: bool) -> None:
    """A row for every player in each role, and perhaps for all roles together."""
    unit = series.unit
    columns = ["player", "role", ">games", ">mean goal", ">± 95 %"]
    has_unit = unit is not None and not series.goals_are_payoffs
    columns += [f">mean payoff, {unit.name}"] if unit and has_unit else []
    columns += [">wins", ">draws", ">losses"]
    rows = series.rows + (series.totals if with_totals else [])
    print_table(None, columns, [_cells(row, has_unit=has_unit) for row in rows])


def _cells(row: SeriesRow, *, has_unit: bool) -> Sequence[str]:
    # Distances from the mean, because both ends would not fit a terminal of 80 columns.
    return [
        row.label,
        row.role or "all roles",
        f"{row.games:,}",
        f"{row.goal:.3f}",
        row.margin.removeprefix("± "),
        *([f"{row.payoff:+.4f}"] if has_unit else []),
        f"{row.wins:,}",
        f"{row.draws:,}",
        f"{row.losses:,}",
    ]


def payoff_tables(series: Series) -> dict[str, Any]:
    """The rows of a series as documents hold them, with the unit of payoffs."""
    unit = series.unit
    return {
        "payoff_unit": unit.name if unit else None,
        "results": [_record(row, has_unit=unit is not None) for row in series.rows],
        "totals": [_record(row, has_unit=unit is not None) for row in series.totals],
    }


def _record(row: SeriesRow, *, has_unit: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"player": row.player, "entry": row.entry}
    if row.role is not None:
        record["role"] = row.role
    record |= {
        "games": row.games,
        "mean_goal": row.goal,
        "ci95": None if row.goal_interval is None else list(row.goal_interval),
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "late": row.late,
        "most_late_seconds": row.most_late_seconds,
        "replaced": row.replaced,
        "faults": dict(row.faults),
    }
    if has_unit:
        record["mean_payoff"] = row.payoff
        record["payoff_ci95"] = None if row.interval is None else list(row.interval)
    return record
