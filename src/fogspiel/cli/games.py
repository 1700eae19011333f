"""`fogspiel games`: what is bundled."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from fogspiel.games.library import GameEntry


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
        [(e.name, e.title, ", ".join(e.tags), e.rules_source) for e in entries],
    )
    click.echo(f"{len(entries)} games. Families with parameters: {', '.join(family_names())};")
    click.echo("e.g. `fogspiel info 'breakthrough(7,7)'`.")


def _record(entry: GameEntry) -> dict[str, Any]:
    """Everything that the index holds of a game."""
    return {
        "name": entry.name,
        "title": entry.title,
        "rules_source": entry.rules_source,
        "description": entry.description,
        "tags": list(entry.tags),
        "family": entry.family,
        "parameters": list(entry.parameters),
        "language": entry.language,
        "payoff": asdict(entry.payoff) if entry.payoff else None,
        "facts": {
            name: {"value": fact.value, "source": fact.source} for name, fact in entry.facts.items()
        },
    }
