"""`fogspiel manage`: a game manager for players that are reached over HTTP."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.commands.play.manage_setup import DIALECTS, invited
from fogspiel.cli.commands.play.manage_setup import staged as stage
from fogspiel.cli.commands.play.match import payoff_tables, print_rows
from fogspiel.cli.options import GameChoice, game_options
from fogspiel.cli.output import busy, json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar
from fogspiel.core.terms import RoleId
from fogspiel.play.clocks import MatchClocks

if TYPE_CHECKING:
    from fogspiel import Series
    from fogspiel.games.send import StagedGame
    from fogspiel.play.ggp.manage.seats import Participant
    from fogspiel.play.ggp.manage.series import ManagedSeries, Observe, SeriesSettings
    from fogspiel.play.loop import MatchObserver

    Managed = tuple[list[Participant], ManagedSeries]

PLAYERS = "--players"
SEED_BITS = 63


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
@click.argument("game")
@click.option(
    PLAYERS,
    "players",
    multiple=True,
    required=True,
    metavar="URL...",
    help="Where the players are, or names of our own, in the order of the roles.",
)
@click.option(
    "--start-clock", type=click.IntRange(min=1), default=30, show_default=True, metavar="SECONDS"
)
@click.option(
    "--play-clock", type=click.IntRange(min=1), default=10, show_default=True, metavar="SECONDS"
)
@click.option("--matches", type=click.IntRange(min=1), default=1, show_default=True)
@click.option(
    "--at-once",
    type=click.IntRange(min=1, max=1_000),
    default=1,
    show_default=True,
    help="Matches at a time; most players take one.",
)
@click.option("--swap", is_flag=True, help="Rotate seats, so that all play every role as often.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Of chance and of substitutes; one that nobody can guess if not given.",
)
@click.option("--scramble", is_flag=True, help="Tell the rules under other names in every match.")
@click.option("--upper", is_flag=True, help="Tell the rules in upper case.")
@click.option(
    "--dialect",
    "dialects",
    multiple=True,
    type=click.Choice(DIALECTS),
    help="Of all players, or once for each; auto goes by the game, and probes for GDL-II.",
)
@click.option(
    "--allow-remote", is_flag=True, help="Connect to other machines, not to this one alone."
)
@click.option("--record", metavar="DIR", help="Write every match to a file for `fogspiel replay`.")
@click.option(
    "--simulations", type=click.IntRange(min=1), help="At most so many a move, for our own players."
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
    """Let players play GAME, one for each role, asking them over HTTP.

    They are sent START, PLAY and STOP as the protocol of general game playing has it, in GDL-I or a
    dialect of GDL-II. Late, illegal or unreadable answers are replaced and counted.
    """
    import asyncio
    from secrets import randbits, token_hex

    from fogspiel.play.ggp.manage.seats import MANAGER_GRACE_SECONDS
    from fogspiel.play.ggp.manage.series import SeriesSettings
    from fogspiel.play.series import refuse_entrants, refuse_uneven

    staged = stage(game)
    refuse_entrants(staged.managed.machine, len(players))
    if swap:
        refuse_uneven(matches, len(players))
    settings = SeriesSettings(
        matches=matches,
        clocks=MatchClocks(
            start_seconds=start_clock,
            turn_seconds=play_clock,
            grace_seconds=MANAGER_GRACE_SECONDS,
        ),
        seed=randbits(SEED_BITS) if seed is None else seed,
        at_once=at_once,
        swap=swap,
        scramble=scramble,
        upper=upper,
        run=token_hex(),
    )
    observe = None if record is None else _recording(staged, Path(record), settings, simulations)
    began = time.perf_counter()
    guests, managed = asyncio.run(
        _until_ended(
            _managed(staged, players, dialects, settings, observe, simulations, allow_remote)
        )
    )
    document = _document(staged, guests, managed, settings, time.perf_counter() - began)
    if as_json:
        print_json(document)
    else:
        _print(staged, managed, document)


async def _until_ended(work: Coroutine[Any, Any, Managed]) -> Managed:
    """What work comes to. The signal to end interrupts it like a person: players are told."""
    import asyncio
    import signal

    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # where there are no such signals
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    own = asyncio.current_task()
    try:
        return await task
    except asyncio.CancelledError:
        if own is not None and own.cancelling():
            raise
        raise KeyboardInterrupt from None


async def _managed(
    staged: StagedGame,
    players: Sequence[str],
    dialects: Sequence[str],
    settings: SeriesSettings,
    observe: Observe | None,
    simulations: int | None,
    allow_remote: bool,
) -> Managed:
    from fogspiel.play.ggp.manage.remote_player import Invitation
    from fogspiel.play.ggp.manage.series import play_managed_series

    invitation = Invitation(hides=staged.managed.hides, allow_remote=allow_remote)
    with busy("meeting the players …"):
        guests = await invited(players, dialects, staged, invitation, simulations)
    with busy("loading the kernels …"):
        _warm_up(staged, guests, min(settings.at_once, settings.matches))
    with ProgressBar("matches", settings.matches) as progress:
        played = await play_managed_series(
            staged.managed, guests, settings, observe=observe, on_match=progress.advance
        )
    return guests, played


def _warm_up(staged: StagedGame, guests: Sequence[Participant], at_once: int) -> None:
    """Make all machines and let our own players play a little: no clock shall run meanwhile."""
    from fogspiel.play.ggp.manage.local_player import LocalPlayer
    from fogspiel.play.series import Entrant, warm_up

    players = [guest for guest in guests if isinstance(guest, LocalPlayer)]
    made = [(local, local.machines.take()) for local in players for _ in range(at_once)]
    for local in {local.name: local for local in players}.values():
        warm_up(staged.game.another_machine(), [Entrant(local.name, local.make)] * len(guests))
    for local, machine in made:
        local.machines.give_back(machine)


def _recording(
    staged: StagedGame, folder: Path, settings: SeriesSettings, simulations: int | None
) -> Observe:
    """Records in a folder. Rules that were translated are written beside, to be replayed by."""
    from fogspiel.play.records.format import RecordFolder
    from fogspiel.solve.files.strategy_file import rules_digest

    name = staged.managed.name
    if staged.is_translated:
        (source,) = staged.game.sources
        name = str(folder / source.name)
    clocks = replace(settings.clocks, simulations=simulations)
    records = RecordFolder(
        folder=folder, game=name, rules=rules_digest(staged.game.sources), clocks=clocks
    )
    records.refuse_present(settings.matches)
    if staged.is_translated:
        Path(name).write_text(staged.game.sources[0].text, encoding="utf-8", newline="\n")

    def observe(
        number: int, seed: int, names: Mapping[RoleId, str]
    ) -> AbstractContextManager[MatchObserver]:
        machine = staged.managed.machine
        return records.recorder(machine, number=number, players=names, seed=seed)

    return observe


def _document(
    staged: StagedGame,
    guests: Sequence[Participant],
    managed: ManagedSeries,
    settings: SeriesSettings,
    seconds: float,
) -> dict[str, Any]:
    series = managed.series
    return {
        "game": staged.managed.name,
        "engine": staged.managed.machine.engine,
        "players": [_player(guest) for guest in guests],
        "roles": list(series.roles),
        "settings": {
            "matches": settings.matches,
            "at_once": settings.at_once,
            "start_clock": settings.clocks.start_seconds,
            "play_clock": settings.clocks.turn_seconds,
            "swap": settings.swap,
            "scramble": settings.scramble,
            "upper": settings.upper,
        },
        "seed": settings.seed,
        "seconds": seconds,
        "interval": "Student's t",
        **payoff_tables(_series(staged, managed)),
        "faults": [
            {str(kind): count for kind, count in sorted(own.items())} for own in managed.faults
        ],
    }


def _player(guest: Participant) -> dict[str, Any]:
    from fogspiel.play.ggp.manage.remote_player import RemotePlayer

    if isinstance(guest, RemotePlayer):
        place = guest.place
        return {
            "name": guest.name,
            "url": str(place.url),
            "address": place.address,
            "dialect": str(guest.dialect),
        }
    return {"name": guest.name, "url": None, "address": None, "dialect": None}


def _print(staged: StagedGame, managed: ManagedSeries, document: dict[str, Any]) -> None:
    settings = document["settings"]
    count = settings["matches"]
    click.echo(
        f"{document['game']}: {count:,} match{'es' if count > 1 else ''}, clocks "
        f"{settings['start_clock']} and {settings['play_clock']} s, in {document['seconds']:.3g} s"
    )
    for number, player in enumerate(document["players"], start=1):
        where = f" at {player['url']}, in {player['dialect']}" if player["url"] else ", our own"
        click.echo(f"player {number}: {player['name']}{where}")
    print_rows(_series(staged, managed), with_totals=settings["swap"])
    rows = [
        (player["name"], kind, f"{times:,}")
        for player, own in zip(document["players"], document["faults"], strict=True)
        for kind, times in own.items()
    ]
    if rows:
        print_table("Faults", ("player", "kind", ">times"), rows)
    else:
        click.echo("no faults")


def _series(staged: StagedGame, managed: ManagedSeries) -> Series:
    from fogspiel import Game, Series

    return Series(Game(staged.game), managed.series, unit=staged.unit)
