"""`fogspiel play`: a person plays in the terminal, asked for moves by a dialogue."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fogspiel import UsageError
from fogspiel.cli.completion import complete_player
from fogspiel.cli.options import (
    GameChoice,
    count_option,
    game_argument,
    game_options,
    refuse_clocks,
    seconds_option,
    simulations_option,
    start_seconds_option,
)
from fogspiel.cli.output import INTERRUPTED, busy, print_table, say

if TYPE_CHECKING:
    from fogspiel import Game, Match, Role


DEFAULT_OPPONENT = "auto"
DEFAULT_SECONDS = 1.0
MAX_SEED = 1 << 32


@click.command()
@game_argument
@click.option(
    "--as",
    "roles",
    metavar="ROLE",
    multiple=True,
    help="Role that you play; may be repeated for several people.  [default: the first]",
)
@click.option(
    "--against",
    metavar="PLAYER",
    multiple=True,
    shell_complete=complete_player,
    help="Player of all other roles, or ROLE=PLAYER for one role; may be repeated.  "
    f"[default: {DEFAULT_OPPONENT}]",
)
@click.option("--record", metavar="DIR", help="Write a record of every match for fogspiel replay.")
@seconds_option
@start_seconds_option
@simulations_option
@count_option("--seed", least=0, help="Random seed of chance and of your opponents.")
@game_options
def play(
    game: GameChoice,
    *,
    roles: tuple[str, ...],
    against: tuple[str, ...],
    record: str | None,
    seconds: float | None,
    start_seconds: float | None,
    simulations: int | None,
    seed: int | None,
) -> int:
    """Play GAME yourself at the terminal.

    You see what your role sees, and choose among its legal moves. You are also shown what your role
    knows for certain, as a board where the rules have one; a cell with several possible contents
    shows a question mark.

    Opponents think for one second per move by default. Chance is drawn anew for each match; --seed
    with the number printed at the start repeats a match.

    Several people can take turns at one keyboard; the screen is cleared between them.
    """
    from secrets import randbelow

    if seconds is simulations is None:
        seconds = DEFAULT_SECONDS
    refuse_clocks(seconds, simulations, start_seconds)
    loaded = game.load()
    own = [_own_role(loaded, role) for role in roles or (None,)]
    opponents = _opponents(loaded, own, against)
    folder = None if record is None else _folder(record)
    seed = randbelow(MAX_SEED) if seed is None else seed
    while True:
        _greet(loaded, own, opponents, seed)
        try:
            match = _played(
                loaded,
                own,
                opponents,
                seconds=seconds,
                simulations=simulations,
                start_seconds=start_seconds,
                seed=seed,
            )
        except (EOFError, KeyboardInterrupt):
            click.echo("\nYou left the match. Goodbye.")
            return INTERRUPTED
        _print_end(match, own)
        if folder is not None:
            _save(match, folder)
        if not _wants_another():
            return 0
        seed = (seed + 1) % MAX_SEED


def _played(
    game: Game,
    own: Sequence[Role],
    opponents: Mapping[Role, str],
    *,
    seconds: float | None,
    simulations: int | None,
    start_seconds: float | None,
    seed: int,
) -> Match:
    """A match of people against players. Raises `EOFError` where a person leaves."""
    from fogspiel.cli.commands.play.dialogue import Person
    from fogspiel.cli.commands.play.showing import show_everything
    from fogspiel.draw.board import layouts_of

    layouts, is_alone = layouts_of(game.machine), len(own) == 1
    with ExitStack() as waiting:
        waiting.enter_context(busy("loading the kernels …"))
        people = {role: Person(layouts, waiting.close, is_alone=is_alone) for role in own}
        match = game.match(
            *(people[role] if role in people else opponents[role] for role in game.players),
            seconds=seconds,
            simulations=simulations,
            start_seconds=start_seconds,
            seed=seed,
        )
    if is_alone:
        people[own[0]].show_new(match.history.view(own[0]))
    click.echo(f"The match is over after {len(match)} steps.")
    if game.has_percepts or not is_alone:
        show_everything(match, layouts)
    return match


def _opponents(game: Game, own: Sequence[Role], against: Sequence[str]) -> dict[Role, str]:
    """The player of each role that no person plays. Raises `UsageError` for an unknown one."""
    from fogspiel.api.matches.player import entrant_of

    chosen: dict[str, str] = {}
    others = DEFAULT_OPPONENT
    for word in against:
        role, equals, player = word.partition("=")
        if equals and role in game.players:
            if role in own:
                raise click.UsageError(f"{role} is played by a person, and by {player}")
            chosen[role] = player
        else:
            others = word
    return {
        role: entrant_of(game, chosen.get(role, others)).name
        for role in game.players
        if role not in own
    }


def _folder(name: str) -> Path:
    """The folder of records, made if it is not there. Raises `UsageError` MAT013."""
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"records cannot be written to {name}: {error.strerror}"
        raise UsageError.of("MAT013", message, fix="give another folder") from None
    return Path(name)


def _save(match: Match, folder: Path) -> None:
    """Write the record of a match under the first number that is free."""
    stem = Path(match.game.name).stem
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in stem).strip("_") or "game"
    path = next(
        path
        for path in (folder / f"{plain}-{number:04}.jsonl" for number in count(1))
        if not path.exists()
    )
    match.save(path)
    click.echo(f"wrote {path}")


def _wants_another() -> bool:
    """Whether people want another game."""
    try:
        answer = input("Another game? y or n> ")
    except (EOFError, KeyboardInterrupt):
        answer = ""
    if not sys.stdin.isatty():
        click.echo(answer)
    return answer.strip().lower() in {"y", "yes"}


def _own_role(game: Game, name: str | None) -> Role:
    """The role of a name, or the first that is not chance."""
    if not game.players:
        game.match()  # which says that nobody can play
    if name is None:
        return game.players[0]
    for role in game.players:
        if role == name:
            return role
    raise UsageError.of(
        "MAT007",
        f"{game.name} has no role {name!r} that could be played",
        fix=f"play one of {', '.join(game.players)}",
    )


def _greet(game: Game, own: Sequence[Role], opponents: Mapping[Role, str], seed: int) -> None:
    """Say who plays what."""
    by_player: dict[str, list[str]] = {}
    for role, player in opponents.items():
        by_player.setdefault(player, []).append(role)
    told = [f"{player} plays {', '.join(roles)}" for player, roles in by_player.items()]
    people = "you play" if len(own) == 1 else "people at the keyboard play"
    seats = "; ".join([f"{people} {', '.join(own)}", *told])
    say(f"{game.name}: {seats} (seed {seed})")
    say("Type ? for help.")


def _print_end(match: Match, own: Sequence[Role]) -> None:
    """The goals of all, in both units."""
    unit = match.game.unit
    is_plain = match.game.payoff_unit.is_plain
    columns = ["role", ">goal"] + ([] if unit is None or is_plain else [f">payoff, {unit.name}"])
    rows = []
    for role in match.game.players:
        person = "" if role not in own else " (you)" if len(own) == 1 else " (a person)"
        cells = [role + person, f"{match.goals[role]}", f"{match.payoffs[role]:+g}"]
        rows.append(cells[: len(columns)])
    print_table(None, columns, rows)
