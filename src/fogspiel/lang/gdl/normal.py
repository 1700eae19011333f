"""From rules as written to clauses: disjunctions become alternatives, negations move inwards."""

from __future__ import annotations

from fogspiel.core.findings import Finding, RulesError
from fogspiel.core.limits import ReadLimits
from fogspiel.lang.clauses import Clause, Comparison, Condition, Literal, Pattern, Program, Var
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


def normalise(description: Description, limits: ReadLimits | None = None) -> Program:
    """The clauses of a description that passed its checks."""
    limits = limits or ReadLimits()
    clauses: list[Clause] = []
    for rule in description.rules:
        clauses.extend(_clauses_of_rule(rule, description, limits))
    roles = tuple(
        dict.fromkeys(
            argument
            for clause in clauses
            if clause.head.signature == ("role", 1) and not clause.body
            for argument in clause.head.arguments
            if isinstance(argument, str)
        )
    )
    return Program(
        clauses=tuple(clauses),
        roles=roles,
        source=description.source,
        chance_role=CHANCE_ROLE if CHANCE_ROLE in roles else None,
        has_percepts=any(clause.head.signature == ("sees", 2) for clause in clauses),
    )


def _clauses_of_rule(rule: Rule, description: Description, limits: ReadLimits) -> list[Clause]:
    head = _literal(rule.head, negated=False)
    bodies: list[tuple[Condition, ...]] = [()]
    for formula in rule.body:
        alternatives = _alternatives(formula, negated=False)
        if len(bodies) * len(alternatives) > limits.clauses_per_rule:
            raise RulesError(
                Finding(
                    code="GDL008",
                    message=f"the `or`s of this rule multiply to more than "
                    f"{limits.clauses_per_rule:,} alternatives",
                    fix="give each `or` a relation of its own with one rule an alternative",
                    source=description.source,
                    span=rule.span,
                )
            )
        bodies = [body + more for body in bodies for more in alternatives]
    return [Clause(head, body, rule.span) for body in bodies]


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


def _literal(atom: Atom, *, negated: bool) -> Literal:
    return Literal(atom.predicate, tuple(map(_pattern, atom.arguments)), negated)


def _pattern(term: Term) -> Pattern:
    if isinstance(term, Variable):
        return Var(term.name)
    if not term.arguments:
        return term.functor
    return (term.functor, *map(_pattern, term.arguments))
