"""Normal form of conditions, and estimates of their numbers of rows, by which joins are ordered.

Negations are pushed inwards, so that a join finds all conditions that can bind a variable. Normal
conditions consist of `and`, `or`, `exists` and literals; under `not` there are only atoms,
comparisons, equations and `exists`. A `forall` becomes the search for a counterexample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod

from fogspiel.machine.interpreter.variables import Arguments, ObjectRange
from fogspiel.machine.interpreter.views import DELTA
from fogspiel.rules.pogddl.syntax import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Equal,
    Expression,
    Fluent,
    Imply,
    Not,
    Number,
    Or,
    Quantified,
    Quantifier,
    Term,
    Variable,
)

ALWAYS = And(())


def normal(condition: Condition | None, *, holds: bool = True) -> Condition:
    """The same condition, or its negation, with negations pushed inwards."""
    match condition:
        case None:
            return ALWAYS
        case And(inner) | Or(inner):
            parts = tuple([normal(part, holds=holds) for part in inner])
            is_and = isinstance(condition, And) == holds
            return And(parts, span=condition.span) if is_and else Or(parts, span=condition.span)
        case Not(inner):
            return normal(inner, holds=not holds)
        case Imply(premise, conclusion):
            parts = normal(premise, holds=not holds), normal(conclusion, holds=holds)
            return Or(parts, span=condition.span) if holds else And(parts, span=condition.span)
        case Quantified(quantifier, variables, inner):
            # forall x. c  =  not exists x. not c
            is_exists = quantifier is Quantifier.EXISTS
            body = normal(inner, holds=is_exists)
            exists = Quantified(Quantifier.EXISTS, variables, body, span=condition.span)
            return exists if is_exists == holds else Not(exists, span=condition.span)
    return condition if holds else Not(condition, span=condition.span)


def conjuncts(condition: Condition) -> list[Condition]:
    """The parts that must all hold, in the order of the text."""
    found: list[Condition] = []
    work = [condition]
    while work:
        item = work.pop()
        if isinstance(item, And):
            work.extend(reversed(item.conditions))
        else:
            found.append(item)
    return found


def free_variables(condition: Condition) -> set[str]:
    """Names of the variables that a normal condition does not bind itself."""
    match condition:
        case Atom(_, arguments):
            return _names(arguments)
        case And(inner) | Or(inner):
            return set[str]().union(*[free_variables(part) for part in inner])
        case Not(inner):
            return free_variables(inner)
        case Quantified(_, variables, inner):
            return free_variables(inner) - _names([item.term for item in variables])
        case Equal(left, right):
            return _names((left, right))
        case Comparison(_, left, right):
            return set(_in_expression(left)) | set(_in_expression(right))
    raise AssertionError(condition)


def divides(condition: Condition) -> bool:
    """Whether an expression of the condition divides by something that may be 0."""
    match condition:
        case And(inner) | Or(inner):
            return any(divides(part) for part in inner)
        case Not(inner) | Quantified(_, _, inner):
            return divides(inner)
        case Comparison(_, left, right):
            return any(
                item.operator == "/" and not isinstance(item.operands[-1], Number)
                for side in (left, right)
                for item in _parts(side)
                if isinstance(item, Arithmetic)
            )
    return False


def _names(terms: tuple[Term, ...] | list[Term]) -> set[str]:
    return {term.name for term in terms if isinstance(term, Variable)}


def _in_expression(expression: Expression) -> Iterator[str]:
    for item in _parts(expression):
        if isinstance(item, Fluent):
            yield from _names(item.arguments)


def _parts(expression: Expression) -> Iterator[Expression]:
    work = [expression]
    while work:
        item = work.pop()
        yield item
        if isinstance(item, Arithmetic):
            work.extend(item.operands)


DERIVED_ROWS = 60.0  #: Estimate for a derived predicate
EMPTY_ROWS = 4.0  #: Estimate for a predicate without initial facts
LEAST_ROWS = 0.1


class Estimates:
    """Estimates for the conditions of one game."""

    def __init__(self, facts: Mapping[str, Iterable[Arguments]], derived: Iterable[str]) -> None:
        """facts: initial facts by predicate. derived: names of derived predicates."""
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
            # A search for consequences of new facts starts from these.
            self._counts[DELTA + predicate] = LEAST_ROWS

    def rows(self, condition: Condition, unbound: Mapping[str, ObjectRange]) -> float | None:
        """Expected solutions for a condition's unbound variables; None if it cannot bind all."""
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
