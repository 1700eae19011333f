"""A game in extensive form with its nodes in preorder, as files hold it.

`to_preorder` is the way from level order, which solvers sweep over; `tree_of_efg` and `efg_of_tree`
are those from and to a file. Labels take no part in the meaning: actions count by their places,
infosets by their nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.limits import MAX_DENOMINATOR
from fogspiel.rules.efg.syntax import CHANCE, ExtensiveGame, Infoset, Node, Outcome
from fogspiel.tree.game_tree import NO_INFOSET, GameTree, distinct_labels

TERMINAL = -1  #: Stands in place of a player and an infoset where the game ends

Indices = NDArray[np.int64]  #: (n,)


@dataclass(frozen=True, slots=True)
class TreeInfoset:
    """Nodes at which a player cannot tell where it is; a chance node is an infoset alone."""

    player: int  #: `CHANCE`, or a player from 1 on
    label: str
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()  #: Given for chance only


@dataclass(frozen=True, kw_only=True, eq=False)
class PreorderTree:
    """A whole game. Node 0 is the root."""

    title: str
    players: tuple[str, ...]
    parents: NDArray[np.int64]  #: (nodes,) -1 for the root
    actions: NDArray[np.int64]  #: (nodes,) the action of the parent that leads here; 0 for the root
    infosets: NDArray[np.int64]
    """(nodes,) index into `infoset_table`; `TERMINAL` where the game ends."""
    payoffs: NDArray[np.int64]  #: (nodes,) index into `payoff_table`; -1 inside the tree
    infoset_table: tuple[TreeInfoset, ...]
    payoff_table: tuple[tuple[Fraction, ...], ...] = field(repr=False)
    """Payoffs of all players; every leaf has one of them."""

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.parents)

    @property
    def movers(self) -> NDArray[np.int64]:
        """(nodes,) the player of each node: `CHANCE`, from 1 on, or `TERMINAL`."""
        # The last entry is what the index -1 of leaves finds.
        table = [infoset.player for infoset in self.infoset_table]
        return np.array([*table, TERMINAL], np.int64)[self.infosets]

    def children(self) -> list[list[int]]:
        """The children of each node, in the order of the actions."""
        children: list[list[int]] = [[] for _ in range(len(self))]
        for node, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                children[parent].append(node)
        return children

    def path(self, node: int) -> list[str]:
        """The labels of the actions that lead to a node."""
        labels: list[str] = []
        while (parent := int(self.parents[node])) >= 0:
            infoset = self.infoset_table[int(self.infosets[parent])]
            labels.append(infoset.actions[int(self.actions[node])])
            node = parent
        return labels[::-1]


def tree_of_efg(game: ExtensiveGame) -> PreorderTree:
    """The tree of an EFG file, with all payoffs collected at the leaves."""
    leaves = [node.infoset is None for node in game.nodes]
    table: dict[tuple[Fraction, ...], int] = {}
    payoffs = [
        table.setdefault(total, len(table)) if leaf else -1
        for leaf, total in zip(leaves, game.collected, strict=True)
    ]
    return PreorderTree(
        title=game.title,
        players=game.players,
        parents=np.array(game.parents, np.int64),
        actions=np.array(game.actions_taken, np.int64),
        infosets=np.array([TERMINAL if n.infoset is None else n.infoset for n in game.nodes]),
        payoffs=np.array(payoffs, np.int64),
        infoset_table=tuple(
            TreeInfoset(own.player, own.name, own.actions, own.probabilities)
            for own in game.infosets
        ),
        payoff_table=tuple(table),
    )


def efg_of_tree(tree: PreorderTree, comment: str = "") -> ExtensiveGame:
    """The tree as a record that can be written, numbered in the order of the file."""
    return ExtensiveGame(
        title=tree.title,
        players=tree.players,
        comment=comment,
        infosets=tuple(_numbered(tree.infoset_table)),
        outcomes=tuple(
            Outcome(index + 1, outcome_name(payoffs), payoffs)
            for index, payoffs in enumerate(tree.payoff_table)
        ),
        nodes=tuple(
            Node("", None, payoff) if infoset == TERMINAL else Node("", infoset)
            for infoset, payoff in zip(tree.infosets.tolist(), tree.payoffs.tolist(), strict=True)
        ),
    )


def outcome_name(payoffs: Sequence[Fraction]) -> str:
    """Payoffs as the name of an outcome: `1, -1`."""
    return ", ".join(map(str, payoffs))


def _numbered(infosets: Iterable[TreeInfoset]) -> Iterator[Infoset]:
    """Infosets with numbers from 1 for each player, and for chance."""
    counts: dict[int, int] = {}
    for own in infosets:
        counts[own.player] = number = counts.get(own.player, 0) + 1
        yield Infoset(own.player, number, own.label, own.actions, own.probabilities)


def to_preorder(tree: GameTree) -> PreorderTree:
    """The same game in preorder, with exact probabilities. Infosets are numbered as they come.

    tree: built with `merge=False`, so that every node has one parent and chance has names.
    Raises `PlayError` TRE002 if probabilities of chance are no fractions that add up to 1.
    """
    if len(tree.targets) != len(tree) - 1:
        raise ValueError("a tree in preorder has no merged histories: build it with merge=False")
    counts = np.diff(tree.first_edges)
    parents, actions = np.full(len(tree), -1), np.zeros(len(tree), np.int64)
    parents[tree.targets] = np.repeat(np.arange(len(tree)), counts)
    actions[tree.targets] = np.arange(len(tree.targets)) - np.repeat(tree.first_edges[:-1], counts)
    levels = [slice(*bounds) for bounds in pairwise(tree.level_starts.tolist())]
    order, new_parents = preorder(parents, actions, levels)
    # A chance node is an infoset alone: its key lies beyond those of players.
    keys = np.where(tree.movers == CHANCE, len(tree.infosets) + np.arange(len(tree)), NO_INFOSET)
    keys = np.where(tree.movers > CHANCE, tree.node_infosets, keys)[order]
    firsts, infosets = numbered_as_met(keys)
    leaves, payoffs = numbered_as_met(tree.node_payoffs[order])
    return PreorderTree(
        title=tree.title,
        players=tree.players,
        parents=new_parents,
        actions=actions[order],
        infosets=infosets,
        payoffs=payoffs,
        infoset_table=_infoset_table(tree, order[firsts]),
        payoff_table=tuple(
            tree.exact_payoffs[row] for row in tree.node_payoffs[order[leaves]].tolist()
        ),
    )


def preorder(
    parents: Indices, actions: Indices, levels: Sequence[slice] | Sequence[Indices]
) -> tuple[Indices, Indices]:
    """The nodes in preorder, and the parents of the nodes by their new numbers.

    parents: (n,) -1 for the root. actions: (n,) the order of siblings. levels: nodes whose parents
    lie in earlier levels, from the root on.
    """
    count = len(parents)
    sizes = np.ones(count, np.int64)
    for level in reversed(levels[1:]):
        np.add.at(sizes, parents[level], sizes[level])
    # Before each node come the subtrees of the siblings before it.
    siblings = np.lexsort((actions, parents))
    total = np.cumsum(sizes[siblings]) - sizes[siblings]
    owners = parents[siblings]
    is_first = np.concatenate(([True], owners[1:] != owners[:-1]))
    offsets = np.empty(count, np.int64)
    offsets[siblings] = total - total[is_first][np.cumsum(is_first) - 1]
    places = np.zeros(count, np.int64)
    for level in levels[1:]:
        places[level] = places[parents[level]] + 1 + offsets[level]
    order = np.argsort(places)
    old_parents = parents[order]
    return order, np.where(old_parents < 0, -1, places[old_parents])


def numbered_as_met(keys: NDArray[np.int32] | Indices) -> tuple[Indices, Indices]:
    """The first place of each key, and (n,) the keys numbered in that order; -1 stays."""
    places = np.flatnonzero(keys >= 0)
    _, firsts, own = np.unique(keys[places], return_index=True, return_inverse=True)
    by_place = np.argsort(firsts)
    ranks = np.empty(len(firsts), np.int64)
    ranks[by_place] = np.arange(len(firsts))
    numbers = np.full(len(keys), -1)
    numbers[places] = ranks[own]
    return places[firsts[by_place]], numbers


def _infoset_table(tree: GameTree, nodes: Indices) -> tuple[TreeInfoset, ...]:
    """Infosets, each described by its first node."""
    names = tree.infosets.names
    movers, infosets = tree.movers[nodes], tree.node_infosets[nodes]
    labels = {
        player: distinct_labels([*map(names.label, infosets[movers == player].tolist())])
        for player in range(1, len(tree.players) + 1)
    }
    table = []
    rows = zip(nodes.tolist(), movers.tolist(), infosets.tolist(), strict=True)
    for node, player, infoset in rows:
        if player == CHANCE:
            assert tree.chance_names is not None
            drawn = tree.probabilities[tree.first_edges[node] : tree.first_edges[node + 1]]
            table.append(TreeInfoset(CHANCE, "", tree.chance_names(node), _fractions(drawn)))
        else:
            table.append(TreeInfoset(player, next(labels[player]), names.actions(infoset)))
    return tuple(table)


def _fractions(probabilities: NDArray[np.float64]) -> tuple[Fraction, ...]:
    exact = tuple(
        Fraction(share).limit_denominator(MAX_DENOMINATOR) for share in probabilities.tolist()
    )
    if sum(exact) != 1:
        raise PlayError.of(
            "TRE002",
            f"the probabilities of chance, as fractions, add up to {sum(exact)}",
            fix="use weights that are small whole numbers",
        )
    return exact
