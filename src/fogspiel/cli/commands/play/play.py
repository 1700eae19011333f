"""`fogspiel play`: a person plays in the terminal, asked for moves by a dialogue."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import (
    GameChoice,
    entrant,
    game_options,
    match_clocks,
    seconds_option,
    simulations_option,
    start_seconds_option,
    with_methods,
)
from fogspiel.cli.output import INTERRUPTED, busy, print_table
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import RoleId, format_term

if TYPE_CHECKING:
    from fogspiel.draw.board import Layout
    from fogspiel.games.load import LoadedGame
    from fogspiel.play.clocks import MatchClocks
    from fogspiel.play.loop import Match
    from fogspiel.players.human import HumanPlayer, HumanView, Known, SeenStep


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

    from fogspiel.draw.board import layouts_of
    from fogspiel.players.human import HumanPlayer

    if seconds is simulations is None:
        seconds = DEFAULT_SECONDS
    clocks = match_clocks(seconds, simulations, start_seconds)
    against = with_methods(against, game.word)
    entrant(against)  # an unknown one is refused before rules are compiled
    loaded = game.load().loaded
    own = _own_role(loaded, role)
    seed = randbelow(MAX_SEED) if seed is None else seed
    _greet(loaded, own, against, seed)
    dialogue = Dialogue(layouts_of(loaded.machine))
    person = HumanPlayer(dialogue)
    try:
        match = _played(loaded, own, person, against, clocks, seed)
    except (EOFError, KeyboardInterrupt):
        click.echo("\nYou left the match. Goodbye.")
        return INTERRUPTED
    dialogue.show_new(person.seen_steps())
    _print_end(loaded, own, match)
    return 0


def _own_role(game: LoadedGame, name: str | None) -> RoleId:
    """The role of a name, or the first that is not chance."""
    from fogspiel.machine.protocol import player_roles
    from fogspiel.play.series import refuse_entrants

    machine = game.machine
    playing = {machine.roles[role]: role for role in player_roles(machine)}
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


def _greet(game: LoadedGame, own: RoleId, against: str, seed: int) -> None:
    from fogspiel.machine.protocol import player_roles

    others = [game.machine.roles[role] for role in player_roles(game.machine) if role != own]
    opponents = f"; {against} plays {', '.join(others)}" if others else ""
    click.echo(f"{game.name}: you play {game.machine.roles[own]}{opponents} (seed {seed})")
    click.echo("Type ? for help.")


def _played(
    game: LoadedGame, own: RoleId, person: HumanPlayer, against: str, clocks: MatchClocks, seed: int
) -> Match:
    from fogspiel.machine.protocol import player_roles
    from fogspiel.play.loop import play_match
    from fogspiel.play.series import Entrant, warm_up
    from fogspiel.players.protocol import Agent
    from fogspiel.players.simple import RandomPlayer

    machine, other = game.machine, entrant(against)
    roles = player_roles(machine)
    if len(roles) > 1:
        with busy("loading the kernels …"):
            # Somebody has to move for the person while clocks do not count.
            stand_in = Entrant("random", RandomPlayer)
            warm_up(machine, [stand_in if role == own else other for role in roles])
    players: dict[RoleId, Agent] = {role: person if role == own else other.make() for role in roles}
    return play_match(
        machine,
        players,
        start_budget=clocks.start_budget,
        turn_budget=clocks.turn_budget,
        seed=seed,
    )


def _print_end(game: LoadedGame, own: RoleId, match: Match) -> None:
    """The goals of all, in both units."""
    from fogspiel.machine.protocol import player_roles

    click.echo(f"The match is over after {len(match.joints)} steps.")
    unit = game.unit
    columns = ["role", ">goal"] + ([f">payoff, {unit.name}"] if unit else [])
    rows = []
    for role in player_roles(game.machine):
        goal = match.goals[role]
        name = game.machine.roles[role] + (" (you)" if role == own else "")
        rows.append([name, f"{goal}"] + ([f"{unit.value(goal):+g}"] if unit else []))
    print_table(None, columns, rows)


PROSE_WIDTH = 100
MOST_LISTED = 60
"""Moves that are listed unasked; tab completion and beginnings of moves reach the others."""
UNBROKEN = "\N{NO-BREAK SPACE}"
HELP = """\
Answer with the number of a move, with the move as it is written, or with as much of its beginning
as no other move shares; outer parentheses may be left out. The tab key completes moves.
  ?   this help, and the whole list of moves
  ??  all that you did and saw since the match began
Ctrl-D or Ctrl-C leaves the match."""


class Dialogue:
    """Shows situations and asks for a move until one is named. Implements `Ask`.

    Raises `EOFError` where there is nobody to answer any more.
    """

    def __init__(self, layouts: Sequence[Layout] = ()) -> None:
        """layouts: of the game's boards."""
        self._layouts = layouts
        self._shown_steps = 0
        if hasattr(sys.stdin, "reconfigure"):
            # What cannot be read is no move, and the person is asked again.
            sys.stdin.reconfigure(errors="replace")

    def __call__(self, situation: HumanView) -> int:
        """The place of the move that the person wants."""
        self.show_new(situation.steps)
        show_known(situation.known, self._layouts)
        _list_moves(situation.moves, MOST_LISTED)
        with _Completion(situation.moves):
            while True:
                place = _understood(_read(situation.role), situation)
                if place is not None:
                    return place

    def show_new(self, steps: Sequence[SeenStep]) -> None:
        """Show the steps that were not shown before."""
        show_steps(steps[self._shown_steps :])
        self._shown_steps = len(steps)


def show_known(known: Known | None, layouts: Sequence[Layout]) -> None:
    """Boards, then what stands on none of them."""
    from fogspiel.draw.board import any_cell, board_text

    if known is None:
        click.echo("So much is possible that nobody could say what is certain.")
        return
    for layout in layouts:
        click.echo(board_text(layout, known))
    on_boards = any_cell(layouts)
    rest = [format_term(fluent) for fluent in known.certain if not on_boards(fluent)]
    if known.states == 1:
        echo_wrapped(f"The state: {together(rest) or 'nothing else holds'}", indent=2)
    else:
        possible = f"{known.states:,} states are possible"
        echo_wrapped(f"{possible}; in all of them: {together(rest) or 'nothing'}", indent=2)


def show_steps(steps: Sequence[SeenStep]) -> None:
    """What the role did and saw, a line for each step."""
    for step in steps:
        seen = together(step.percepts) or "nothing"
        did = together([step.move])
        echo_wrapped(f"Step {step.number}: you did {did} and saw {seen}", indent=4)


def _understood(answer: str, situation: HumanView) -> int | None:
    """The place of the move that is meant; where there is not just one, say why."""
    from fogspiel.players.human import meant

    moves = situation.moves
    if answer == "?":
        click.echo(HELP)
        _list_moves(moves, len(moves))
    elif answer == "??":
        show_steps(situation.steps)
    elif answer:
        places = meant(answer, moves)
        if len(places) == 1:
            return places[0]
        if places:
            first = ", ".join(moves[place] for place in places[:4])
            rest = f" and {len(places) - 4} more" if len(places) > 4 else ""
            click.echo(f"That could be {first}{rest}: write more of it.")
        else:
            click.echo(f"{answer[:60]!r} is no legal move; ? lists them.")
    return None


def _read(role: str) -> str:
    """One answer, without the spaces around it."""
    answer = input(f"{role}> ").strip()
    if not sys.stdin.isatty():
        # A terminal shows what is typed; a record of piped answers should read the same.
        click.echo(answer)
    return answer


def _list_moves(moves: Sequence[str], most: int) -> None:
    """Numbered from 1, in columns."""
    shown = [f"{number:>4}  {move}" for number, move in enumerate(moves[:most], start=1)]
    width = max(map(len, shown)) + 2
    columns = max(1, PROSE_WIDTH // width)
    click.echo(f"Your moves ({len(moves)}):")
    for first in range(0, len(shown), columns):
        row = shown[first : first + columns]
        click.echo("".join(f"{entry:<{width}}" for entry in row).rstrip())
    if len(moves) > most:
        click.echo(f"  … and {len(moves) - most} more: ? lists all")


def together(terms: Sequence[str]) -> str:
    """Terms in a row; lines are broken between them and not inside."""
    return ", ".join(term.replace(" ", UNBROKEN) for term in terms)


def echo_wrapped(text: str, *, indent: int) -> None:
    """A paragraph; lines after the first are indented."""
    lines = fill(
        text,
        PROSE_WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    click.echo(lines.replace(UNBROKEN, " "))


class _Completion:
    """The tab key completes moves while a question is open, where there is readline."""

    def __init__(self, moves: Sequence[str]) -> None:
        self._moves = moves
        self._readline: Any = None

    def __enter__(self) -> None:
        if not sys.stdin.isatty():
            return
        try:
            import readline
        except ImportError:
            return
        self._readline = readline
        # A move holds spaces and parentheses, so the whole line is what is completed.
        readline.set_completer_delims("\n")
        readline.set_completer(self.complete)
        libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")

    def complete(self, text: str, number: int) -> str | None:
        """The move of a number among those that the text may begin, as readline asks for it."""
        fitting = [
            move for move in self._moves if move.startswith(text) or move[1:].startswith(text)
        ]
        return fitting[number] if number < len(fitting) else None

    def __exit__(self, *exception: object) -> None:
        if self._readline is not None:
            self._readline.set_completer(None)
