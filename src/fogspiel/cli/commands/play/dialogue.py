"""The player of `fogspiel play`: a person, who is shown what the role knows and asked for moves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from io import UnsupportedOperation
from typing import TYPE_CHECKING, Any

import click

from fogspiel import Player
from fogspiel.cli.commands.play.showing import show_known, show_own_steps
from fogspiel.cli.output import prose_width

if TYPE_CHECKING:
    from fogspiel import Clock, Game, Move, Role, View
    from fogspiel.draw.board import Layout

MOST_LISTED = 60
"""Moves that are listed unasked; tab completion and beginnings of moves reach the others."""
RULE_WIDTH = 40  #: Length of the line between two people where no screen can be cleared
HELP = """\
Answer with the number of a move, with the move as it is written, or with its
beginning where no other move begins so. Outer parentheses may be left out. The
tab key completes moves.
  ?   show this help and all legal moves
  ??  show all your moves and percepts since the match began
Ctrl-D or Ctrl-C leaves the match."""


class Person(Player):
    """A person at the keyboard: is shown what the role knows, and asked until a move is named.

    Raises `EOFError` where there is nobody to answer any more.
    """

    def __init__(
        self,
        layouts: Sequence[Layout] = (),
        ready: Callable[[], object] = lambda: None,
        *,
        is_alone: bool = True,
    ) -> None:
        """layouts: of the game's boards. ready: called when the match begins.

        is_alone: whether nobody else sits at the keyboard, who must not see the screen.
        """
        self._layouts, self._ready, self._is_alone = layouts, ready, is_alone
        self._shown_steps = 0
        self._chosen = set[int]()  #: Numbers of the steps in which the person chose
        if hasattr(sys.stdin, "reconfigure"):
            # What cannot be read is no move, and the person is asked again. In a second match
            # this was done already, and after the first answer it cannot be.
            with suppress(UnsupportedOperation):
                sys.stdin.reconfigure(errors="replace")

    def start(self, game: Game, role: Role, clock: Clock) -> None:
        """Let the person see that play begins."""
        self._ready()

    def choose(self, view: View, legal: Sequence[Move], clock: Clock) -> str:
        """The move that the person wants; the clock does not bind people."""
        if not self._is_alone:
            _hide_screen()
            _read(f"{view.role}, it is your turn; the others look away. Press Enter")
        self.show_new(view)
        show_known(view.known(), self._layouts)
        _list_moves(legal, MOST_LISTED)
        with _Completion(legal):
            while True:
                place = _understood(_read(view.role), view, legal, self._chosen)
                if place is not None:
                    self._chosen.add(len(view) + 1)
                    break
        if not self._is_alone:
            _hide_screen()
        return legal[place]

    def show_new(self, view: View) -> None:
        """Show the steps that were not shown before."""
        show_own_steps(view, self._shown_steps, self._chosen)
        self._shown_steps = len(view)


def _hide_screen() -> None:
    """Clear the screen, so that what one person was shown is not seen by the next."""
    if (readline := sys.modules.get("readline")) is not None:
        readline.clear_history()  # the arrow keys would bring back what was answered
    if sys.stdout.isatty():
        # The lines above the screen, too: terminals scroll back to them otherwise.
        click.echo("\033[2J\033[3J\033[H", nl=False)
    else:
        click.echo("-" * RULE_WIDTH)


def _understood(
    answer: str, view: View, moves: Sequence[str], chosen: Collection[int]
) -> int | None:
    """The place of the move that is meant; where there is not just one, say why."""
    if answer == "?":
        click.echo(HELP)
        _list_moves(moves, len(moves))
    elif answer == "??":
        show_own_steps(view, 0, chosen)
    elif answer:
        places = meant(answer, moves)
        if len(places) == 1:
            return places[0]
        if places:
            first = ", ".join(moves[place] for place in places[:4])
            rest = f" and {len(places) - 4} more" if len(places) > 4 else ""
            click.echo(f"That could be {first}{rest}: write more of it.")
        else:
            click.echo(f"{answer[:60]!r} is not a legal move; ? lists the legal moves.")
    return None


def meant(answer: str, moves: Sequence[str]) -> list[int]:
    """The places of the moves that an answer may mean: one if it is clear, none if it fits none.

    An answer is a move, its number from 1, or the beginning of a move; outer parentheses may be
    left out. A move that is itself a number wins over the number of a place.
    """
    wanted = _bare(answer)
    bare = [_bare(move) for move in moves]
    if not wanted:
        return []
    if wanted in bare:
        return [bare.index(wanted)]
    if wanted.isdecimal() and 1 <= int(wanted) <= len(moves):
        return [int(wanted) - 1]
    return [place for place, move in enumerate(bare) if move.startswith(wanted)]


def _bare(text: str) -> str:
    """A move without spaces that mean nothing and without its outer parentheses."""
    words = " ".join(text.replace("(", " ( ").replace(")", " ) ").split())
    words = words.removeprefix("( ")
    # A beginning need not be closed, and one that is whole loses the same parenthesis.
    return words.removesuffix(" )") if words.count(")") > words.count("(") else words


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
    columns = max(1, prose_width() // width)
    click.echo(f"Your moves ({len(moves)}):")
    for first in range(0, len(shown), columns):
        row = shown[first : first + columns]
        click.echo("".join(f"{entry:<{width}}" for entry in row).rstrip())
    if len(moves) > most:
        click.echo(f"  … and {len(moves) - most} more: ? lists all")


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
