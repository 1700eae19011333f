"""Players that follow a strategy for the whole game, by what their role knows.

The strategy is computed when play begins, or with the first choice if that clock is longer, or it
comes from a file. Where there is none, because the tree is too large or play went where the file
does not say, the player searches instead, and tells why.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Protocol

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import MoveId, Observation
from fogspiel.machine.protocol import Machine
from fogspiel.players.base import normalised, pure
from fogspiel.players.protocol import Seat, Shares
from fogspiel.players.searching.search_player import SearchPlayer, Setup
from fogspiel.players.solving.whole_game import Solver, book_for, nodes_within
from fogspiel.solve.files.strategy_file import read_strategy
from fogspiel.solve.files.strategy_table import START, RoleStrategy, StrategyFile
from fogspiel.tree.infoset_names import exact_text, observation_text

RESERVE_SHARE = 0.3  #: Of a turn's clock, kept for the search that takes over if solving fails

_log = logging.getLogger(__name__)


class StrategySource(Protocol):
    """Where a strategy comes from."""

    def book(self, machine: Machine, player: int, budget: Budget) -> RoleStrategy:
        """What a player, from 0 on, does everywhere. Raises the errors of solving and reading."""

    def effort(self, budget: Budget) -> int:
        """How much can be done; trying again is worth it with more only."""


class Computed:
    """A strategy that a solver finds on the tree of the game."""

    def __init__(self, name: str, solver: Solver) -> None:
        self._name, self._solver = name, solver

    def book(self, machine: Machine, player: int, budget: Budget) -> RoleStrategy:
        """By the solver, or what it found before."""
        return book_for(machine, player, self._name, self._solver, budget)

    def effort(self, budget: Budget) -> int:
        """Nodes of a tree."""
        return nodes_within(budget)


class Saved:
    """A strategy from a file, which must name the role."""

    def __init__(self, path: Path) -> None:
        """Raises `UsageError` SOL020 and others for what is no strategy file."""
        self._strategy: StrategyFile = read_strategy(path)

    def book(self, machine: Machine, player: int, budget: Budget) -> RoleStrategy:
        """Raises `UsageError` SOL025 if the strategy is for other roles."""
        roles = [role for role in machine.roles if role != _chance(machine)]
        self._strategy.probabilities(roles[player], ())
        return self._strategy.roles[roles[player]]

    def effort(self, budget: Budget) -> int:
        """The same however long there is."""
        return 1


class StrategyPlayer(SearchPlayer):
    """Draws from what the strategy does where the role is."""

    def __init__(self, source: StrategySource, fallback: Setup) -> None:
        super().__init__(fallback)
        self._source = source

    def start(self, seat: Seat, budget: Budget) -> None:
        """Find the strategy, if the clock allows."""
        super().start(seat, budget)
        self.reason: str | None = None
        """Why the player searches instead."""
        self._book: RoleStrategy | None = None
        self._known: int | None = START
        self._effort = 0
        self._consult(budget)

    def observe(self, observation: Observation) -> None:
        """Go on to what is known then."""
        super().observe(observation)
        if self._book is not None and self._known is not None:
            text = observation_text(self.machine, self.role, observation)
            self._known = self._book.after(self._known, text)

    def mixture(self, budget: Budget) -> Shares:
        """(legal moves,) by the strategy; without one, what a search advises."""
        legal = self.legal_moves(budget)
        if len(legal) == 1:
            return pure(1, 0)
        if self._book is None:
            self._consult(budget.part(1.0 - RESERVE_SHARE))
        shares = self._by_book(legal)
        return super().mixture(budget) if shares is None else shares

    def _consult(self, budget: Budget) -> None:
        effort = self._source.effort(budget)
        if effort <= self._effort:
            return
        self._effort = effort
        roles = [role for role in self.machine.roles if role != _chance(self.machine)]
        player = roles.index(self.machine.roles[self.role])
        try:
            self._book = self._source.book(self.machine, player, budget)
        except FogspielError as error:
            self._give_up(str(error))
            return
        self._follow_so_far(self._book)

    def _follow_so_far(self, book: RoleStrategy) -> None:
        for own in self.observations:
            if self._known is not None:
                sight = observation_text(self.machine, self.role, own)
                self._known = book.after(self._known, sight)

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


def _chance(machine: Machine) -> str | None:
    return None if machine.chance_role is None else machine.roles[machine.chance_role]
