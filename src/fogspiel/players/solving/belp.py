"""Bounded equilibria by linear programs: Richards' BELP.

Source: Richards (2012), section 5.5, algorithm 5.1 (BELP), which he left to be implemented: a part
of the tree is generated around the information set of the role, its ends are valued by a heuristic,
and the linear program of this game says how to mix.
Departures: a whole tree that fits is taken as it is, and solved once for the match. Ends of the
part are valued by random playouts from each history itself: they make no use of what players would
not know, which is why Richards asks for the mean of the information set. Games that are not of two
players with a constant sum are solved by the method that fits them (`solve/methods`). Each decision
solves another part, so the role may be where its new plan would never have gone, and the program
says nothing; it then plays a best response to what the others do in the solution.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import numpy as np

from fogspiel.core.budget import Budget, in_time
from fogspiel.core.findings import FogspielError
from fogspiel.machine.protocol import Machine
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
from fogspiel.tree.game_tree import GameTree
from fogspiel.tree.infoset_names import observation_text

LEAST_HISTORIES = 64
MOST_HISTORIES = 20_000
WHOLE_SHARE = 0.5  #: Of the time, for the whole tree, if there is more than at any time before
GROWTH_SHARE = 0.4
"""Of the time, for the part of the tree; valuing its ends and solving it take the rest."""
BUILDING_SHARE = 0.5  #: Of the time then left, for valuing
SEARCH_SHARE = 0.15  #: Of the time, kept for a search if there is no solution
REACHED = 1e-9  #: Probability below which an infoset is not reached but for rounding
ERRORS = 0.1
LEAF_BATCH, LEAF_MOST = 8, 64
"""Playouts from one end of the part, at a time and in all: there are many ends."""


class BelpPlayer(StrategyPlayer):
    """Draws from an equilibrium of the game, or of the part of it around what the role knows."""

    def __init__(
        self,
        whole: StrategySource | None,
        fallback: Setup,
        leaves: LeafEvaluation = RANDOM_PLAYOUTS,
    ) -> None:
        """whole: of strategies for the whole game; None to generate parts only.

        leaves: what values the ends of a part.
        """
        super().__init__(whole or _Nothing(), fallback)
        self._leaves = leaves

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) by the book of the whole game where there is one."""
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
        """(legal moves,) algorithm 5.1. None if the part has no such decision.

        Raises `LimitError` where there is too much to solve.
        """
        solving = budget.part(1.0 - SEARCH_SHARE)
        tree = self.part(solving)
        roles = [r for r in range(len(self.machine.roles)) if r != self.machine.chance_role]
        player = roles.index(int(self.role))
        strategy = equilibrium(SolveTask(self.machine, tree, player, solving))
        infoset = self._infoset(tree, player)
        if infoset is None:
            return None
        return normalised(np.maximum(_followed(tree, strategy, player, infoset).at(infoset), 0.0))

    def part(self, budget: Budget) -> GameTree:
        """The part of the tree that there is time for, its ends valued."""
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
        """Without the whole game there are its parts, which is no reason to search."""
        super()._consult(budget)
        self.reason = None

    def _infoset(self, tree: GameTree, player: int) -> int | None:
        """Where the role is; None if the part does not hold it."""
        sights = tuple(observation_text(self.machine, self.role, own) for own in self.observations)
        names, (first, end) = tree.infosets.names, tree.infosets.starts[player : player + 2]
        low, high = int(first), int(end)
        # Infosets of a player come by step, so those of this step begin where halving leads.
        while low < high:
            middle = (low + high) // 2
            if len(names.observations(middle) or ()) < len(sights):
                low = middle + 1
            else:
                high = middle
        for infoset in range(low, int(end)):
            known = names.observations(infoset) or ()
            if known == sights:
                return infoset
            if len(known) > len(sights):
                break
        return None


def _followed(tree: GameTree, strategy: Strategy, player: int, infoset: int) -> Strategy:
    """The strategy; or a response to it where the player, following it, would not be.

    There the program leaves open what to do. Others are then taken to err now and then, so that
    what they might have done to come here has some probability.
    """
    reach = treeplex(tree.infosets, player + 1).plan(strategy)
    if reach[tree.infosets.parent_sequences[infoset]] > REACHED:
        return strategy
    erring = (1.0 - ERRORS) * strategy.probabilities + ERRORS * uniform(tree).probabilities
    others = Strategy(starts=strategy.starts, probabilities=erring)
    return best_response(tree, others, player).strategy


class _Nothing:
    """Never tries the whole game."""

    def book(self, machine: Machine, player: int, budget: Budget) -> NoReturn:
        raise AssertionError("its effort is never more than before")

    def effort(self, budget: Budget) -> int:
        return 0
