"""Exact evaluation of expressions and comparisons: every value is a fraction."""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.source import Source, Span
from fogspiel.machine.interpreter.variables import Environment, VariableScope
from fogspiel.machine.interpreter.views import ZERO, FunctionKey, StateView
from fogspiel.rules.pogddl.syntax import Arithmetic, Comparison, Expression, Fluent, Number

MAX_BITS = 4_096
"""Most bits of numerators and denominators, since repeated squaring would fill all memory."""

Value: TypeAlias = Callable[[Environment, StateView], Fraction]
Test: TypeAlias = Callable[[Environment, StateView], bool]

OPERATORS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
}
COMPARISONS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operators.lt,
    "<=": operators.le,
    "=": operators.eq,
    ">=": operators.ge,
    ">": operators.gt,
}


class Calculator:
    """Compiles expressions to functions of an environment and a state."""

    def __init__(self, constant: Mapping[FunctionKey, Fraction], changed: frozenset[str]) -> None:
        """constant: values that no effect changes; changed: functions that effects change."""
        self._constant = constant
        self._changed = changed

    def comparison(self, comparison: Comparison, scope: VariableScope) -> Test:
        """The test of a comparison of two values."""
        compare = COMPARISONS[comparison.operator]
        left, right = self.value(comparison.left, scope), self.value(comparison.right, scope)
        return lambda environment, view: compare(left(environment, view), right(environment, view))

    def value(self, expression: Expression, scope: VariableScope) -> Value:
        """The function that computes an expression."""
        match expression:
            case Number(value):
                return lambda _environment, _view: value
            case Fluent():
                return self._function(expression, scope)
            case Arithmetic(operator, operands, span=span):
                values = [self.value(operand, scope) for operand in operands]
                return _operation(operator, values, scope.source, span)

    def _function(self, fluent: Fluent, scope: VariableScope) -> Value:
        name, pick = fluent.name.text, scope.picker(fluent.arguments)
        if name in self._changed:
            return lambda environment, view: view.numbers.get((name, pick(environment)), ZERO)
        constant = self._constant
        return lambda environment, _: constant.get((name, pick(environment)), ZERO)


def _operation(operator: str, values: list[Value], source: Source, span: Span) -> Value:
    first, *rest = values
    if not rest:
        return lambda environment, view: -first(environment, view)
    if operator == "/":
        (divisor,) = rest

        def quotient(environment: Environment, view: StateView) -> Fraction:
            by = divisor(environment, view)
            if not by:
                raise division_by_zero(source, span)
            return bounded(first(environment, view) / by, source, span)

        return quotient
    combine = OPERATORS[operator]

    def result(environment: Environment, view: StateView) -> Fraction:
        total = first(environment, view)
        for value in rest:
            total = bounded(combine(total, value(environment, view)), source, span)
        return total

    return result


def bounded(value: Fraction, source: Source, span: Span) -> Fraction:
    """The value. Raises an error if it has too many bits."""
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise LimitError.of(
            "MCH011",
            f"a number grew beyond {MAX_BITS} bits",
            fix="bound what the rules calculate, e.g. by a condition of the action",
            source=source,
            span=span,
        )
    return value


def division_by_zero(source: Source, span: Span) -> PlayError:
    """Error for a division by 0."""
    return PlayError.of(
        "MCH013",
        "a division by 0",
        fix="ask before whether the divisor is 0, e.g. (not (= divisor 0))",
        source=source,
        span=span,
    )
