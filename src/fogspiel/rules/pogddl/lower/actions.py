"""Actions as clauses: when a move is legal, and what it changes and shows.

Deletes come before adds: `next(F)` holds if an effect adds F, or if F held and none deletes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fogspiel.rules import numbers
from fogspiel.rules.clauses import Condition, Literal, Pattern, Var
from fogspiel.rules.clauses import TermComparison as SameTerm
from fogspiel.rules.numbers import Test, expression_variables
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.lower.builder import Builder, RuleScope, compound
from fogspiel.rules.pogddl.lower.conditions import ConditionLowering
from fogspiel.rules.pogddl.syntax import ALL, MOVER, OTHERS
from fogspiel.rules.pogddl.syntax import Condition as Formula


@dataclass(frozen=True, slots=True)
class EffectContext:
    """The surroundings of one effect of an action: its move, conditions and variables."""

    does: Literal
    scope: RuleScope
    conditions: tuple[Condition, ...]
    """What must hold for the effect to take place, besides the action."""
    guards: tuple[Test, ...]  #: Comparisons among these and in the precondition
    each: tuple[Var, ...] = ()
    """The variables of the `forall` around it: it takes place for each of their values."""

    @property
    def body(self) -> list[Condition]:
        """The conditions under which the effect takes place."""
        return [self.does, *self.conditions]


class Actions:
    """Writes the clauses of all actions into a builder."""

    def __init__(self, builder: Builder, conditions: ConditionLowering, legal: str) -> None:
        self.builder = builder
        self.conditions = conditions
        self.legal = legal
        self.changes: list[numbers.ValueChange] = []
        self.moves: list[Literal] = []
        """Each action as `does(role, move)`, with variables."""
        self._lost: dict[str, str] = {}

    def add(self, action: syntax.Action) -> None:
        """An action with all its effects."""
        scope = RuleScope().inner(action.parameters)
        arguments = tuple(
            scope.terms[p.term.name]
            for p in action.parameters
            if isinstance(p.term, syntax.Variable)
        )
        role, asks = self._mover(action.precondition, scope)
        move = compound(action.name.text, arguments)
        self.conditions.context = f"legal-{action.name.text}"
        for body in self.conditions.alternatives(action.precondition, scope):
            self.builder.add(
                Literal(self.legal, (role, move)), [*asks, *body], scope.copy(), action.span
            )
        self.moves.append(Literal("does", (role, move)))
        self.conditions.context = f"effect-{action.name.text}"
        guards = tuple(self.conditions.guards(action.precondition, scope))
        if action.effect is not None:
            self._effect(action.effect, EffectContext(self.moves[-1], scope, (), guards))

    def keep_fluents(self) -> None:
        """What no effect deletes stays. To be called after all actions."""
        for name in sorted(self.builder.fluents):
            parameters = self.builder.world.predicates[name].parameters
            arguments = tuple(Var(f"x{i + 1}") for i in range(len(parameters)))
            # It stays whatever its arguments are, even if an effect added it for other types.
            scope = RuleScope(types=dict.fromkeys(arguments, ()))
            atom = compound(name, arguments)
            body: list[Condition] = [Literal("true", (atom,))]
            if name in self._lost:
                body.append(Literal(self._lost[name], arguments, negated=True))
            self.builder.add(Literal("next", (atom,)), body, scope)

    def _mover(
        self, precondition: Formula | None, scope: RuleScope
    ) -> tuple[Pattern, list[Condition]]:
        """The mover: the role whose turn the precondition asks for, or whoever's turn it is."""
        work: list[Formula | None] = [precondition]
        while work:
            match work.pop(0):
                case syntax.And(inner):
                    work += inner
                case syntax.Atom(syntax.Name(text), (role,)) if text == MOVER:
                    return self.builder.term(role, scope), []
        variable = scope.inner(
            [syntax.Typed(syntax.Variable("mover"), self.builder.role_types)]
        ).terms["mover"]
        return variable, [self.builder.mover(variable)]

    def _effect(self, effect: syntax.Effect, context: EffectContext) -> None:
        match effect:
            case syntax.Effects(inner):
                for part in inner:
                    self._effect(part, context)
            case syntax.ForEach(variables, inner):
                scope = context.scope.copy().inner(variables)
                names = [v.term.name for v in variables if isinstance(v.term, syntax.Variable)]
                each = (*context.each, *(scope.terms[name] for name in names))
                # A variable that the effect does not mention may still have no object.
                if all(self.builder.world.objects_of(scope.types[variable]) for variable in each):
                    self._effect(inner, replace(context, scope=scope, each=each))
            case syntax.When(condition, inner):
                body = self.conditions.body(condition, context.scope)
                guards = self.conditions.guards(condition, context.scope)
                conditions = (*context.conditions, *body)
                self._effect(
                    inner,
                    replace(context, conditions=conditions, guards=(*context.guards, *guards)),
                )
            case syntax.Add(atom):
                head = Literal("next", (self._term(atom, context),))
                self.builder.add(head, context.body, context.scope, effect.span)
            case syntax.Delete(atom):
                self._delete(atom, context)
            case syntax.Observe(observations):
                for observation in observations:
                    self._observe(observation, observations, context)
            case syntax.Change():
                self._change(effect, context)

    def _term(self, atom: syntax.Atom, context: EffectContext) -> Pattern:
        return compound(atom.name.text, self.builder.terms(atom.arguments, context.scope))

    def _delete(self, atom: syntax.Atom, context: EffectContext) -> None:
        name = atom.name.text
        if name not in self._lost:
            self._lost[name] = self.builder.fresh(f"lost-{name}")
        head = Literal(self._lost[name], self.builder.terms(atom.arguments, context.scope))
        self.builder.add(head, context.body, context.scope, atom.span)

    def _observe(
        self,
        observation: syntax.ObservationClause,
        together: Sequence[syntax.ObservationClause],
        context: EffectContext,
    ) -> None:
        """A percept of the recipients. `others` are all that the same list does not name."""
        recipient = observation.recipient
        percept = self._term(observation.atom, context)
        body, scope = context.body, context.scope
        role: Pattern
        if isinstance(recipient, syntax.Variable) or recipient.text not in {ALL, OTHERS}:
            role = self.builder.term(recipient, scope)
        else:
            scope = scope.copy()
            observer = syntax.Typed(syntax.Variable("observer"), self.builder.role_types)
            role = scope.inner([observer]).terms["observer"]
            body = [Literal("role", (role,)), *body]
            if recipient.text == OTHERS:
                named = self.builder.terms((item.recipient for item in together), scope)
                body += [SameTerm(role, term) for term in named if term not in {ALL, OTHERS}]
        self.builder.add(Literal("sees", (role, percept)), body, scope, observation.span)

    def _change(self, effect: syntax.Change, context: EffectContext) -> None:
        """A relation that holds where the effect changes a number."""
        value = self.conditions.expression(effect.fluent, context.scope)
        amount = self.conditions.expression(effect.value, context.scope)
        assert isinstance(value, numbers.Value)
        role, move = context.does.arguments
        parts = (role, *(move[1:] if isinstance(move, tuple) else ()))
        of_move = list(dict.fromkeys(part for part in parts if isinstance(part, Var)))
        others = [*expression_variables(value), *expression_variables(amount)]
        # Each instance of a `forall` counts: two of them may add the same amount.
        variables = tuple(dict.fromkeys([*of_move, *others, *context.each]))
        head = self.builder.relation(f"change-{value.function}", variables, context.scope)
        self.builder.add(head, context.body, context.scope, effect.span)
        self.changes.append(
            numbers.ValueChange(
                relation=head.predicate,
                arguments=variables,
                action=str(move[0] if isinstance(move, tuple) else move),
                move=len(of_move),
                operator=effect.operator,
                value=value,
                amount=amount,
                guards=context.guards,
                span=effect.span,
            )
        )
