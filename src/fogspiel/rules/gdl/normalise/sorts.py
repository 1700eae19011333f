"""What a variable that nothing binds may stand for.

Argument places that share a variable somewhere hold values of one sort, found by union-find. An
unbound variable of a head ranges over the names written at places of its sort; where that is the
sort of roles, over the roles. A sort that holds terms with variables has no such list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from fogspiel.core.terms import format_term
from fogspiel.rules.clauses import (
    Clause,
    Literal,
    Pattern,
    TermComparison,
    Var,
    as_ground,
    is_ground,
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
