"""`fogspiel compare`: whether two games are the same."""

from __future__ import annotations

import click

from fogspiel.cli.completion import complete_game
from fogspiel.cli.options import MAX_NODES_HELP, GameChoice, count_option, ground_seconds_option
from fogspiel.cli.output import busy, json_option, print_json, say

DEFAULT_MAX_NODES = 1_000_000
SAME, DIFFERENT = 0, 1


@click.command()
@click.argument("first", shell_complete=complete_game)
@click.argument("second", shell_complete=complete_game)
@click.option("--labels", is_flag=True, help="Require the same names of players and actions too.")
@click.option(
    "--any-unit",
    is_flag=True,
    help="Ignore the unit of payoffs: the payoffs of a player may differ by a positive factor and "
    "a constant.",
)
@click.option(
    "--merge-chance",
    is_flag=True,
    help="Treat consecutive chance moves as one, and equal branches of chance as one branch.",
)
@count_option("--max-nodes", least=1, default=DEFAULT_MAX_NODES, help=MAX_NODES_HELP)
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
    """Compare two games, and report where they first differ.

    Two games are the same if their trees match node by node: the order of the players, their
    actions, the probabilities of chance, the information sets, and the payoffs in the unit of the
    rules. Names are ignored, and so are steps in which nobody has a choice. The exit code is 0 if
    the games are the same and 1 if they differ.
    """
    with busy("building both game trees …"):
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
        say(str(found))
    return SAME if found else DIFFERENT
