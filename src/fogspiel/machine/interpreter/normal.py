"""Conditions with negations pushed inwards, so that a join sees all that can bind a variable.

What is left: `and`, `or`, `exists`, and literals; under `not` stand only atoms, comparisons,
equations and `exists`. A `forall` becomes the search for a counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator

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
