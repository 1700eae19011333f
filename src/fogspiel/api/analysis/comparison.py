"""Comparison of two games: whether they are the same, and where they first differ."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from fogspiel.core.limits import refuse_count
from fogspiel.games.convert import game_tree
from fogspiel.games.library import is_python_name
from fogspiel.tree.build.build import build
from fogspiel.tree.compare.isomorphism import compare as compare_trees
from fogspiel.tree.compare.isomorphism import unit_change
from fogspiel.tree.preorder import PreorderTree, to_preorder

if TYPE_CHECKING:
    from fogspiel.api.game import Game
    from fogspiel.api.rules.rules import Rules

MAX_NODES = 1_000_000  #: Nodes of each of the two trees

Comparable: TypeAlias = "Game | Rules | str | Path"
"""A game, its rules, or what `fogspiel.load` takes: a bundled name or a path."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two games are the same; if not, what differs first. True if they are the same.

    >>> found = fs.compare("kuhn_poker", "leduc_poker")
    >>> found.same, found.nodes
    (False, (58, 9457))
    """

    same: bool  #: Whether the trees match
    difference: str | None  #: The first difference and its place; None for the same game
    nodes: tuple[int, int]  #: The numbers of nodes of both trees

    def __bool__(self) -> bool:
        """Whether they are the same."""
        return self.same

    def __str__(self) -> str:
        """`the same game`, or `different games:` and the first difference."""
        return "the same game" if self.same else f"different games: {self.difference}"


def compare(
    first: Comparable,
    second: Comparable,
    *,
    labels: bool = False,
    any_unit: bool = False,
    merge_chance: bool = False,
    max_nodes: int = MAX_NODES,
    ground_seconds: float | None = None,
) -> Comparison:
    """Compare two games by their trees, whatever their languages.

    Two games are the same if their trees match node by node: the players in their order, their
    actions, the probabilities of chance, what players know, and the payoffs as the rules give them.
    Names do not count, nor does a move without a choice.

    first and second: games, rules, bundled names or paths; an EFG file is the tree that it holds.
    labels: whether players and actions must have the same names, too.
    any_unit: whether payoffs of each player may be in another unit: a positive multiple plus a
    constant.
    merge_chance: whether several moves of chance in a row count as one, with equal branches joined.
    max_nodes: the largest tree that is built.
    ground_seconds: time for grounding rules that are given as a name, a path or text.
    Raises `LimitError` TRE001 where a tree is too large, TRE003 where the games are so symmetric
    that the search is given up.

    >>> print(fs.compare("kuhn_poker", "kuhn_poker_pogddl", any_unit=True))
    the same game
    """
    refuse_count("max_nodes", max_nodes)
    trees = [_tree(game, max_nodes, ground_seconds) for game in (first, second)]
    found = compare_trees(
        trees[0],
        trees[1],
        payoff_map=unit_change(trees[0], trees[1]) if any_unit else None,
        labels=labels,
        merge_chance=merge_chance,
    )
    nodes = (len(trees[0]), len(trees[1]))
    return Comparison(found.equal, found.difference or None, nodes)


def _tree(game: Comparable, max_nodes: int, ground_seconds: float | None) -> PreorderTree:
    """The tree of a game, in which no histories are merged."""
    from fogspiel.api.game import Game
    from fogspiel.api.load import limits_of, load
    from fogspiel.api.rules.rules import Rules

    if isinstance(game, str | Path):
        game = load(game) if is_python_name(str(game)) else Rules.open(game)
    if isinstance(game, Game):
        sources = game.loaded.sources
        if game.loaded.language != "efg":
            tree = build(game.machine, title=game.name, max_nodes=max_nodes, merge=False)
            return to_preorder(tree)
        return game_tree(sources)
    if not isinstance(game, Rules):
        raise TypeError(f"a game, its rules, a name or a path is wanted; got {type(game).__name__}")
    limits = limits_of(ground_seconds)
    return game_tree(game.sources, title=game.name, limits=limits, max_nodes=max_nodes)
