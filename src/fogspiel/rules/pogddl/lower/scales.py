"""Common denominators: factors by which values are multiplied so that they are whole numbers.

Machines keep goals, and the compiled one all numbers, as whole numbers. The denominators that a
function can take are the least fixpoint over its values at the start and all effects, whether or
not their conditions can hold: a bound, not always the best one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from math import lcm

from fogspiel.rules.numbers import OPERATIONS
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.world import all_effects

ONE: int | None = 1
MAX_SCALE = 10**9  #: A larger common denominator counts as none
ROUNDED_SCALE = 1_000_000
"""Payoffs without a common denominator are rounded to multiples of a millionth."""
MAX_VALUES = 64
"""Values that are followed for a divisor; with more, its quotients have no common denominator."""


def function_scales(description: syntax.GameDescription) -> dict[str, int | None]:
    """A common denominator of all values of each function; None if there is none."""
    return _Scales(description).functions


def payoff_scale(description: syntax.GameDescription) -> int:
    """A common denominator of what roles can get. `ROUNDED_SCALE` if there is none: then round."""
    scales = _Scales(description)
    parts = (description.domain, description.problem)
    gains = [gain for part in parts if part is not None for gain in part.gains]
    joined = reduce(_joined, (scales.of(gain.value) for gain in gains), ONE)
    return ROUNDED_SCALE if joined is None else joined


class _Scales:
    """The fixpoints: first of the values of functions, where they are few, then of denominators."""

    def __init__(self, description: syntax.GameDescription) -> None:
        domain, problem = description.domain, description.problem
        self.functions: dict[str, int | None] = {}
        self._values: dict[str, frozenset[Fraction] | None] = {}
        if domain is None:
            return
        changes = [effect for effect in all_effects(domain) if isinstance(effect, syntax.Change)]
        start = _start(domain, problem)
        self._values.update((name, _few(values)) for name, values in start.items())
        _settle(changes, self._spread)
        for name, values in start.items():
            known = self._values[name]
            self.functions[name] = _denominator(values if known is None else known)
        _settle(changes, self._raise)

    def of(self, expression: syntax.Expression) -> int | None:
        """A common denominator of the values that an expression can have."""
        values = self._values_of(expression)
        if values is not None:
            return _denominator(values)
        match expression:
            case syntax.Number(value):
                return value.denominator
            case syntax.Fluent(name):
                return self.functions.get(name.text, 1)
            case syntax.Arithmetic("+" | "-", operands):
                return reduce(_joined, map(self.of, operands), ONE)
            case syntax.Arithmetic("*", operands):
                return reduce(_multiplied, map(self.of, operands), ONE)
            case syntax.Arithmetic(_, (dividend, divisor)):
                return _multiplied(self.of(dividend), self._of_inverse(divisor))
        raise AssertionError(expression)

    def _of_inverse(self, expression: syntax.Expression) -> int | None:
        """A common denominator of 1/x. A division by 0 ends play, so it has no value."""
        values = self._values_of(expression)
        return None if values is None else _denominator(1 / value for value in values if value)

    def _spread(self, change: syntax.Change) -> bool:
        """Add the values that an effect may set. Whether that changed anything."""
        name = change.fluent.name.text
        known = self._values.get(name, frozenset({Fraction(0)}))
        if known is None:
            return False
        added = self._values_of(change.value) if change.operator == "assign" else None
        joined = None if added is None else _few(known | added)
        self._values[name] = joined
        return joined != known

    def _raise(self, change: syntax.Change) -> bool:
        """Raise the denominator of a function to that after an effect."""
        name = change.fluent.name.text
        known = self.functions.get(name, 1)
        if known is None or self._values.get(name) is not None:
            return False
        match change.operator:
            case "scale-up":
                # It may happen again and again: only a whole factor keeps the denominator.
                raised = _multiplied(known, self.of(change.value))
            case "scale-down":
                raised = _multiplied(known, self._of_inverse(change.value))
            case _:
                raised = _joined(known, self.of(change.value))
        self.functions[name] = raised
        return raised != known

    def _values_of(self, expression: syntax.Expression) -> frozenset[Fraction] | None:
        """All values of an expression, if they are few."""
        match expression:
            case syntax.Number(value):
                return frozenset({value})
            case syntax.Fluent(name):
                return self._values.get(name.text, frozenset({Fraction(0)}))
            case syntax.Arithmetic(operator, operands):
                sets = [self._values_of(operand) for operand in operands]
                known = [values for values in sets if values is not None]
                if len(known) < len(sets) or _size(known) > MAX_VALUES:
                    return None
                results = (_result(operator, values) for values in product(*known))
                return _few(frozenset(value for value in results if value is not None))


def _settle(changes: Sequence[syntax.Change], update: Callable[[syntax.Change], bool]) -> None:
    """Update by every effect until nothing changes; only by those that read what changed."""
    readers: dict[str, list[syntax.Change]] = {}
    for change in changes:
        for name in {change.fluent.name.text, *_functions_in(change.value)}:
            readers.setdefault(name, []).append(change)
    work, waiting = deque(changes), set(map(id, changes))
    while work:
        change = work.popleft()
        waiting.discard(id(change))
        if update(change):
            fresh = [c for c in readers[change.fluent.name.text] if id(c) not in waiting]
            work.extend(fresh)
            waiting.update(map(id, fresh))


def _functions_in(expression: syntax.Expression) -> Iterator[str]:
    work = [expression]
    while work:
        item = work.pop()
        if isinstance(item, syntax.Fluent):
            yield item.name.text
        elif isinstance(item, syntax.Arithmetic):
            work.extend(item.operands)


def _start(domain: syntax.Domain, problem: syntax.Problem | None) -> dict[str, frozenset[Fraction]]:
    """The values of each function at the start; 0 where none is given for some arguments."""
    found = {declared.name.text: {Fraction(0)} for declared in domain.functions}
    for assignment in problem.values if problem is not None else ():
        name = assignment.fluent.name.text
        if assignment.fluent.arguments:
            found.setdefault(name, {Fraction(0)}).add(assignment.value.value)
        else:
            found[name] = {assignment.value.value}
    return {name: frozenset(values) for name, values in found.items()}


def _few(values: frozenset[Fraction]) -> frozenset[Fraction] | None:
    return values if len(values) <= MAX_VALUES else None


def _size(sets: list[frozenset[Fraction]]) -> int:
    """Combinations of values, counted no further than needed."""
    size = 1
    for values in sets:
        size *= len(values)
        if size > MAX_VALUES:
            break
    return size


def _result(operator: str, values: tuple[Fraction, ...]) -> Fraction | None:
    """The value of an operation; None for a division by 0."""
    first, *rest = values
    if operator == "-" and not rest:
        return -first
    if operator == "/" and not all(rest):
        return None
    return reduce(OPERATIONS[operator], rest, first)


def _denominator(values: Iterable[Fraction]) -> int | None:
    return reduce(_joined, (value.denominator for value in values), ONE)


def _joined(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else _capped(lcm(first, second))


def _multiplied(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else _capped(first * second)


def _capped(scale: int) -> int | None:
    return scale if scale <= MAX_SCALE else None
