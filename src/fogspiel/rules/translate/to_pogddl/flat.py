"""Clauses without functions: every relation, fluent, move and percept takes plain names alone.

`(holds ?p (card ?r ?s))` becomes the predicate `holds` of the shape `(. (card . .))` with the
arguments ?p ?r ?s. A clause whose variables can have several shapes becomes several clauses.

Fluents, moves and percepts that are plain names are predicates without arguments, unless a rule
asks for them by a variable, as in `(does ?p ?m)`: then such names are objects, and the predicate is
that of all plain fluents, moves or percepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.core.source import Span
from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import (
    DOES,
    INIT,
    LEGAL,
    NEXT,
    SEES,
    TRUE,
    Clause,
    Literal,
    Pattern,
    Program,
    TermComparison,
    Var,
)
from fogspiel.rules.translate.to_pogddl.term_shapes import (
    LEAF,
    Binding,
    Shape,
    bindings_of,
    shapes_of,
    spread,
)

FLUENT, MOVE, PERCEPT = "fluent", "move", "percept"
PLACES = {
    INIT: FLUENT, TRUE: FLUENT, NEXT: FLUENT,
    LEGAL: MOVE, DOES: MOVE,
    SEES: PERCEPT,
}  # fmt: skip
"""Relations whose last argument is no object but something that holds, is done or is seen."""

FlatTerm: TypeAlias = str | Var


@dataclass(frozen=True, slots=True)
class FlatKey:
    """A predicate: a relation of GDL whose arguments have these shapes."""

    relation: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class FlatLiteral:
    """A predicate of plain arguments, or its negation."""

    key: FlatKey
    arguments: tuple[FlatTerm, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Differing:
    """Some pair of terms differs."""

    pairs: tuple[tuple[FlatTerm, FlatTerm], ...]


FlatCondition: TypeAlias = FlatLiteral | Differing


@dataclass(frozen=True, slots=True)
class FlatClause:
    """A clause of flat conditions."""

    head: FlatLiteral
    body: tuple[FlatCondition, ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class FlatProgram:
    """All clauses, and the kinds of plain names that are objects."""

    clauses: tuple[FlatClause, ...]
    generic: frozenset[str]
    """The kinds among `FLUENT`, `MOVE` and `PERCEPT` whose plain names are objects."""

    def literal(self, relation: str, arguments: Sequence[GroundTerm]) -> FlatLiteral:
        """A ground atom as a flat literal."""
        return flat_literal(Literal(relation, tuple(arguments)), self.generic)


def flatten(program: Program) -> FlatProgram:
    """The flat clauses of a program. Raises `LimitError` where terms grow without end."""
    shapes = shapes_of(program)
    bound = [
        (clause, binding) for clause in program.clauses for binding in bindings_of(clause, shapes)
    ]
    generic = frozenset(
        place for clause, binding in bound for place in _asked_by_variable(clause, binding)
    )
    clauses: dict[FlatClause, None] = {}
    for clause, binding in bound:
        flat = _flat_clause(clause, binding, generic)
        if flat is not None:
            clauses[flat] = None
    return FlatProgram(tuple(_possible(clauses)), generic)


def flat_literal(literal: Literal, generic: Iterable[str]) -> FlatLiteral:
    """A literal with its nested terms taken apart; its variables stand for names."""
    place = PLACES.get(literal.signature)
    shapes: list[Shape] = []
    arguments: list[FlatTerm] = []
    for index, argument in enumerate(literal.arguments):
        is_last = index == len(literal.arguments) - 1
        if is_last and place is not None and place not in generic and isinstance(argument, str):
            shapes.append((argument,))
        else:
            shapes.append(_take_apart(argument, arguments))
    return FlatLiteral(FlatKey(literal.predicate, tuple(shapes)), tuple(arguments), literal.negated)


def _take_apart(pattern: Pattern, names: list[FlatTerm]) -> Shape:
    """The shape of a pattern; its names and variables are appended."""
    if isinstance(pattern, tuple):
        assert isinstance(pattern[0], str)
        return (pattern[0], *[_take_apart(argument, names) for argument in pattern[1:]])
    names.append(pattern)
    return LEAF


def _asked_by_variable(clause: Clause, binding: Binding) -> Iterable[str]:
    """The kinds of things for which the clause has a variable that stands for a plain name."""
    for literal in (clause.head, *clause.literals):
        if place := PLACES.get(literal.signature):
            term = literal.arguments[-1]
            if isinstance(term, Var) and binding.get(term, LEAF) == LEAF:
                yield place


def _flat_clause(clause: Clause, binding: Binding, generic: frozenset[str]) -> FlatClause | None:
    """The clause for one choice of shapes; None where that contradicts a comparison."""

    def flat(literal: Literal) -> FlatLiteral:
        arguments = tuple(spread(argument, binding) for argument in literal.arguments)
        return flat_literal(Literal(literal.predicate, arguments, literal.negated), generic)

    body: dict[FlatCondition, None] = {}
    for condition in clause.body:
        if isinstance(condition, TermComparison):
            differing = _differing(
                spread(condition.left, binding), spread(condition.right, binding)
            )
            if differing is None:
                continue
            if not differing.pairs:
                return None
            body[differing] = None
            continue
        body[flat(condition)] = None
    return FlatClause(flat(clause.head), tuple(body), clause.span)


def _differing(left: Pattern, right: Pattern) -> Differing | None:
    """The condition that two terms differ: None if always; without pairs if never."""
    pairs: list[tuple[FlatTerm, FlatTerm]] = []
    work = [(left, right)]
    while work:
        first, second = work.pop()
        if isinstance(first, tuple) or isinstance(second, tuple):
            if not isinstance(first, tuple) or not isinstance(second, tuple):
                return None
            if first[0] != second[0] or len(first) != len(second):
                return None
            work += zip(first[:0:-1], second[:0:-1], strict=True)
        elif isinstance(first, str) and isinstance(second, str) and first != second:
            return None
        elif first != second:
            pairs.append((first, second))
    return Differing(tuple(pairs))


def _possible(clauses: Iterable[FlatClause]) -> list[FlatClause]:
    """The clauses whose positive conditions some clause can bring about; the rest never apply.

    A negation of what nothing brings about always holds, and is left out.
    """
    remaining, kept = list(clauses), list[FlatClause]()
    made: set[FlatKey] = set()
    changes = True
    while changes:
        changes = False
        waiting: list[FlatClause] = []
        for clause in remaining:
            if all(
                c.key in made for c in clause.body if isinstance(c, FlatLiteral) and not c.negated
            ):
                kept.append(clause)
                changes = True
                made |= consequences(clause.head.key)
            else:
                waiting.append(clause)
        remaining = waiting
    order = {clause: index for index, clause in enumerate(clauses)}
    kept.sort(key=order.__getitem__)
    return [
        FlatClause(
            clause.head,
            tuple(
                c for c in clause.body
                if not (isinstance(c, FlatLiteral) and c.negated and c.key not in made)
            ),
            clause.span,
        )
        for clause in kept
    ]  # fmt: skip


def consequences(key: FlatKey) -> set[FlatKey]:
    """The predicate, and what may hold or be done because of it."""
    follows = {"init": "true", "next": "true", "legal": "does"}
    if key.relation in follows and (key.relation, len(key.shapes)) in PLACES:
        return {key, FlatKey(follows[key.relation], key.shapes)}
    return {key}
