"""Conditions as tests of a state, and as searches for values of variables, by joins over its facts.

A search is a function that calls `then` for every solution. It is composed of steps, each of which
binds variables or tests conditions and calls the next one.

The order of a join is fixed when the rules are read: conditions are tested as soon as their
variables are bound, and then the condition with the fewest expected rows is matched. Only variables
that no fact binds range over all objects of their type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from fogspiel.machine.interpreter.normal import (
    Estimates,
    conjuncts,
    divides,
    free_variables,
    normal,
)
from fogspiel.machine.interpreter.variables import (
    Arguments,
    Environment,
    ObjectRange,
    Objects,
    Picker,
    VariableScope,
    picker,
)
from fogspiel.machine.interpreter.views import Calculator, QueryClock, StateView, Test
from fogspiel.rules.pogddl.syntax import (
    And,
    Atom,
    Comparison,
    Condition,
    Equal,
    Not,
    Or,
    Quantified,
    Typed,
)

Then: TypeAlias = Callable[[], bool]
"""Called for every solution, which is in the environment; returns True to end the search."""
Each: TypeAlias = Callable[[Environment, StateView, Then], bool]
"""Calls `then` for every solution; returns whether the search was ended."""
Step: TypeAlias = Callable[[Each], Each]  #: Puts a step before the steps that follow


def found(_environment: Environment, _view: StateView, then: Then) -> bool:
    """The last step of a search, which has found a solution."""
    return then()


def tested(tests: Sequence[Test]) -> Step:
    """Continue only if all conditions hold."""

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            for test in tests:
                if not test(environment, view):
                    return False
            return following(environment, view, then)

        return each

    return step


def ranged(slot: int, values: ObjectRange, clock: QueryClock) -> Step:
    """Bind a variable to all objects of its type."""
    objects, spend = values.objects, clock.spend

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            spend(len(objects))
            for value in objects:
                environment[slot] = value
                if following(environment, view, then):
                    return True
            return False

        return each

    return step


def equated(target: int, known: int, values: ObjectRange) -> Step:
    """Bind a variable to the value of another one, or to an object."""
    members = values.members

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            value = environment[known]
            if value not in members:
                return False
            environment[target] = value
            return following(environment, view, then)

        return each

    return step


class Pattern(NamedTuple):
    """Pattern by which the arguments of an atom are matched with a row."""

    places: tuple[int, ...]  #: Arguments whose values are known before
    key: Picker  #: Function that picks their values
    binds: tuple[tuple[int, int, frozenset[str]], ...]
    """Place, slot and range of the variables that the row binds."""
    repeats: tuple[tuple[int, int], ...]  #: Pairs of places with the same variable


def pattern(slots: Sequence[int], fresh: dict[int, ObjectRange]) -> Pattern:
    """The pattern of an atom with arguments in these slots, some of which have no value yet."""
    places = tuple(place for place, slot in enumerate(slots) if slot not in fresh)
    first: dict[int, int] = {}
    repeats = []
    for place, slot in enumerate(slots):
        if slot in fresh:
            if slot in first:
                repeats.append((first[slot], place))
            first.setdefault(slot, place)
    binds = tuple((place, slot, fresh[slot].members) for slot, place in first.items())
    return Pattern(places, picker([slots[place] for place in places]), binds, tuple(repeats))


def matched(predicate: str, atom: Pattern, clock: QueryClock) -> Step:
    """Bind variables by the facts of a predicate."""
    places, key, binds, repeats = atom
    spend = clock.spend

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            table = view.table(predicate)
            rows = table.matching(places, key(environment)) if places else table.rows
            spend(len(rows))
            for row in rows:
                for place, slot, members in binds:
                    value = row[place]
                    if value not in members:
                        break
                    environment[slot] = value
                else:
                    if repeats and any(row[a] != row[b] for a, b in repeats):
                        continue
                    if following(environment, view, then):
                        return True
            return False

        return each

    return step


def solved(branches: Sequence[Each], targets: Sequence[int]) -> Step:
    """Bind variables by inner searches; solutions found by several of them count once."""
    pick = picker(targets)

    def step(following: Each) -> Each:
        def each(environment: Environment, view: StateView, then: Then) -> bool:
            seen: set[Arguments] = set()

            def once() -> bool:
                solution = pick(environment)
                if solution in seen:
                    return False
                seen.add(solution)
                return following(environment, view, then)

            return any(branch(environment, view, once) for branch in branches)

        return each

    return step


Pending: TypeAlias = list[tuple[Condition, set[str]]]
"""Conditions that are not part of the join yet, with their free variables."""


@dataclass(frozen=True, slots=True)
class Joiner:
    """Compiles conditions to searches. Conditions must be normal."""

    objects: Objects
    estimates: Estimates
    clock: QueryClock
    test: Callable[[Condition, VariableScope], Test]
    """Function that compiles a condition without open variables to a test."""

    def join(
        self, condition: Condition, scope: VariableScope, ranges: Mapping[str, ObjectRange]
    ) -> Each:
        """A search that binds all variables of the ranges, and finds each solution once."""
        parts = [(part, free_variables(part)) for part in conjuncts(condition)]
        # A division by 0 is an error only if everything else holds, whatever the order.
        pending = [item for item in parts if not divides(item[0])]
        late = [item for item in parts if divides(item[0])]
        unbound = dict(ranges)
        steps = self._test_ready(pending, unbound, scope)
        while pending or unbound:
            self.clock.spend(len(pending) + len(unbound))  # a long rule takes long to plan
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
        return [tested([self.test(part, scope) for part in ready])]

    def _bind(
        self, pending: Pending, unbound: dict[str, ObjectRange], scope: VariableScope
    ) -> Step:
        """Bind more variables by the condition with the fewest expected rows."""
        promises = [
            (self.estimates.rows(part, unbound), at) for at, (part, _) in enumerate(pending)
        ]
        known = [(rows, at) for rows, at in promises if rows is not None]
        if not known:
            # No fact binds any variable. The shortest range comes first.
            name = min(unbound, key=lambda name: len(unbound[name].objects))
            return ranged(scope.slots[name], unbound.pop(name), self.clock)
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
                return matched(name.text, atom, self.clock)
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
        """The variables of an `exists` that matter: those in use, or with an empty range."""
        used = free_variables(inner)
        ranges = self.objects.ranges(variables).items()
        return {name: values for name, values in ranges if name in used or not values.objects}


class ConditionCompiler:
    """Compiles the conditions of a game to functions of an environment and a state."""

    def __init__(
        self,
        objects: Objects,
        estimates: Estimates,
        calculator: Calculator,
        derived: frozenset[str],
        clock: QueryClock,
    ) -> None:
        self.objects = objects
        self.calculator = calculator
        self._derived = derived
        self._joiner = Joiner(objects, estimates, clock, self._test)

    def holds(self, condition: Condition | None, scope: VariableScope) -> Test:
        """The test of a condition whose variables are all bound."""
        return self._test(normal(condition), scope)

    def search(
        self, condition: Condition | None, scope: VariableScope, ranges: Mapping[str, ObjectRange]
    ) -> Each:
        """The search for values of some variables for which a condition holds."""
        return self._joiner.join(normal(condition), scope, ranges)

    def _test(self, condition: Condition, scope: VariableScope) -> Test:
        match condition:
            case Atom():
                return self._fact(condition, scope)
            case Not(inner):
                test = self._test(inner, scope)
                return lambda environment, view: not test(environment, view)
            case And(inner) | Or(inner):
                tests = [self._test(part, scope) for part in inner]
                return _all(tests) if isinstance(condition, And) else _any(tests)
            case Quantified(_, variables, inner):
                ranges = self._joiner.needed(variables, inner)
                search = self._joiner.join(inner, scope.inside(variables), ranges)
                return lambda environment, view: search(environment, view, _stop)
            case Equal(left, right):
                first, second = scope.slot(left), scope.slot(right)
                return lambda environment, _: environment[first] == environment[second]
            case Comparison():
                return self.calculator.comparison(condition, scope)
        raise AssertionError(condition)

    def _fact(self, atom: Atom, scope: VariableScope) -> Test:
        name, pick = atom.name.text, scope.picker(atom.arguments)
        if name in self._derived:
            return lambda environment, view: view.derives(name, pick(environment))
        return lambda environment, view: pick(environment) in view.tables[name].rows


def _stop() -> bool:
    return True


def _all(tests: list[Test]) -> Test:
    return lambda environment, view: all(test(environment, view) for test in tests)


def _any(tests: list[Test]) -> Test:
    return lambda environment, view: any(test(environment, view) for test in tests)
