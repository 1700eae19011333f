"""What a strategy is worth: expected values, best responses, exploitability.

Two ways lead to the same numbers. Games of any number of players are swept over as trees: values
backwards from the leaves, and for a best response what each leaf is worth to one player, weighed
by how probable chance and the others make it. With two players and a ready `SequenceGame` the same
takes two sparse products.

Exploitability is the mean over the players of what each could gain alone, as in OpenSpiel; it is 0
exactly in an equilibrium. With two players and a constant sum it also bounds what the strategy
loses against anybody. With more players, or a sum that differs, it says no more than its name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.result import Strategy, checked
from fogspiel.solve.sequence_form import SequenceGame
from fogspiel.solve.treeplex import Plan, choose_best, joined, treeplex
from fogspiel.tree.game_tree import GameTree, node_sequences


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyValue:
    """What a strategy brings, and what each player could have instead."""

    values: tuple[float, ...]
    """What each player gets if all follow the strategy."""
    best_values: tuple[float, ...]
    """What each player gets at most while the others follow it."""

    @property
    def exploitability(self) -> float:
        """The mean over the players of what each could gain alone."""
        gains = [best - own for best, own in zip(self.best_values, self.values, strict=True)]
        return sum(gains) / len(gains)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Response:
    """A pure strategy that no other beats against what the others do."""

    value: float
    strategy: Strategy
    """Everybody's: the player's own replaced, the first of equally good actions chosen."""


def worth(tree: GameTree, strategy: Strategy) -> StrategyValue:
    """Values and best responses of any number of players. Raises SOL001 for no strategy."""
    return Evaluator(tree).worth(checked(tree, strategy))


def expected_values(tree: GameTree, strategy: Strategy) -> tuple[float, ...]:
    """What each player gets if all follow the strategy. Raises SOL001 for no strategy."""
    return Evaluator(tree).values(checked(tree, strategy))


def exploitability(tree: GameTree, strategy: Strategy) -> float:
    """The mean over the players of what each could gain alone. Raises SOL001 for no strategy."""
    return worth(tree, strategy).exploitability


def best_response(tree: GameTree, strategy: Strategy, player: int) -> Response:
    """The best that a player, counted from 0, can do. Raises SOL001 for no strategy."""
    return Evaluator(tree).best_response(checked(tree, strategy), player)


def worth_in(game: SequenceGame, strategy: Strategy) -> StrategyValue:
    """The same as `worth` by way of the sequence form. Raises SOL001 for no strategy."""
    checked(game.tree, strategy)
    first, second = (side.plan(strategy) for side in game.treeplexes)
    return worth_of_plans(game, (first, second))


def worth_of_plans(game: SequenceGame, plans: tuple[Plan, Plan]) -> StrategyValue:
    """What two plans bring, and what each player could have instead."""
    values, best_values = [], []
    for player, side in enumerate(game.treeplexes):
        payoffs = game.payoffs[player]
        gains = payoffs.values(plans[1 - player])
        # No `@`: BLAS would wake its threads for it, which takes longer than all the rest.
        values.append(float((plans[player] * gains).sum()) + payoffs.offset)
        best_values.append(side.best(gains) + payoffs.offset)
    return StrategyValue(values=tuple(values), best_values=tuple(best_values))


class Evaluator:
    """A tree made ready to evaluate many strategies, which must be strategies for it."""

    def __init__(self, tree: GameTree) -> None:
        self._tree = tree
        self._sides = [treeplex(tree.infosets, player + 1) for player in range(len(tree.players))]
        counts = [side.sequence_count for side in self._sides]
        self._plan_starts = np.concatenate([[0], np.cumsum(counts)])
        leaves = tree.leaves
        self._sequences = node_sequences(tree)[leaves]
        self._reach = tree.chance_reach[leaves]
        self._rows = tree.node_payoffs[leaves]
        self._payoffs = tree.payoffs

    def worth(self, strategy: Strategy) -> StrategyValue:
        """Values, and what each player could have instead."""
        best = [
            side.best(self._leaf_values(strategy, player))
            for player, side in enumerate(self._sides)
        ]
        return StrategyValue(values=self.values(strategy), best_values=tuple(best))

    def best_response(self, strategy: Strategy, player: int) -> Response:
        """The best that a player, counted from 0, can do."""
        side = self._sides[player]
        values = self._leaf_values(strategy, player)
        value = side.best(values)
        behaviours = [other.behaviour(strategy) for other in self._sides]
        choose_best(side.firsts, side.counts, values, behaviours[player])
        return Response(value=value, strategy=joined(strategy.starts, behaviours))

    def values(self, strategy: Strategy) -> tuple[float, ...]:
        """What each player gets at the root."""
        tree = self._tree
        values = np.zeros((len(tree), len(tree.players)))
        _sweep_values(
            tree.node_infosets,
            tree.node_payoffs,
            tree.first_edges,
            tree.targets,
            tree.probabilities,
            self._payoffs,
            strategy.starts,
            strategy.probabilities,
            values,
        )
        return tuple(values[0].tolist())

    def _leaf_values(self, strategy: Strategy, player: int) -> NDArray[np.float64]:
        """(own sequences,) what the leaves right after each sequence of a player bring it."""
        values = np.zeros(self._sides[player].sequence_count)
        _spread_leaves(
            player,
            self._sequences,
            self._reach * self._payoffs[self._rows, player],
            self._plan_starts,
            np.concatenate([side.plan(strategy) for side in self._sides]),
            values,
        )
        return values


@native
def _sweep_values(
    node_infosets: NDArray[np.int32],
    node_payoffs: NDArray[np.int32],
    first_edges: NDArray[np.int64],
    targets: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    payoffs: NDArray[np.float64],
    starts: NDArray[np.int64],
    behaviour: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Values of all nodes for all players, backwards."""
    for node in range(len(node_infosets) - 1, -1, -1):
        if node_payoffs[node] >= 0:
            for player in range(values.shape[1]):
                values[node, player] = payoffs[node_payoffs[node], player]
        first, infoset = first_edges[node], node_infosets[node]
        for edge in range(first, first_edges[node + 1]):
            weight = probabilities[edge]
            if infoset >= 0:
                weight *= behaviour[starts[infoset] + edge - first]
            for player in range(values.shape[1]):
                values[node, player] += weight * values[targets[edge], player]


@native
def _spread_leaves(
    player: int,
    sequences: NDArray[np.int32],
    gains: NDArray[np.float64],
    plan_starts: NDArray[np.int64],
    plans: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Add each leaf's gain, as far as the others let it happen, to the player's own sequence."""
    for leaf in range(len(gains)):
        gain = gains[leaf]
        for other in range(sequences.shape[1]):
            if other != player:
                gain *= plans[plan_starts[other] + sequences[leaf, other]]
        values[sequences[leaf, player]] += gain
