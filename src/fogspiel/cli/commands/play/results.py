"""`fogspiel results`: standings, ratings and cross table of a tournament, also while it runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from fogspiel.cli.options import count_option
from fogspiel.cli.output import busy, json_option, print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fogspiel import Tournament
    from fogspiel.api.matches.tournament_results import StandingRow, TournamentResults


@click.command()
@click.argument("journal", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.option(
    "--by",
    type=click.Choice(["game", "seat"]),
    help="Also show the standings of each game, or of each game and role.",
)
@click.option(
    "--report",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write an HTML report with tables and plots, which needs no network.",
)
@click.option(
    "--csv",
    "csv_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a CSV table with a row for each player of each match.",
)
@count_option("--match", "number", least=0, metavar="N", help="Show only match N, counted from 0.")
@click.option(
    "--record",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the record of match N to FILE for fogspiel replay; needs --match.",
)
@json_option
def results(
    journal: Path,
    *,
    by: Literal["game", "seat"] | None,
    report: Path | None,
    csv_file: Path | None,
    number: int | None,
    record: Path | None,
    as_json: bool,
) -> None:
    """Show standings, ratings and the cross table of a tournament.

    They are computed from its JOURNAL, which is only read. The tournament may still be running, or
    may have been interrupted.
    """
    from fogspiel import Tournament

    for target in (report, csv_file, record):
        _refuse_journal(target, journal)
    if record is not None and number is None:
        raise click.UsageError("--record FILE writes the record of one match: give --match N too.")
    opened = Tournament.open(journal)
    told = opened.results
    if number is not None:
        _tell_match(opened, number, record, as_json=as_json)
        return
    with busy("rating the players …"):
        document = told.document()
    if report is not None:
        report.write_text(opened.report(), encoding="utf-8")
    if csv_file is not None:
        told.write_csv(csv_file)
    if as_json:
        print_json(document)
        return
    say(f"{plain(opened.name)}: {extent(told)}")
    print_results(told, by)
    for target in (report, csv_file):
        if target is not None:
            say(f"wrote {target}")


def _tell_match(tournament: Tournament, number: int, record: Path | None, *, as_json: bool) -> None:
    """Tell of one match, and write its record if that is wanted."""
    found = [own for own in tournament.results.matches if own.number == number]
    if record is not None or not found:
        tournament.match(number).save(record or Path())  # or say that there is none
    (own,) = found
    if as_json:
        print_json({**asdict(own), "files": [] if record is None else [str(record)]})
        return
    say(plain(f"{tournament.name}, match {number}: {own.game}, {own.steps:,} steps"))
    rows = [
        (
            plain(role),
            plain(player),
            f"{own.payoffs[role]:g}" if role in own.payoffs else "",
            ", ".join(f"{kind} {count:,}" for kind, count in own.faults[role].items()),
        )
        for role, player in own.players.items()
    ]
    print_table(None, ("role", "player", ">payoff", "faults"), rows)
    if own.failed is not None:
        say(plain(f"failed: {own.failed}"))
    if record is not None:
        say(f"wrote {record}")


def _refuse_journal(target: Path | None, journal: Path) -> None:
    """Keep a slip of the fingers from costing a tournament."""
    if target is not None and target.exists() and journal.exists() and target.samefile(journal):
        raise click.UsageError(f"{target} is the journal itself and would be overwritten.")


MOST_FAILURES = 5  #: Failures that are listed one by one
MOST_COLUMNS = 12  #: Columns of the cross table; with more players, the best ones


def print_results(results: TournamentResults, by: Literal["game", "seat"] | None = None) -> None:
    """Print all results. by: also print standings by game, or by game and seat."""
    if results.played:
        if results.table is not None:
            _print_table(results.table.title, results.table.columns, results.table.rows)
        _print_standings(results)
        _print_ratings(results)
        _print_cross(results)
        if by is not None:
            _print_parts(results.by_game if by == "game" else results.by_seat)
    _print_failures(results)


def _print_table(title: str, names: Sequence[str], table: Sequence[Sequence[str | float]]) -> None:
    """Print the standings by the rules of the format: a name, then numbers."""
    columns = ["player", *(f">{name}" for name in names[1:])]
    rows = [
        [plain(value) if isinstance(value, str) else f"{value:g}" for value in row] for row in table
    ]
    print_table(title, columns, rows)


def extent(results: TournamentResults) -> str:
    """The number of matches played, as `n of m matches`."""
    failed = f", {len(results.failures):,} failed" if results.failures else ""
    rest = "" if results.finished else "; the tournament is not finished"
    return f"{results.played:,} of {results.planned:,} matches played{failed}{rest}"


def _print_standings(results: TournamentResults) -> None:
    columns = (">", "player", ">matches", ">mean share", ">lead", ">W/D/L", ">faults")
    rows = []
    for place, own in enumerate(results.standings):
        after = results.standings[place + 1 : place + 2]
        ahead = results.ahead(own.player, after[0].player) if after else None
        rows.append(
            (
                str(place + 1),
                plain(own.player),
                f"{own.matches:,}",
                f"{own.share:.3f} {own.margin}".rstrip(),
                "" if ahead is None else f"{ahead.mean:+.3f} {ahead.margin}".rstrip(),
                f"{own.wins:,}/{own.draws:,}/{own.losses:,}",
                f"{sum(own.faults.values()):,}",
            )
        )
    print_table("Standings", columns, rows)
    say(
        "A share is a goal divided by 100; ± gives 95 % confidence intervals. The lead is the "
        "difference to the next player, over repetitions with the same random seeds."
    )


def _print_ratings(results: TournamentResults) -> None:
    ratings = [own for own in results.ratings if own.interval is not None]
    if not ratings:
        return
    several = results.groups > 1
    columns = ("player", ">Elo", ">comparisons", ">mu", ">sigma", ">ordinal")
    rows = [
        (
            plain(own.player),
            f"{own.elo:+.0f}{_half(own.interval, 0)}",
            f"{own.comparisons:,}",
            f"{own.mu:.2f}",
            f"{own.sigma:.2f}",
            f"{own.ordinal:.2f}",
            *([str(own.group + 1)] if several else []),
        )
        for own in ratings
    ]
    click.echo()
    print_table("Ratings", (*columns, *([">group"] if several else [])), rows)
    say(
        "Elo is a Bradley-Terry rating on the Elo scale with mean 0; mu, sigma and ordinal are "
        "from OpenSkill."
    )
    if several:
        say("No matches connect the groups, so ratings can be compared only within a group.")
    if results.held_by_prior:
        say("Some players won every point against others; the prior sets their distance.")


def _print_cross(results: TournamentResults) -> None:
    if not results.cross:
        return
    others = results.players[:MOST_COLUMNS]
    rows = []
    for place, player in enumerate(results.players, 1):
        cells = []
        for other in others:
            met = results.cross.get((player, other))
            cells.append("" if met is None else f"{met.mean_share:.2f} ({met.matches:,})")
        rows.append((str(place), plain(player), *cells))
    click.echo()
    numbers = [f">{place}" for place in range(1, len(others) + 1)]
    print_table("Cross table: mean share (matches)", (">", "player", *numbers), rows)


def _print_parts(standings: Sequence[StandingRow]) -> None:
    seats = any(own.role is not None for own in standings)
    columns = ["game", *(["role"] if seats else []), "player", ">matches", ">mean share"]
    columns += [">W/D/L"]
    rows = [
        (
            plain(own.game or ""),
            *([plain(own.role or "")] if seats else []),
            plain(own.player),
            f"{own.matches:,}",
            f"{own.share:.3f} {own.margin}".rstrip(),
            f"{own.wins:,}/{own.draws:,}/{own.losses:,}",
        )
        for own in standings
    ]
    print_table("By game and seat" if seats else "By game", columns, rows)


def _print_failures(results: TournamentResults) -> None:
    for own in results.failures[:MOST_FAILURES]:
        say(plain(f"match {own.number} ({own.game}) failed: {own.failed}"))
    more = len(results.failures) - MOST_FAILURES
    if more > 0:
        say(f"{more:,} more matches failed; --json lists all of them")


def plain(text: str) -> str:
    """Text that does nothing to a terminal: names and messages may come from strangers."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _half(interval: tuple[float, float] | None, digits: int = 3) -> str:
    return "" if interval is None else f" ± {(interval[1] - interval[0]) / 2:.{digits}f}"
