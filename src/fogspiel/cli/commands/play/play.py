"""`fogspiel play`: a person plays in the terminal, asked for moves by a dialogue."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from fogspiel import UsageError
from fogspiel.cli.options import (
    GameChoice,
    game_options,
    refuse_clocks,
    seconds_option,
    simulations_option,
    start_seconds_option,
)
from fogspiel.cli.output import INTERRUPTED, busy, print_table

if TYPE_CHECKING:
    from fogspiel import Game, Match, Role


DEFAULT_OPPONENT = "auto"
DEFAULT_SECONDS = 1.0
MAX_SEED = 1 << 32


@click.command()
@click.argument("game")
@click.option("--as", "role", help="The role that you play.  [default: the first]")
@click.option(
    "--against", default=DEFAULT_OPPONENT, show_default=True, help="The player of all other roles."
)
@seconds_option
@start_seconds_option
@simulations_option
@click.option("--seed", type=click.IntRange(min=0), help="Of chance and of your opponents.")
@game_options
def play(
    game: GameChoice,
    *,
    role: str | None,
    against: str,
    seconds: float | None,
    start_seconds: float | None,
    simulations: int | None,
    seed: int | None,
) -> int:
    """Play GAME yourself. You see what your role sees, and choose among its legal moves.

    What your role can be sure of is shown too, as a board where the rules have one: a cell is ?
    where several things are possible.

    Opponents think for a second a move, unless told otherwise. A match that has chance in it is
    another one each time; give the seed that was printed to have the same again.
    """
    from secrets import randbelow

    from fogspiel.api.matches.player import entrant_of
    from fogspiel.cli.commands.play.dialogue import Dialogue
    from fogspiel.draw.board import layouts_of

    if seconds is simulations is None:
        seconds = DEFAULT_SECONDS
    refuse_clocks(seconds, simulations, start_seconds)
    loaded = game.load()
    own = _own_role(loaded, role)
    against = entrant_of(loaded, against).name
    seed = randbelow(MAX_SEED) if seed is None else seed
    _greet(loaded, own, against, seed)
    with ExitStack() as waiting:
        waiting.enter_context(busy("loading the kernels …"))
        dialogue = Dialogue(layouts_of(loaded.machine), waiting.close)
        try:
            match = loaded.match(
                *(dialogue if other == own else against for other in loaded.players),
                seconds=seconds,
                simulations=simulations,
                start_seconds=start_seconds,
                seed=seed,
            )
        except (EOFError, KeyboardInterrupt):
            click.echo("\nYou left the match. Goodbye.")
            return INTERRUPTED
    dialogue.show_new(match.history.view(own))
    _print_end(match, own)
    return 0


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


def _greet(game: Game, own: Role, against: str, seed: int) -> None:
    others = [role for role in game.players if role != own]
    opponents = f"; {against} plays {', '.join(others)}" if others else ""
    click.echo(f"{game.name}: you play {own}{opponents} (seed {seed})")
    click.echo("Type ? for help.")


def _print_end(match: Match, own: Role) -> None:
    """The goals of all, in both units."""
    click.echo(f"The match is over after {len(match)} steps.")
    unit = match.game.unit
    is_plain = match.game.payoff_unit.is_plain
    columns = ["role", ">goal"] + ([] if unit is None or is_plain else [f">payoff, {unit.name}"])
    rows = []
    for role in match.game.players:
        name = role + (" (you)" if role == own else "")
        cells = [name, f"{match.goals[role]}", f"{match.payoffs[role]:+g}"]
        rows.append(cells[: len(columns)])
    print_table(None, columns, rows)
