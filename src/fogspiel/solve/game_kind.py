"""What kind of game a tree is: what decides which methods fit, and what their answers mean."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.solve.sequence_form import constant_sum
from fogspiel.tree.game_tree import GameTree


@dataclass(frozen=True, slots=True, kw_only=True)
class GameKind:
    """A game as solvers see it."""

    players: int
    nodes: int
    leaves: int
    infosets: int
    sequences: tuple[int, ...]
    """Of each player, the empty one among them."""
    depth: int
    """Decisions and moves of chance on the longest course of play."""
    chance: bool
    constant: Fraction | None
    """What all players get together, if that is always the same."""
    perfect_information: bool
    """Whether every player always knows where it is; moves at the same time are hidden."""

    @property
    def is_two_player_constant_sum(self) -> bool:
        """Whether one player's gain is the other's loss: equilibria are then maximin plans."""
        return self.players == 2 and self.constant is not None

    @property
    def sum(self) -> str:
        """`zero`, `constant` or `general`."""
        if self.constant is None:
            return "general"
        return "constant" if self.constant else "zero"


def kind_of(tree: GameTree) -> GameKind:
    """The kind of a game."""
    players = len(tree.players)
    decisions = int((tree.movers > CHANCE).sum())
    return GameKind(
        players=players,
        nodes=len(tree),
        leaves=len(tree.leaves),
        infosets=len(tree.infosets),
        sequences=tuple(tree.infosets.sequence_count(player) for player in range(1, players + 1)),
        depth=_depth(tree),
        chance=bool((tree.movers == CHANCE).any()),
        constant=constant_sum(tree),
        perfect_information=decisions == len(tree.infosets),
    )


def _depth(tree: GameTree) -> int:
    """Edges on the longest way from the root: levels may be skipped, so they do not count."""
    depths = np.zeros(len(tree), np.int32)
    for first, end in pairwise(tree.level_starts.tolist()):
        edges = slice(tree.first_edges[first], tree.first_edges[end])
        before = np.repeat(depths[first:end], np.diff(tree.first_edges[first : end + 1]))
        np.maximum.at(depths, tree.targets[edges], before + 1)
    return int(depths.max())
