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
from fogspiel.cli.output import busy

if TYPE_CHECKING:
    from fogspiel import Game, Rules

_Result = TypeVar("_Result")


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


STANDARD_INPUT = "-"
WITHOUT_TEXT = "GAM004"
"""The code of the error that a game in Python has no rules as text."""
COMPILING = "compiling the rules …"

engine_option = click.option(
    "--engine",
    type=click.Choice(["auto", "compiled", "reference"]),
    default="auto",
    show_default=True,
    help="auto compiles, and falls back to the reference reasoner where grounding is too large.",
)
ground_seconds_option = click.option(
    "--ground-seconds",
    type=FiniteRange(min=0.1),
    metavar="SECONDS",
    help="Time for grounding, before the reference reasoner takes over.",
)
domain_option = click.option(
    "--domain",
    metavar="FILE",
    help="The domain of a POGDDL problem; without it, it is looked for beside the problem.",
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


seconds_option = click.option(
    "--seconds", type=FiniteRange(min=0.001), help="Seconds to think for each move."
)
start_seconds_option = click.option(
    "--start-seconds",
    type=FiniteRange(min=0.001),
    help="Seconds to get ready before the first move, with --seconds.  [default: as for a move]",
)
simulations_option = click.option(
    "--simulations",
    type=click.IntRange(min=1),
    help="Simulations for each move, instead of time: the same seed then plays the same.",
)


DEFAULT_SIMULATIONS = 1_000
"""Simulations for each move where no clock is given, as in Python."""
default_simulations_option = click.option(
    "--simulations",
    type=click.IntRange(min=1),
    help="Simulations for each move, instead of time: the same seed then plays the same.  "
    f"[default: {DEFAULT_SIMULATIONS}, unless --seconds is given]",
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
            "players think for a time or for a number of simulations; both were given",
            fix="give either --seconds or --simulations",
        )
    if start_seconds is not None and seconds is None:
        raise UsageError.of(
            "MAT004",
            "players think for a number of simulations; a time before play was given as well",
            fix="give --start-seconds together with --seconds, or leave it out",
        )
