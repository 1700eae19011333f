"""`fogspiel convert`: a game in another language."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from fogspiel import UsageError
from fogspiel.cli.options import (
    GameChoice,
    count_option,
    domain_option,
    game_argument,
    ground_seconds_option,
)
from fogspiel.cli.output import busy, json_option, print_json

DEFAULT_MAX_NODES = 1_000_000


@click.command()
@game_argument
@click.option(
    "--to",
    type=click.Choice(["gdl", "infix", "pogddl", "efg"]),
    required=True,
    help="Target language: GDL-II in prefix (gdl) or infix notation, POGDDL, or Gambit's extensive "
    "form (efg).",
)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write to FILE instead of standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@count_option(
    "--max-nodes",
    least=1,
    default=DEFAULT_MAX_NODES,
    help="Largest game tree that is written as EFG, in nodes.",
)
@domain_option
@ground_seconds_option
@json_option
def convert(
    game: str,
    *,
    to: Literal["gdl", "infix", "pogddl", "efg"],
    out: str | None,
    force: bool,
    max_nodes: int,
    domain: str | None,
    ground_seconds: float | None,
    as_json: bool,
) -> None:
    """Translate GAME into another language.

    Rules are translated one by one. EFG holds the whole game tree, with the payoffs of a bundled
    game in its own unit. GDL-II has only whole numbers from 0 as goals: where the payoffs are
    others, a comment gives the conversion.
    """
    if out is not None and Path(out).exists() and not force:
        raise UsageError.of(
            "CLI006",
            f"{out} exists already",
            fix="give another name, or --force to overwrite it",
        )
    from fogspiel import Game

    given = GameChoice(game, domain).rules_or_game()
    with busy("translating …"):
        if isinstance(given, Game):
            result = given.convert(to, max_nodes=max_nodes)
        else:
            result = given.convert(to, ground_seconds=ground_seconds, max_nodes=max_nodes)
    if out is not None:
        Path(out).write_text(result.text, encoding="utf-8")
    if as_json:
        print_json(
            {
                "game": result.game,
                "to": to,
                "out": out,
                "offset": result.offset,
                "scale": result.scale,
                "text": result.text if out is None else None,
            }
        )
    elif out is None:
        click.echo(result.text, nl=False)
    else:
        click.echo(f"wrote {out}: {result.text.count(chr(10)):,} lines")
