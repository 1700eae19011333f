"""`fogspiel play`: a person plays in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from fogspiel.cli.clocks import seconds_option, simulations_option, turn_clock
from fogspiel.cli.commands.play.dialogue import Dialogue
from fogspiel.cli.commands.play.players import entrant, with_methods
from fogspiel.cli.failures import INTERRUPTED
from fogspiel.cli.options import domain_option, engine_option, ground_seconds_option, load_game
from fogspiel.cli.output import busy, print_table
from fogspiel.core.findings import UsageError

if TYPE_CHECKING:
    from fogspiel.core.ids import RoleId
    from fogspiel.games.load import Game
    from fogspiel.play.loop import MakeBudget, Match
    from fogspiel.players.human import HumanPlayer

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
@simulations_option
@click.option("--seed", type=click.IntRange(min=0), help="Of chance and of your opponents.")
@domain_option
@engine_option
@ground_seconds_option
def play(
    game: str,
    *,
    role: str | None,
    against: str,
    seconds: float | None,
    simulations: int | None,
    seed: int | None,
    domain: str | None,
    engine: Literal["auto", "compiled", "reference"],
    ground_seconds: float | None,
) -> int:
    """Play GAME yourself. You see what your role sees, and choose among its legal moves.

    What your role can be sure of is shown too, as a board where the rules have one: a cell is ?
    where several things are possible.

    Opponents think for a second a move, unless told otherwise. A match that has chance in it is
    another one each time; give the seed that was printed to have the same again.
    """
    from secrets import randbelow

    from fogspiel.draw.board import layouts_of
    from fogspiel.players.human import HumanPlayer

    if seconds is simulations is None:
        seconds = DEFAULT_SECONDS
    clock = turn_clock(seconds, simulations)
    against = with_methods(against, game)
    entrant(against)  # an unknown one is refused before rules are compiled
    loaded = load_game(game, engine, ground_seconds, domain)
    own = _own_role(loaded, role)
    seed = randbelow(MAX_SEED) if seed is None else seed
    _greet(loaded, own, against, seed)
    dialogue = Dialogue(layouts_of(loaded.machine))
    person = HumanPlayer(dialogue)
    try:
        match = _played(loaded, own, person, against, clock, seed)
    except (EOFError, KeyboardInterrupt):
        click.echo("\nYou left the match. Goodbye.")
        return INTERRUPTED
    dialogue.show_new(person.seen_steps())
    _print_end(loaded, own, match)
    return 0


def _own_role(game: Game, name: str | None) -> RoleId:
    """The role of a name, or the first that is not chance."""
    from fogspiel.play.loop import roles_to_play
    from fogspiel.play.series import refuse_entrants

    machine = game.machine
    playing = {machine.roles[role]: role for role in roles_to_play(machine)}
    refuse_entrants(machine, len(playing))
    if name is None:
        return next(iter(playing.values()))
    if name not in playing:
        raise UsageError.of(
            "MAT007",
            f"{game.name} has no role {name!r} that could be played",
            fix=f"play one of {', '.join(playing)}",
        )
    return playing[name]


def _greet(game: Game, own: RoleId, against: str, seed: int) -> None:
    from fogspiel.play.loop import roles_to_play

    others = [game.machine.roles[role] for role in roles_to_play(game.machine) if role != own]
    opponents = f"; {against} plays {', '.join(others)}" if others else ""
    click.echo(f"{game.name}: you play {game.machine.roles[own]}{opponents} (seed {seed})")
    click.echo("Type ? for help.")


def _played(
    game: Game, own: RoleId, person: HumanPlayer, against: str, clock: MakeBudget, seed: int
) -> Match:
    from fogspiel.play.loop import play_match, roles_to_play
    from fogspiel.play.series import Entrant, warm_up
    from fogspiel.players.protocol import Agent
    from fogspiel.players.simple import RandomPlayer

    machine, other = game.machine, entrant(against)
    roles = roles_to_play(machine)
    if len(roles) > 1:
        with busy("loading the kernels …"):
            # Somebody has to move for the person while clocks do not count.
            stand_in = Entrant("random", RandomPlayer)
            warm_up(machine, [stand_in if role == own else other for role in roles])
    players: dict[RoleId, Agent] = {role: person if role == own else other.make() for role in roles}
    return play_match(machine, players, start_budget=clock, turn_budget=clock, seed=seed)


def _print_end(game: Game, own: RoleId, match: Match) -> None:
    """The goals of all, in both units."""
    from fogspiel.play.loop import roles_to_play

    click.echo(f"The match is over after {len(match.joints)} steps.")
    unit = game.unit
    columns = ["role", ">goal"] + ([f">payoff, {unit.name}"] if unit else [])
    rows = []
    for role in roles_to_play(game.machine):
        goal = match.goals[role]
        name = game.machine.roles[role] + (" (you)" if role == own else "")
        rows.append([name, f"{goal}"] + ([f"{unit.value(goal):+g}"] if unit else []))
    print_table(None, columns, rows)
