"""What matches came to, as tables and documents show it: `match` and `manage` share them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fogspiel.cli.output import print_table

if TYPE_CHECKING:
    from fogspiel.core.units import Unit
    from fogspiel.play.series import Series, Tally


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
