"""`fogspiel games`: what is bundled."""

from __future__ import annotations

from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from fogspiel.games.library import GameEntry

TITLE_WIDTH = 29
TAGS_WIDTH = 26
SOURCE_WIDTH = 29
PROSE_WIDTH = 100


@click.command()
@json_option
def games(*, as_json: bool) -> None:
    """List the bundled games."""
    from fogspiel.games.families import family_names
    from fogspiel.games.library import bundled_games

    entries = bundled_games().values()
    if as_json:
        print_json({"games": [_record(entry) for entry in entries], "families": family_names()})
        return
    print_table(
        None,
        ("name", "title", "tags", "source of the rules"),
        [_row(entry) for entry in entries],
    )
    click.echo(f"{len(entries)} games; `--json` has all that is known of each.")
    families = f"Families with parameters: {', '.join(family_names())};"
    click.echo(fill(families, PROSE_WIDTH, break_on_hyphens=False))
    click.echo("e.g. `fogspiel info 'breakthrough(7,7)'`.")


def _row(entry: GameEntry) -> tuple[str, ...]:
    """As short as a line of a terminal: sources can be long, and are cut."""
    source = shorten(entry.rules_source, SOURCE_WIDTH, placeholder=" …", break_on_hyphens=False)
    tags = fill(", ".join(entry.tags), TAGS_WIDTH, break_on_hyphens=False)
    return entry.name, fill(entry.title, TITLE_WIDTH), tags, source


def _record(entry: GameEntry) -> dict[str, Any]:
    """Everything that the index holds of a game."""
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
