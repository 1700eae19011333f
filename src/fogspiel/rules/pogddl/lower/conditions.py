"""Conditions as bodies of clauses.

Conjunctions are bodies. What a body cannot hold becomes a relation of its own: a disjunction one
clause for each part, `not exists` and `forall` (as "there is none that does not") a negated one.

Source: Lloyd & Topor (1984), "Making Prolog more expressive", J. Logic Programming 1(3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from fogspiel.core.terms import GroundTerm
from fogspiel.rules import numbers
from fogspiel.rules.clauses import Clause, Condition, Literal, Var
from fogspiel.rules.clauses import TermComparison as SameTerm
from fogspiel.rules.numbers import (
    Operation,
    Test,
    Value,
    expression_variables,
    holds_for,
    values_in,
)
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.lower.builder import Builder, RuleScope

MAX_FACTS = 5_000
"""Instances of a comparison between numbers that never change, up to which facts are written."""
MAX_DOMAIN = 10_000
"""Instances of any other comparison, up to which all are supposed to be asked for."""


@dataclass(slots=True, eq=False)
class ConditionLowering:
    """Turns conditions into bodies. `context` names the relations made on the way."""

    builder: Builder
    changing: frozenset[str]
    initial: dict[GroundTerm, Fraction]
    context: str = "condition"

    def alternatives(
        self, condition: syntax.Condition | None, scope: RuleScope
    ) -> list[list[Condition]]:
        """Bodies of which one holds wherever the condition does."""
        if condition is None:
            return [[]]
        parts = _parts(condition, holds=True)
        return [self.body(part, scope, holds=holds) for part, holds in parts]

    def body(  # noqa: PLR0911 - one case for each kind of condition
        self, condition: syntax.Condition, scope: RuleScope, *, holds: bool = True
    ) -> list[Condition]:
        """A conjunction that says the condition holds, or does not."""
        match condition:
            case syntax.Atom():
                return [self.builder.literal(condition, scope, negated=not holds)]
            case syntax.Not(inner):
                return self.body(inner, scope, holds=not holds)
            case syntax.Equal(left, right):
                pair = self.builder.term(left, scope), self.builder.term(right, scope)
                return [SameTerm(*pair, equal=holds)]
            case syntax.Comparison():
                return [self._test(condition, scope, holds=holds)]
            case syntax.Quantified():
                return self._quantified(condition, scope, holds=holds)
            case syntax.And(inner) if holds:
                return [c for part in inner for c in self.body(part, scope)]
            case syntax.Or(inner) if not holds:
                return [c for part in inner for c in self.body(part, scope, holds=False)]
            case syntax.Imply(premise, conclusion) if not holds:
                return [*self.body(premise, scope), *self.body(conclusion, scope, holds=False)]
        return [self._disjunction(condition, scope, holds=holds)]

    def expression(self, expression: syntax.Expression, scope: RuleScope) -> numbers.Expression:
        """An expression over the variables of a rule."""
        match expression:
            case syntax.Number(value):
                return value
            case syntax.Fluent(name, arguments):
                return Value(name.text, self.builder.terms(arguments, scope))
            case syntax.Arithmetic(operator, (only,)):
                assert operator == "-"
                return Operation("-", Fraction(0), self.expression(only, scope))
            case syntax.Arithmetic(operator, operands):
                first, *rest = (self.expression(operand, scope) for operand in operands)
                for operand in rest:
                    first = Operation(operator, first, operand)
                return first

    def guards(self, condition: syntax.Condition | None, scope: RuleScope) -> list[Test]:
        """Comparisons that hold wherever the condition does, as far as they stand in the open."""
        found = []
        work = [condition]
        while work:
            match work.pop():
                case syntax.And(inner):
                    work += inner
                case syntax.Comparison(operator, left, right):
                    pair = self.expression(left, scope), self.expression(right, scope)
                    found.append(Test("", (), operator, *pair))
        return found

    def _quantified(
        self, condition: syntax.Quantified, scope: RuleScope, *, holds: bool
    ) -> list[Condition]:
        """A body with the variables in it, or the negation of a relation without them."""
        is_existential = condition.quantifier is syntax.Quantifier.EXISTS
        if is_existential != holds:
            head = self.builder.relation(self.context, free_variables(condition, scope), scope)
            inner = scope.copy()
            body = self._quantified(condition, inner, holds=not holds)
            self.builder.add(head, body, inner, condition.span)
            return [Literal(head.predicate, head.arguments, negated=True)]
        inner = scope.inner(condition.variables)
        body = self.body(condition.condition, inner, holds=holds)
        mentioned = set(free_variables(condition.condition, inner))
        own = {
            inner.terms[item.term.name]
            for item in condition.variables
            if isinstance(item.term, syntax.Variable)
        }
        # A variable that the condition does not mention still asks for an object of its type.
        return [
            *(
                self.builder.of_type(v, inner)
                for v in sorted(own - mentioned, key=lambda v: v.name)
            ),
            *body,
        ]

    def _disjunction(
        self, condition: syntax.Condition, scope: RuleScope, *, holds: bool
    ) -> Literal:
        head = self.builder.relation(self.context, free_variables(condition, scope), scope)
        for part, part_holds in _parts(condition, holds=holds):
            inner = scope.copy()
            body = self.body(part, inner, holds=part_holds)
            self.builder.add(head, body, inner, condition.span)
        return head

    def _test(self, condition: syntax.Comparison, scope: RuleScope, *, holds: bool) -> Literal:
        """The relation of a comparison, over the variables in it."""
        left = self.expression(condition.left, scope)
        right = self.expression(condition.right, scope)
        mentioned = [*expression_variables(left), *expression_variables(right)]
        variables = tuple(dict.fromkeys(mentioned))
        name = self.builder.fresh(self.context)
        test = Test(name, variables, condition.operator, left, right)
        size = prod(len(self.builder.world.objects_of(scope.types[v])) for v in variables)
        functions = {value.function for side in (left, right) for value in values_in(side)}
        is_static = size <= MAX_FACTS and not functions & self.changing
        facts = self._facts(test, scope) if is_static else None
        if facts is None:
            self.builder.add_test(test, scope, from_bodies=size > MAX_DOMAIN)
        else:
            self.builder.clauses += facts
        return Literal(name, variables, negated=not holds)

    def _facts(self, test: Test, scope: RuleScope) -> list[Clause] | None:
        """Facts for the objects of which the comparison holds: they keep the ground program small.

        None if it divides by 0 somewhere: only play can tell whether that is asked for.
        """
        found = []
        domains = [self.builder.world.objects_of(scope.types[v]) for v in test.arguments]
        for objects in product(*domains):
            values: dict[Var, GroundTerm] = dict(zip(test.arguments, objects, strict=True))
            holds = holds_for(test, values, self.initial)
            if holds is None:
                return None
            if holds:
                found.append(Clause(Literal(test.relation, objects)))
        return found


def free_variables(condition: syntax.Condition, scope: RuleScope) -> list[Var]:
    """The variables of a scope that a condition mentions, in the order they appear."""
    found: dict[Var, None] = {}
    work: list[tuple[syntax.Condition, frozenset[str]]] = [(condition, frozenset())]
    while work:
        item, bound = work.pop(0)
        match item:
            case syntax.And(inner) | syntax.Or(inner):
                work = [(part, bound) for part in inner] + work
            case syntax.Not(part):
                work.insert(0, (part, bound))
            case syntax.Imply(premise, conclusion):
                work[:0] = [(premise, bound), (conclusion, bound)]
            case syntax.Quantified(_, variables, part):
                names = {v.term.name for v in variables if isinstance(v.term, syntax.Variable)}
                work.insert(0, (part, bound | names))
            case _:
                names_in = [name for name in _names(item) if name not in bound]
                found.update(dict.fromkeys(scope.terms[name] for name in names_in))
    return list(found)


def _names(item: syntax.Condition) -> Iterator[str]:
    """The variables of a condition without others in it."""
    terms: list[syntax.Term] = []
    match item:
        case syntax.Atom(_, arguments):
            terms += arguments
        case syntax.Equal(left, right):
            terms += [left, right]
        case syntax.Comparison(_, left, right):
            work: list[syntax.Expression] = [left, right]
            while work:
                match work.pop(0):
                    case syntax.Fluent(_, arguments):
                        terms += arguments
                    case syntax.Arithmetic(_, operands):
                        work[:0] = operands
    return (term.name for term in terms if isinstance(term, syntax.Variable))


def _parts(condition: syntax.Condition, *, holds: bool) -> list[tuple[syntax.Condition, bool]]:
    """Conditions of which one must hold (or not hold, where False); flattened."""
    match condition:
        case syntax.Not(inner):
            return _parts(inner, holds=not holds)
        case syntax.Or(inner) if holds:
            return [part for item in inner for part in _parts(item, holds=True)]
        case syntax.And(inner) if not holds:
            return [part for item in inner for part in _parts(item, holds=False)]
        case syntax.Imply(premise, conclusion) if holds:
            return [*_parts(premise, holds=False), *_parts(conclusion, holds=True)]
    return [(condition, holds)]
