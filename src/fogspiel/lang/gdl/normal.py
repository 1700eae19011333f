"""From rules as written to clauses: disjunctions become alternatives, negations move inwards.

Two things that GDL leaves out and sheets contain are resolved here, so that nobody below meets
them. Equations (`not distinct`) are solved and substituted. A variable that occurs in one negated
condition only is read as "there is none": `not p(x, Y)` becomes `not exists_1_p(x)` with a clause
`exists_1_p(x) :- p(x, Y)`.
"""

from __future__ import annotations

from math import prod

from fogspiel.core.findings import Finding, RulesError
from fogspiel.core.limits import ReadLimits
from fogspiel.lang.clauses import (
    Clause,
    Comparison,
    Condition,
    Literal,
    Pattern,
    Program,
    Var,
    pattern_variables,
)
from fogspiel.lang.gdl.roles import roles_of
from fogspiel.lang.gdl.syntax import (
    CHANCE_ROLE,
    And,
    Atom,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Term,
    Variable,
)
from fogspiel.lang.unify import Bindings, PatternTooLargeError


def normalise(description: Description, limits: ReadLimits | None = None) -> Program:
    """The clauses of a description that passed its checks."""
    limits = limits or ReadLimits()
    projection = _Projection({rule.head.predicate for rule in description.rules})
    clauses: list[Clause] = []
    for rule in description.rules:
        if alternative_count(rule) > limits.clauses_per_rule or len(clauses) > limits.forms:
            raise RulesError(_too_many(rule, description, limits))
        try:
            clauses.extend(projection.applied(clause) for clause in _clauses_of_rule(rule))
        except PatternTooLargeError:
            raise RulesError(_too_large(rule, description)) from None
    clauses.extend(projection.clauses)
    roles = roles_of(clauses)
    return Program(
        clauses=tuple(clauses),
        roles=roles,
        source=description.source,
        chance_role=CHANCE_ROLE if CHANCE_ROLE in roles else None,
        has_percepts=any(clause.head.signature == ("sees", 2) for clause in clauses),
    )


def alternative_count(rule: Rule) -> int:
    """How many clauses a rule becomes. Counts without building them."""
    return prod(_count(formula, negated=False) for formula in rule.body)


def _count(formula: Formula, *, negated: bool) -> int:
    match formula:
        case Not(inner):
            return _count(inner, negated=not negated)
        case And(formulas) | Or(formulas):
            counts = [_count(part, negated=negated) for part in formulas]
            return sum(counts) if isinstance(formula, Or) != negated else prod(counts)
        case _:
            return 1


def _clauses_of_rule(rule: Rule) -> list[Clause]:
    head = _literal(rule.head, negated=False)
    bodies: list[tuple[Condition, ...]] = [()]
    for formula in rule.body:
        alternatives = _alternatives(formula, negated=False)
        bodies = [body + more for body in bodies for more in alternatives]
    clauses = (_without_equations(Clause(head, body, rule.span)) for body in bodies)
    return [clause for clause in clauses if clause is not None]


def _alternatives(formula: Formula, *, negated: bool) -> list[tuple[Condition, ...]]:
    """The disjunctive normal form of a formula, or of its negation."""
    match formula:
        case Atom():
            return [(_literal(formula, negated=negated),)]
        case Distinct(left, right):
            return [(Comparison(_pattern(left), _pattern(right), equal=negated),)]
        case Not(inner):
            return _alternatives(inner, negated=not negated)
        case And(formulas) | Or(formulas):
            parts = [_alternatives(part, negated=negated) for part in formulas]
            if isinstance(formula, Or) != negated:
                return [alternative for part in parts for alternative in part]
            product: list[tuple[Condition, ...]] = [()]
            for part in parts:
                product = [done + more for done in product for more in part]
            return product


def _without_equations(clause: Clause) -> Clause | None:
    """The clause with its equations solved; None when they have no solution."""
    equations = [c for c in clause.body if isinstance(c, Comparison) and c.equal]
    if not equations:
        return clause
    bindings = Bindings()
    if not all(bindings.unify(equation.left, equation.right) for equation in equations):
        return None
    rest = (c for c in clause.body if not (isinstance(c, Comparison) and c.equal))
    return Clause(
        _substituted(clause.head, bindings),
        tuple(
            _substituted(c, bindings)
            if isinstance(c, Literal)
            else Comparison(bindings.applied(c.left), bindings.applied(c.right))
            for c in rest
        ),
        clause.span,
    )


def _substituted(literal: Literal, bindings: Bindings) -> Literal:
    arguments = tuple(bindings.applied(argument) for argument in literal.arguments)
    return Literal(literal.predicate, arguments, literal.negated)


class _Projection:
    """Replaces negations that hold variables of their own. Equal negations share a relation."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._known: dict[tuple[Literal, tuple[Var, ...]], str] = {}
        self.clauses: list[Clause] = []

    def applied(self, clause: Clause) -> Clause:
        if not any(isinstance(c, Literal) and c.negated for c in clause.body):
            return clause
        bound = _variables(clause.head)
        for condition in clause.body:
            if not (isinstance(condition, Literal) and condition.negated):
                bound |= _variables(condition)
        body = tuple(
            self._projected(condition, bound, clause)
            if isinstance(condition, Literal) and condition.negated
            else condition
            for condition in clause.body
        )
        return Clause(clause.head, body, clause.span)

    def _projected(self, literal: Literal, bound: set[Var], clause: Clause) -> Literal:
        variables = dict.fromkeys(v for a in literal.arguments for v in pattern_variables(a))
        kept = tuple(v for v in variables if v in bound)
        if len(kept) == len(variables):
            return literal
        names = {variable: Var(f"V{number}") for number, variable in enumerate(variables)}
        arguments = tuple(_renamed(argument, names) for argument in literal.arguments)
        key = (Literal(literal.predicate, arguments), tuple(names[v] for v in kept))
        if key not in self._known:
            self._known[key] = self._new_name(literal.predicate)
            head = Literal(self._known[key], key[1])
            self.clauses.append(Clause(head, (key[0],), clause.span))
        return Literal(self._known[key], kept, negated=True)

    def _new_name(self, predicate: str) -> str:
        number = len(self._known) + 1
        while (name := f"exists_{number}_{predicate}") in self._taken:
            number += 1
        self._taken.add(name)
        return name


def _variables(condition: Condition) -> set[Var]:
    if isinstance(condition, Literal):
        return {v for argument in condition.arguments for v in pattern_variables(argument)}
    return {*pattern_variables(condition.left), *pattern_variables(condition.right)}


def _renamed(pattern: Pattern, names: dict[Var, Var]) -> Pattern:
    if isinstance(pattern, Var):
        return names[pattern]
    if isinstance(pattern, tuple):
        return (pattern[0], *(_renamed(argument, names) for argument in pattern[1:]))
    return pattern


def _literal(atom: Atom, *, negated: bool) -> Literal:
    return Literal(atom.predicate, tuple(map(_pattern, atom.arguments)), negated)


def _pattern(term: Term) -> Pattern:
    if isinstance(term, Variable):
        return Var(term.name)
    if not term.arguments:
        return term.functor
    return (term.functor, *map(_pattern, term.arguments))


def _too_many(rule: Rule, description: Description, limits: ReadLimits) -> Finding:
    return Finding(
        code="GDL008",
        message=f"the alternatives of this rule multiply to more than {limits.clauses_per_rule:,}",
        fix="give each `or` a relation of its own, with one rule for each alternative",
        source=description.source,
        span=rule.head.span,
    )


def _too_large(rule: Rule, description: Description) -> Finding:
    return Finding(
        code="GDL048",
        message="the equations of this rule stand for a term of enormous size",
        fix="write the terms out in the conditions instead of equating them by `not distinct`",
        source=description.source,
        span=rule.head.span,
    )
