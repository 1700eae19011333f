"""The form in which every language hands its rules to `ground` and `machine`.

A program is a set of Horn-like clauses with stratified negation over the relations of GDL-II:
`role init true does next legal goal terminal sees`. Disjunctions are gone; terms are plain values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm


@dataclass(frozen=True, slots=True)
class Var:
    """A variable of a clause."""

    name: str


Pattern: TypeAlias = "str | Var | tuple[Pattern, ...]"
"""A term that may hold variables: a name, a variable, or (functor, argument, …)."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A relation that must hold, or (negated) must not."""

    predicate: str
    arguments: tuple[Pattern, ...] = ()
    negated: bool = False

    @property
    def signature(self) -> tuple[str, int]:
        """Name and arity: two relations of one name and different arity are different."""
        return self.predicate, len(self.arguments)


@dataclass(frozen=True, slots=True)
class TermComparison:
    """Two terms that must be equal, or must differ."""

    left: Pattern
    right: Pattern
    equal: bool = False


Condition: TypeAlias = Literal | TermComparison


@dataclass(frozen=True, slots=True)
class Clause:
    """`head` holds when all of `body` does. `span` is the rule it came from."""

    head: Literal
    body: tuple[Condition, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    is_choice: bool = False
    """Whether the head only may hold where the body does: something else decides."""


@dataclass(frozen=True, slots=True)
class Program:
    """Rules with variables, ready to be grounded or reasoned on."""

    clauses: tuple[Clause, ...]
    roles: tuple[str, ...]
    """In the order of their facts; the game's order of play and of results."""
    source: Source = field(compare=False, repr=False)
    chance_role: str | None = None
    has_percepts: bool = False
    """Whether the rules say what roles see. Otherwise every role sees the joint move."""


def pattern_variables(pattern: Pattern) -> Iterator[Var]:
    """Every occurrence of a variable, left to right."""
    work: list[Pattern] = [pattern]
    while work:
        item = work.pop()
        if isinstance(item, Var):
            yield item
        elif isinstance(item, tuple):
            work.extend(reversed(item[1:]))


def is_ground(pattern: Pattern) -> bool:
    """Whether a pattern holds no variable, and so is a `GroundTerm`."""
    return next(pattern_variables(pattern), None) is None


def as_ground(pattern: Pattern) -> GroundTerm:
    """The pattern as a ground term. It must hold no variable."""
    assert is_ground(pattern)
    return pattern  # type: ignore[return-value]
