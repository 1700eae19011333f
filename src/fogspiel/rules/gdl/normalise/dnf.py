"""Disjunctive normal form: rules as written become clauses, and negations move inwards.

Equations (`not distinct`) are solved and substituted, so that nobody below meets them.
"""

from __future__ import annotations

from math import prod

from fogspiel.core.findings import Finding
from fogspiel.core.limits import ReadLimits
from fogspiel.rules.clauses import (
    Bindings,
    Clause,
    Condition,
    Literal,
    Pattern,
    PatternTooLargeError,
    TermComparison,
    Var,
)
from fogspiel.rules.gdl import syntax
from fogspiel.rules.gdl.syntax import subformulas


def too_large_findings(
    rule: syntax.Rule, description: syntax.Description, limits: ReadLimits
) -> list[Finding]:
    """Reasons why a rule cannot be turned into clauses: none when it can."""
    if alternative_count(rule) > limits.clauses_per_rule:
        code = "GDL008"
        message = f"the alternatives of this rule multiply to more than {limits.clauses_per_rule:,}"
        fix = "give each `or` a relation of its own, with one rule for each alternative"
    else:
        try:
            if any(
                negated and isinstance(f, syntax.Distinct) for f, negated in subformulas(rule.body)
            ):
                clauses_of_rule(rule)
            return []
        except PatternTooLargeError:
            code, message = "GDL048", "the equations of this rule stand for a term of enormous size"
            fix = "write the terms out in the conditions instead of equating them by `not distinct`"
    return [Finding(code, message, fix, source=description.source, span=rule.head.span)]


def alternative_count(rule: syntax.Rule) -> int:
    """Number of clauses that a rule becomes, counted without building them."""
    return prod(_count(formula, negated=False) for formula in rule.body)


def _count(formula: syntax.Formula, *, negated: bool) -> int:
    match formula:
        case syntax.Not(inner):
            return _count(inner, negated=not negated)
        case syntax.And(formulas) | syntax.Or(formulas):
            counts = [_count(part, negated=negated) for part in formulas]
            return sum(counts) if isinstance(formula, syntax.Or) != negated else prod(counts)
        case _:
            return 1


def clauses_of_rule(rule: syntax.Rule) -> list[Clause]:
    """The clauses of a rule. Raises `PatternTooLargeError` where its equations explode."""
    head = literal_of(rule.head)
    bodies: list[tuple[Condition, ...]] = [()]
    for formula in rule.body:
        alternatives = _alternatives(formula, negated=False)
        bodies = [body + more for body in bodies for more in alternatives]
    clauses = (without_equations(Clause(head, body, rule.span)) for body in bodies)
    return [clause for clause in clauses if clause is not None]


def literal_of(atom: syntax.Atom, *, negated: bool = False) -> Literal:
    """An atom as a literal, its terms as plain values."""
    return Literal(atom.predicate, tuple(map(_pattern, atom.arguments)), negated)


def _pattern(term: syntax.Term) -> Pattern:
    if isinstance(term, syntax.Variable):
        return Var(term.name)
    if not term.arguments:
        return term.functor
    return (term.functor, *map(_pattern, term.arguments))


def _alternatives(formula: syntax.Formula, *, negated: bool) -> list[tuple[Condition, ...]]:
    """The disjunctive normal form of a formula, or of its negation."""
    match formula:
        case syntax.Atom():
            return [(literal_of(formula, negated=negated),)]
        case syntax.Distinct(left, right):
            return [(TermComparison(_pattern(left), _pattern(right), equal=negated),)]
        case syntax.Not(inner):
            return _alternatives(inner, negated=not negated)
        case syntax.And(formulas) | syntax.Or(formulas):
            parts = [_alternatives(part, negated=negated) for part in formulas]
            if isinstance(formula, syntax.Or) != negated:
                return [alternative for part in parts for alternative in part]
            product: list[tuple[Condition, ...]] = [()]
            for part in parts:
                product = [done + more for done in product for more in part]
            return product


def without_equations(clause: Clause) -> Clause | None:
    """The clause with its equations solved; None when they have no solution."""
    equations = [c for c in clause.body if isinstance(c, TermComparison) and c.equal]
    if not equations:
        return clause
    bindings = Bindings()
    if not all(bindings.unify(equation.left, equation.right) for equation in equations):
        return None
    rest = (c for c in clause.body if not (isinstance(c, TermComparison) and c.equal))
    return Clause(
        clause.head.map(bindings.applied),
        tuple(condition.map(bindings.applied) for condition in rest),
        clause.span,
    )
