"""`fogspiel compare`: whether two games are the same."""

from __future__ import annotations

import click

from fogspiel.cli.options import GameChoice, ground_seconds_option
from fogspiel.cli.output import busy, json_option, print_json

DEFAULT_MAX_NODES = 1_000_000
SAME, DIFFERENT = 0, 1


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--labels", is_flag=True, help="Players and actions must have the same names, too.")
@click.option(
    "--any-unit",
    is_flag=True,
    help="Payoffs of each player may be in another unit: a positive multiple plus a constant.",
)
@click.option(
    "--merge-chance",
    is_flag=True,
    help="Several moves of chance in a row count as one, and equal branches of chance are joined.",
)
@click.option(
    "--max-nodes",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_NODES,
    show_default=True,
    help="Nodes of each of the two trees.",
)
@ground_seconds_option
@json_option
def compare(
    first: str,
    second: str,
    *,
    labels: bool,
    any_unit: bool,
    merge_chance: bool,
    max_nodes: int,
    ground_seconds: float | None,
    as_json: bool,
) -> int:
    """Say whether the games FIRST and SECOND are the same, and where they first differ.

    Two games are the same if their trees match node by node: the players in their order, their
    actions, the probabilities of chance, what players know, and the payoffs as the rules give them.
    Names do not count, nor does a move without a choice. The exit code is 0 for the same game and
    1 for different ones.
    """
    with busy("building both trees …"):
        from fogspiel import compare as compare_games

        found = compare_games(
            GameChoice(first).rules_or_game(),
            GameChoice(second).rules_or_game(),
            labels=labels,
            any_unit=any_unit,
            merge_chance=merge_chance,
            max_nodes=max_nodes,
            ground_seconds=ground_seconds,
        )
    if as_json:
        print_json(
            {
                "first": first,
                "second": second,
                "same": found.same,
                "difference": found.difference,
                "nodes": list(found.nodes),
            }
        )
    else:
        click.echo(str(found))
    return SAME if found else DIFFERENT
