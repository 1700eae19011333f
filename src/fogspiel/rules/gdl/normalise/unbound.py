"""Variables that no positive condition binds. Strict GDL calls such rules unsafe.

In a head: argument places that share a variable somewhere hold values of one sort, found by
union-find. The variable ranges over the names written at places of its sort; where that is the
sort of roles, over the roles. A sort that holds terms with variables has no such list.

In a negation, `not p(x, Y)` where Y occurs nowhere else: every player in use reads it as "there is
no Y". The negation gets a relation `exists_1_p(x)` that holds when p(x, Y) does for some Y, and
denies that instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from fogspiel.core.terms import format_term
from fogspiel.rules.clauses import (
    Clause,
    Condition,
    Literal,
    Pattern,
    TermComparison,
    Var,
    as_ground,
    is_ground,
    map_variables,
    pattern_variables,
    unused_name,
    variables_of,
)
from fogspiel.rules.graphs import UnionFind

Place: TypeAlias = tuple[str, int, int]
"""Name, number of arguments and position; functions are marked by a blank before the name."""

ROLE_PLACE: Place = ("role", 1, 0)
FLUENT_PLACE: Place = ("true", 1, 0)
MOVE_PLACE: Place = ("does", 2, 1)
FLUENT_WORDS = frozenset({"init", "true", "next", "base"})
MOVE_WORDS = frozenset({"legal", "does", "input"})
ROLE_WORDS = MOVE_WORDS | {"goal", "sees", "percept"}
MAX_VALUES = 500


class ArgumentSorts:
    """The sorts of all argument places of some clauses."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        self._sorts = UnionFind[Place]()
        self._written: list[tuple[Place, Pattern]] = []
        for clause in clauses:
            places: dict[Var, Place] = {}
            for literal in (clause.head, *clause.literals):
                for index, argument in enumerate(literal.arguments):
                    self._walk(argument, _place(literal, index), places)
        self._values: dict[Place, dict[Pattern, None]] = defaultdict(dict)
        self._open: set[Place] = set()
        for place, pattern in self._written:
            root = self._sorts.root(place)
            if is_ground(pattern):
                self._values[root][pattern] = None
            else:
                self._open.add(root)

    def values(self, literal: Literal, variable: Var) -> list[Pattern] | None:
        """The values of a variable of the literal; None when they cannot be listed."""
        root = self._sorts.root(self._place_of(literal, variable))
        if root in self._open or not 0 < len(self._values[root]) <= MAX_VALUES:
            return None
        return sorted(self._values[root], key=lambda value: format_term(as_ground(value)))

    def is_role(self, literal: Literal, variable: Var) -> bool:
        """Whether a variable of the literal stands for roles."""
        return self._sorts.root(self._place_of(literal, variable)) == self._sorts.root(ROLE_PLACE)

    def _walk(self, pattern: Pattern, place: Place, places: dict[Var, Place]) -> None:
        if isinstance(pattern, Var):
            self._sorts.join(place, places.setdefault(pattern, place))
            return
        self._written.append((place, pattern))
        if isinstance(pattern, tuple):
            for index, argument in enumerate(pattern[1:]):
                self._walk(argument, (f" {pattern[0]}", len(pattern) - 1, index), places)

    def _place_of(self, literal: Literal, variable: Var) -> Place:
        work = [(a, _place(literal, index)) for index, a in enumerate(literal.arguments)]
        while work:
            pattern, place = work.pop(0)
            if pattern == variable:
                return place
            if isinstance(pattern, tuple):
                name, arity = f" {pattern[0]}", len(pattern) - 1
                work += [(a, (name, arity, index)) for index, a in enumerate(pattern[1:])]
        raise AssertionError(f"{variable} is no variable of {literal}")


def _place(literal: Literal, index: int) -> Place:
    """Keywords that speak of the same thing share its place."""
    name, arity = literal.signature
    if arity == 1 and name in FLUENT_WORDS:
        return FLUENT_PLACE
    if arity == 2 and name in ROLE_WORDS:
        if index == 0:
            return ROLE_PLACE
        if name in MOVE_WORDS:
            return MOVE_PLACE
    return name, arity, index


def unbound_in_head(clause: Clause) -> list[Var]:
    """The variables of a head that no positive condition binds, in order."""
    bound = {variable for literal in clause.positive for variable in variables_of(literal)}
    found = (v for argument in clause.head.arguments for v in pattern_variables(argument))
    return [variable for variable in dict.fromkeys(found) if variable not in bound]


def bind_heads(clauses: list[Clause], taken: set[str]) -> list[Clause]:
    """Give every unbound variable of a head a condition that lists its values.

    A clause with a variable whose values cannot be listed is dropped: checks have refused it,
    unless it cannot matter.
    """
    faulty = [bool(unbound_in_head(clause)) for clause in clauses]
    if not any(faulty):
        return clauses
    sorts = ArgumentSorts(clauses)
    names: dict[tuple[Pattern, ...], str] = {}
    bound: list[Clause] = []
    for clause, is_faulty in zip(clauses, faulty, strict=True):
        if not is_faulty:
            bound.append(clause)
            continue
        conditions: list[Literal | TermComparison] = []
        for variable in unbound_in_head(clause):
            if sorts.is_role(clause.head, variable):
                conditions.append(Literal("role", (variable,)))
            elif (values := sorts.values(clause.head, variable)) is not None:
                key = tuple(values)
                if key not in names:
                    names[key] = unused_name(f"sort_{len(names) + 1}", taken, "_")
                conditions.append(Literal(names[key], (variable,)))
            else:
                break
        else:
            bound.append(Clause(clause.head, (*conditions, *clause.body), clause.span))
    facts = [Clause(Literal(name, (value,))) for values, name in names.items() for value in values]
    return bound + facts


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
