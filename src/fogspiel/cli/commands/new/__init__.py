"""`fogspiel new`: players and games of one's own, written as files to start from."""

from __future__ import annotations

from pathlib import Path

import click

from fogspiel.cli.commands.new.starting import NewFiles, game_start, player_start
from fogspiel.cli.help import CommandGroup
from fogspiel.cli.output import json_option, print_json

out_option = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder for the files.  [default: the current one]",
)


@click.group(cls=CommandGroup)
def new() -> None:
    """Write a player or a game of your own to start from, with tests.

    The files can be run as they are. Existing files are not overwritten.
    """


@new.command()
@click.argument("name")
@out_option
@json_option
def player(name: str, *, out: Path, as_json: bool) -> None:
    """Write a player class to NAME.py and its tests to test_NAME.py.

    The player can play every game. It compares its legal moves by random playouts from states that
    it considers possible.
    """
    _write(player_start(name, out), as_json=as_json)


@new.command()
@click.argument("name")
@click.option("--python", is_flag=True, help="Write a Python class to NAME.py instead of rules.")
@out_option
@json_option
def game(name: str, *, python: bool, out: Path, as_json: bool) -> None:
    """Write the rules of a game to NAME.gdl and its tests to test_NAME.py.

    It is a small game in GDL-II with chance, simultaneous moves and hidden information.
    """
    _write(game_start(name, out, python=python), as_json=as_json)


def _write(made: NewFiles, *, as_json: bool) -> None:
    made.write()
    if as_json:
        files = [str(path) for path in made.files]
        print_json({"name": made.named, "files": files, "next": made.commands})
        return
    click.echo(f"wrote {' and '.join(map(str, made.files))}")
    click.echo("Try it:")
    for command in made.commands:
        click.echo(f"  {command}")
