"""`fogspiel results`: standings, ratings and cross table of a tournament, also while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from fogspiel.cli.commands.play.results_files import document_of, heading_of, write_csv
from fogspiel.cli.output import busy, json_option, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fogspiel.play.ratings.summary import Standing, Summary
    from fogspiel.play.tournament.schedule import FormatTable


@click.command()
@click.argument("journal", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.option(
    "--by",
    type=click.Choice(["game", "seat"]),
    help="Also tell standings by game, or by game and seat.",
)
@click.option(
    "--report",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a page with tables and plots, which opens offline.",
)
@click.option(
    "--csv",
    "csv_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a row for each seat of each match.",
)
@json_option
def results(
    journal: Path,
    *,
    by: Literal["game", "seat"] | None,
    report: Path | None,
    csv_file: Path | None,
    as_json: bool,
) -> None:
    """Tell standings, ratings and the cross table of a tournament from its JOURNAL.

    The journal is only read: the tournament may be running, or have been interrupted.
    """
    from fogspiel.play.ratings.summary import summary_of
    from fogspiel.play.tournament.formats import schedule_of
    from fogspiel.play.tournament.journal import read_journal
    from fogspiel.play.tournament.plan import plan_of_canonical

    for target in (report, csv_file):
        _refuse_journal(target, journal)
    with read_journal(journal) as opened:
        name, known = opened.name, opened.results()
        schedule = schedule_of(*plan_of_canonical(opened.plan_text))
        heading = heading_of(opened) if report is not None else None
    with busy("rating the players …"):
        summary = summary_of(known, planned=schedule.planned, table=schedule.table(known))
    if report is not None and heading is not None:
        from fogspiel.draw.report.page import report_page

        report.write_text(report_page(summary, heading), encoding="utf-8")
    if csv_file is not None:
        write_csv(csv_file, known)
    if as_json:
        print_json(document_of(name, summary))
        return
    click.echo(f"{plain(name)}: {extent(summary)}")
    print_summary(summary, by)
    for target in (report, csv_file):
        if target is not None:
            click.echo(f"wrote {target}")


def _refuse_journal(target: Path | None, journal: Path) -> None:
    """Keep a slip of the fingers from costing a tournament."""
    if target is not None and target.exists() and journal.exists() and target.samefile(journal):
        raise click.UsageError(f"{target} is the journal itself, and would be overwritten")


MOST_FAILURES = 5  #: Failures that are listed one by one
MOST_COLUMNS = 12  #: Columns of the cross table; with more players, the best ones


def print_summary(summary: Summary, by: Literal["game", "seat"] | None = None) -> None:
    """Print all results. by: also print standings by game, or by game and seat."""
    if summary.played:
        if summary.table is not None:
            _print_table(summary.table)
        _print_standings(summary)
        _print_ratings(summary)
        _print_cross(summary)
        if by is not None:
            _print_parts(summary.by_game if by == "game" else summary.by_seat)
    _print_failures(summary)


def _print_table(table: FormatTable) -> None:
    """Print the standings by the rules of the format: a name, then numbers."""
    columns = ["player", *(f">{name}" for name in table.columns[1:])]
    rows = [
        [plain(value) if isinstance(value, str) else f"{value:g}" for value in row]
        for row in table.rows
    ]
    print_table(table.title, columns, rows)
    click.echo()


def extent(summary: Summary) -> str:
    """The number of matches played, as `n of m matches`."""
    failed = f", {len(summary.failures):,} failed" if summary.failures else ""
    rest = "" if summary.finished else "; the tournament is not over"
    return f"{summary.played:,} of {summary.planned:,} matches played{failed}{rest}"


def _print_standings(summary: Summary) -> None:
    columns = (">", "player", ">matches", ">mean share", ">ahead by", ">W/D/L", ">faults")
    rows = []
    for place, own in enumerate(summary.standings):
        after = summary.standings[place + 1 : place + 2]
        ahead = summary.ahead(own.player, after[0].player) if after else None
        rows.append(
            (
                str(place + 1),
                plain(own.player),
                f"{own.matches:,}",
                f"{own.mean_share:.3f}{_half(own.interval)}",
                "" if ahead is None else f"{ahead.mean:+.3f}{_half(ahead.interval)}",
                f"{own.wins:,}/{own.draws:,}/{own.losses:,}",
                f"{sum(own.faults.values()):,}",
            )
        )
    print_table("Standings", columns, rows)
    click.echo("A share is a goal divided by 100; ± makes intervals of 95 %. `ahead by` is the")
    click.echo("difference to the next player, from repetitions whose luck both shared.")


def _print_ratings(summary: Summary) -> None:
    ratings = [own for own in summary.ratings.ratings if own.interval is not None]
    if not ratings:
        return
    several = summary.ratings.groups > 1
    columns = ("player", ">rating", ">comparisons", ">mu", ">sigma", ">ordinal")
    rows = []
    for own in ratings:
        skill = summary.skill(own.player)
        rows.append(
            (
                plain(own.player),
                f"{own.elo:+.0f}{_half(own.interval, 0)}",
                f"{own.comparisons:,}",
                f"{skill.mu:.2f}",
                f"{skill.sigma:.2f}",
                f"{skill.ordinal:.2f}",
                *([str(own.group + 1)] if several else []),
            )
        )
    click.echo()
    print_table("Ratings", (*columns, *([">group"] if several else [])), rows)
    click.echo(
        "Bradley-Terry on the scale of Elo, 0 is the mean; mu, sigma and ordinal: OpenSkill."
    )
    if several:
        click.echo("No chain of matches connects the groups: ratings compare within each alone.")
    if summary.ratings.held_by_prior:
        click.echo("Some took every point from others: how far these are apart is set by a prior.")


def _print_cross(summary: Summary) -> None:
    if not summary.cross:
        return
    others = summary.players[:MOST_COLUMNS]
    rows = []
    for place, player in enumerate(summary.players, 1):
        cells = []
        for other in others:
            met = summary.cross.get((player, other))
            cells.append("" if met is None else f"{met.mean_share:.2f} ({met.matches:,})")
        rows.append((str(place), plain(player), *cells))
    click.echo()
    numbers = [f">{place}" for place in range(1, len(others) + 1)]
    print_table("Cross table: mean share (matches)", (">", "player", *numbers), rows)


def _print_parts(standings: Sequence[Standing]) -> None:
    seats = any(own.role is not None for own in standings)
    columns = ["game", *(["role"] if seats else []), "player", ">matches", ">mean share"]
    columns += [">W/D/L"]
    rows = [
        (
            plain(own.game or ""),
            *([plain(own.role or "")] if seats else []),
            plain(own.player),
            f"{own.matches:,}",
            f"{own.mean_share:.3f}{_half(own.interval)}",
            f"{own.wins:,}/{own.draws:,}/{own.losses:,}",
        )
        for own in standings
    ]
    click.echo()
    print_table("By game and seat" if seats else "By game", columns, rows)


def _print_failures(summary: Summary) -> None:
    for own in summary.failures[:MOST_FAILURES]:
        click.echo(plain(f"match {own.number} ({own.game}) failed: {own.failed}"))
    more = len(summary.failures) - MOST_FAILURES
    if more > 0:
        click.echo(f"and {more:,} more failed; --json lists all")


def plain(text: str) -> str:
    """Text that does nothing to a terminal: names and messages may come from strangers."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _half(interval: tuple[float, float] | None, digits: int = 3) -> str:
    return "" if interval is None else f" ± {(interval[1] - interval[0]) / 2:.{digits}f}"
