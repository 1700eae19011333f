"""A game in extensive form as flat arrays, nodes in preorder.

Labels take no part in the meaning: actions count by their places, infosets by their nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogspiel.rules.efg.syntax import CHANCE, ExtensiveGame, Infoset, Node, Outcome

TERMINAL = -1
"""In place of a player and an infoset, where the game ends."""


@dataclass(frozen=True, slots=True)
class TreeInfoset:
    """Nodes at which a player cannot tell where it is; a chance node is an infoset alone."""

    player: int
    """`CHANCE`, or a player from 1 on."""
    label: str
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()
    """Of chance only."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PreorderTree:
    """A whole tree. Node 0 is the root."""

    title: str
    players: tuple[str, ...]
    parents: NDArray[np.int64]
    """(nodes,) -1 for the root."""
    actions: NDArray[np.int64]
    """(nodes,) which action of the parent leads here; 0 for the root."""
    infosets: NDArray[np.int64]
    """(nodes,) index into `infoset_table`; `TERMINAL` where the game ends."""
    payoffs: NDArray[np.int64]
    """(nodes,) index into `payoff_table`; -1 inside the tree."""
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

    @property
    def chance_count(self) -> int:
        """Chance nodes."""
        return int((self.movers == CHANCE).sum())

    @property
    def decision_count(self) -> int:
        """Nodes of players."""
        return int((self.movers > CHANCE).sum())

    @property
    def terminal_count(self) -> int:
        """Nodes that end the game."""
        return int((self.infosets == TERMINAL).sum())

    @property
    def player_infosets(self) -> int:
        """Infosets of players."""
        return sum(infoset.player != CHANCE for infoset in self.infoset_table)

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
