"""Conditions as tests of a state, and as searches for the values of variables."""

from __future__ import annotations

from collections.abc import Mapping

from fogspiel.machine.interpreter.estimates import Estimates
from fogspiel.machine.interpreter.frames import VariableScope
from fogspiel.machine.interpreter.join import Joiner
from fogspiel.machine.interpreter.normal import normal
from fogspiel.machine.interpreter.numbers import Calculator, Test
from fogspiel.machine.interpreter.objects import ObjectRange, Objects
from fogspiel.machine.interpreter.steps import Each
from fogspiel.machine.interpreter.views import QueryClock
from fogspiel.rules.pogddl.syntax import (
    And,
    Atom,
    Comparison,
    Condition,
    Equal,
    Not,
    Or,
    Quantified,
)


class ConditionCompiler:
    """Turns the conditions of a game into functions of an environment and a state."""

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
        """Whether a condition holds; all of its variables are bound."""
        return self._test(normal(condition), scope)

    def search(
        self, condition: Condition | None, scope: VariableScope, ranges: Mapping[str, ObjectRange]
    ) -> Each:
        """The values of some variables for which a condition holds."""
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
