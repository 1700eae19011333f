"""The whole game tree as flat arrays, with what an algorithm of one's own needs.

Strategies are plain arrays here: one probability for each action of each information set, those of
information set i at `action_starts[i]:action_starts[i + 1]`. Payoffs and values are in the unit of
the game.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from fogspiel.api.names import Move, Role
from fogspiel.api.strategy import AnyStrategy, Strategy
from fogspiel.api.view import View
from fogspiel.core.terms import RoleId
from fogspiel.solve.files.strategy_table import observations_at
from fogspiel.solve.result import Strategy as ActionProbabilities
from fogspiel.solve.result import action_starts, uniform
from fogspiel.solve.strategy_value import best_response, strategy_value
from fogspiel.tree.game_tree import NO_INFOSET, GameTree

if TYPE_CHECKING:
    from fogspiel.api.game import Game

Reals = NDArray[np.float64]


@final
class Tree:
    """A game in extensive form, node 0 the root. `Game.tree` builds it.

    Histories that differ for nobody share a node, so a node may have several parents; children
    always have larger numbers than their parents. The page on solving shows counterfactual regret
    minimisation written with it.

    >>> tree = fs.load("kuhn_poker").tree()
    >>> len(tree), tree.infosets, len(tree.uniform())
    (58, 12, 24)
    >>> int(tree.movers[0]), int(tree.node_infosets[0])
    (0, -1)
    """

    def __init__(self, game: Game, levels: GameTree) -> None:
        """The tree of a game as solvers have it; use `Game.tree` instead."""
        self.game = game  #: The game whose tree it is
        self.levels = levels  #: The same tree as the solvers of Fogspiel take it
        self.players: tuple[Role, ...] = tuple(map(game.vocabulary.role, levels.players))
        """The players in the order in which they are counted."""
        self.movers: NDArray[np.int8] = levels.movers
        """(nodes,) the mover: a player, counted from 1 in the order of `players`, 0 for chance, or
        -1 at an end."""
        self.node_infosets: NDArray[np.int32] = levels.node_infosets
        """(nodes,) the information set of a player's node; -1 elsewhere."""
        self.first_edges: NDArray[np.int64] = levels.first_edges
        """(nodes + 1,) the edges of node n are first_edges[n]:first_edges[n + 1], one for each
        action, in the order of the actions of its information set."""
        self.targets: NDArray[np.int32] = levels.targets  #: (edges,) the node that each leads to
        self.chance_probabilities: Reals = levels.probabilities
        """(edges,) the probability of a move of chance; 1 where a player moves."""
        self.chance_reach: Reals = levels.chance_reach
        """(nodes,) the probability that chance plays towards a node."""
        self.infoset_players: NDArray[np.int8] = levels.infosets.players
        """(infosets,) the player of each, counted from 1."""
        self.action_starts: NDArray[np.int64] = action_starts(levels.infosets)
        """(infosets + 1,) the place in a strategy where the actions of each infoset begin."""
        unit = game.payoff_unit
        rows = (levels.payoffs - unit.offset) / unit.scale
        self.payoffs: Reals = np.zeros((len(levels), len(self.players)))
        """(nodes, players) payoffs at ends, in the unit of the game; 0 elsewhere."""
        self.payoffs[levels.leaves] = rows[levels.node_payoffs[levels.leaves]]

    @property
    def infosets(self) -> int:
        """The number of information sets."""
        return len(self.infoset_players)

    @property
    def infosets_of_players(self) -> tuple[int, ...]:
        """The number of information sets of each player, in the order of `players`."""
        counts = np.bincount(self.infoset_players, minlength=len(self.players) + 1)
        return tuple(counts[1:].tolist())

    @property
    def edge_actions(self) -> NDArray[np.int64]:
        """(edges,) the place of each edge's action in a strategy; -1 for moves of chance."""
        owners = np.repeat(np.arange(len(self)), np.diff(self.first_edges))
        own = self.node_infosets[owners]
        place = np.arange(len(owners)) - self.first_edges[owners]
        found = np.where(own == NO_INFOSET, -1, self.action_starts[own] + place)
        return found.astype(np.int64)

    def view(self, infoset: int) -> View:
        """What the player of an information set did and saw.

        infoset: the number of the information set.

        >>> tree.view(0)
        View('first', 'noop: (holds first jack); noop')
        """
        role = self._player_at(infoset)
        steps = observations_at(self.levels, infoset)
        return self.game.view(role, [(own.move, own.percepts) for own in steps])

    def actions(self, infoset: int) -> tuple[Move, ...]:
        """The moves to choose from at an information set.

        infoset: the number of the information set.

        >>> tree.actions(0)
        (Move('bet'), Move('pass'))
        """
        words = self.game.vocabulary
        role = RoleId(self._player_at(infoset).id)
        found = [
            words.find_move(role, text) for text in self.levels.infosets.names.actions(infoset)
        ]
        return tuple(move for move in found if move is not None)

    def uniform(self) -> Reals:
        """(actions,) the strategy that plays all actions with equal probability.

        >>> tree.uniform()[:2]
        array([0.5, 0.5])
        """
        return uniform(self.levels).probabilities

    def normalised(self, weights: Reals) -> Reals:
        """(actions,) weights of actions divided by their sum at each information set.

        weights: (actions,) not negative; where all are 0, actions become equally probable.
        Returns: (actions,) probabilities that sum to 1 at each information set.
        Raises `ValueError` for another shape, and for weights below 0.

        >>> weights = 3 * tree.uniform()
        >>> weights[0] = 0
        >>> tree.normalised(weights)[:4]
        array([0. , 1. , 0.5, 0.5])
        """
        weights = self._by_action(weights)
        if not (weights >= 0.0).all():
            raise ValueError("weights of actions must be at least 0")
        counts = np.diff(self.action_starts)
        totals = np.repeat(np.add.reduceat(weights, self.action_starts[:-1]), counts)
        even = np.repeat(1.0 / counts, counts)
        shares: Reals = np.divide(weights, totals, out=even, where=totals > 0.0)
        return shares

    def reach(self, probabilities: Reals) -> Reals:
        """(nodes, players) the probability that each player plays towards each node.

        Multiply the product over the players by `chance_reach` for the probability that play comes
        to a node.
        probabilities: (actions,) a strategy.

        >>> reach = tree.reach(tree.uniform())
        >>> ends = tree.movers == -1
        >>> round(float((reach.prod(axis=1) * tree.chance_reach)[ends].sum()), 6)
        1.0
        """
        probabilities = self._by_action(probabilities)
        reach = np.ones((len(self), len(self.players)))
        actions = self.edge_actions
        for edges, owners in self._levels():
            targets, own = self.targets[edges], actions[edges]
            reach[targets] = reach[owners]
            moved = own >= 0
            columns = self.movers[owners[moved]] - 1
            reach[targets[moved], columns] *= probabilities[own[moved]]
        return reach

    def node_values(self, probabilities: Reals) -> Reals:
        """(nodes, players) the expected payoffs from each node on.

        probabilities: (actions,) a strategy.

        >>> tree.node_values(tree.uniform())[0].round(6)
        array([ 0.125, -0.125])
        """
        probabilities = self._by_action(probabilities)
        values, actions = self.payoffs.copy(), self.edge_actions
        for edges, owners in reversed(list(self._levels())):
            own = actions[edges]
            weights = np.where(own >= 0, probabilities[own], self.chance_probabilities[edges])
            np.add.at(values, owners, weights[:, None] * values[self.targets[edges]])
        return values

    def action_values(self, probabilities: Reals) -> Reals:
        """(actions,) the counterfactual value of each action for the player who takes it.

        It is the sum over the nodes of the information set of the probability that chance and the
        others play there, times the value of the action (Zinkevich et al. 2007, equation 4).
        probabilities: (actions,) a strategy.

        >>> tree.action_values(tree.uniform()).shape
        (24,)
        """
        reach, values = self.reach(probabilities), self.node_values(probabilities)
        actions = self.edge_actions
        owners = np.repeat(np.arange(len(self)), np.diff(self.first_edges))
        moved = np.flatnonzero(actions >= 0)
        owners, targets = owners[moved], self.targets[moved]
        player = self.movers[owners] - 1
        others = reach.copy()
        others[np.arange(len(self)), np.maximum(self.movers - 1, 0)] = 1.0
        weights = self.chance_reach[owners] * others[owners].prod(axis=1)
        gains = weights * values[targets, player]
        sums = np.bincount(actions[moved], gains, minlength=int(self.action_starts[-1]))
        return sums.astype(np.float64)

    def own_reach(self, probabilities: Reals) -> Reals:
        """(infosets,) the probability that the player of each information set plays towards it.

        An average strategy is weighted by it.
        probabilities: (actions,) a strategy.

        >>> tree.own_reach(tree.uniform())[:3]
        array([1., 1., 1.])
        """
        reach, found = self.reach(probabilities), np.zeros(self.infosets)
        nodes = np.flatnonzero(self.node_infosets != NO_INFOSET)
        found[self.node_infosets[nodes]] = reach[nodes, self.movers[nodes] - 1]
        return found

    def values(self, probabilities: Reals) -> dict[str, float]:
        """The value for each player if all follow a strategy.

        probabilities: (actions,) a strategy.
        Raises `UsageError` SOL001 for numbers that are no strategy.

        >>> round(tree.values(tree.uniform())["first"], 6)
        0.125
        """
        found = strategy_value(self.levels, self.checked(probabilities)).values
        return self._by_role(found)

    def exploitability(self, probabilities: Reals) -> float:
        """The mean over the players of what each could gain alone against a strategy.

        probabilities: (actions,) a strategy.
        Raises `UsageError` SOL001 for numbers that are no strategy.

        >>> round(tree.exploitability(tree.uniform()), 6)
        0.458333
        """
        found = strategy_value(self.levels, self.checked(probabilities))
        return self.game.payoff_unit.difference(found.exploitability)

    def best_response(self, probabilities: Reals, role: str) -> tuple[float, Reals]:
        """The value of a player's best response to a strategy, and the response.

        probabilities: (actions,) a strategy.
        role: the player who answers it.
        Returns: the value, and the strategy with the player's own part replaced, (actions,).

        >>> value, response = tree.best_response(tree.uniform(), "first")
        >>> value
        0.5
        """
        player = self.players.index(self.game.vocabulary.player(role))
        found = best_response(self.levels, self.checked(probabilities), player)
        return self.game.payoff_unit.value(found.value), found.strategy.probabilities

    def strategy(self, probabilities: Reals) -> Strategy:
        """An array of probabilities as a strategy by views.

        probabilities: (actions,) a strategy.
        Raises `UsageError` SOL001 for numbers that are no strategy.

        >>> tree.strategy(tree.uniform())[tree.view(0)]
        {Move('bet'): 0.5, Move('pass'): 0.5}
        """
        from fogspiel.solve.files.strategy_table import role_strategies

        roles = role_strategies(self.levels, self.checked(probabilities))
        return Strategy.of_roles(self.game, roles)

    def probabilities(self, strategy: AnyStrategy) -> Reals:
        """(actions,) a strategy by views as an array.

        strategy: anything that is taken for a strategy.
        Raises `UsageError` API006 where it says nothing, or no probabilities of legal moves.

        >>> tree.probabilities(lambda view: {view.legal[-1]: 1.0})[:4]
        array([0., 1., 0., 1.])
        """
        own = Strategy.of(self.game, strategy)
        found: list[float] = []
        for infoset in range(self.infosets):
            shares = own[self.view(infoset)]
            found += [shares[move] for move in self.actions(infoset)]
        return np.array(found, np.float64)

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.movers)

    def __repr__(self) -> str:
        return f"Tree({self.game.name!r}, {len(self):,} nodes, {self.infosets:,} information sets)"

    def _levels(self) -> list[tuple[slice, NDArray[np.int64]]]:
        """The edges of each level of nodes, and the node that each edge starts from."""
        found = []
        for first, end in pairwise(self.levels.level_starts.tolist()):
            edges = slice(int(self.first_edges[first]), int(self.first_edges[end]))
            owners = np.repeat(np.arange(first, end), np.diff(self.first_edges[first : end + 1]))
            found.append((edges, owners))
        return found

    def checked(self, probabilities: Reals) -> ActionProbabilities:
        """A strategy, (actions,), as the solvers of Fogspiel take it; they check that it is one."""
        flat = np.asarray(probabilities, np.float64).reshape(-1)
        return ActionProbabilities(starts=self.action_starts, probabilities=flat)

    def _by_action(self, values: Reals) -> Reals:
        """An array with a number for each action. Raises `ValueError` for another shape."""
        found = np.asarray(values, np.float64)
        expected = (int(self.action_starts[-1]),)
        if found.shape != expected:
            raise ValueError(
                f"an array with a number for each action has the shape {expected}; "
                f"got {found.shape}"
            )
        return found

    def _player_at(self, infoset: int) -> Role:
        """The player of an information set. Raises `IndexError` for a number of none."""
        if not 0 <= infoset < self.infosets:
            raise IndexError(
                f"information sets have numbers from 0 to {self.infosets - 1}; got {infoset}"
            )
        return self.players[int(self.infoset_players[infoset]) - 1]

    def _by_role(self, payoffs: tuple[float, ...]) -> dict[str, float]:
        return dict(zip(self.players, map(self.game.payoff_unit.value, payoffs), strict=True))
