"""`human`: a player driven by a person.

This module collects the view of the role; a front end shows it and asks for the move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fogspiel.belief.positions import certain_fluents, fluent_probabilities
from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import GroundTerm, MoveId, Observation, format_term
from fogspiel.players.base import BeliefPlayer

HUMAN = "human"
MOST_HISTORIES = 20_000
"""Histories from which certain facts are found; where there are more, none are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenStep:
    """One step as the role observed it, in the words of the rules."""

    number: int  #: The number of the step, from 1
    move: str
    percepts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the role can infer from its information set."""

    states: int  #: The number of possible states
    certain: tuple[GroundTerm, ...]  #: Fluents that hold in all of them
    open: tuple[GroundTerm, ...]  #: Fluents that hold in some of them


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanView:
    """What a person is shown before a choice."""

    role: str
    steps: tuple[SeenStep, ...]  #: All moves and observations of the role
    known: Known | None  #: Inferences of the role; None where the information set is too large
    moves: tuple[str, ...]  #: The legal moves, in the order of the rules


Ask = Callable[[HumanView], int]
"""Shows a view, and returns the place of the move that the person wants."""


class HumanPlayer(BeliefPlayer):
    """An agent that asks a person wherever there is a choice, and not for a single legal move."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def choose(self, budget: Budget) -> MoveId:
        """The move that the person wants; the budget does not bind people."""
        legal = self.legal_moves()
        if len(legal) == 1:
            return legal[0]
        view = HumanView(
            role=self.machine.roles[self.role],
            steps=self.seen_steps(),
            known=self.known(),
            moves=tuple(format_term(self.machine.move_term(self.role, move)) for move in legal),
        )
        return legal[self._ask(view)]

    def seen_steps(self) -> tuple[SeenStep, ...]:
        """All moves and observations of the role so far."""
        return tuple(
            self._seen(number, observation)
            for number, observation in enumerate(self.observations, start=1)
        )

    def _seen(self, number: int, observation: Observation) -> SeenStep:
        machine, role = self.machine, self.role
        percepts = [format_term(machine.percept_term(role, p)) for p in observation.percepts]
        move = format_term(machine.move_term(role, observation.move))
        return SeenStep(number=number, move=move, percepts=tuple(percepts))

    def known(self) -> Known | None:
        """Inferences from the information set alone; None if it is too large."""
        size = self.belief.size()
        if size is None or size > MOST_HISTORIES:
            return None
        found = self.belief.enumerate(MOST_HISTORIES)
        if not found.complete:
            return None
        firsts, _ = distinct_rows(found.states)
        states = found.states[firsts]
        certain = certain_fluents(self.machine, states)
        shares = fluent_probabilities(self.machine, states, np.full(len(states), 1.0 / len(states)))
        return Known(
            states=len(states),
            certain=tuple(fluent for fluent in shares if fluent in certain),
            open=tuple(fluent for fluent in shares if fluent not in certain),
        )


def meant(answer: str, moves: Sequence[str]) -> list[int]:
    """The places of the moves that an answer may mean: one if it is clear, none if it fits none.

    An answer is a move, its number from 1, or the beginning of a move; outer parentheses may be
    left out. A move that is itself a number wins over the number of a place.
    """
    wanted = _bare(answer)
    bare = [_bare(move) for move in moves]
    if not wanted:
        return []
    if wanted in bare:
        return [bare.index(wanted)]
    if wanted.isdecimal() and 1 <= int(wanted) <= len(moves):
        return [int(wanted) - 1]
    return [place for place, move in enumerate(bare) if move.startswith(wanted)]


def _bare(text: str) -> str:
    """A move without spaces that mean nothing and without its outer parentheses."""
    words = " ".join(text.replace("(", " ( ").replace(")", " ) ").split())
    words = words.removeprefix("( ")
    # A beginning need not be closed, and one that is whole loses the same parenthesis.
    return words.removesuffix(" )") if words.count(")") > words.count("(") else words
