"""How long players may think: the options that `match` and `play` share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from fogspiel.cli.numbers import FiniteRange
from fogspiel.core.findings import UsageError

if TYPE_CHECKING:
    from fogspiel.play.loop import MakeBudget

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
