"""Views of states for the evaluation of conditions, and exact evaluation of expressions on them.

A view has tables of facts, and values of functions. The view of the next state shares all tables
that the step did not change, with their indexes. Every value of an expression is a fraction.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Protocol, TypeAlias

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.source import Source, Span
from fogspiel.machine.interpreter.variables import Arguments, Environment, VariableScope, picker
from fogspiel.rules.pogddl.syntax import Arithmetic, Comparison, Expression, Fluent, Number

ZERO = Fraction(0)
DELTA = "new "
"""Prefix of a predicate's name for its facts found in the last round; names have no blanks."""
TICKS = 20_000  #: Number of inferences between two checks of the clock

FunctionKey: TypeAlias = tuple[str, Arguments]
GroundAtom: TypeAlias = tuple[str, Arguments]


class QueryClock:
    """Counts the work of one query, and checks its budget from time to time."""

    def __init__(self, seconds_per_query: float) -> None:
        self._seconds = seconds_per_query
        self.start()

    def start(self) -> None:
        """Start the clock of a query."""
        self._budget = Budget.of(seconds=self._seconds)
        self._left = TICKS

    def spend(self, inferences: int) -> None:
        """Count some work. Raises `LimitError` when the time of the query is over."""
        self._left -= inferences + 1
        if self._left < 0:
            self._left = TICKS
            if self._budget.is_over:
                raise LimitError.of(
                    "MCH006",
                    f"a question to the rules took more than {self._seconds:g} seconds",
                    fix="simplify the conditions, or allow more time",
                )


class FactTable:
    """The facts of one predicate, indexed by the arguments that queries give."""

    __slots__ = ("_indexes", "rows")

    def __init__(self, rows: Iterable[Arguments] = ()) -> None:
        # A dictionary instead of a set, since its order does not depend on hashes of strings.
        self.rows: dict[Arguments, None] = dict.fromkeys(rows)
        self._indexes: dict[tuple[int, ...], dict[Arguments, list[Arguments]]] = {}

    def matching(self, places: tuple[int, ...], key: Arguments) -> list[Arguments]:
        """The rows with the values of the key in some places."""
        index = self._indexes.get(places)
        if index is None:
            index = self._indexes[places] = {}
            _enter(index, places, self.rows)
        return index.get(key, _NOTHING)

    def grow(self, rows: Mapping[Arguments, None]) -> None:
        """Add new rows to a derived predicate on the way to its fixpoint."""
        self.rows.update(rows)
        for places, index in self._indexes.items():
            _enter(index, places, rows)


_NOTHING: list[Arguments] = []


def _enter(
    index: dict[Arguments, list[Arguments]], places: tuple[int, ...], rows: Iterable[Arguments]
) -> None:
    key_of = picker(places)
    for row in rows:
        index.setdefault(key_of(list(row)), []).append(row)


class Derivation(Protocol):
    """Evaluates derived predicates."""

    def work_out(self, view: StateView, predicate: str) -> FactTable:
        """The table of a predicate in a state."""

    def proves(self, view: StateView, predicate: str, arguments: Arguments) -> bool:
        """Whether a single fact follows in a state."""


class StateView:
    """One state, with the derived facts that were computed so far."""

    __slots__ = ("_derivation", "_derived", "_proved", "numbers", "tables")

    def __init__(
        self,
        tables: Mapping[str, FactTable],
        numbers: Mapping[FunctionKey, Fraction],
        derivation: Derivation,
    ) -> None:
        self.tables = tables
        """Facts of every basic predicate."""
        self.numbers = numbers
        """Values of functions that effects change; 0 if there is none."""
        self._proved: dict[GroundAtom, bool] = {}
        self._derivation = derivation
        self._derived: dict[str, FactTable] = {}

    def table(self, predicate: str) -> FactTable:
        """The facts of a predicate, computed on the first call if it is derived."""
        table = self.tables.get(predicate) or self._derived.get(predicate)
        return self._derivation.work_out(self, predicate) if table is None else table

    def derives(self, predicate: str, arguments: Arguments) -> bool:
        """Whether a fact of a derived predicate follows."""
        table = self._derived.get(predicate)
        if table is not None:
            return arguments in table.rows
        atom = predicate, arguments
        known = self._proved.get(atom)
        if known is None:
            known = self._derivation.proves(self, predicate, arguments)
            self._proved[atom] = known
        return known

    def derived_table(self, predicate: str) -> FactTable | None:
        """The facts of a derived predicate, if they were computed."""
        return self._derived.get(predicate)

    def set_derived(self, predicate: str, table: FactTable) -> None:
        """Keep the facts of a derived predicate."""
        self._derived[predicate] = table

    def forget_derived(self, predicates: Iterable[str]) -> None:
        """Drop the facts of derived predicates, after a round or after an error."""
        for predicate in predicates:
            self._derived.pop(predicate, None)

    def after(
        self,
        deleted: Iterable[GroundAtom],
        added: Iterable[GroundAtom],
        numbers: Mapping[FunctionKey, Fraction],
    ) -> StateView:
        """The view after a step, which first deletes facts and then adds some."""
        changed: dict[str, dict[Arguments, None]] = {}
        for predicate, arguments in deleted:
            if predicate not in changed:
                changed[predicate] = dict(self.tables[predicate].rows)
            changed[predicate].pop(arguments, None)
        for predicate, arguments in added:
            if predicate not in changed:
                changed[predicate] = dict(self.tables[predicate].rows)
            changed[predicate][arguments] = None
        fresh = {predicate: FactTable(rows) for predicate, rows in changed.items()}
        values = {**self.numbers, **numbers} if numbers else self.numbers
        return StateView({**self.tables, **fresh}, values, self._derivation)


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
