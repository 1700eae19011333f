"""`fogspiel players`: who can play, and how the other commands find players by name."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import click

from fogspiel.cli.output import json_option, print_json, print_table
from fogspiel.core.findings import UsageError

if TYPE_CHECKING:
    from fogspiel.play.series import Entrant
    from fogspiel.players.entry import PlayerEntry

WHAT_WIDTH, SOURCE_WIDTH, FITS_WIDTH = 36, 32, 30
"""Of the columns: together with the names they fit a terminal of 120."""


@click.command()
@json_option
def players(*, as_json: bool) -> None:
    """List the players: what each does, where it comes from, and which games it fits."""
    from fogspiel.search.evaluation.evaluations import EVALUATIONS

    records = listed_players()
    evaluations = [{"name": own.name, "what": own.what} for own in EVALUATIONS.values()]
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
    click.echo(f"{len(rows)} players; `fogspiel match` lets them play each other,")
    click.echo("`fogspiel play` lets you play against one.")


def listed_players() -> list[dict[str, str]]:
    """All players with what is told of each; the person at the terminal is the last."""
    from fogspiel.players.catalogue import ALL_PLAYERS
    from fogspiel.players.human import HUMAN

    person = {
        "name": HUMAN,
        "what": "a person at the terminal: `fogspiel play`",
        "source": "you",
        "fits": "every game",
    }
    known = [
        {"name": kind.name, "what": _told(kind), "source": kind.source, "fits": kind.fits}
        for kind in ALL_PLAYERS.values()
    ]
    return [*known, person]


def _told(kind: PlayerEntry) -> str:
    """What a player does, and what its name may be followed by."""
    return f"{kind.what}; after a colon: {kind.argument}" if kind.argument else kind.what


def entrant(name: str, game: str | None = None) -> Entrant:
    """A player by name. Raises `UsageError` PLY002, and PLY003 for a person.

    game: what is to be played, as the user named it: methods may lie beside its rules.
    """
    from functools import partial

    from fogspiel.play.series import Entrant
    from fogspiel.players.catalogue import make_player
    from fogspiel.players.human import HUMAN

    if name == HUMAN:
        raise UsageError.of(
            "PLY003",
            "a person can only play by `fogspiel play`, in one role",
            fix="use `fogspiel play GAME --as ROLE --against PLAYER`",
        )
    name = name if game is None else with_methods(name, game)
    make_player(name)  # so that an unknown name is refused before anything is played
    return Entrant(name, partial(make_player, name))


def with_methods(name: str, game: str) -> str:
    """A player's name; if it plays by methods and names none, with the file beside the rules."""
    from pathlib import Path

    from fogspiel.players.planning.tignum import TIGNUM, names_file

    kind, _, argument = name.partition(":")
    if kind != TIGNUM.name or names_file(argument):
        return name
    beside = Path(game).with_suffix(".methods")
    if not Path(game).is_file() or not beside.is_file():
        return name
    return f"{kind}:{beside}" + (f",{argument}" if argument else "")
