"""How many rows a condition promises: guesses from the facts of the start, to order joins by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from fogspiel.machine.interpreter.frames import Arguments
from fogspiel.machine.interpreter.normal import conjuncts, free_variables
from fogspiel.machine.interpreter.objects import ObjectRange
from fogspiel.machine.interpreter.strata import DELTA
from fogspiel.rules.pogddl.syntax import (
    And,
    Atom,
    Condition,
    Equal,
    Or,
    Quantified,
    Variable,
)

DERIVED_ROWS = 60.0
"""Guessed for a predicate whose facts are not known beforehand."""
EMPTY_ROWS = 4.0
"""Guessed for a predicate that play fills."""
LEAST_ROWS = 0.1


class Estimates:
    """Guesses for the conditions of one game."""

    def __init__(self, facts: Mapping[str, Iterable[Arguments]], derived: Iterable[str]) -> None:
        """facts: those of the start, by predicate."""
        self._counts: dict[str, float] = {}
        self._distinct: dict[str, list[int]] = {}
        for predicate, rows in facts.items():
            listed = list(rows)
            self._counts[predicate] = float(len(listed)) or EMPTY_ROWS
            if listed:
                self._distinct[predicate] = [
                    len(set(column)) for column in zip(*listed, strict=True)
                ]
        for predicate in derived:
            self._counts[predicate] = DERIVED_ROWS
            # A search for what is new starts from it.
            self._counts[DELTA + predicate] = LEAST_ROWS

    def rows(self, condition: Condition, unbound: Mapping[str, ObjectRange]) -> float | None:
        """Solutions for the unbound variables of a condition; None if it cannot bind them all."""
        match condition:
            case Atom():
                return self._matches(condition, unbound)
            case Equal(left, right):
                open_sides = [isinstance(t, Variable) and t.name in unbound for t in (left, right)]
                return LEAST_ROWS if sum(open_sides) == 1 else None
            case And():
                found = [self.rows(part, unbound) for part in conjuncts(condition)]
                return min((rows for rows in found if rows is not None), default=None)
            case Quantified(_, _, inner):
                return self.rows(inner, unbound)
            case Or(inner):
                return self._alternatives(inner, unbound)
        return None

    def _matches(self, atom: Atom, unbound: Mapping[str, ObjectRange]) -> float:
        rows = self._counts.get(atom.name.text, EMPTY_ROWS)
        distinct = self._distinct.get(atom.name.text)
        for place, term in enumerate(atom.arguments):
            if not isinstance(term, Variable) or term.name not in unbound:
                rows /= distinct[place] if distinct else 2
        return max(rows, LEAST_ROWS)

    def _alternatives(
        self, conditions: tuple[Condition, ...], unbound: Mapping[str, ObjectRange]
    ) -> float | None:
        names = set[str]().union(*[free_variables(part) for part in conditions]) & unbound.keys()
        total = 0.0
        for part in conditions:
            rows = self.rows(part, unbound)
            if rows is None:
                return None
            missing = names - free_variables(part)
            total += rows * prod(len(unbound[name].objects) for name in missing)
        return total
