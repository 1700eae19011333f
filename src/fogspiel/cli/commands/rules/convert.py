"""`fogspiel convert`: a game in another language."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from fogspiel import UsageError
from fogspiel.cli.options import GameChoice, domain_option, ground_seconds_option
from fogspiel.cli.output import busy, json_option, print_json

DEFAULT_MAX_NODES = 1_000_000


@click.command()
@click.argument("game")
@click.option(
    "--to",
    type=click.Choice(["gdl", "infix", "pogddl", "efg"]),
    required=True,
    help="GDL-II in prefix or infix notation, POGDDL, or Gambit's extensive form.",
)
@click.option(
    "--out", type=click.Path(dir_okay=False), help="Write here instead of to standard output."
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option(
    "--max-nodes",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_NODES,
    show_default=True,
    help="The largest tree that is written as EFG.",
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
    """Write GAME in another language.

    Rules are translated rule by rule; to EFG, the whole tree is written, with the payoffs of a
    bundled game in its own unit. GDL-II counts goals from 0 in whole numbers: where payoffs do not,
    a comment says how goals stand for them.
    """
    if out is not None and Path(out).exists() and not force:
        raise UsageError.of(
            "CLI006",
            f"{out} is there already",
            fix="give another name, or --force to write over it",
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
