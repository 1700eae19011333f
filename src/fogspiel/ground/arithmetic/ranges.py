"""Ranges of all values that play changes, as intervals.

Every change widens the range of its value, and again, until nothing grows; the comparisons under
which a change is made narrow what it starts from. What still grows after some rounds has no bound
that can be seen, and gets registers wide enough for any game we know; passing those is reported.

Source: Cousot & Cousot (1977), "Abstract interpretation", POPL; intervals with widening.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from fogspiel.core.terms import GroundTerm, functor
from fogspiel.ground.arithmetic.expressions import (
    ChangeInstance,
    UnsuitedError,
    static_value,
    term_of,
)
from fogspiel.rules.numbers import Expression, Numbers, Operation, Test, Value

MAX_ROUNDS = 40  #: Counters to 40 are followed to their end
MAX_WORK = 400_000  #: Changes looked at in all rounds together: about a second
UNSEEN = 1 << 16  #: Values without a visible bound may come this far from where they start
MAX_SIZE = Fraction(1 << 40)  #: Products run away in a few rounds: no range goes further from 0


@dataclass(frozen=True, slots=True)
class ValueRange:
    """An interval of values, both ends included."""

    low: Fraction
    high: Fraction

    def join(self, other: ValueRange) -> ValueRange:
        """Both, and what is between them."""
        return ValueRange(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: ValueRange) -> ValueRange:
        """What is in both; if nothing is, this one."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return ValueRange(low, high) if low <= high else self


@dataclass(frozen=True, slots=True)
class Ranges:
    """What was found."""

    values: dict[GroundTerm, ValueRange]
    unseen: frozenset[GroundTerm]
    """Values whose range is declared or supposed, and that the rules may lead out of it."""


def find_ranges(numbers: Numbers, changes: Sequence[ChangeInstance]) -> Ranges:
    """The range of every value of a function that changes. Raises `UnsuitedError`."""
    for function in {functor(change.target) for change in changes}:
        if numbers.scales.get(function, 1) is None:
            raise UnsuitedError(f"values of {function} without a common denominator")
    finder = _Finder(numbers, changes)
    finder.widen_until_stable()
    return finder.result()


class _Finder:
    def __init__(self, numbers: Numbers, changes: Sequence[ChangeInstance]) -> None:
        self.numbers = numbers
        groups: dict[tuple[GroundTerm, tuple[GroundTerm, ...]], list[ChangeInstance]]
        groups = defaultdict(list)
        for change in changes:
            groups[change.target, change.move].append(change)
        self._groups: dict[GroundTerm, dict[tuple[object, ...], list[ChangeInstance]]]
        self._groups = defaultdict(dict)
        for (target, _), together in groups.items():
            # Moves that differ in nothing that matters here are looked at once.
            key = tuple((c.operator, c.amount, c.guards) for c in together)
            self._groups[target].setdefault(key, together)
        self.values: dict[GroundTerm, ValueRange] = {}
        changing = (term for term in numbers.initial if functor(term) in numbers.changing)
        for target in (*self._groups, *changing):
            start = numbers.initial.get(target, Fraction(0))
            self.values[target] = ValueRange(start, start)
        self.declared = {
            target: ValueRange(*numbers.bounds[function])
            for target in self._groups
            if (function := functor(target)) in numbers.bounds
        }
        self.values |= self.declared
        self.growing: set[GroundTerm] = set()
        self.runaway: set[GroundTerm] = set()

    def widen_until_stable(self) -> None:
        """Rounds over all changes; then what still grows is given room."""
        work = 0
        for _ in range(MAX_ROUNDS):
            self.growing = {target for target in self._groups if self._grow(target)}
            work += sum(len(group) for group in self._groups.values())
            if not self.growing or work > MAX_WORK:
                return

    def result(self) -> Ranges:
        """Ranges, with room where no end was seen. What depends on those may grow as well."""
        unseen: set[GroundTerm] = set()
        while self.growing:
            for target in self.growing:
                found = self.values[target]
                start = self.numbers.initial.get(target, Fraction(0))
                low = min(found.low, start - UNSEEN // 2) if found.low < start else found.low
                high = max(found.high, start + UNSEEN - 1) if found.high > start else found.high
                self.values[target] = ValueRange(low, high)
            unseen |= self.growing
            self.growing = {t for t in self._groups if t not in unseen and self._grow(t)}
        unseen |= {t for t, bounds in self.declared.items() if self._reached(t) != bounds}
        return Ranges(self.values, frozenset(unseen | self.runaway))

    def _grow(self, target: GroundTerm) -> bool:
        """Whether the range of a value had to be widened."""
        if target in self.declared:
            return False
        before = self.values[target]
        found = self.values[target] = self._reached(target)
        return found != before

    def _reached(self, target: GroundTerm) -> ValueRange:
        """The range that a step from within the ranges may lead to, joined with the present one."""
        found = self.values[target]
        scale = self.numbers.scales.get(functor(target)) or 1
        for group in self._groups[target].values():
            found = found.join(self._after(target, group))
        if found == self.values[target]:
            return found
        if found.low < -MAX_SIZE or found.high > MAX_SIZE:
            self.runaway.add(target)
            found = ValueRange(max(found.low, -MAX_SIZE), min(found.high, MAX_SIZE))
        # Between two values there are no others: so fractions stay short.
        low, high = ceil(found.low * scale), floor(found.high * scale)
        return ValueRange(Fraction(low, scale), Fraction(high, scale))

    def _after(self, target: GroundTerm, group: Sequence[ChangeInstance]) -> ValueRange:
        """The range of a value after one move, of which all changes may or may not be made."""
        found = start = self.values[target]
        relative = [change for change in group if change.operator != "assign"]
        if len(relative) == 1:
            start = _narrowed(start, target, relative[0].guards, self)
        for change in group:
            if change.operator == "assign":
                amount = self.of(change.amount)
                found, start = found.join(amount), start.join(amount)
        # As in play: values are set, then scaled, then added to.
        for operators in (("scale-up", "scale-down"), ("increase", "decrease")):
            for change in group:
                if change.operator in operators:
                    changed = self._changed(start, change)
                    found, start = found.join(changed), start.join(changed)
        return found

    def _changed(self, start: ValueRange, change: ChangeInstance) -> ValueRange:
        """The range of a value after one change that starts from what it was."""
        amount = self.of(change.amount)
        match change.operator:
            case "increase":
                return _sum(start, amount)
            case "decrease":
                return _sum(start, _negative(amount))
            case "scale-up":
                return _product(start, amount)
        return _quotient(start, amount)

    def of(self, expression: Expression) -> ValueRange:
        """The range of an expression."""
        match expression:
            case Fraction():
                return ValueRange(expression, expression)
            case Value():
                known = static_value(self.numbers, expression)
                if known is not None:
                    return ValueRange(known, known)
                term = term_of(expression)
                start = self.numbers.initial.get(term, Fraction(0))
                return self.values.get(term, ValueRange(start, start))
            case Operation(operator, left, right):
                return OPERATIONS[operator](self.of(left), self.of(right))


def _narrowed(
    current: ValueRange, target: GroundTerm, guards: Sequence[Test], finder: _Finder
) -> ValueRange:
    """What a value can be where some comparisons hold."""
    mirrored = {"<": ">", "<=": ">=", "=": "=", ">=": "<=", ">": "<"}
    for guard in guards:
        for operator, own, other in (
            (guard.operator, guard.left, guard.right),
            (mirrored[guard.operator], guard.right, guard.left),
        ):
            if not isinstance(own, Value) or term_of(own) != target:
                continue
            bound = finder.of(other)
            scale = finder.numbers.scales.get(own.function) or 1
            match operator:
                case "<":
                    current = current.meet(
                        ValueRange(current.low, bound.high - _step(bound.high, scale))
                    )
                case "<=":
                    current = current.meet(ValueRange(current.low, bound.high))
                case ">":
                    current = current.meet(
                        ValueRange(bound.low + _step(bound.low, scale), current.high)
                    )
                case ">=":
                    current = current.meet(ValueRange(bound.low, current.high))
                case _:
                    current = current.meet(bound)
    return current


def _step(bound: Fraction, scale: int) -> Fraction:
    """The distance to the next value below: of whole numbers, "less" is "at most one less"."""
    return Fraction(1, scale) if scale % bound.denominator == 0 else Fraction(0)


def _sum(left: ValueRange, right: ValueRange) -> ValueRange:
    return ValueRange(left.low + right.low, left.high + right.high)


def _negative(number: ValueRange) -> ValueRange:
    return ValueRange(-number.high, -number.low)


def _product(left: ValueRange, right: ValueRange) -> ValueRange:
    corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return ValueRange(min(corners), max(corners))


def _quotient(left: ValueRange, right: ValueRange) -> ValueRange:
    """Division by 0 has no value, and the divisors next to it are whole at least."""
    divisors = [value for value in (right.low, right.high) if value]
    if right.low < 0 < right.high or not divisors:
        divisors += [Fraction(-1), Fraction(1)]
    elif len(divisors) == 1:
        divisors.append(Fraction(1 if divisors[0] > 0 else -1))
    corners = [a / b for a in (left.low, left.high) for b in divisors]
    return ValueRange(min(corners), max(corners))


OPERATIONS: Mapping[str, Callable[[ValueRange, ValueRange], ValueRange]] = {
    "+": _sum,
    "-": lambda left, right: _sum(left, _negative(right)),
    "*": _product,
    "/": _quotient,
}
