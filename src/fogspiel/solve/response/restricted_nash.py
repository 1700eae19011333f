"""Responses to a model of the opponent that stay safe if the model is wrong.

Sources: Shafiei (2010), sections 5.4 and 5.5; Johanson, Zinkevich & Bowling (2007), Computing
robust counter-strategies, NIPS 20, for the restricted Nash response.
With probability p, the confidence, the opponent follows the model; otherwise it plays freely.
Against a model m the payoff of a plan x is x'A m, so the restricted game has a sequence form, too:
all entries are multiplied by 1 - p, and the empty sequence of the opponent gets p times A m. Every
solver of that form solves it. Mixing plays a best response with probability p and an equilibrium
otherwise.
Departures: payoffs of responses are computed exactly, where Shafiei averages over 100 matches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from fogspiel.core.findings import UsageError
from fogspiel.solve.arrays import Plan, joined
from fogspiel.solve.lp.linear import solve_linear
from fogspiel.solve.regret.cfr import CFR_PLUS, minimise_regrets
from fogspiel.solve.result import Solution, SolveLimits, Strategy, checked
from fogspiel.solve.sequence_form import (
    SequenceGame,
    SequencePayoffs,
    require_constant_sum,
    sequence_game,
)
from fogspiel.tree.game_tree import GameTree


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RestrictedResponse:
    """A response to a model, with its payoffs if the model is right, and if it is wrong."""

    confidence: float
    strategy: Strategy  #: The response, with the model as the other player's part
    exploitation: float  #: The player's payoff against the model
    worst: float
    """The player's payoff against a best response to it: never more than the game's value."""
    exploitability: float  #: The value of the game for the player less `worst`


class ModelledGame:
    """A game of two players with a constant sum, and a model of one of them."""

    def __init__(self, tree: GameTree, model: Strategy, player: int) -> None:
        """Prepare responses of a player, 0 or 1, to a model of the other.

        Raises `UsageError` SOL001 for no strategy, SOL002 without a constant sum, SOL003 unless
        two play.
        """
        self.game = sequence_game(tree)
        self._constant = float(require_constant_sum(self.game))
        self._player = player
        self._model = checked(tree, model)
        self._other_plan = self.game.treeplexes[1 - player].plan(model)

    @cached_property
    def equilibrium(self) -> Solution:
        """An equilibrium of the game without a model."""
        return solve_linear(self.game)

    def restricted(
        self, confidence: float, *, limits: SolveLimits | None = None
    ) -> RestrictedResponse:
        """The restricted Nash response: by a linear program, with limits by CFR+.

        Raises `UsageError` SOL014 unless the confidence is between 0 and 1.
        """
        strategy = self.restricted_strategy(confidence, limits=limits)
        return self._response(confidence, self.game.treeplexes[self._player].plan(strategy))

    def restricted_strategy(
        self, confidence: float, *, limits: SolveLimits | None = None
    ) -> Strategy:
        """The same response without its payoffs, for which the game must be solved, too.

        Raises `UsageError` SOL014 unless the confidence is between 0 and 1.
        """
        game = self._restricted_game(_checked_confidence(confidence))
        if limits is None:
            return solve_linear(game).strategy
        return minimise_regrets(game, CFR_PLUS, limits=limits).strategy

    def mixed(self, confidence: float) -> RestrictedResponse:
        """A best response with that probability, else an equilibrium: decided before the game.

        Raises `UsageError` SOL014 unless the confidence is between 0 and 1.
        """
        trust = _checked_confidence(confidence)
        safe = self.game.treeplexes[self._player].plan(self.equilibrium.strategy)
        return self._response(confidence, (1.0 - trust) * safe + trust * self._best_response())

    def _best_response(self) -> Plan:
        side = self.game.treeplexes[self._player]
        values = self.game.payoffs[self._player].values(self._other_plan)
        side.best(values)
        return side.plan_of(side.best_behaviour(values))

    def _restricted_game(self, confidence: float) -> SequenceGame:
        """The game in which the other player is free with probability 1 - confidence only."""
        own, other = self._player, 1 - self._player
        whole = self.game.payoffs[own]
        columns = self.game.treeplexes[other].sequence_count
        free = whole.matrix(columns)
        bound = whole.values(self._other_plan)[:, None]
        empty = csr_array(([1.0], ([0], [0])), shape=(1, columns))
        matrix = (1.0 - confidence) * free + confidence * (csr_array(bound) @ empty)
        payoffs = {
            own: _payoffs(matrix, whole.offset),
            other: _payoffs(-matrix.T, self._constant - whole.offset),
        }
        return SequenceGame(
            tree=self.game.tree,
            treeplexes=self.game.treeplexes,
            payoffs=(payoffs[0], payoffs[1]),
            constant=self.game.constant,
        )

    def _response(self, confidence: float, plan: Plan) -> RestrictedResponse:
        """A response with its payoffs, computed from its plan alone."""
        own, other = self.game.payoffs[self._player], self.game.payoffs[1 - self._player]
        side = self.game.treeplexes[self._player]
        lost = self.game.treeplexes[1 - self._player].best(other.values(plan)) + other.offset
        worst = self._constant - lost
        return RestrictedResponse(
            confidence=confidence,
            strategy=self._beside_model(side.behaviour_of(plan)),
            exploitation=float(plan @ own.values(self._other_plan)) + own.offset,
            worst=worst,
            exploitability=self.equilibrium.values[self._player] - worst,
        )

    def _beside_model(self, behaviour: Plan) -> Strategy:
        behaviours = [side.behaviour(self._model) for side in self.game.treeplexes]
        behaviours[self._player] = behaviour
        return joined(self._model.starts, behaviours)


def _payoffs(matrix: csr_array, offset: float) -> SequencePayoffs:
    rows = csr_array(matrix)
    rows.eliminate_zeros()
    rows.sort_indices()
    return SequencePayoffs(
        starts=rows.indptr.astype(np.int64),
        others=rows.indices.astype(np.int32),
        entries=rows.data,
        offset=offset,
    )


def _checked_confidence(confidence: float) -> float:
    if not 0.0 <= confidence <= 1.0:
        raise UsageError.of(
            "SOL014",
            f"the confidence in a model is a probability; got {confidence}",
            fix="give a number from 0 (no trust: an equilibrium) to 1 (a best response)",
        )
    return confidence
