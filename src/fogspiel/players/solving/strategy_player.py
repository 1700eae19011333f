"""Players that follow a behaviour strategy for the whole game.

The strategy comes from a file, or is computed when play begins, or at the first choice if that
clock is longer. If the tree is too large, or the file does not cover an information set, the player
searches instead and logs the reason.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Protocol

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import MoveId, Observation
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.players.base import normalised, pure
from fogspiel.players.protocol import Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup
from fogspiel.players.solving.whole_game import Solver, book_for, nodes_within
from fogspiel.rules.sexpr import exact_text
from fogspiel.solve.files.strategy_file import read_strategy
from fogspiel.solve.files.strategy_table import START, RoleStrategy, StrategyFile
from fogspiel.tree.game_tree import observation_text

RESERVE_SHARE = 0.3  #: Share of a turn's clock kept for a search in case solving fails

_log = logging.getLogger(__name__)


class StrategySource(Protocol):
    """A source of strategies: a solver or a file."""

    def book(self, machine: Machine, player: int, budget: Budget) -> RoleStrategy:
        """The strategy of a player, counted from 0. Raises the errors of solving and reading."""

    def effort(self, budget: Budget) -> int:
        """The work that a budget allows; after a failure only more work is worth another try."""


class Computed:
    """A strategy that a solver computes on the game tree."""

    def __init__(self, name: str, solver: Solver) -> None:
        self._name, self._solver = name, solver

    def book(self, machine: Machine, player: int, budget: Budget) -> RoleStrategy:
        """The strategy that the solver computes, or computed before."""
        return book_for(machine, player, self._name, self._solver, budget)

    def effort(self, budget: Budget) -> int:
        """The number of tree nodes that there is time to solve."""
        return nodes_within(budget)


class Saved:
    """A strategy from a file, which must name the role."""

    def __init__(self, path: Path) -> None:
        """Raises `UsageError`, such as SOL020, if the file is not a strategy file."""
        self._strategy: StrategyFile = read_strategy(path)

    def book(self, machine: Machine, player: int, budget: Budget) -> RoleStrategy:
        """The strategy of the role. Raises `UsageError` SOL025 if the file is for other roles."""
        role = machine.roles[player_roles(machine)[player]]
        self._strategy.probabilities(role, ())
        return self._strategy.roles[role]

    def effort(self, budget: Budget) -> int:
        """The same for every budget, since a file needs no time."""
        return 1


class StrategyPlayer(SearchPlayer):
    """Draws from the strategy at the present information set."""

    def __init__(self, source: StrategySource, fallback: Setup) -> None:
        super().__init__(fallback)
        self._source = source

    def _search_ahead(self, budget: Budget) -> None:
        """Find the strategy if the clock allows, else search."""
        self.reason: str | None = None
        """The reason why the player searches instead."""
        self._book: RoleStrategy | None = None
        self._known: int | None = START
        self._effort = 0
        self._consult(budget)
        if self._book is None:
            super()._search_ahead(budget)

    def observe(self, observation: Observation) -> None:
        """Take note of a step, and move on to the next information set of the strategy."""
        super().observe(observation)
        if self._book is not None and self._known is not None:
            text = observation_text(self.machine, self.role, observation)
            self._known = self._book.after(self._known, text)

    def mixture(self, budget: Budget) -> Shares:
        """The mixed action of the strategy, or of a search if there is none, (legal moves,)."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            self.think(budget)
            return pure(1, 0)
        if self._book is None:
            self._consult(budget.part(1.0 - RESERVE_SHARE))
        shares = self._by_book(legal)
        return super().mixture(budget) if shares is None else shares

    def think(self, budget: Budget) -> None:
        """Try again to find a strategy if this clock is longer, else search.

        With a strategy there is nothing left to do.
        """
        if self._book is None and budget.deadline is not None:
            self._consult(budget.part(1.0 - RESERVE_SHARE))
        if self._book is None:
            super().think(budget)

    def _consult(self, budget: Budget) -> None:
        effort = self._source.effort(budget)
        if effort <= self._effort:
            return
        self._effort = effort
        player = player_roles(self.machine).index(self.role)
        try:
            self._book = self._source.book(self.machine, player, budget)
        except FogspielError as error:
            self._give_up(str(error))
            return
        self._follow_so_far(self._book)

    def _follow_so_far(self, book: RoleStrategy) -> None:
        for own in self.observations:
            if self._known is not None:
                text = observation_text(self.machine, self.role, own)
                self._known = book.after(self._known, text)

    def _by_book(self, legal: tuple[MoveId, ...]) -> Shares | None:
        if self._book is None:
            return None
        actions = None if self._known is None else self._book.actions_at(self._known)
        names = [exact_text(self.machine.move_term(self.role, move)) for move in legal]
        if actions is None or actions.keys() != set(names):
            self._give_up("the strategy does not say what to do here")
            return None
        return normalised(np.array([actions[name] for name in names]))

    def _give_up(self, reason: str) -> None:
        self.reason = reason
        _log.info("%s searches instead: %s", self.machine.roles[self.role], reason)
