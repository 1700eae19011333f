"""`fogspiel manage`: a game manager for players that are reached over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.commands.play.match import payoff_tables, print_rows
from fogspiel.cli.completion import complete_player
from fogspiel.cli.options import GameChoice, count_option, game_argument, game_options
from fogspiel.cli.output import json_option, print_json, print_table, say
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.api.ggp import ManagedMatches

PLAYERS = "--players"
DIALECTS = ("auto", "gdl1", "gdl2", "gdl2_old")


class ManyPlayers(click.Command):
    """Lets `--players` take all words up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments with the option repeated before each of its words."""
        spread: list[str] = []
        taking = False
        for word in args:
            if word == PLAYERS:
                taking = True
            elif word.startswith("-"):
                taking = False
                spread.append(word)
            else:
                spread += [PLAYERS, word] if taking else [word]
        return super().parse_args(ctx, spread)


@click.command(cls=ManyPlayers)
@game_argument
@click.option(
    PLAYERS,
    "players",
    multiple=True,
    required=True,
    metavar="URL...",
    shell_complete=complete_player,
    help="One player for each role, in the order of the rules: the URL of a player, or a name that "
    "`fogspiel players` lists.",
)
@count_option(
    "--start-clock",
    least=1,
    default=30,
    metavar="SECONDS",
    help="Time for a player before the first move.",
)
@count_option(
    "--play-clock", least=1, default=10, metavar="SECONDS", help="Time for a player per move."
)
@count_option("--matches", least=1, default=1, help="Number of matches.")
@count_option(
    "--at-once",
    least=1,
    most=1_000,
    default=1,
    help="Number of matches played at the same time; most players accept one.",
)
@click.option(
    "--swap", is_flag=True, help="Rotate the seats, so that everyone plays each role equally often."
)
@count_option(
    "--seed",
    least=0,
    help="Random seed of chance and of replaced moves.  [default: one that nobody can guess]",
)
@click.option("--scramble", is_flag=True, help="Rename all symbols of the rules in every match.")
@click.option("--upper", is_flag=True, help="Send the rules in upper case.")
@click.option(
    "--dialect",
    "dialects",
    multiple=True,
    type=click.Choice(DIALECTS),
    help="Dialect of the messages, once for all players or once for each. auto: GDL-I where the "
    "game needs no more, else the dialect of GDL-II that the player answers to.",
)
@click.option("--allow-remote", is_flag=True, help="Allow players on other machines.")
@click.option("--record", metavar="DIR", help="Write a record of every match for fogspiel replay.")
@count_option(
    "--simulations", least=1, help="Most simulations per move of players that are given by name."
)
@game_options
@json_option
def manage(
    game: GameChoice,
    *,
    players: tuple[str, ...],
    start_clock: int,
    play_clock: int,
    matches: int,
    at_once: int,
    swap: bool,
    seed: int | None,
    scramble: bool,
    upper: bool,
    dialects: tuple[str, ...],
    allow_remote: bool,
    record: str | None,
    simulations: int | None,
    as_json: bool,
) -> None:
    """Run matches of GAME between players that are reached over HTTP.

    Fogspiel is the game manager of the GGP protocol: it sends START, PLAY and STOP messages with
    rules in GDL-I or in a dialect of GDL-II. Answers that are late, illegal or unreadable are
    replaced by random moves and counted as faults.
    """
    from fogspiel import ggp

    rules = game.rules()
    with ProgressBar("matches", matches) as progress:
        managed = ggp.manage(
            rules,
            players,
            start_clock=start_clock,
            play_clock=play_clock,
            matches=matches,
            at_once=at_once,
            swap=swap,
            seed=seed,
            scramble=scramble,
            upper=upper,
            dialects=dialects,
            allow_remote=allow_remote,
            record=record,
            simulations=simulations,
            engine=game.engine,
            ground_seconds=game.ground_seconds,
            on_match=progress.advance,
        )
    settings = {
        "matches": matches,
        "at_once": at_once,
        "start_clock": start_clock,
        "play_clock": play_clock,
        "swap": swap,
        "scramble": scramble,
        "upper": upper,
    }
    if as_json:
        print_json(_document(managed, settings))
    else:
        _print(managed, settings)


def _document(managed: ManagedMatches, settings: dict[str, Any]) -> dict[str, Any]:
    series = managed.series
    return {
        "game": managed.name,
        "engine": series.game.machine.engine,
        "players": [
            {
                "name": player.name,
                "url": player.url,
                "address": player.address,
                "dialect": player.dialect,
            }
            for player in managed.players
        ],
        "roles": list(series.game.players),
        "settings": settings,
        "seed": managed.seed,
        "seconds": series.seconds,
        "interval": "Student's t",
        **payoff_tables(series),
        "faults": [dict(own) for own in managed.faults],
    }


def _print(managed: ManagedMatches, settings: dict[str, Any]) -> None:
    count = settings["matches"]
    say(
        f"{managed.name}: {count:,} match{'es' if count > 1 else ''}, start clock "
        f"{settings['start_clock']} s, play clock {settings['play_clock']} s, "
        f"in {managed.series.seconds:.3g} s"
    )
    for number, player in enumerate(managed.players, start=1):
        where = f" at {player.url}, in {player.dialect}" if player.url else ", in this process"
        say(f"player {number}: {player.name}{where}")
    print_rows(managed.series, with_totals=settings["swap"])
    rows = [
        (player.name, kind, f"{times:,}")
        for player, own in zip(managed.players, managed.faults, strict=True)
        for kind, times in own.items()
    ]
    if rows:
        print_table("Faults", ("player", "fault", ">times"), rows)
    else:
        say("no faults")
