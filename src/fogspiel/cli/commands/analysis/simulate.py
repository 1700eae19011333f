"""`fogspiel simulate`: many random playouts, counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cli.options import domain_option, engine_option, ground_seconds_option, load_game
from fogspiel.cli.output import busy, json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.games.load import Game

DEFAULT_PLAYOUTS = {"compiled": 100_000, "reference": 20}
CHUNK = 1 << 17
LARGE_CHUNK = 1 << 13
"""For games of many gates: a chunk should not take long, so that Ctrl-C and the bar respond."""
LARGE_GATES = 5_000
WARM_UP = 65
"""More playouts than one word of lanes holds, so that the kernels of the measurement are loaded."""


@dataclass(slots=True)
class Simulation:
    """What random play came to."""

    playouts: int
    goal_sums: list[int]
    steps: int = 0
    stuck: int = 0
    cut: int = 0
    seconds: float = 0.0

    @property
    def mean_goals(self) -> list[float]:
        """Mean goal of every role."""
        return [total / self.playouts for total in self.goal_sums]


@click.command()
@click.argument("game")
@click.option(
    "--playouts",
    type=click.IntRange(min=1),
    help="How many. Default: 100,000 on the compiled machine, 20 on the reference reasoner.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@domain_option
@engine_option
@ground_seconds_option
@json_option
def simulate(
    game: str,
    *,
    domain: str | None,
    playouts: int | None,
    seed: int,
    engine: Literal["auto", "compiled", "reference"],
    ground_seconds: float | None,
    as_json: bool,
) -> None:
    """Play GAME at random and count goals and lengths. Same seed and number, same result."""
    loaded = load_game(game, engine, ground_seconds, domain)
    count = playouts or DEFAULT_PLAYOUTS[loaded.machine.engine]
    with busy("loading the kernels …"):
        warm_up(loaded)
    result = run_playouts(loaded, count, seed)
    if as_json:
        print_json(_document(loaded, result, seed))
    else:
        _print(loaded, result)


def warm_up(game: Game) -> None:
    """Load or build the kernels, so that they are not part of what is measured."""
    if game.machine.engine == "compiled":
        game.machine.playouts(game.machine.initial()[None, :], seed=0, count=WARM_UP, max_steps=1)


def run_playouts(game: Game, count: int, seed: int) -> Simulation:
    """`count` playouts in chunks whose sizes and seeds follow from the arguments alone."""
    from numpy.random import SeedSequence

    machine = game.machine
    start = machine.initial()[None, :]
    result = Simulation(playouts=count, goal_sums=[0] * len(machine.roles))
    with ProgressBar("playouts", count) as progress:
        for index, size in enumerate(_chunks(count, _chunk_size(game))):
            drawn = int(SeedSequence([seed, index]).generate_state(1, "uint64")[0])
            began = time.perf_counter()
            part = machine.playouts(start, seed=drawn, count=size)
            result.seconds += time.perf_counter() - began
            result.goal_sums = [
                total + int(more)
                for total, more in zip(result.goal_sums, part.goal_sums[0], strict=True)
            ]
            result.steps += part.steps
            result.stuck += part.stuck
            result.cut += part.cut
            progress.advance(size)
    return result


def _chunk_size(game: Game) -> int:
    from fogspiel.machine.compiled.machine import CompiledMachine

    if not isinstance(game.machine, CompiledMachine):
        return 1
    return LARGE_CHUNK if game.machine.network.gate_count > LARGE_GATES else CHUNK


def _chunks(count: int, size: int) -> Iterator[int]:
    for begun in range(0, count, size):
        yield min(size, count - begun)


def _document(game: Game, result: Simulation, seed: int) -> dict[str, Any]:
    document: dict[str, Any] = {
        "game": game.name,
        "engine": game.machine.engine,
        "seed": seed,
        "playouts": result.playouts,
        "seconds": result.seconds,
        "playouts_per_second": result.playouts / max(result.seconds, 1e-9),
        "mean_goals": dict(_players(game, result)),
        "mean_length": result.steps / result.playouts,
        "stuck": result.stuck,
        "cut": result.cut,
    }
    unit = game.unit
    if unit is not None:
        document["mean_payoffs"] = {role: unit.value(mean) for role, mean in _players(game, result)}
        document["payoff_unit"] = unit.name
    return document


def _print(game: Game, result: Simulation) -> None:
    unit = game.unit
    rate = result.playouts / max(result.seconds, 1e-9)
    click.echo(
        f"{game.name}: {result.playouts:,} random playouts in {result.seconds:.3g} s, "
        f"{rate:,.0f} a second ({game.machine.engine} machine)"
    )
    click.echo(f"mean length {result.steps / result.playouts:.3f} steps")
    columns = ["role", ">mean goal"] + ([f">mean payoff, {unit.name}"] if unit else [])
    rows = [
        [role, f"{mean:.3f}"] + ([f"{unit.value(mean):+.4f}"] if unit else [])
        for role, mean in _players(game, result)
    ]
    print_table(None, columns, rows)
    if result.stuck:
        click.echo(f"{result.stuck:,} playouts ended where a role had no legal move")
    if result.cut:
        click.echo(f"{result.cut:,} playouts were given up: too many steps")
    if game.fallback is not None:
        click.echo(f"plays on the reference reasoner because {game.fallback.message}")


def _players(game: Game, result: Simulation) -> list[tuple[str, float]]:
    """Roles with their means, chance left out: it wants nothing."""
    roles = zip(game.machine.roles, result.mean_goals, strict=True)
    return [(role, mean) for role, mean in roles if role != game.program.chance_role]
