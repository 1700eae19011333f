"""From a tree in preorder, as files hold it, to level order, with perfect recall checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.arrays import TERMINAL, PreorderTree, TreeInfoset
from fogspiel.tree.game_tree import NO_INFOSET, GameTree, Infosets

Indices = NDArray[np.int64]
"""(n,)"""


def from_preorder(tree: PreorderTree) -> GameTree:
    """The same game in level order. Raises `PlayError` TRE004 without perfect recall."""
    depths = _depths(tree.parents)
    # Preorder keeps siblings in order; sorted by depth they come to stand side by side.
    order = np.argsort(depths, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    parents = np.where(tree.parents < 0, -1, place[tree.parents])[order]
    movers, actions = tree.movers[order], tree.actions[order]
    rows = tree.infosets[order]
    probabilities = _probabilities(tree.infoset_table, rows, parents, actions)
    infosets, numbers = _Infosets(tree, movers, rows, parents, actions).table()
    edge_counts = np.bincount(parents[1:], minlength=len(order))
    return GameTree(
        title=tree.title,
        players=tree.players,
        level_starts=np.searchsorted(depths[order], np.arange(depths.max() + 2)),
        movers=movers.astype(np.int8),
        node_infosets=np.where(movers > CHANCE, numbers[rows], NO_INFOSET).astype(np.int32),
        node_payoffs=tree.payoffs[order].astype(np.int32),
        chance_reach=_chance_reach(parents, probabilities),
        first_edges=np.concatenate([[0], np.cumsum(edge_counts)]),
        targets=np.arange(1, len(order), dtype=np.int32),
        probabilities=probabilities[1:],
        infosets=infosets,
        exact_payoffs=tree.payoff_table,
    )


def _depths(parents: Indices) -> Indices:
    depths = np.zeros(len(parents), np.int64)
    for node, parent in enumerate(parents.tolist()):
        if parent >= 0:
            depths[node] = depths[parent] + 1
    return depths


def _probabilities(
    table: Sequence[TreeInfoset], rows: Indices, parents: Indices, actions: Indices
) -> NDArray[np.float64]:
    """(nodes,) of the move that leads to each node: by chance, else 1."""
    probabilities = np.ones(len(rows))
    for node in range(1, len(rows)):
        infoset = table[int(rows[parents[node]])]
        if infoset.player == CHANCE:
            probabilities[node] = float(infoset.probabilities[int(actions[node])])
    return probabilities


def _chance_reach(parents: Indices, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    reach = np.ones(len(parents))
    for node in range(1, len(parents)):
        reach[node] = reach[parents[node]] * probabilities[node]
    return reach


class _Infosets:
    """Infosets of players in the order of solvers, with the sequences between them."""

    def __init__(
        self, tree: PreorderTree, movers: Indices, rows: Indices, parents: Indices, actions: Indices
    ) -> None:
        """rows: (nodes,) the infoset of each node in the table of the tree."""
        self._tree = tree
        self._movers, self._rows = movers, rows
        self._parents, self._actions = parents, actions

    def table(self) -> tuple[Infosets, Indices]:
        """The infosets, and (rows of the tree's table,) the number of each."""
        table = self._tree.infoset_table
        _, first_nodes = np.unique(self._rows[self._rows != TERMINAL], return_index=True)
        first_nodes = np.flatnonzero(self._rows != TERMINAL)[first_nodes]
        players = np.array([infoset.player for infoset in table], np.int64)
        # By player; a player's infosets by where they come first: earlier ones come before.
        order = np.lexsort((first_nodes, players))
        order = order[players[order] != CHANCE]
        numbers = np.full(len(table) + 1, NO_INFOSET)
        numbers[order] = np.arange(len(order))
        counts = np.array([len(table[row].actions) for row in order.tolist()], np.int32)
        count = len(self._tree.players)
        starts = np.searchsorted(players[order], np.arange(1, count + 2))
        ends = np.cumsum(counts)
        before = np.concatenate([[0], ends])[starts[players[order] - 1]]
        first_sequences = 1 + ends - counts - before
        return (
            Infosets(
                players=players[order].astype(np.int8),
                starts=starts,
                action_counts=counts,
                parent_sequences=self._parent_sequences(numbers, first_sequences),
                first_sequences=first_sequences.astype(np.int32),
                names=_TableNames([table[row] for row in order.tolist()]),
            ),
            numbers,
        )

    def _parent_sequences(self, numbers: Indices, first_sequences: Indices) -> NDArray[np.int32]:
        """(infosets,) the same at all nodes of an infoset, or there is no perfect recall."""
        sequences = np.zeros((len(self._rows), len(self._tree.players)), np.int64)
        parents = np.full(len(first_sequences), -1, np.int32)
        for node in range(len(self._rows)):
            parent = int(self._parents[node])
            if parent >= 0:
                sequences[node] = sequences[parent]
                mover = int(self._movers[parent])
                if mover > CHANCE:
                    before = first_sequences[numbers[self._rows[parent]]]
                    sequences[node, mover - 1] = before + self._actions[node]
            mover = int(self._movers[node])
            if mover > CHANCE:
                own, infoset = sequences[node, mover - 1], int(numbers[self._rows[node]])
                if parents[infoset] not in (-1, own):
                    raise PlayError.of(
                        "TRE004",
                        f"{self._tree.players[mover - 1]} has no perfect recall: at the infoset "
                        f"{self._label(node)!r} it does not know what it did before",
                        fix="part the infoset by the player's own earlier actions",
                    )
                parents[infoset] = own
        return parents

    def _label(self, node: int) -> str:
        return self._tree.infoset_table[int(self._rows[node])].label


class _TableNames:
    """Names that are known. Implements `Names`."""

    def __init__(self, infosets: Sequence[TreeInfoset]) -> None:
        self._infosets = infosets

    def infoset(self, infoset: int) -> str:
        """What the player did and saw."""
        return self._infosets[infoset].label

    def actions(self, infoset: int) -> tuple[str, ...]:
        """The actions to choose from."""
        return self._infosets[infoset].actions

    def sights(self, infoset: int) -> None:
        """A tree in preorder keeps no steps, only labels."""
