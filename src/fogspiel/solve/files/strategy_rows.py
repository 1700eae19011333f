"""A strategy for people to read: the infosets that matter most, with what is done there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.solve.arrays import treeplex
from fogspiel.solve.result import Strategy
from fogspiel.tree.game_tree import NO_INFOSET, GameTree, node_sequences


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyRow:
    """What a role does at one infoset."""

    infoset: int
    role: str
    knows: str
    """What it did and saw, cut to its end where that is long."""
    reach: float
    """How probable it is that play comes here, if all follow the strategy."""
    actions: tuple[tuple[str, float], ...]


def infoset_reach(tree: GameTree, strategy: Strategy) -> NDArray[np.float64]:
    """(infosets,) how probable it is that play comes there, if all follow the strategy."""
    reach = tree.chance_reach.copy()
    sequences = node_sequences(tree)
    for player in range(len(tree.players)):
        plan = treeplex(tree.infosets, player + 1).plan(strategy)
        reach *= plan[sequences[:, player]]
    owned = tree.node_infosets != NO_INFOSET
    found: NDArray[np.float64] = np.zeros(len(tree.infosets))
    np.add.at(found, tree.node_infosets[owned], reach[owned])
    return found


def most_reached(tree: GameTree, strategy: Strategy, player: int, rows: int) -> list[StrategyRow]:
    """The infosets of a player, from 1 on, that are reached most; equals in order of play."""
    first, end = tree.infosets.starts[player - 1 : player + 1].tolist()
    reach = infoset_reach(tree, strategy)
    # Rounded, so that sums in another order of the same terms do not change the list.
    order = np.argsort(-np.round(reach[first:end], 12), kind="stable")[:rows] + first
    return [_line(tree, strategy, infoset, float(reach[infoset])) for infoset in order.tolist()]


def _line(tree: GameTree, strategy: Strategy, infoset: int, reach: float) -> StrategyRow:
    names = tree.infosets.names
    shares = strategy.at(infoset).tolist()
    return StrategyRow(
        infoset=infoset,
        role=tree.players[int(tree.infosets.players[infoset]) - 1],
        knows=names.infoset(infoset),
        reach=reach,
        actions=tuple(zip(names.actions(infoset), shares, strict=True)),
    )
