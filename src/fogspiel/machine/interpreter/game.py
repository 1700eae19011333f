"""The rules of a game, compiled for evaluation: actions, choices of chance, ends and gains.

Source: Richards (2012), section 3.2, for their semantics; section 3.6 for choices by weight.
Departures: if no choice holds, chance plays uniformly; `:terminal` ends a game early.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from fogspiel.core.findings import Finding, LimitError, PlayError
from fogspiel.core.source import Source
from fogspiel.machine.interpreter.apply import ActionOutcome, Do, EffectCompiler
from fogspiel.machine.interpreter.conditions import ConditionCompiler, Each
from fogspiel.machine.interpreter.variables import Arguments, ObjectRange, Picker, VariableScope
from fogspiel.machine.interpreter.views import ZERO, StateView, Test, Value
from fogspiel.rules.pogddl.syntax import (
    MOVER,
    Action,
    Choice,
    Domain,
    Effects,
    Gain,
    Problem,
    Variable,
)

CHANCE = "chance"
MAX_MOVES = 500_000  #: Most moves of an action in a state, far more than games in use have

Move: TypeAlias = tuple[str, Arguments]  #: An action with its arguments


class InterpretedGame:
    """Evaluates the sections of a domain and a problem in states."""

    def __init__(
        self,
        domain: Domain,
        problem: Problem,
        conditions: ConditionCompiler,
        roles: tuple[str, ...],
    ) -> None:
        self.roles = roles
        self._source = domain.source
        effects = EffectCompiler(conditions, roles)
        source = domain.source
        self._actions = [_Action(action, source, conditions, effects) for action in domain.actions]
        self._by_name = {action.name: action for action in self._actions}
        self._choices = [_Choice(choice, source, conditions) for choice in domain.choices]
        self._ends: list[tuple[VariableScope, Test]] = []
        self._gains: list[_Gain] = []
        part: Domain | Problem
        for part in (domain, problem):
            for terminal in part.terminals:
                scope = VariableScope.empty(part.source)
                self._ends.append((scope, conditions.holds(terminal, scope)))
            self._gains += [_Gain(gain, part.source, conditions, roles) for gain in part.gains]

    def mover(self, view: StateView) -> str | None:
        """The role to move."""
        movers = [role for role in self.roles if (role,) in view.tables[MOVER].rows]
        if len(movers) > 1:
            raise PlayError.of(
                "MCH010",
                f"it is the turn of {' and '.join(movers)} at once",
                fix="let the action that gives the turn to one role take it from the other",
                source=self._source,
            )
        return movers[0] if movers else None

    def moves(self, view: StateView) -> dict[Move, Fraction]:
        """The moves of the role to move, with their weights, which matter for chance only."""
        mover = self.mover(view)
        if mover is None:
            return {}
        applicable = [
            (action.name, arguments)
            for action in self._actions
            for arguments in action.applicable(view)
        ]
        weights = self._weights(view) if mover == CHANCE else None
        if weights is None:
            return dict.fromkeys(applicable, Fraction(1))
        return {move: weights[move] for move in applicable if weights.get(move, ZERO) > 0}

    def has_ended(self, view: StateView) -> bool:
        """Whether a `:terminal` condition holds."""
        return any(test(scope.frame.fresh(), view) for scope, test in self._ends)

    def outcome(self, view: StateView, move: Move) -> ActionOutcome:
        """The outcome of a move."""
        name, arguments = move
        return self._by_name[name].outcome(view, arguments)

    def may_be_move(self, move: Move) -> bool:
        """Whether the move may be applicable in some state, judged by names and types alone."""
        name, arguments = move
        action = self._by_name.get(name)
        return action is not None and action.takes(arguments)

    def payoffs(self, view: StateView) -> dict[str, Fraction]:
        """The payoff of each role, the sum of its gains."""
        totals = dict.fromkeys(self.roles, ZERO)
        for gain in self._gains:
            for role, value in gain.shares(view):
                totals[role] += value
        return totals

    def gains_held(self, view: StateView) -> set[int]:
        """The gains that some role gets, by number."""
        return {number for number, gain in enumerate(self._gains) if gain.shares(view)}

    def _weights(self, view: StateView) -> dict[Move, Fraction] | None:
        """Total weights of the moves of chance; None if chance plays uniformly."""
        weights: dict[Move, Fraction] = {}
        holding = False
        for choice in self._choices:
            holding |= choice.add_weights(view, weights)
        return weights if holding else None


class _Action:
    """An action and its effect."""

    def __init__(
        self, action: Action, source: Source, conditions: ConditionCompiler, effects: EffectCompiler
    ) -> None:
        self.name = action.name.text
        self._scope = scope = VariableScope.empty(source).inside(action.parameters)
        ranges = conditions.objects.ranges(action.parameters)
        self._parameters = [(scope.slots[name], values) for name, values in ranges.items()]
        self._pick = scope.picker([item.term for item in action.parameters])
        self._search = conditions.search(action.precondition, scope, ranges)
        self._do: Do = effects.effect(action.effect or Effects(()), scope)

    def applicable(self, view: StateView) -> list[Arguments]:
        """The arguments for which the precondition holds."""
        return list(_solutions(self._search, self._scope, self._pick, view))

    def outcome(self, view: StateView, arguments: Arguments) -> ActionOutcome:
        """The outcome of the action in a state."""
        environment = self._scope.frame.fresh()
        for value, (slot, _) in zip(arguments, self._parameters, strict=True):
            environment[slot] = value
        outcome = ActionOutcome()
        self._do(environment, view, outcome)
        return outcome

    def takes(self, arguments: Arguments) -> bool:
        """Whether the arguments fit in number and type."""
        return len(arguments) == len(self._parameters) and all(
            value in values.members
            for value, (_, values) in zip(arguments, self._parameters, strict=True)
        )


@dataclass(frozen=True, slots=True)
class _Option:
    """An action that a choice names."""

    weight: Value
    name: str
    arguments: Picker
    finding: Finding  #: The finding for a weight below 0


class _Choice:
    """A choice of chance by weight."""

    def __init__(self, choice: Choice, source: Source, conditions: ConditionCompiler) -> None:
        self._scope = scope = VariableScope.empty(source).inside(choice.parameters)
        ranges = conditions.objects.ranges(choice.parameters)
        self._search = conditions.search(choice.condition, scope, ranges)
        self._options = [
            _Option(
                conditions.calculator.value(option.weight, scope),
                option.action.name.text,
                scope.picker(option.action.arguments),
                Finding(
                    "MCH012",
                    "this weight is below 0 here",
                    fix="let it be 0 or more wherever the choice holds",
                    source=source,
                    span=option.weight.span,
                ),
            )
            for option in choice.options
        ]

    def add_weights(self, view: StateView, weights: dict[Move, Fraction]) -> bool:
        """Add the weights of this choice to those of others; returns whether it holds."""
        environment = self._scope.frame.fresh()
        holding = False

        def add() -> bool:
            nonlocal holding
            holding = True
            for option in self._options:
                weight = option.weight(environment, view)
                if weight < 0:
                    raise PlayError(option.finding)
                move = option.name, option.arguments(environment)
                weights[move] = weights.get(move, ZERO) + weight
            return False

        self._search(environment, view, add)
        return holding


class _Gain:
    """A gain that some roles get."""

    def __init__(
        self, gain: Gain, source: Source, conditions: ConditionCompiler, roles: tuple[str, ...]
    ) -> None:
        variables = [item for item in gain.roles if isinstance(item.term, Variable)]
        self._scope = scope = VariableScope.empty(source).inside(variables)
        ranges = {
            name: values if item.types else ObjectRange(roles, frozenset(roles))
            for item, (name, values) in zip(
                variables, conditions.objects.ranges(variables).items(), strict=True
            )
        }
        self._roles = frozenset(roles)
        self._pick = scope.picker([item.term for item in gain.roles])
        self._search = conditions.search(gain.condition, scope, ranges)
        self._value = conditions.calculator.value(gain.value, scope)

    def shares(self, view: StateView) -> list[tuple[str, Fraction]]:
        """Roles that get the gain, with its amount."""
        environment = self._scope.frame.fresh()
        found: list[tuple[str, Fraction]] = []

        def share() -> bool:
            value = self._value(environment, view)
            found.extend((role, value) for role in dict.fromkeys(self._pick(environment)))
            return False

        self._search(environment, view, share)
        return [(role, value) for role, value in found if role in self._roles]


def _solutions(
    search: Each, scope: VariableScope, pick: Picker, view: StateView
) -> list[Arguments]:
    """The values of some variables in all solutions of a search."""
    environment = scope.frame.fresh()
    found: list[Arguments] = []

    def note() -> bool:
        found.append(pick(environment))
        if len(found) > MAX_MOVES:
            raise LimitError.of(
                "MCH006",
                f"an action can be applied in more than {MAX_MOVES:,} ways",
                fix="give it fewer parameters, or a narrower precondition",
                source=scope.source,
            )
        return False

    search(environment, view, note)
    return found
