"""Negations with variables of their own: `not p(x, Y)` where Y occurs nowhere else.

Strict GDL calls them unsafe. Every player in use reads them as "there is no Y": the negation gets
a relation `exists_1_p(x)` that holds when p(x, Y) does for some Y, and denies that instead.
"""

from __future__ import annotations

from fogspiel.rules.clauses import (
    Clause,
    Condition,
    Literal,
    Var,
    map_variables,
    pattern_variables,
    unused_name,
    variables_of,
)


def project_negations(clauses: list[Clause], taken: set[str]) -> list[Clause]:
    """The clauses, safe in their negations. New names are added to `taken`."""
    projection = _Projection(taken)
    projected = [projection.applied(clause) for clause in clauses]
    return projected + projection.clauses


class _Projection:
    """Equal negations share a relation."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._known: dict[tuple[Literal, tuple[Var, ...]], str] = {}
        self.clauses: list[Clause] = []

    def applied(self, clause: Clause) -> Clause:
        if not any(_is_negation(condition) for condition in clause.body):
            return clause
        bound = variables_of(clause.head)
        for condition in clause.body:
            if not _is_negation(condition):
                bound |= variables_of(condition)
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
        arguments = tuple(map_variables(a, names.__getitem__) for a in literal.arguments)
        key = (Literal(literal.predicate, arguments), tuple(names[v] for v in kept))
        if key not in self._known:
            wish = f"exists_{len(self._known) + 1}_{literal.predicate}"
            self._known[key] = unused_name(wish, self._taken, "_")
            head = Literal(self._known[key], key[1])
            self.clauses.append(Clause(head, (key[0],), clause.span))
        return Literal(self._known[key], kept, negated=True)


def _is_negation(condition: Condition) -> bool:
    return isinstance(condition, Literal) and condition.negated
