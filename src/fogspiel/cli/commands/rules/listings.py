"""`fogspiel games`, `players` and `explain`: lists of what there is, and what each entry means."""

from __future__ import annotations

import difflib
from dataclasses import asdict
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any

import click

from fogspiel import UsageError, bundled_games, finding_codes, game_families
from fogspiel.cli.output import json_option, on_terminal, print_json, print_table

if TYPE_CHECKING:
    from fogspiel import GameEntry

TITLE_WIDTH, TAGS_WIDTH, RULES_WIDTH = 29, 26, 29  #: Columns of the table of games
WHAT_WIDTH, SOURCE_WIDTH, FITS_WIDTH = 36, 32, 30
"""Columns of the table of players: together with the names they fit a terminal of 120."""
PROSE_WIDTH = 100
TEXT_WIDTH = 78


@click.command()
@json_option
def games(*, as_json: bool) -> None:
    """List the bundled games."""
    entries = bundled_games().values()
    if as_json:
        print_json({"games": [_record(entry) for entry in entries], "families": game_families()})
        return
    print_table(
        None,
        ("name", "title", "tags", "source of the rules"),
        [_row(entry) for entry in entries],
    )
    click.echo(f"{len(entries)} games; `--json` has all that is known of each.")
    families = f"Families with parameters: {', '.join(game_families())};"
    click.echo(fill(families, PROSE_WIDTH, break_on_hyphens=False))
    click.echo("e.g. `fogspiel info 'breakthrough(7,7)'`.")


def _row(entry: GameEntry) -> tuple[str, ...]:
    """The cells of a game, cut to fit a line of a terminal: sources can be long."""
    source = shorten(entry.rules_source, RULES_WIDTH, placeholder=" …", break_on_hyphens=False)
    tags = fill(", ".join(entry.tags), TAGS_WIDTH, break_on_hyphens=False)
    return entry.name, fill(entry.title, TITLE_WIDTH), tags, source


def _record(entry: GameEntry) -> dict[str, Any]:
    """Everything that the index says about a game."""
    unit = entry.unit
    return {
        "name": entry.name,
        "title": entry.title,
        "rules_source": entry.rules_source,
        "description": entry.description,
        "tags": list(entry.tags),
        "family": entry.family,
        "parameters": list(entry.parameters),
        "language": entry.language,
        "payoff": unit and {"offset": unit.offset, "scale": unit.scale, "unit": unit.name},
        "facts": {
            name: {"value": fact.value, "source": fact.source} for name, fact in entry.facts.items()
        },
    }


@click.command()
@json_option
def players(*, as_json: bool) -> None:
    """List the players: what each does, where it comes from, and which games it fits."""
    from fogspiel import available_players, leaf_evaluations

    records = [asdict(player) for player in available_players()]
    evaluations = [{"name": own.name, "what": own.what} for own in leaf_evaluations()]
    if as_json:
        print_json({"players": records, "evaluations": evaluations})
        return
    rows = [
        (
            record["name"],
            fill(record["what"], WHAT_WIDTH),
            fill(record["source"], SOURCE_WIDTH),
            fill(record["fits"], FITS_WIDTH),
        )
        for record in records
    ]
    print_table(None, ("name", "what it does", "source", "fits"), rows)
    print_table(
        "Evaluations of leaves", ("name", "what it says"), [tuple(e.values()) for e in evaluations]
    )
    click.echo(
        "`uct:mobility` evaluates where a simulation leaves the tree, and plays nothing out;"
    )
    click.echo("`uct:mobility,share=0.5` takes the mean with a playout, and")
    click.echo("`uct:mobility,steps=4` evaluates after four random steps.")
    click.echo("Your own class plays where a name is taken: `FILE.py:Class,key=value` or")
    click.echo("`package.module:Class,key=value`; values with commas stand in [brackets].")
    click.echo("`fogspiel new player NAME` writes one to start from.")
    click.echo(f"{len(rows)} players; `fogspiel match` lets them play each other,")
    click.echo("`fogspiel play` lets you play against one.")


@click.command()
@click.argument("code", required=False)
@json_option
def explain(code: str | None, *, as_json: bool) -> None:
    """Say what CODE means and how to mend it. Without CODE, list all codes."""
    codes = finding_codes()
    if code is None:
        if as_json:
            print_json({"codes": [asdict(entry) for entry in codes.values()]})
        else:
            print_table(None, ("code", "title"), [(e.code, e.title) for e in codes.values()])
        return
    entry = codes.get(code.strip().upper())
    if entry is None:
        raise _unknown(code, list(codes))
    if as_json:
        print_json(asdict(entry))
        return
    click.echo(f"{entry.code}: {entry.title}\n\n{_wrapped(entry.meaning)}\n")
    if entry.example:
        click.echo("Example:")
        click.echo("\n".join(f"    {line}" for line in entry.example.splitlines()) + "\n")
    click.echo(_wrapped(f"What to do: {entry.remedy}"))


def _wrapped(text: str) -> str:
    """Lines to read on a terminal; elsewhere one line, to be searched."""
    return click.wrap_text(text, width=TEXT_WIDTH) if on_terminal() else text


def _unknown(code: str, known: list[str]) -> UsageError:
    close = difflib.get_close_matches(code.strip().upper(), known, n=3, cutoff=0.6)
    fix = f"did you mean {' or '.join(close)}?" if close else "`fogspiel explain` lists all codes"
    return UsageError.of("CLI001", f"there is no code {code!r}", fix=fix)
