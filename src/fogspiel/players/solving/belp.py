"""Bounded equilibria by linear programs: Richards' BELP.

Source: Richards (2012), section 5.5, algorithm 5.1 (BELP), which he left to be implemented. The
algorithm generates a part of the tree around the information set of the role, evaluates the leaves
of this part by a heuristic, and solves the resulting game by a linear program.
Departures: a tree that fits as a whole is solved once for the match. Leaves are evaluated by random
playouts from each history by itself. Such playouts make no use of what players would not know,
which is why Richards takes the mean over the information set. Games that are not of two players
with a constant sum are solved by the method that fits them (`solve/methods`). Each decision solves
another part, so the new strategy may never reach the information set of the role, and the linear
program then says nothing about it. The player makes a best response to the others' strategies
there.

A clock before play goes to the whole game, and to the search that takes over where a part cannot be
solved, if the game is too large; so does time in forced turns and while others move. Parts are not
solved ahead: each is grown around the present information set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import numpy as np

from fogspiel.core.budget import Budget, in_time
from fogspiel.core.findings import FogspielError
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.players.base import normalised
from fogspiel.players.protocol import Shares
from fogspiel.players.searching.search_player import Setup
from fogspiel.players.solving.partial_tree import MEMBERS, PartialTree
from fogspiel.players.solving.playout_values import PlayoutValues
from fogspiel.players.solving.sdpog import some_histories
from fogspiel.players.solving.strategy_player import StrategyPlayer, StrategySource
from fogspiel.players.solving.whole_game import SolveTask, equilibrium, nodes_within
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation
from fogspiel.solve.arrays import treeplex
from fogspiel.solve.result import Strategy, uniform
from fogspiel.solve.strategy_value import best_response
from fogspiel.tree.build.build import build
from fogspiel.tree.game_tree import GameTree, observation_text

LEAST_HISTORIES = 64
MOST_HISTORIES = 20_000
WHOLE_SHARE = 0.5
"""Share of the clock for solving the whole tree; tried again when a later clock is longer."""
GROWTH_SHARE = 0.4  #: Share of the clock for generating the part; evaluation and solving follow
BUILDING_SHARE = 0.5  #: Share of the time then left for evaluating the leaves
SEARCH_SHARE = 0.15  #: Share of the clock kept for a search if there is no solution
REACHED = 1e-9  #: Reach probability below which an information set counts as not reached
ERRORS = 0.1  #: Share of uniform random play that the best response gives the others
LEAF_BATCH, LEAF_MOST = 8, 64
"""Playouts from one leaf of the part, at a time and in all: there are many leaves."""


class BelpPlayer(StrategyPlayer):
    """Draws from an equilibrium of the game, or of the part around its information set."""

    def __init__(
        self,
        whole: StrategySource | None,
        fallback: Setup,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        """whole: source of a strategy for the whole game; None to solve parts only.

        leaves: evaluation of the leaves of a part.
        """
        super().__init__(whole or _Nothing(), fallback)
        self._leaves = leaves

    def mixture(self, budget: Budget) -> Shares:
        """The equilibrium of the whole game, or of a part where it does not fit, (legal moves,)."""
        count = len(self.legal_moves(budget))
        if count > 1 and self._book is None:
            self._consult(budget.part(WHOLE_SHARE))
        if count == 1 or self._book is not None:
            return super().mixture(budget)
        try:
            shares = self.by_part(budget)
        except FogspielError as error:
            self._give_up(str(error))
            shares = None
        return super().mixture(budget) if shares is None else shares

    def by_part(self, budget: Budget) -> Shares | None:
        """The mixed strategy of algorithm 5.1, (legal moves,).

        None if the part does not hold the information set of the role. Raises `LimitError` where
        there is too much to solve.
        """
        solving = budget.part(1.0 - SEARCH_SHARE)
        tree = self.part(solving)
        player = player_roles(self.machine).index(self.role)
        strategy = equilibrium(SolveTask(self.machine, tree, player, solving))
        infoset = self._infoset(tree, player)
        if infoset is None:
            return None
        return normalised(np.maximum(_followed(tree, strategy, player, infoset).at(infoset), 0.0))

    def part(self, budget: Budget) -> GameTree:
        """The part of the tree that there is time for, with evaluated leaves."""
        limit = MOST_HISTORIES
        if budget.simulations is not None:
            limit = max(LEAST_HISTORIES, budget.simulations)
        growing = replace(budget.part(GROWTH_SHARE), simulations=limit)
        fragment = PartialTree(self.machine, self.turn_seed, growing)
        fragment.grow(some_histories(self.belief, MEMBERS, self.turn_seed))
        leaves = PlayoutValues(
            self.machine,
            self.turn_seed,
            batch=LEAF_BATCH,
            most=LEAF_MOST,
            leaves=self._leaves,
        )
        leaves.budget = building = budget.part(BUILDING_SHARE)
        leaves.must_answer = budget.deadline is None
        return build(
            self.machine,
            cut=fragment.cut,
            evaluate=leaves,
            max_nodes=nodes_within(building),
            progress=in_time(building),
        )

    def _consult(self, budget: Budget) -> None:
        """Try to solve the whole game. If that fails, its parts are solved instead of a search."""
        super()._consult(budget)
        self.reason = None

    def _infoset(self, tree: GameTree, player: int) -> int | None:
        """The information set of the role; None if the part does not hold it."""
        seen = tuple(observation_text(self.machine, self.role, own) for own in self.observations)
        names, (first, end) = tree.infosets.names, tree.infosets.starts[player : player + 2]
        low, high = int(first), int(end)
        # Infosets of a player are sorted by step: a binary search finds the first of this step.
        while low < high:
            middle = (low + high) // 2
            if len(names.observations(middle) or ()) < len(seen):
                low = middle + 1
            else:
                high = middle
        for infoset in range(low, int(end)):
            known = names.observations(infoset) or ()
            if known == seen:
                return infoset
            if len(known) > len(seen):
                break
        return None


def _followed(tree: GameTree, strategy: Strategy, player: int, infoset: int) -> Strategy:
    """The strategy, or a best response to it where it does not reach the information set.

    The linear program does not determine the moves of sets that are not reached. For the response,
    others move at random now and then, so that all that they may have done has some probability.
    """
    reach = treeplex(tree.infosets, player + 1).plan(strategy)
    if reach[tree.infosets.parent_sequences[infoset]] > REACHED:
        return strategy
    erring = (1.0 - ERRORS) * strategy.probabilities + ERRORS * uniform(tree).probabilities
    others = Strategy(starts=strategy.starts, probabilities=erring)
    return best_response(tree, others, player).strategy


class _Nothing:
    """A source without a strategy for the whole game."""

    def book(self, machine: Machine, player: int, budget: Budget) -> NoReturn:
        raise AssertionError("its effort is never more than before")

    def effort(self, budget: Budget) -> int:
        return 0
