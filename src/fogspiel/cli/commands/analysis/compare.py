"""`fogspiel compare`: whether two games are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fogspiel.cli.options import GameChoice, ground_seconds_option
from fogspiel.cli.output import busy, json_option, print_json

if TYPE_CHECKING:
    from fogspiel.tree.preorder import PreorderTree

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
        from fogspiel.tree.compare.isomorphism import compare as compare_trees
        from fogspiel.tree.compare.isomorphism import unit_change

        trees = [_tree(game, max_nodes, ground_seconds) for game in (first, second)]
        found = compare_trees(
            *trees,
            payoff_map=unit_change(*trees) if any_unit else None,
            labels=labels,
            merge_chance=merge_chance,
        )
    if as_json:
        print_json(
            {
                "first": first,
                "second": second,
                "same": found.equal,
                "difference": found.difference or None,
                "nodes": [len(tree) for tree in trees],
            }
        )
    elif found.equal:
        click.echo("the same game")
    else:
        click.echo(f"different games: {found.difference}")
    return SAME if found.equal else DIFFERENT


def _tree(game: str, max_nodes: int, ground_seconds: float | None) -> PreorderTree:
    from fogspiel.games.convert import game_tree

    choice = GameChoice(game, ground_seconds=ground_seconds)
    return game_tree(choice.sources(), title=game, limits=choice.limits, max_nodes=max_nodes)
