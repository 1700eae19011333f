"""Trees of files in the order in which solvers sweep over them: the way back from preorder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.game_tree import NO_INFOSET, GameTree, Infosets
from fogspiel.tree.preorder import Indices, PreorderTree, TreeInfoset, numbered_as_met


def from_preorder(tree: PreorderTree) -> GameTree:
    """The same game in level order. Raises `ValueError` without perfect recall."""
    depths = [0] * len(tree)
    for node, parent in enumerate(tree.parents[1:].tolist(), start=1):
        depths[node] = depths[parent] + 1
    # Preorder keeps siblings in order; sorted by depth they come to stand side by side.
    order = np.argsort(depths, kind="stable")
    place = np.argsort(order)
    parents = np.where(tree.parents < 0, -1, place[tree.parents])[order]
    movers, actions, rows = tree.movers[order], tree.actions[order], tree.infosets[order]
    probabilities, reach = np.ones(len(tree)), np.ones(len(tree))
    for node in range(1, len(tree)):
        above = tree.infoset_table[int(rows[parents[node]])]
        if above.player == CHANCE:
            probabilities[node] = float(above.probabilities[int(actions[node])])
        reach[node] = reach[parents[node]] * probabilities[node]
    numbers, infosets = _infosets_by_player(tree, rows)
    node_infosets = numbers[rows]
    sequences = np.zeros((len(tree), len(tree.players)), np.int64)
    for node in range(len(tree)):
        parent, mover = int(parents[node]), int(movers[node])
        if parent >= 0:
            sequences[node] = sequences[parent]
            if movers[parent] > CHANCE:
                before = infosets.first_sequences[node_infosets[parent]]
                sequences[node, movers[parent] - 1] = before + actions[node]
        if mover > CHANCE:
            infoset, own = int(node_infosets[node]), sequences[node, mover - 1]
            if infosets.parent_sequences[infoset] not in (-1, own):
                raise ValueError(
                    f"{tree.players[mover - 1]} has no perfect recall: at the infoset "
                    f"{infosets.names.label(infoset)!r} it does not know what it did before"
                )
            infosets.parent_sequences[infoset] = own
    return GameTree(
        title=tree.title,
        players=tree.players,
        level_starts=np.cumsum([0, *np.bincount(depths)]),
        movers=movers.astype(np.int8),
        node_infosets=node_infosets.astype(np.int32),
        node_payoffs=tree.payoffs[order].astype(np.int32),
        chance_reach=reach,
        first_edges=np.cumsum([0, *np.bincount(parents[1:], minlength=len(tree))]),
        targets=np.arange(1, len(tree), dtype=np.int32),
        probabilities=probabilities[1:],
        infosets=infosets,
        exact_payoffs=tree.payoff_table,
    )


def _infosets_by_player(tree: PreorderTree, rows: Indices) -> tuple[Indices, Infosets]:
    """The number of each infoset of the table, and the infosets without their parent sequences.

    A player's infosets stand in the order in which they come first. rows: (nodes,) in level order.
    """
    table = tree.infoset_table
    players = np.array([infoset.player for infoset in table], np.int64)
    firsts, _ = numbered_as_met(rows)
    order = rows[firsts]
    order = order[np.argsort(players[order], kind="stable")]
    order = order[players[order] != CHANCE]
    numbers = np.full(len(table) + 1, NO_INFOSET)
    numbers[order] = np.arange(len(order))
    counts = np.array([len(table[row].actions) for row in order.tolist()], np.int32)
    starts = np.searchsorted(players[order], np.arange(1, len(tree.players) + 2))
    ends = np.cumsum(counts)
    before = np.concatenate([[0], ends])[starts[players[order] - 1]]
    return numbers, Infosets(
        players=players[order].astype(np.int8),
        starts=starts,
        action_counts=counts,
        parent_sequences=np.full(len(order), -1, np.int32),
        first_sequences=(1 + ends - counts - before).astype(np.int32),
        names=_TableNames([table[row] for row in order.tolist()]),
    )


class _TableNames:
    """Names that are known. Implements `TreeNames`."""

    def __init__(self, infosets: Sequence[TreeInfoset]) -> None:
        self._infosets = infosets

    def infoset(self, infoset: int) -> str:
        """The label of the table."""
        return self._infosets[infoset].label

    label = infoset

    def actions(self, infoset: int) -> tuple[str, ...]:
        """The actions to choose from."""
        return self._infosets[infoset].actions

    def observations(self, infoset: int) -> None:
        """A tree in preorder keeps no steps, only labels."""
