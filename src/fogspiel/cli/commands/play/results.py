"""`fogspiel results`: what the matches of a tournament came to, also while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from fogspiel.cli.output import busy, json_option, print_json


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
    from fogspiel.cli.commands.play.results_files import document_of, heading_of, write_csv
    from fogspiel.cli.commands.play.results_text import extent, plain, print_summary
    from fogspiel.play.ratings.summary import summary_of
    from fogspiel.play.tournament.journal import read_journal

    for target in (report, csv_file):
        _refuse_journal(target, journal)
    with read_journal(journal) as opened:
        name, planned, known = opened.name, opened.matches, opened.results()
        heading = heading_of(opened) if report is not None else None
    with busy("rating the players …"):
        summary = summary_of(known, planned=planned)
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
