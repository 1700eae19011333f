"""`fogspiel simulate`: many random playouts, counted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import GameChoice, game_options
from fogspiel.cli.output import busy, json_option, print_json, print_table
from fogspiel.cli.progress import ProgressBar
from fogspiel.core.findings import Finding

if TYPE_CHECKING:
    from fogspiel.games.load import LoadedGame

DEFAULT_PLAYOUTS = {"compiled": 100_000, "reference": 20}
CHUNK = 1 << 17
LARGE_CHUNK = 1 << 13
"""The chunk of games with many gates: it ends soon, so that Ctrl-C and the bar respond."""
LARGE_GATES = 5_000
WARM_UP = 65
"""More playouts than one word of lanes holds, so that the kernels of the measurement are loaded."""


@click.command()
@click.argument("game")
@click.option(
    "--playouts",
    type=click.IntRange(min=1),
    help="How many. Default: 100,000 on the compiled machine, 20 on the reference reasoner.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@game_options
@json_option
def simulate(game: GameChoice, *, playouts: int | None, seed: int, as_json: bool) -> None:
    """Play GAME at random and count goals and lengths. Same seed and number, same result."""
    loaded = game.load().loaded
    count = playouts or DEFAULT_PLAYOUTS[loaded.machine.engine]
    with busy("loading the kernels …"):
        warm_up(loaded)
    document = run_playouts(loaded, count, seed)
    if as_json:
        print_json(document)
    else:
        _print(document, loaded.fallback)


def warm_up(game: LoadedGame) -> None:
    """Load or build the kernels, so that they are not part of what is measured."""
    if game.machine.engine == "compiled":
        game.machine.playouts(game.machine.initial()[None, :], seed=0, count=WARM_UP, max_steps=1)


def run_playouts(game: LoadedGame, count: int, seed: int) -> dict[str, Any]:
    """The document of `count` playouts, in chunks whose sizes and seeds follow from the arguments.

    Chance is left out: it has no goals of its own.
    """
    from numpy.random import SeedSequence

    machine, size = game.machine, _chunk_size(game)
    start = machine.initial()[None, :]
    sums, seconds, steps, stuck, cut = [0] * len(machine.roles), 0.0, 0, 0, 0
    with ProgressBar("playouts", count) as progress:
        for index, begun in enumerate(range(0, count, size)):
            drawn = int(SeedSequence([seed, index]).generate_state(1, "uint64")[0])
            own = min(size, count - begun)
            began = time.perf_counter()
            part = machine.playouts(start, seed=drawn, count=own)
            seconds += time.perf_counter() - began
            sums = [total + int(more) for total, more in zip(sums, part.goal_sums[0], strict=True)]
            steps, stuck, cut = steps + part.steps, stuck + part.stuck, cut + part.cut
            progress.advance(own)
    means = {role: total / count for role, total in zip(machine.roles, sums, strict=True)}
    if game.chance is not None:
        del means[game.chance]
    document: dict[str, Any] = {
        "game": game.name,
        "engine": machine.engine,
        "seed": seed,
        "playouts": count,
        "seconds": seconds,
        "playouts_per_second": count / max(seconds, 1e-9),
        "mean_goals": means,
        "mean_length": steps / count,
        "stuck": stuck,
        "cut": cut,
    }
    if game.unit is not None:
        document["mean_payoffs"] = {role: game.unit.value(mean) for role, mean in means.items()}
        document["payoff_unit"] = game.unit.name
    return document


def _chunk_size(game: LoadedGame) -> int:
    from fogspiel.machine.compiled.machine import CompiledMachine

    if not isinstance(game.machine, CompiledMachine):
        return 1
    return LARGE_CHUNK if game.machine.network.gate_count > LARGE_GATES else CHUNK


def _print(document: dict[str, Any], fallback: Finding | None) -> None:
    click.echo(
        "{game}: {playouts:,} random playouts in {seconds:.3g} s, {playouts_per_second:,.0f} a "
        "second ({engine} machine)".format_map(document)
    )
    click.echo(f"mean length {document['mean_length']:.3f} steps")
    means = document["mean_goals"]
    columns = {">mean goal": [f"{mean:.3f}" for mean in means.values()]}
    if "payoff_unit" in document:
        payoffs = [f"{payoff:+.4f}" for payoff in document["mean_payoffs"].values()]
        columns[f">mean payoff, {document['payoff_unit']}"] = payoffs
    print_table(None, ("role", *columns), zip(means, *columns.values(), strict=True))
    if document["stuck"]:
        click.echo(f"{document['stuck']:,} playouts ended where a role had no legal move")
    if document["cut"]:
        click.echo(f"{document['cut']:,} playouts were given up: too many steps")
    if fallback is not None:
        click.echo(f"plays on the reference reasoner because {fallback.message}")
