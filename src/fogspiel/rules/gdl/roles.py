"""Who plays. GDL wants roles as plain facts; rules over facts are understood as well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from fogspiel.rules.clauses import (
    Bindings,
    Clause,
    Literal,
    Pattern,
    TermComparison,
    Var,
    map_variables,
    variables_of,
)

ROLE = ("role", 1)
MAX_ROWS = 1_000


def roles_of(clauses: Iterable[Clause]) -> tuple[str, ...]:
    """Names of the roles, in the order of their statements."""
    stated: list[Clause] = []
    facts: dict[tuple[str, int], list[Literal]] = defaultdict(list)
    for clause in clauses:
        if clause.head.signature == ROLE:
            stated.append(clause)
        if not clause.body:
            facts[clause.head.signature].append(clause.head)
    roles: dict[str, None] = {}
    for clause in stated:
        if clause.body:
            values = sorted(v for v in _solutions(clause, facts) if isinstance(v, str))
        else:
            values = [v for v in clause.head.arguments if isinstance(v, str)]
        roles.update(dict.fromkeys(values))
    return tuple(roles)


def _solutions(clause: Clause, facts: dict[tuple[str, int], list[Literal]]) -> Iterator[Pattern]:
    """The role of a rule in every way its conditions hold of the facts, by plain nested loops."""
    rows: list[dict[Var, Pattern]] = [{}]
    # Positive conditions bind the variables that the others test.
    for condition in sorted(clause.body, key=lambda c: c not in clause.positive):
        extended = (more for row in rows for more in _extended(row, condition, facts))
        # No game has so many roles; a join that large belongs to hostile rules.
        rows = list(islice(extended, MAX_ROWS))
    for row in rows:
        yield _applied(clause.head.arguments[0], row)


def _extended(
    row: dict[Var, Pattern],
    condition: Literal | TermComparison,
    facts: dict[tuple[str, int], list[Literal]],
) -> Iterator[dict[Var, Pattern]]:
    if isinstance(condition, TermComparison):
        if _applied(condition.left, row) != _applied(condition.right, row):
            yield row
        return
    wanted = ("", *(_applied(argument, row) for argument in condition.arguments))
    matches = (
        bindings
        for fact in facts.get(condition.signature, ())
        if (bindings := Bindings()).unify(wanted, ("", *fact.arguments))
    )
    if condition.negated:
        if next(matches, None) is None:
            yield row
        return
    variables = variables_of(condition) - row.keys()
    for bindings in matches:
        yield row | {variable: bindings.applied(variable) for variable in variables}


def _applied(pattern: Pattern, row: dict[Var, Pattern]) -> Pattern:
    return map_variables(pattern, lambda variable: row.get(variable, variable))
