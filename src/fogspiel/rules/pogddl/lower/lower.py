"""Lowering of a game in POGDDL to clauses and numbers: its meaning, for all layers below.

    types, facts -> facts                    derived -> clauses          numbers -> `Numbers`
    actions -> legal, next, sees (actions.py)                            conditions -> conditions.py

Source: Richards (2012), section 3.2: the role that `whoseturn` names moves, the applicable actions
are its moves, a state without one is terminal, and all gains that hold there are summed.
Departures: a role also knows its own moves; `:terminal` and the weights of `:choose` are ours.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Clause, Condition, Literal, Pattern, Var
from fogspiel.rules.clauses import TermComparison as SameTerm
from fogspiel.rules.numbers import MoveWeight, Numbers, NumericProgram, RoleGain
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.lower.actions import Actions
from fogspiel.rules.pogddl.lower.builder import Builder, RuleScope, compound
from fogspiel.rules.pogddl.lower.conditions import ConditionLowering
from fogspiel.rules.pogddl.lower.scales import function_scales, payoff_scale
from fogspiel.rules.pogddl.syntax import (
    MOVER,
    Comparison,
    GameDescription,
    Name,
    Number,
    Typed,
    Variable,
)
from fogspiel.rules.pogddl.world import changed_functions, idle_move

CHANCE = "chance"
MAX_LISTED = 10_000
"""A state shows values of 0 only of functions with at most so many arguments in all."""


def lower(description: GameDescription) -> NumericProgram:
    """The clauses and numbers of a game that passed its checks, domain and problem."""
    lowering = _Lowering(description)
    lowering.start()
    lowering.derive()
    weights = lowering.move()
    lowering.end()
    gains = lowering.gain()
    builder = lowering.builder
    roles = tuple(builder.world.roles)
    return NumericProgram(
        clauses=tuple(dict.fromkeys(builder.clauses)),
        roles=roles,
        source=builder.domain.source,
        chance_role=CHANCE if CHANCE in roles else None,
        has_percepts=True,
        numbers=Numbers(
            initial=lowering.initial,
            listed=frozenset(lowering.listed),
            changing=lowering.changing,
            scales=function_scales(description),
            bounds={
                function.name.text: (function.bounds.low, function.bounds.high)
                for function in builder.domain.functions
                if function.bounds is not None
            },
            tests=tuple(builder.tests),
            changes=tuple(lowering.actions.changes),
            gains=tuple(gains),
            goal_scale=payoff_scale(description),
            weights=tuple(weights),
            weighing=lowering.weighing,
            turns=tuple((MOVER, role) for role in roles if MOVER in builder.fluents),
        ),
    )


class _Lowering:
    """The steps of the lowering, in the order in which clauses are best read."""

    def __init__(self, description: GameDescription) -> None:
        self.builder = Builder(description)
        self.changing = changed_functions(self.builder.domain)
        self.listed = all_values(self.builder, self.changing)
        self.initial = dict.fromkeys(self.listed, Fraction(0))
        for value in self.builder.problem.values:
            term = ground(value.fluent.name.text, value.fluent.arguments)
            self.initial[term] = value.value.value
        self.conditions = ConditionLowering(self.builder, self.changing, self.initial)
        has_weights = bool(self.builder.domain.choices)
        self.weighing = self.builder.fresh("weighing") if has_weights else None
        legal = self.builder.fresh("applicable") if has_weights else "legal"
        self.actions = Actions(self.builder, self.conditions, legal)

    def start(self) -> None:
        """Roles, and what holds at the start or always."""
        for role in self.builder.world.roles:
            self._fact("role", role)
        for fact in self.builder.problem.facts:
            arguments = tuple(_object(term) for term in fact.arguments)
            if fact.name.text in self.builder.fluents:
                self._fact("init", compound(fact.name.text, arguments))
            else:
                self._fact(self.builder.relations[fact.name.text], *arguments)

    def derive(self) -> None:
        """Derived predicates; several for one predicate are alternatives."""
        for derived in self.builder.domain.derived:
            name = derived.head.name.text
            declared = self.builder.world.predicates[name].parameters
            # Types that the head leaves out are those of the declaration.
            scope = RuleScope().inner(
                Typed(own.term, own.types or other.types)
                for own, other in zip(derived.head.parameters, declared, strict=True)
            )
            parameters = [p.term for p in derived.head.parameters]
            head = Literal(self.builder.relations[name], self.builder.terms(parameters, scope))
            self.conditions.context = name
            for body in self.conditions.alternatives(derived.condition, scope):
                self.builder.add(head, body, scope.copy(), derived.span)

    def move(self) -> list[MoveWeight]:
        """What roles may do, what follows, and with which weights chance chooses."""
        for action in self.builder.domain.actions:
            self.actions.add(action)
        self.actions.keep_fluents()
        idle = idle_move(self.builder.domain)
        role = Var("r")
        scope = RuleScope({role.name: role}, {role: self.builder.role_types})
        waiting = [Literal("role", (role,)), self.builder.mover(role, negated=True)]
        self.builder.add(Literal("legal", (role, idle)), waiting, scope)
        return self._weigh()

    def end(self) -> None:
        """The game is over where a condition says so, or where the mover has no move."""
        head = Literal("terminal")
        self.conditions.context = "over"
        for terminal in (*self.builder.domain.terminals, *self.builder.problem.terminals):
            scope = RuleScope()
            for body in self.conditions.alternatives(terminal, scope):
                self.builder.add(head, body, scope)
        any_move = Literal(self.builder.fresh("some-move"))
        for move in dict.fromkeys(self.actions.moves):
            self._clause(any_move, Literal("legal", move.arguments))
        self._clause(head, Literal(any_move.predicate, (), negated=True))

    def gain(self) -> list[RoleGain]:
        """What roles get, each gain as a relation over the roles that get it."""
        gains = (*self.builder.domain.gains, *self.builder.problem.gains)
        return [found for gain in gains for found in self._gain(gain)]

    def _gain(self, gain: syntax.Gain) -> list[RoleGain]:
        """Several roles of one gain get it where the condition holds for them together."""
        self.conditions.context = "gain-condition"
        listed = [item for item in gain.roles if isinstance(item.term, Variable)]
        scope = RuleScope().inner(listed, default=self.builder.role_types)
        variables = tuple(scope.terms.values())
        roles = self.builder.terms((item.term for item in gain.roles), scope)
        amount = self.conditions.expression(gain.value, scope)
        bodies = self.conditions.alternatives(gain.condition, scope)
        found = []
        for place, role in enumerate(roles):
            head = self.builder.relation("gain", variables, scope)
            # A role that stands for two of them gets the amount once.
            new: list[Condition] = [SameTerm(role, earlier) for earlier in roles[:place]]
            for body in bodies:
                self.builder.add(head, [*new, *body], scope.copy(), gain.span)
            found.append(RoleGain(head.predicate, variables, role, amount))
        return found

    def _weigh(self) -> list[MoveWeight]:
        """The weights of chance: where a choice holds, chance has only the moves that it names."""
        if self.weighing is None:
            return []
        role, move = Var("r"), Var("m")
        applicable = Literal(self.actions.legal, (role, move))
        self._clause(Literal("legal", (role, move)), applicable, SameTerm(role, CHANCE))
        by_chance = Literal(self.actions.legal, (CHANCE, move))
        unweighted = Literal(self.weighing, (), negated=True)
        self._clause(Literal("legal", (CHANCE, move)), by_chance, unweighted)
        return [
            weight
            for choice in self.builder.domain.choices
            for weight in self._choice(choice, self.weighing)
        ]

    def _choice(self, choice: syntax.Choice, weighing: str) -> list[MoveWeight]:
        self.conditions.context = "choice"
        scope = RuleScope().inner(choice.parameters)
        turn = self.builder.mover(CHANCE)
        variables = tuple(scope.terms.values())
        holds = self.builder.relation("choice", variables, scope)
        for body in self.conditions.alternatives(choice.condition, scope):
            self.builder.add(holds, [turn, *body], scope.copy(), choice.span)
        self.builder.add(Literal(weighing), [holds], scope, choice.span)
        weights = []
        for option in choice.options:
            amount = self.conditions.expression(option.weight, scope)
            if isinstance(amount, Fraction) and amount <= 0:
                continue
            arguments = self.builder.terms(option.action.arguments, scope)
            move = compound(option.action.name.text, arguments)
            possible = Literal(self.actions.legal, (CHANCE, move))
            head = self.builder.relation("option", variables, scope)
            self.builder.add(head, [holds, possible], scope, choice.span)
            legal: list[Condition] = [head]
            if not isinstance(amount, Fraction):
                is_positive = Comparison(">", option.weight, Number(Fraction(0)))
                legal += self.conditions.body(is_positive, scope)
            self.builder.add(Literal("legal", (CHANCE, move)), legal, scope, choice.span)
            weights.append(MoveWeight(head.predicate, variables, move, amount))
        return weights

    def _fact(self, relation: str, *arguments: Pattern) -> None:
        self.builder.clauses.append(Clause(Literal(relation, arguments)))

    def _clause(self, head: Literal, *body: Condition) -> None:
        self.builder.clauses.append(Clause(head, body))


def all_values(builder: Builder, changing: frozenset[str]) -> list[GroundTerm]:
    """The functions that change with all their arguments, unless these are too many."""
    found: list[GroundTerm] = []
    for name in sorted(changing):
        domains = builder.world.domains(builder.world.functions[name])
        if prod(map(len, domains)) <= MAX_LISTED:
            found += [(name, *objects) if objects else name for objects in product(*domains)]
    return found


def ground(name: str, arguments: tuple[Name | Variable, ...]) -> GroundTerm:
    """A name applied to objects."""
    objects = tuple(_object(term) for term in arguments)
    return (name, *objects) if objects else name


def _object(term: Name | Variable) -> str:
    assert isinstance(term, Name)
    return term.text
