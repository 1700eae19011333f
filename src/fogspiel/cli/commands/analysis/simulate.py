"""`fogspiel simulate`: many random playouts, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import GameChoice, count_option, game_argument, game_options, seed_option
from fogspiel.cli.output import json_option, print_json, print_table, say
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel import Finding, Game, PlayoutReport


@click.command()
@game_argument
@count_option(
    "--playouts",
    least=1,
    help="Number of playouts.  [default: 100,000 compiled, 20 with the reference reasoner]",
)
@seed_option
@game_options
@json_option
def simulate(game: GameChoice, *, playouts: int | None, seed: int, as_json: bool) -> None:
    """Play GAME at random and report mean goals and lengths.

    In every step each role draws one of its legal moves uniformly. The same seed and number of
    playouts give the same result.
    """
    loaded = game.load()
    from fogspiel.api.analysis.playout_report import default_playouts

    count = playouts or default_playouts(loaded)
    with ProgressBar("playouts", count) as progress:
        report = loaded.playouts(count, seed=seed, on_done=progress.advance)
    document = _document(loaded, report)
    if as_json:
        print_json(document)
    else:
        _print(document, loaded.fallback, is_plain=loaded.payoff_unit.is_plain)


def _document(game: Game, report: PlayoutReport) -> dict[str, Any]:
    """The JSON document. Goals are those of the rules; chance has none of its own."""
    scale, entry = game.machine.goal_scale, game.entry
    document: dict[str, Any] = {
        "game": report.game,
        "engine": report.engine,
        "seed": report.seed,
        "playouts": report.playouts,
        "seconds": report.seconds,
        "playouts_per_second": report.per_second,
        "mean_goals": report.goals,
        "mean_length": report.mean_length,
        "stuck": report.stuck,
        "cut": report.cut,
        "max_steps": report.max_steps,
    }
    if scale != 1 or (entry is not None and entry.unit is not None):
        document["mean_payoffs"] = report.payoffs
        document["payoff_unit"] = game.payoff_unit.name
    return document


def _print(document: dict[str, Any], fallback: Finding | None, *, is_plain: bool) -> None:
    """is_plain: whether payoffs are the goals themselves."""
    say(
        "{game}: {playouts:,} random playouts in {seconds:.3g} s, {playouts_per_second:,.0f} per "
        "second ({engine} machine)".format_map(document)
    )
    if document["cut"]:
        say(_given_up(document["cut"], document["playouts"], document["max_steps"]))
    say(f"mean length {document['mean_length']:.3f} steps")
    means = document["mean_goals"]
    columns = {">mean goal": [f"{mean:.3f}" for mean in means.values()]}
    if "payoff_unit" in document and not is_plain:
        payoffs = [f"{payoff:+.4f}" for payoff in document["mean_payoffs"].values()]
        columns[f">mean payoff, {document['payoff_unit']}"] = payoffs
    print_table(None, ("role", *columns), zip(means, *columns.values(), strict=True))
    if document["stuck"]:
        say(f"{document['stuck']:,} playouts ended because a role had no legal move")
    if fallback is not None:
        say(f"The reference reasoner was used because {fallback.message}.")


def _given_up(cut: int, playouts: int, max_steps: int) -> str:
    """What to say of playouts that did not end, before the means in which they are counted."""
    limit = f"{max_steps:,} steps"
    if cut == playouts:
        return (
            f"No playout ended within {limit}, so play may go on for ever (fogspiel explain "
            "DYN001). The means are those of the states that were reached, not of results:"
        )
    return (
        f"{cut:,} of the playouts did not end within {limit} and were given up. "
        "The means count them with the goals of the states that they reached:"
    )
