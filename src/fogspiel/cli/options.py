"""Options that several commands share, and what they stand for: rules, a game, a clock."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from fogspiel import UsageError
from fogspiel.cli.completion import complete_game
from fogspiel.cli.output import busy

if TYPE_CHECKING:
    from fogspiel import Game, Rules

_Result = TypeVar("_Result")
_Command = TypeVar("_Command", bound=Callable[..., Any])


class FiniteRange(click.FloatRange):
    """click's `FloatRange` without `nan`, which lies neither below nor above a bound and passes."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number. Fails as the other types of click do."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def count_option(
    *names: str,
    least: int,
    most: int | None = None,
    default: int | None = None,
    metavar: str | None = None,
    help: str,
) -> Callable[[_Command], _Command]:
    """An option for a whole number; its default is shown, if it has one."""
    return click.option(
        *names,
        type=click.IntRange(min=least, max=most),
        default=default,
        show_default=default is not None,
        metavar=metavar,
        help=help,
    )


def number_option(
    *names: str,
    least: float,
    most: float | None = None,
    default: float | None = None,
    metavar: str | None = None,
    help: str,
) -> Callable[[_Command], _Command]:
    """An option for a number; its default is shown, if it has one."""
    return click.option(
        *names,
        type=FiniteRange(min=least, max=most),
        default=default,
        show_default=default is not None,
        metavar=metavar,
        help=help,
    )


STANDARD_INPUT = "-"
WITHOUT_TEXT = "GAM004"
"""The code of the error that a game in Python has no rules as text."""
COMPILING = "compiling the rules …"

game_argument = click.argument("game", shell_complete=complete_game)
engine_option = click.option(
    "--engine",
    type=click.Choice(["auto", "compiled", "reference"]),
    default="auto",
    show_default=True,
    help="Engine that plays the rules. compiled: as logic gates, fast; reference: by logical "
    "inference, slow; auto: compiled, unless grounding takes too much time or memory.",
)
MAX_NODES_HELP = "Largest game tree that is built, in nodes."
ground_seconds_option = number_option(
    "--ground-seconds",
    least=0.1,
    metavar="SECONDS",
    help="Time limit for grounding the rules; --engine auto then plays by inference.",
)
domain_option = click.option(
    "--domain",
    metavar="FILE",
    help="Domain file of a POGDDL problem.  [default: the domain in the same folder]",
)


@dataclass(frozen=True, slots=True)
class GameChoice:
    """A game as the user named it, with the options of loading it."""

    word: str
    """A bundled name, a member of a family, a rule file, a class, or `-` for standard input."""
    domain: str | None = None
    engine: Literal["auto", "compiled", "reference"] = "auto"
    ground_seconds: float | None = None

    def rules(self) -> Rules:
        """The rules, with the domain of a problem in POGDDL."""
        from fogspiel import Rules

        if self.word == STANDARD_INPUT:
            return Rules.read(sys.stdin.buffer, name="<stdin>", domain=self.domain)
        return Rules.open(self.word, domain=self.domain)

    def rules_or_game(self) -> Rules | Game:
        """The rules; the game itself if it is written in Python, and has none as text."""
        try:
            return self.rules()
        except UsageError as error:
            if error.findings[0].code != WITHOUT_TEXT:
                raise
            return self.load()

    def load(self) -> Game:
        """The game, ready to be played."""
        import fogspiel

        # What is typed is waited for before anything is said to be compiled.
        given = self.rules() if self.word == STANDARD_INPUT else None
        with busy(COMPILING):
            if given is not None:
                return given.load(engine=self.engine, ground_seconds=self.ground_seconds)
            return fogspiel.load(
                self.word,
                domain=self.domain,
                engine=self.engine,
                ground_seconds=self.ground_seconds,
            )


def game_options(command: Callable[..., _Result]) -> Callable[..., _Result]:
    """Add the options of loading a game, and hand the argument GAME on as a `GameChoice`."""

    @wraps(command)
    def chosen(
        *,
        game: str | None,
        domain: str | None,
        engine: Any,
        ground_seconds: float | None,
        **rest: Any,
    ) -> _Result:
        choice = None if game is None else GameChoice(game, domain, engine, ground_seconds)
        return command(game=choice, **rest)

    return domain_option(engine_option(ground_seconds_option(chosen)))


seed_option = count_option(
    "--seed", least=0, default=0, help="Random seed: the same seed gives the same result."
)
seconds_option = number_option("--seconds", least=0.001, help="Thinking time per move, in seconds.")
start_seconds_option = number_option(
    "--start-seconds",
    least=0.001,
    help="Thinking time before the first move, in seconds; needs --seconds.  [default: the same as "
    "for a move]",
)
SIMULATIONS_HELP = (
    "Number of simulations per move, in place of a thinking time. The same seed then gives the "
    "same games."
)
simulations_option = count_option("--simulations", least=1, help=SIMULATIONS_HELP)


DEFAULT_SIMULATIONS = 1_000
"""Simulations for each move where no clock is given, as in Python."""
default_simulations_option = count_option(
    "--simulations",
    least=1,
    help=f"{SIMULATIONS_HELP}  [default: {DEFAULT_SIMULATIONS}, unless --seconds is given]",
)


def default_clock(
    seconds: float | None, simulations: int | None, start_seconds: float | None
) -> int | None:
    """The simulations for each move: the default where no clock was given; None with seconds.

    Raises as `refuse_clocks`.
    """
    refuse_clocks(seconds, simulations, start_seconds)
    return DEFAULT_SIMULATIONS if seconds is simulations is None else simulations


def refuse_clocks(
    seconds: float | None, simulations: int | None, start_seconds: float | None
) -> None:
    """Refuse two clocks, or a time before play without seconds. Raises `UsageError` MAT004."""
    if seconds is not None and simulations is not None:
        raise UsageError.of(
            "MAT004",
            "players need either a thinking time or a number of simulations; both were given",
            fix="give either --seconds or --simulations",
        )
    if start_seconds is not None and seconds is None:
        raise UsageError.of(
            "MAT004",
            "--start-seconds is a thinking time, but players were given a number of simulations",
            fix="give --start-seconds together with --seconds, or leave it out",
        )
