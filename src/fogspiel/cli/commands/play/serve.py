"""`fogspiel serve`: a player that game managers reach over HTTP."""

from __future__ import annotations

import contextlib
import time

import click

DEFAULT_PORT = 9147  #: The customary port of general game players
MOST_CHARACTERS = 400  #: Length of a printed line: names of matches and moves are chosen by others


@click.command()
@click.argument("player")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Where to listen; 0 takes a free port and names it.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Other than loopback, anyone who reaches it can start matches.",
)
@click.option(
    "--matches",
    type=click.IntRange(min=1, max=64),
    default=1,
    show_default=True,
    help="How many may be played at once, each in a process of its own.",
)
@click.option(
    "--simulations",
    type=click.IntRange(min=1),
    help="For each move, instead of the whole clock: the same seed then plays the same.",
)
@click.option(
    "--no-ponder",
    is_flag=True,
    help="Do not think while others move. Players that search do so otherwise, but for matches by "
    "--simulations.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--name", help="What the player calls itself.  [default: PLAYER]")
@click.option("--once", is_flag=True, help="End after the first match.")
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
    """Let PLAYER wait for game managers, which send it the rules of games and ask for moves.

    It speaks the protocol of general game playing: GDL-I and both dialects of GDL-II. What happens
    is told on standard error, a line for each event. Ctrl-C ends it.
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
