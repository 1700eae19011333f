"""Options that measurements share, and what their words stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click

from fogspiel.cli.completion import bundled_names, completing
from fogspiel.cli.options import FiniteRange, count_option

MeasurementOption: TypeAlias = Callable[[Any], Any]


def seconds_option(
    least: float, default: float, text: str = "Time per measurement."
) -> MeasurementOption:
    """The time of a measurement."""
    kind = FiniteRange(min=least)
    return click.option("--seconds", type=kind, default=default, show_default=True, help=text)


def file_option(option: str, name: str, text: str) -> MeasurementOption:
    """A file to write."""
    return click.option(option, name, metavar="FILE", type=click.Path(dir_okay=False), help=text)


def require_option(what: str) -> MeasurementOption:
    """The wish that a measurement which is not good enough ends with exit code 1."""
    return click.option("--require", is_flag=True, help=f"Exit code 1 {what}.")


some_games = click.option(
    "--games",
    "named",
    metavar="GAME",
    multiple=True,
    shell_complete=completing(bundled_names),
    help="Measure only this game; may be repeated.",
)
require_ratio = require_option("if a required ratio is not reached")
jobs_option = count_option(
    "--jobs", least=1, default=1, help="Number of rule sheets that are measured at the same time."
)
memory_option = count_option(
    "--memory-mb", least=256, default=4096, help="Memory limit per rule sheet in megabytes."
)


def rounds_option(least: int) -> MeasurementOption:
    """The number of rounds whose median is reported."""
    return count_option(
        "--rounds", least=least, default=3, help="Number of rounds; medians are reported."
    )


def known_games(named: tuple[str, ...], games: Sequence[str], what: str = "") -> Sequence[str]:
    """The games that were named, or all; others are bad usage."""
    for name in named:
        if name not in games:
            verb = "are" if what else "is"
            raise click.UsageError(f"{what}{name} {verb} not measured; use {', '.join(games)}.")
    return named or games


def split_names(named: tuple[str, ...]) -> list[str]:
    """Names apart at commas, except those inside the parentheses of a family."""
    parts = [part.strip() for word in named for part in re.split(r",(?![^()]*\))", word)]
    return [part for part in parts if part]


def packages_of(against: str) -> list[str]:
    """The peers that were named, all of them installed."""
    from fogspiel.lab.benchmarks.playouts import require_openspiel
    from fogspiel.lab.benchmarks.solve import PEERS
    from fogspiel.lab.benchmarks.solve_peers import require_liteefg

    packages = [word.strip() for word in against.split(",") if word.strip()]
    for package in packages:
        if package not in PEERS:
            raise click.UsageError(f"Cannot compare with {package}; use {', '.join(PEERS)}.")
    if packages:
        require_openspiel()
    if "liteefg" in packages:
        require_liteefg()
    return packages
