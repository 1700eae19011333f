"""The value of a strategy: expected values, best responses, exploitability.

Two ways lead to the same numbers. Games of any number of players are swept over as trees: values
backwards from the leaves, and for a best response the value of each leaf for one player, weighted
by the reach probabilities of chance and the others. With two players and a ready `SequenceGame`
the same takes two sparse products.

Exploitability is the mean over the players of what each could gain alone, as in OpenSpiel; it is 0
exactly in an equilibrium. With two players and a constant sum it also bounds what the strategy
loses against anybody. With more players, or a sum that differs, it bounds nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.arrays import Plan, TreeArrays, joined, tree_arrays, treeplex
from fogspiel.solve.result import Strategy, StrategyValue, checked
from fogspiel.solve.sequence_form import SequenceGame
from fogspiel.tree.game_tree import GameTree, node_sequences


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Response:
    """A pure strategy that is a best response to the others' strategies."""

    value: float
    strategy: Strategy
    """The whole profile with the player's own part replaced; ties go to the first action."""


def strategy_value(tree: GameTree, strategy: Strategy) -> StrategyValue:
    """Values and best responses for any number of players. Raises SOL001 for no strategy."""
    return Evaluator(tree).value(checked(tree, strategy))


def exploitability(tree: GameTree, strategy: Strategy) -> float:
    """The mean over the players of what each could gain alone. Raises SOL001 for no strategy."""
    return strategy_value(tree, strategy).exploitability


def best_response(tree: GameTree, strategy: Strategy, player: int) -> Response:
    """The best response of a player, counted from 0. Raises SOL001 for no strategy."""
    return Evaluator(tree).best_response(checked(tree, strategy), player)


def value_in_sequence_form(game: SequenceGame, strategy: Strategy) -> StrategyValue:
    """The same as `strategy_value` by the sequence form. Raises SOL001 for no strategy."""
    checked(game.tree, strategy)
    first, second = (side.plan(strategy) for side in game.treeplexes)
    return value_of_plans(game, (first, second))


def value_of_plans(game: SequenceGame, plans: tuple[Plan, Plan]) -> StrategyValue:
    """The values of two plans, and of the best responses to them."""
    values, best_values = [], []
    for player, side in enumerate(game.treeplexes):
        payoffs = game.payoffs[player]
        gains = payoffs.values(plans[1 - player])
        # No `@`: BLAS would wake its threads for it, which takes longer than all the rest.
        values.append(float((plans[player] * gains).sum()) + payoffs.offset)
        best_values.append(side.best(gains) + payoffs.offset)
    return StrategyValue(values=tuple(values), best_values=tuple(best_values))


class Evaluator:
    """A tree prepared for the evaluation of many strategies, which are not checked."""

    def __init__(self, tree: GameTree) -> None:
        self._arrays = tree_arrays(tree)
        self._sides = [treeplex(tree.infosets, player + 1) for player in range(len(tree.players))]
        counts = [side.sequence_count for side in self._sides]
        leaves = tree.leaves
        self._places = node_sequences(tree)[leaves], np.cumsum([0, *counts])
        """(leaves, players) sequences, and where those of each player begin among all plans."""
        self._reach = tree.chance_reach[leaves]
        self._rows = tree.node_payoffs[leaves]

    def value(self, strategy: Strategy) -> StrategyValue:
        """The values of a strategy, and of the best responses to it."""
        best = [
            side.best(self._leaf_values(strategy, player))
            for player, side in enumerate(self._sides)
        ]
        values = np.zeros((len(self._arrays.movers), len(self._sides)))
        _sweep_values(self._arrays, strategy.probabilities, values)
        return StrategyValue(values=tuple(values[0].tolist()), best_values=tuple(best))

    def best_response(self, strategy: Strategy, player: int) -> Response:
        """The best response of a player, counted from 0."""
        side = self._sides[player]
        values = self._leaf_values(strategy, player)
        value = side.best(values)
        behaviours = [other.behaviour(strategy) for other in self._sides]
        behaviours[player] = side.best_behaviour(values)
        return Response(value=value, strategy=joined(strategy.starts, behaviours))

    def _leaf_values(self, strategy: Strategy, player: int) -> NDArray[np.float64]:
        """(own sequences,) the value for a player of the leaves right after each of its sequences.

        It is weighted by the probability that chance and the others play towards each leaf.
        """
        gains = self._reach * self._arrays.payoffs[self._rows, player]
        plans = np.concatenate([side.plan(strategy) for side in self._sides])
        values = np.zeros(self._sides[player].sequence_count)
        _spread_leaves(player, self._places, gains, plans, values)
        return values


@native
def _sweep_values(
    tree: TreeArrays, behaviour: NDArray[np.float64], values: NDArray[np.float64]
) -> None:
    """Fill in the values of all nodes for all players, backwards. values: (nodes, players)"""
    infosets, rows, payoffs = tree.node_infosets, tree.node_payoffs, tree.payoffs
    first_edges, targets, probabilities = tree.first_edges, tree.targets, tree.probabilities
    starts = tree.starts
    for node in range(len(infosets) - 1, -1, -1):
        if rows[node] >= 0:
            for player in range(values.shape[1]):
                values[node, player] = payoffs[rows[node], player]
        first, infoset = first_edges[node], infosets[node]
        for edge in range(first, first_edges[node + 1]):
            weight = probabilities[edge]
            if infoset >= 0:
                weight *= behaviour[starts[infoset] + edge - first]
            for player in range(values.shape[1]):
                values[node, player] += weight * values[targets[edge], player]


@native
def _spread_leaves(
    player: int,
    places: tuple[NDArray[np.int32], NDArray[np.int64]],
    gains: NDArray[np.float64],
    plans: Plan,
    values: NDArray[np.float64],
) -> None:
    """Add the gain of each leaf to the player's own sequence, weighted by the others' plans."""
    sequences, starts = places
    for leaf in range(len(gains)):
        gain = gains[leaf]
        for other in range(sequences.shape[1]):
            if other != player:
                gain *= plans[starts[other] + sequences[leaf, other]]
        values[sequences[leaf, player]] += gain
