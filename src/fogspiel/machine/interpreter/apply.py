"""Effects of actions: changes of the state, and the percepts of roles.

All conditions and expressions of an effect are evaluated in the state before the action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from fogspiel.core.findings import PlayError
from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.machine.interpreter.conditions import ConditionCompiler
from fogspiel.machine.interpreter.variables import Arguments, Environment, VariableScope
from fogspiel.machine.interpreter.views import (
    ZERO,
    FunctionKey,
    GroundAtom,
    StateView,
    bounded,
    division_by_zero,
)
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.syntax import (
    ALL,
    OTHERS,
    Add,
    Bounds,
    Change,
    Condition,
    Delete,
    Effect,
    Effects,
    ForEach,
    Name,
    ObservationClause,
    Observe,
    Typed,
    Variable,
    When,
)


@dataclass(slots=True)
class ActionOutcome:
    """Outcome of an action in a state."""

    added: dict[GroundAtom, None] = field(default_factory=dict)
    deleted: dict[GroundAtom, None] = field(default_factory=dict)
    changes: dict[FunctionKey, Update] = field(default_factory=dict)
    percepts: dict[str, dict[GroundTerm, None]] = field(default_factory=dict)
    """Percepts of each role that has any."""

    def numbers(self, view: StateView, bounds: Mapping[str, Bounds]) -> dict[FunctionKey, Fraction]:
        """The new values of all functions that change."""
        found = {}
        for key, update in self.changes.items():
            found[key] = value = update.value(view.numbers.get(key, ZERO))
            declared = bounds.get(key[0])
            if declared is not None and not declared.low <= value <= declared.high:
                raise _out_of_bounds(key, value, declared, update.place)
        return found


@dataclass(slots=True)
class Update:
    """Change of one function: it is set, then multiplied, then added to."""

    place: tuple[Source, Span]  #: The first effect that changes it
    assigned: Fraction | None = None
    factor: Fraction = Fraction(1)
    summand: Fraction = ZERO

    def value(self, before: Fraction) -> Fraction:
        """The value of the function after the action."""
        base = before if self.assigned is None else self.assigned
        return bounded(base * self.factor + self.summand, *self.place)

    def note(
        self, operator: str, value: Fraction, key: FunctionKey, place: tuple[Source, Span]
    ) -> None:
        """Record one more effect on the function."""
        match operator:
            case "assign":
                if self.assigned is not None and self.assigned != value:
                    raise _conflict(key, (self.assigned, value), place)
                self.assigned = value
            case "increase":
                self.summand = bounded(self.summand + value, *place)
            case "decrease":
                self.summand = bounded(self.summand - value, *place)
            case "scale-up":
                self.factor = bounded(self.factor * value, *place)
            case _:
                if not value:
                    raise division_by_zero(*place)
                self.factor = bounded(self.factor / value, *place)


Do: TypeAlias = Callable[[Environment, StateView, ActionOutcome], None]
"""Records the outcome of an effect."""


class EffectCompiler:
    """Compiles effects to functions that record their outcome."""

    def __init__(self, conditions: ConditionCompiler, roles: Sequence[str]) -> None:
        self._conditions = conditions
        self._roles = roles

    def effect(self, effect: Effect, scope: VariableScope) -> Do:
        """The function of an effect and all of its parts."""
        match effect:
            case Effects(inner):
                return _all([self.effect(part, scope) for part in inner])
            case Add(atom) | Delete(atom):
                return _set(atom, scope, is_added=isinstance(effect, Add))
            case When(condition, inner):
                return self._when(condition, inner, scope)
            case ForEach(variables, inner):
                return self._for_each(variables, inner, scope)
            case Change():
                return self._change(effect, scope)
            case Observe(observations):
                return self._observe(observations, scope)

    def _when(self, condition: Condition, inner: Effect, scope: VariableScope) -> Do:
        holds, do = self._conditions.holds(condition, scope), self.effect(inner, scope)

        def when(environment: Environment, view: StateView, outcome: ActionOutcome) -> None:
            if holds(environment, view):
                do(environment, view, outcome)

        return when

    def _for_each(self, variables: tuple[Typed, ...], inner: Effect, scope: VariableScope) -> Do:
        condition: Condition | None = None
        match inner:
            case Effects(parts):
                return _all([self._for_each(variables, part, scope) for part in parts])
            case ForEach(more, effect) if not _names(variables) & _names(more):
                return self._for_each((*variables, *more), effect, scope)
            case When(condition, effect):
                inner = effect
            case _:
                pass
        inside = scope.inside(variables)
        ranges = self._conditions.objects.ranges(variables)
        search = self._conditions.search(condition, inside, ranges)
        do = self.effect(inner, inside)

        def for_each(environment: Environment, view: StateView, outcome: ActionOutcome) -> None:
            def once() -> bool:
                do(environment, view, outcome)
                return False

            search(environment, view, once)

        return for_each

    def _change(self, change: Change, scope: VariableScope) -> Do:
        name, pick = change.fluent.name.text, scope.picker(change.fluent.arguments)
        value = self._conditions.calculator.value(change.value, scope)
        place, operator = (scope.source, change.span), change.operator

        def do(environment: Environment, view: StateView, outcome: ActionOutcome) -> None:
            key = name, pick(environment)
            update = outcome.changes.get(key)
            if update is None:
                update = outcome.changes[key] = Update(place)
            update.note(operator, value(environment, view), key, place)

        return do

    def _observe(self, observations: Sequence[ObservationClause], scope: VariableScope) -> Do:
        told = [
            (observation.recipient, scope.picker([observation.recipient]), atom.name.text,
             scope.picker(atom.arguments))
            for observation in observations
            for atom in [observation.atom]
        ]  # fmt: skip
        roles = tuple(self._roles)

        def observe(environment: Environment, _view: StateView, outcome: ActionOutcome) -> None:
            named = {pick(environment)[0] for _, pick, _, _ in told}
            others = [role for role in roles if role not in named]
            for recipient, pick, name, arguments in told:
                group = recipient.text if isinstance(recipient, Name) else None
                if group == ALL:
                    recipients: Sequence[str] = roles
                else:
                    recipients = others if group == OTHERS else pick(environment)
                percept = ground(name, arguments(environment))
                for role in recipients:
                    outcome.percepts.setdefault(role, {})[percept] = None

        return observe


def ground(name: str, arguments: Arguments) -> GroundTerm:
    """A name applied to objects, as a term."""
    return (name, *arguments) if arguments else name


def _out_of_bounds(
    key: FunctionKey, value: Fraction, bounds: Bounds, place: tuple[Source, Span]
) -> PlayError:
    source, span = place
    return PlayError.of(
        "MCH008",
        f"{format_term(ground(*key))} passed its range: it is {value}, "
        f"not from {bounds.low} to {bounds.high}",
        fix="declare a wider range, or let the condition of the effect keep it",
        source=source,
        span=span,
    )


def _conflict(
    key: FunctionKey, values: tuple[Fraction, Fraction], place: tuple[Source, Span]
) -> PlayError:
    first, second = sorted(values)
    source, span = place
    return PlayError.of(
        "MCH009",
        f"{format_term(ground(*key))} is set to {first} and to {second} by one action",
        fix="let the conditions of the effects exclude each other",
        source=source,
        span=span,
    )


def _set(atom: syntax.Atom, scope: VariableScope, *, is_added: bool) -> Do:
    name, pick = atom.name.text, scope.picker(atom.arguments)

    def add(environment: Environment, _view: StateView, outcome: ActionOutcome) -> None:
        outcome.added[name, pick(environment)] = None

    def delete(environment: Environment, _view: StateView, outcome: ActionOutcome) -> None:
        outcome.deleted[name, pick(environment)] = None

    return add if is_added else delete


def _all(parts: Sequence[Do]) -> Do:
    def do(environment: Environment, view: StateView, outcome: ActionOutcome) -> None:
        for part in parts:
            part(environment, view, outcome)

    return do


def _names(variables: Sequence[Typed]) -> set[str]:
    return {item.term.name for item in variables if isinstance(item.term, Variable)}
