"""`fogspiel induce`: what a player's decisions are worth, put together to one strategy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.completion import complete_player
from fogspiel.cli.options import (
    MAX_NODES_HELP,
    GameChoice,
    count_option,
    default_clock,
    default_simulations_option,
    game_argument,
    game_options,
    seconds_option,
    seed_option,
    start_seconds_option,
)
from fogspiel.cli.output import json_option, print_json, print_table, say
from fogspiel.cli.progress import Stages

if TYPE_CHECKING:
    from fogspiel import Solution

DEFAULT_MAX_NODES = 1_000_000  #: A tree has to fit, and each of its infosets takes a decision


@click.command()
@click.argument("player", shell_complete=complete_player)
@game_argument
@seconds_option
@start_seconds_option
@default_simulations_option
@count_option("--draws", least=1, default=1, metavar="N", help="Average the decisions of N seeds.")
@seed_option
@count_option("--max-nodes", least=1, default=DEFAULT_MAX_NODES, help=MAX_NODES_HELP)
@click.option(
    "--save",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the strategy to FILE.json or FILE.json.gz.",
)
@game_options
@json_option
def induce(
    player: str,
    game: GameChoice,
    *,
    seconds: float | None,
    start_seconds: float | None,
    simulations: int | None,
    draws: int,
    seed: int,
    max_nodes: int,
    save: str | None,
    as_json: bool,
) -> None:
    """Measure the exploitability of PLAYER in GAME.

    PLAYER is asked for its decision at every information set of every role, each time by a new
    instance. The decisions form a strategy, whose exploitability is computed: the payoff that a
    role gains by a best response to it, averaged over the roles.
    """
    simulations = default_clock(seconds, simulations, start_seconds)
    if save is not None and not Path(save).absolute().parent.is_dir():
        raise click.UsageError(f"There is no folder {Path(save).parent}.")
    loaded = game.load()
    from fogspiel.api.analysis.induced import induce as induced

    with Stages() as shown:
        solution = induced(
            loaded,
            player,
            seconds=seconds,
            simulations=simulations,
            start_seconds=start_seconds,
            draws=draws,
            seed=seed,
            max_nodes=max_nodes,
            on_stage=shown.begin,
            on_decision=shown.step,
        )
    settings = {"seconds": seconds, "simulations": simulations, "draws": draws, "seed": seed}
    settings |= {} if start_seconds is None else {"start_seconds": start_seconds}
    if save is not None:
        solution.save(save)
    document = _document(solution, player, settings, [] if save is None else [save])
    if as_json:
        print_json(document)
    else:
        _print(document, in_goals=loaded.payoff_unit.is_plain)


def _document(
    solution: Solution, player: str, settings: dict[str, Any], files: list[str]
) -> dict[str, Any]:
    """The JSON document; values, best_values, exploitability and nash_conv are in the unit."""
    unit, tree = solution.game.payoff_unit, solution.tree
    assert tree is not None
    return {
        "game": solution.game.name,
        "player": player,
        "settings": settings,
        "unit": unit.name,
        "values": solution.value,
        "best_values": solution.best_value,
        "goals": solution.goals,
        "exploitability": solution.exploitability,
        "exploitability_goals": solution.exploitability * unit.scale,
        "nash_conv": solution.nash_conv,
        "nodes": len(tree),
        "infosets": tree.infosets,
        "seconds": solution.seconds,
        "files": files,
    }


def _simulations(count: int) -> str:
    return f"{count:,} simulation{'s' if count > 1 else ''}"


def _print(document: dict[str, Any], *, in_goals: bool) -> None:
    settings, unit = document["settings"], document["unit"]
    count = settings["simulations"]
    allowed = f"{settings['seconds']:g} s" if count is None else _simulations(count)
    start = settings.get("start_seconds")
    before = "" if start is None else f" and {start:g} s before the first move"
    draws = f", averaged over {settings['draws']:,} seeds" if settings["draws"] > 1 else ""
    say(
        f"{document['game']}: {document['player']} at {document['infosets']:,} information sets, "
        f"{allowed} per decision{before}{draws}, in {document['seconds']:.3g} s"
    )
    columns = {
        f">value, {unit}": [f"{value:+.6f}" for value in document["values"].values()],
        ">value of a best response": [f"{best:+.6f}" for best in document["best_values"].values()],
    }
    said = f"exploitability {document['exploitability']:.4g} {unit}"
    if not in_goals:
        columns[">goal"] = [f"{goal:.4f}" for goal in document["goals"].values()]
        said += f" ({document['exploitability_goals']:.4g} goals)"
    print_table(None, ("role", *columns), zip(document["values"], *columns.values(), strict=True))
    say(f"{said}, NashConv {document['nash_conv']:.4g}")
    for file in document["files"]:
        say(f"wrote {file}")
