"""Options that several commands share, and what they stand for: rules, a game, a clock."""

from __future__ import annotations

import math
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cli.output import busy
from fogspiel.core.findings import UsageError

if TYPE_CHECKING:
    from fogspiel.core.source import Source
    from fogspiel.games.load import Game
    from fogspiel.play.clocks import MakeBudget


class FiniteRange(click.FloatRange):
    """As click's `FloatRange`, which lets `nan` pass: it lies neither below nor above a bound."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number. Fails as the other types of click do."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


STANDARD_INPUT = "-"

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


def read_game(game: str) -> Source:
    """The rules that the user means; `-` is standard input."""
    from fogspiel.games.library import resolve
    from fogspiel.rules.gdl.read import DEFAULT_LIMITS, source_from_bytes

    if game == STANDARD_INPUT:
        return source_from_bytes("<stdin>", sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1))
    return resolve(game)


def read_sources(game: str, domain: str | None = None) -> tuple[Source, ...]:
    """The rules that the user means, with the domain of a problem in POGDDL."""
    from pathlib import Path

    from fogspiel.games.sources import with_domain
    from fogspiel.rules.gdl.read import read_file

    source = read_game(game)
    if domain is not None:
        return read_file(Path(domain)), source
    return (source,) if game == STANDARD_INPUT else with_domain(source, Path(game))


def load_game(
    game: str,
    engine: Literal["auto", "compiled", "reference"],
    ground_seconds: float | None = None,
    domain: str | None = None,
) -> Game:
    """The game, ready to be played."""
    sources = read_sources(game, domain)
    with busy("compiling the rules (the first run also builds kernels: a minute) …"):
        from fogspiel.core.limits import GroundLimits
        from fogspiel.games.library import bundled_games
        from fogspiel.games.load import load_sources

        return load_sources(
            sources,
            engine=engine,
            limits=GroundLimits(seconds=ground_seconds) if ground_seconds else None,
            entry=bundled_games().get(game),
        )


seconds_option = click.option(
    "--seconds", type=FiniteRange(min=0.001), help="Time to think for each move."
)
simulations_option = click.option(
    "--simulations",
    type=click.IntRange(min=1),
    help="Simulations for each move, instead of time: the same seed then plays the same.",
)


def turn_clock(seconds: float | None, simulations: int | None) -> MakeBudget:
    """A fresh budget for every turn, by just one of the two. Raises `UsageError` MAT004."""
    from fogspiel.core.budget import Budget

    if (seconds is None) == (simulations is None):
        given = "neither was given" if seconds is None else "both were given"
        raise UsageError.of(
            "MAT004",
            f"players think for a time or for a number of simulations; {given}",
            fix="give either --seconds or --simulations",
        )
    return partial(Budget.of, seconds=seconds, simulations=simulations)
