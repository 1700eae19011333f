"""The numbers of a program: functions whose values play changes, beside the clauses.

Clauses say where and when numbers matter; the arithmetic stands here. A relation named by a `Test`
is not derived by clauses: it holds where its comparison does. The relations named by the other
records are derived by clauses as usual.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from fogspiel.core.source import Span
from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Pattern, Program, Var, pattern_variables

OPERATIONS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
    "/": operators.truediv,
}
COMPARISONS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operators.lt,
    "<=": operators.le,
    "=": operators.eq,
    ">=": operators.ge,
    ">": operators.gt,
}


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a function for some arguments."""

    function: str
    arguments: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """`+ - * /` of two expressions."""

    operator: str
    left: Expression
    right: Expression


Expression: TypeAlias = Fraction | Value | Operation


@dataclass(frozen=True, slots=True)
class NumberRecord:
    """Arithmetic that belongs to `relation(arguments)`, a relation of the clauses."""

    relation: str
    arguments: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class Test(NumberRecord):
    """A comparison `left operator right`, by `< <= = >= >`: the relation holds where it does."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class ValueChange(NumberRecord):
    """A change of a value by the step, made where the relation holds."""

    action: str  #: The kind of move that makes the change: a step has the changes of a single move
    move: int  #: Number of leading arguments that name the move, together with its kind
    operator: str  #: `assign increase decrease scale-up scale-down`
    value: Value
    amount: Expression
    guards: tuple[Test, ...] = ()
    """Comparisons that hold wherever the change is made; of each, the relation is nothing."""
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RoleGain(NumberRecord):
    """A payoff of a role, added to its other gains where the relation holds in a terminal state."""

    role: Pattern
    amount: Expression


@dataclass(frozen=True, slots=True)
class MoveWeight(NumberRecord):
    """The weight of a move of chance, where the relation holds."""

    move: Pattern
    amount: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """All that a program says of numbers."""

    initial: Mapping[GroundTerm, Fraction]
    """Values at the start, of terms such as `(score p1)` or `pot`; others start at 0."""
    listed: frozenset[GroundTerm]  #: Values that a state shows even where they are 0
    changing: frozenset[str]  #: Functions that some step may change
    scales: Mapping[str, int | None]
    """The common denominator of each function's values; None where there is none."""
    bounds: Mapping[str, tuple[Fraction, Fraction]]
    """The least and greatest value that the rules declare for a function."""
    tests: tuple[Test, ...] = ()
    changes: tuple[ValueChange, ...] = ()
    gains: tuple[RoleGain, ...] = ()
    goal_scale: int = 1  #: A goal g stands for the payoff g / goal_scale
    weights: tuple[MoveWeight, ...] = ()
    weighing: str | None = None
    """The relation that holds where chance chooses by weight, not uniformly."""
    turns: tuple[GroundTerm, ...] = ()  #: Fluents of which at most one may hold: whose turn it is

    @property
    def relations(self) -> dict[str, int]:
        """The relations that arithmetic reads or defines, with their arity."""
        records: tuple[NumberRecord, ...]
        records = (*self.tests, *self.changes, *self.gains, *self.weights)
        found = {record.relation: len(record.arguments) for record in records}
        if self.weighing is not None:
            found[self.weighing] = 0
        return found


@dataclass(frozen=True, slots=True)
class NumericProgram(Program):
    """A program of a language that calculates. Gains take the place of `goal`."""

    numbers: Numbers = field(kw_only=True, repr=False)


def values_in(expression: Expression) -> Iterator[Value]:
    """Every value that an expression asks for, left to right."""
    match expression:
        case Value():
            yield expression
        case Operation(_, left, right):
            yield from values_in(left)
            yield from values_in(right)


def expression_variables(expression: Expression) -> Iterator[Var]:
    """Every occurrence of a variable, left to right."""
    for value in values_in(expression):
        for argument in value.arguments:
            yield from pattern_variables(argument)


def map_values(expression: Expression, change: Callable[[Value], Value]) -> Expression:
    """The expression with every value changed."""
    match expression:
        case Value():
            return change(expression)
        case Operation(operator, left, right):
            return Operation(operator, map_values(left, change), map_values(right, change))
    return expression


def evaluate(
    expression: Expression, terms: Mapping[Var, GroundTerm], values: Mapping[GroundTerm, Fraction]
) -> Fraction | None:
    """The value of an expression in one state; None where it divides by 0."""
    match expression:
        case Fraction():
            return expression
        case Value(function, arguments):
            return values.get(value_term(function, arguments, terms), Fraction(0))
        case Operation(operator, left, right):
            first, second = evaluate(left, terms, values), evaluate(right, terms, values)
            if first is None or second is None or (operator == "/" and not second):
                return None
            return OPERATIONS[operator](first, second)


def holds_for(
    test: Test, terms: Mapping[Var, GroundTerm], values: Mapping[GroundTerm, Fraction]
) -> bool | None:
    """Whether a comparison holds; None where it divides by 0."""
    left, right = evaluate(test.left, terms, values), evaluate(test.right, terms, values)
    if left is None or right is None:
        return None
    return COMPARISONS[test.operator](left, right)


def value_term(
    function: str, arguments: tuple[Pattern, ...], terms: Mapping[Var, GroundTerm]
) -> GroundTerm:
    """A function with its arguments as a term, its variables bound."""
    bound = tuple(bind(argument, terms) for argument in arguments)
    return (function, *bound) if bound else function


def bind(pattern: Pattern, terms: Mapping[Var, GroundTerm]) -> GroundTerm:
    """The pattern with its variables bound."""
    if isinstance(pattern, Var):
        return terms[pattern]
    if isinstance(pattern, str):
        return pattern
    return tuple(bind(part, terms) for part in pattern)
