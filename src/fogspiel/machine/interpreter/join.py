"""Finding the values of variables for which a condition holds: joins over the facts of a state.

Conditions are ordered once, when the rules are read: what can be tested is tested at once, then
the condition is matched that promises the fewest rows. Only variables that no fact binds range
over all objects of their type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from fogspiel.machine.interpreter.estimates import Estimates
from fogspiel.machine.interpreter.frames import VariableScope
from fogspiel.machine.interpreter.normal import conjuncts, divides, free_variables
from fogspiel.machine.interpreter.numbers import Test
from fogspiel.machine.interpreter.objects import ObjectRange, Objects
from fogspiel.machine.interpreter.steps import (
    Each,
    Step,
    equated,
    found,
    matched,
    pattern,
    ranged,
    solved,
    tested,
)
from fogspiel.machine.interpreter.views import QueryClock
from fogspiel.rules.pogddl.syntax import Atom, Condition, Equal, Or, Quantified, Typed

Pending: TypeAlias = list[tuple[Condition, set[str]]]
"""Conditions that were not looked at yet, with their free variables."""


class Joiner:
    """Turns conditions into searches. Conditions must be normal."""

    def __init__(
        self,
        objects: Objects,
        estimates: Estimates,
        clock: QueryClock,
        test: Callable[[Condition, VariableScope], Test],
    ) -> None:
        """test: what turns a condition without open variables into a test."""
        self._objects = objects
        self._estimates = estimates
        self._clock = clock
        self._test = test

    def join(
        self, condition: Condition, scope: VariableScope, ranges: Mapping[str, ObjectRange]
    ) -> Each:
        """A search that binds all variables of the ranges, and finds each solution once."""
        parts = [(part, free_variables(part)) for part in conjuncts(condition)]
        # A division by 0 is an error only where everything else holds, whatever the order.
        pending = [item for item in parts if not divides(item[0])]
        late = [item for item in parts if divides(item[0])]
        unbound = dict(ranges)
        steps = self._test_ready(pending, unbound, scope)
        while pending or unbound:
            self._clock.spend(len(pending) + len(unbound))  # a long rule takes long to plan
            steps.append(self._bind(pending, unbound, scope))
            steps += self._test_ready(pending, unbound, scope)
        steps += self._test_ready(late, unbound, scope)
        each: Each = found
        for step in reversed(steps):
            each = step(each)
        return each

    def _test_ready(
        self, pending: Pending, unbound: Mapping[str, ObjectRange], scope: VariableScope
    ) -> list[Step]:
        """Test all conditions whose variables are bound, short ones first."""
        ready = [part for part, free in pending if unbound.keys().isdisjoint(free)]
        if not ready:
            return []
        pending[:] = [item for item in pending if not unbound.keys().isdisjoint(item[1])]
        ready.sort(key=lambda part: isinstance(part, Or | Quantified))
        return [tested([self._test(part, scope) for part in ready])]

    def _bind(
        self, pending: Pending, unbound: dict[str, ObjectRange], scope: VariableScope
    ) -> Step:
        """Bind some more variables by the condition that promises the fewest rows."""
        promises = [
            (self._estimates.rows(part, unbound), at) for at, (part, _) in enumerate(pending)
        ]
        known = [(rows, at) for rows, at in promises if rows is not None]
        if not known:
            # No fact binds any of them. The shortest range comes first.
            name = min(unbound, key=lambda name: len(unbound[name].objects))
            return ranged(scope.slots[name], unbound.pop(name), self._clock)
        part, free = pending.pop(min(known)[1])
        fresh = {name: unbound.pop(name) for name in list(unbound) if name in free}
        return self._bound_by(part, scope, fresh)

    def _bound_by(
        self, part: Condition, scope: VariableScope, fresh: Mapping[str, ObjectRange]
    ) -> Step:
        """Bind the fresh variables by one condition."""
        slots = {scope.slots[name]: values for name, values in fresh.items()}
        match part:
            case Atom(name, arguments):
                atom = pattern([scope.slot(term) for term in arguments], slots)
                return matched(name.text, atom, self._clock)
            case Equal(left, right):
                first, second = scope.slot(left), scope.slot(right)
                target, known = (first, second) if first in slots else (second, first)
                return equated(target, known, slots[target])
            case Or(inner):
                return solved([self.join(option, scope, fresh) for option in inner], list(slots))
            case Quantified(_, variables, inner):
                ranges = {**fresh, **self.needed(variables, inner)}
                return solved([self.join(inner, scope.inside(variables), ranges)], list(slots))
        raise AssertionError(part)

    def needed(self, variables: Sequence[Typed], inner: Condition) -> dict[str, ObjectRange]:
        """The variables of an `exists` that matter: those in use, or with nothing to stand for."""
        used = free_variables(inner)
        ranges = self._objects.ranges(variables).items()
        return {name: values for name, values in ranges if name in used or not values.objects}
