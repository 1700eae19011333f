"""The ground instances of what a program says of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Var
from fogspiel.rules.numbers import (
    Expression,
    Numbers,
    Operation,
    Test,
    Value,
    ValueChange,
    expression_variables,
    value_term,
)


@dataclass(frozen=True, slots=True)
class ChangeInstance:
    """A change of one value, where its atom holds."""

    atom: int
    """0 where it holds in every step."""
    move: tuple[GroundTerm, ...]
    """Which move makes it: changes of different moves never meet."""
    operator: str
    target: GroundTerm
    amount: Expression
    guards: tuple[Test, ...]


Atoms: TypeAlias = Mapping[str, Mapping[tuple[GroundTerm, ...], int]]
"""Of each relation of numbers, its ground atoms by their arguments."""


def change_instances(numbers: Numbers, atoms: Atoms) -> list[ChangeInstance]:
    """Every change that some step may make, in a fixed order."""
    return [
        _change(change, arguments, atom)
        for change in numbers.changes
        for arguments, atom in atoms.get(change.relation, {}).items()
    ]


def _change(change: ValueChange, arguments: tuple[GroundTerm, ...], atom: int) -> ChangeInstance:
    terms = dict(zip(change.arguments, arguments, strict=True))
    target = value_term(change.value.function, change.value.arguments, terms)
    guards = tuple(
        Test("", (), guard.operator, bound(guard.left, terms), bound(guard.right, terms))
        for guard in change.guards
        if _is_bound((guard.left, guard.right), terms)
    )
    move = (change.action, *arguments[: change.move])
    amount = bound(change.amount, terms)
    return ChangeInstance(atom, move, change.operator, target, amount, guards)


def bound(expression: Expression, terms: Mapping[Var, GroundTerm]) -> Expression:
    """An expression with its variables bound."""
    match expression:
        case Value(function, arguments):
            term = value_term(function, arguments, terms)
            return Value(function, term[1:] if isinstance(term, tuple) else ())
        case Operation(operator, left, right):
            return Operation(operator, bound(left, terms), bound(right, terms))
    return expression


def _is_bound(expressions: Iterable[Expression], terms: Mapping[Var, GroundTerm]) -> bool:
    return all(v in terms for e in expressions for v in expression_variables(e))


def term_of(value: Value) -> GroundTerm:
    """A value without variables as a term."""
    return value_term(value.function, value.arguments, {})


def static_value(numbers: Numbers, value: Value) -> Fraction | None:
    """What a function that never changes gives; None for one that may change."""
    if value.function in numbers.changing:
        return None
    return numbers.initial.get(term_of(value), Fraction(0))


def function_name(term: GroundTerm) -> str:
    """The function that a term asks for."""
    return str(term[0]) if isinstance(term, tuple) else term
