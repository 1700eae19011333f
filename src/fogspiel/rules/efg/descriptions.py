"""Infosets and outcomes of an EFG file: described at their first mention, and maybe later again.

A later description must say the same as the first. Where only a name differs, the meaning does not,
and the first name counts.
"""

from __future__ import annotations

from fractions import Fraction

from fogspiel.core.findings import FindingCollector
from fogspiel.core.source import Span
from fogspiel.rules.efg.syntax import CHANCE, Infoset, Outcome
from fogspiel.rules.efg.tokens import BrokenError, Cursor, TokenKind

ActionList = tuple[tuple[str, ...], tuple[Fraction, ...]]
"""Names and probabilities, these of chance only."""


class Descriptions:
    """The infosets and outcomes that were described so far."""

    def __init__(self, notes: FindingCollector, cursor: Cursor, players: tuple[str, ...]) -> None:
        self._notes = notes
        self._cursor = cursor
        self._players = players
        self.infosets: list[Infoset] = []
        self.outcomes: list[Outcome] = []
        self._infoset_indices: dict[tuple[int, int], int] = {}
        self._outcome_indices: dict[int, int] = {}
        self._faulty_outcomes: set[int] = set()
        """Indices of outcomes whose payoffs are not known, so that no others differ from them."""

    def player(self) -> int:
        """The number of a player."""
        number = self._cursor.count("the number of a player")
        if not 1 <= number <= len(self._players):
            players = len(self._players)
            message = f"there is no player {number}: the header names {players}"
            fix = f"give a number from 1 to {players}" if players else "name players in the header"
            self._notes.error("EFG010", self._cursor.last.span, message, fix)
        return number

    def infoset(self, player: int) -> tuple[int, int | None]:
        """The infoset of a node, and its number of actions; None if nobody said."""
        start = self._cursor.next.start
        number = self._cursor.count("the number of an information set")
        at = self._cursor.last.span
        name = self._name()
        actions: ActionList | None = None
        if self._cursor.at(TokenKind.BRACE):
            actions = self._actions(player)
        span = Span(start, self._cursor.last.end)
        index = self._infoset_indices.get((player, number))
        if index is not None:
            self._compare_infoset(self.infosets[index], name, actions, span)
            return index, len(self.infosets[index].actions) or None
        if actions is None:
            message = f"information set {number} has no actions, and none were given before"
            fix = "list its actions in braces at the first node that is in it"
            self._notes.error("EFG011", at, message, fix)
        index = self._infoset_indices[player, number] = len(self.infosets)
        names, probabilities = actions or ((), ())
        self.infosets.append(Infoset(player, number, name or "", names, probabilities, span=span))
        return index, len(names) or None

    def outcome(self) -> int | None:
        """The outcome of a node; None for none."""
        start = self._cursor.next.start
        number = self._cursor.count("the number of an outcome, 0 for none,")
        at = self._cursor.last.span
        name = self._name()
        payoffs = self._payoffs() if self._cursor.at(TokenKind.BRACE) else None
        span = Span(start, self._cursor.last.end)
        if number == 0:
            if name is not None or payoffs is not None:
                fix = "give the outcome a number from 1 on, or remove its name and payoffs"
                message = "outcome 0 stands for none, and has no name or payoffs"
                self._notes.error("EFG014", span, message, fix)
            return None
        index = self._outcome_indices.get(number)
        if index is not None:
            known = None if index in self._faulty_outcomes else payoffs
            self._compare_outcome(self.outcomes[index], name, known, span)
            return index
        if payoffs is None:
            message = f"outcome {number} has no payoffs, and none were given before"
            fix = "give its payoffs in braces at the first node that has it"
            self._notes.error("EFG014", at, message, fix)
            payoffs = ()
        if len(payoffs) != len(self._players):
            self._faulty_outcomes.add(len(self.outcomes))
            payoffs = (Fraction(0),) * len(self._players)
        index = self._outcome_indices[number] = len(self.outcomes)
        self.outcomes.append(Outcome(number, name or "", payoffs, span=span))
        return index

    def _name(self) -> str | None:
        return self._cursor.take().text if self._cursor.at(TokenKind.TEXT) else None

    def _actions(self, player: int) -> ActionList:
        cursor = self._cursor
        cursor.brace("{", "a list of actions")
        start = cursor.last.start
        names: list[str] = []
        probabilities: list[Fraction] = []
        while cursor.at(TokenKind.TEXT):
            names.append(cursor.take().text)
            if player == CHANCE:
                probabilities.append(cursor.number("the probability of the action"))
            self._comma()
        cursor.brace("}", "another action in quotes, or")
        if not names:
            span = Span(start, cursor.last.end)
            fix = "list at least one action; a node that ends the game is written with t"
            self._notes.error("EFG011", span, "this list of actions is empty", fix)
            raise BrokenError
        return tuple(names), tuple(probabilities)

    def _payoffs(self) -> tuple[Fraction, ...]:
        cursor = self._cursor
        cursor.brace("{", "the payoffs")
        start = cursor.last.start
        payoffs: list[Fraction] = []
        while not cursor.at(TokenKind.BRACE):
            payoffs.append(cursor.number("a payoff"))
            self._comma()
        cursor.brace("}", "the end of the payoffs")
        if len(payoffs) != len(self._players):
            message = f"{len(payoffs)} payoffs are given for {len(self._players)} players"
            fix = "give one payoff for each player of the header"
            self._notes.error("EFG014", Span(start, cursor.last.end), message, fix)
        return tuple(payoffs)

    def _comma(self) -> None:
        if self._cursor.at(TokenKind.COMMA):
            self._cursor.take()

    def _compare_infoset(
        self, first: Infoset, name: str | None, actions: ActionList | None, span: Span
    ) -> None:
        self._compare_names(first, name, span)
        if actions is None or not first.actions:
            return
        names, probabilities = actions
        if names == first.actions and probabilities == first.probabilities:
            return
        what = "actions" if names != first.actions else "probabilities"
        place = self._place(first.span)
        message = f"the {what} of {first.text(self._players)} differ from those of {place}"
        fix = f"repeat the {what} as they are there, or give this node an infoset of its own"
        self._notes.error("EFG012", span, message, fix)
        if len(names) != len(first.actions):
            raise BrokenError  # nobody can say how many children were meant

    def _compare_outcome(
        self, first: Outcome, name: str | None, payoffs: tuple[Fraction, ...] | None, span: Span
    ) -> None:
        self._compare_names(first, name, span)
        if payoffs is not None and payoffs != first.payoffs:
            place = self._place(first.span)
            message = f"the payoffs of outcome {first.number} differ from those of {place}"
            fix = "repeat the payoffs as they are there, or number this outcome otherwise"
            self._notes.error("EFG013", span, message, fix)

    def _compare_names(self, first: Infoset | Outcome, name: str | None, span: Span) -> None:
        if name is not None and name != first.name:
            what = "infoset" if isinstance(first, Infoset) else "outcome"
            place = self._place(first.span)
            message = f'{what} {first.number} is called "{first.name}" in {place}'
            fix = f"use one name for it, or number this {what} otherwise"
            self._notes.warning("EFG016", span, message, fix)

    def _place(self, span: Span) -> str:
        return f"line {self._notes.source.position(span.start).line}"
