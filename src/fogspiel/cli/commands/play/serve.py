"""`fogspiel serve`: a player that game managers reach over HTTP."""

from __future__ import annotations

import contextlib
import time

import click

from fogspiel.cli.completion import complete_player
from fogspiel.cli.options import count_option, seed_option

DEFAULT_PORT = 9147  #: The customary port of general game players
MOST_CHARACTERS = 400  #: Length of a printed line: names of matches and moves are chosen by others


@click.command()
@click.argument("player", shell_complete=complete_player)
@count_option(
    "--port",
    least=0,
    most=65_535,
    default=DEFAULT_PORT,
    help="Port to listen on; 0 chooses a free port and prints it.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. Everyone who can reach it can start matches; the default is "
    "reachable from this machine only.",
)
@count_option(
    "--matches",
    least=1,
    most=64,
    default=1,
    help="Most matches at the same time, each in a separate process.",
)
@count_option(
    "--simulations",
    least=1,
    help="Number of simulations per move, in place of the whole clock. The same seed then gives "
    "the same moves.",
)
@click.option(
    "--no-ponder",
    is_flag=True,
    help="Do not search while others move. Without this option, searching players do, unless "
    "--simulations is given.",
)
@seed_option
@click.option("--name", help="Name that the player tells managers.  [default: PLAYER]")
@click.option("--once", is_flag=True, help="Exit after the first match.")
def serve(
    player: str,
    *,
    port: int,
    host: str,
    matches: int,
    simulations: int | None,
    no_ponder: bool,
    seed: int,
    name: str | None,
    once: bool,
) -> None:
    """Run PLAYER as a server for game managers of the GGP protocol.

    A manager sends the rules of a game, in GDL-I or in one of the two dialects of GDL-II, and asks
    for moves. Each event is logged as a line on standard error. Ctrl-C stops the server.
    """
    from fogspiel import ggp

    server = ggp.PlayerServer(
        player,
        port=port,
        host=host,
        matches=matches,
        simulations=simulations,
        ponder=not no_ponder,
        seed=seed,
        name=name,
        once=once,
        on_event=tell,
    )
    server.run(lambda number: tell(f"{player} listens on {host}, port {number}"))
    tell("ended")


def tell(line: str) -> None:
    """A line on standard error, with the time of day."""
    clean = "".join(c if c.isprintable() else " " for c in line[:MOST_CHARACTERS])
    # Matches go on where nobody reads any more.
    with contextlib.suppress(OSError):
        click.echo(f"{time.strftime('%H:%M:%S')} {clean}", err=True)
