"""Clauses: the form in which every language hands its rules to `ground` and `machine`.

A program is a set of Horn-like clauses with stratified negation over the relations of GDL-II:
`role init true does next legal goal terminal sees`. Disjunctions are gone; terms are plain values.

Terms are unified as by Robinson (1965), with the occurs check. Equations between terms can name
terms of exponential size. Rules of games never do, so the work is counted and given up early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm

Signature: TypeAlias = tuple[str, int]  #: Name and arity of a relation

ROLE: Signature = ("role", 1)
INIT: Signature = ("init", 1)
TRUE: Signature = ("true", 1)
DOES: Signature = ("does", 2)
NEXT: Signature = ("next", 1)
LEGAL: Signature = ("legal", 2)
GOAL: Signature = ("goal", 2)
TERMINAL: Signature = ("terminal", 0)
SEES: Signature = ("sees", 2)
PLAYED = frozenset({ROLE, INIT, NEXT, LEGAL, GOAL, TERMINAL, SEES})
"""The relations that a match asks for."""
MAX_STEPS = 20_000


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
    def signature(self) -> Signature:
        """Name and arity: two relations of one name and different arity are different."""
        return self.predicate, len(self.arguments)

    @property
    def terms(self) -> tuple[Pattern, ...]:
        """The arguments."""
        return self.arguments

    def map(self, change: Callable[[Pattern], Pattern]) -> Literal:
        """The literal with every argument changed."""
        return Literal(self.predicate, tuple(map(change, self.arguments)), self.negated)


@dataclass(frozen=True, slots=True)
class TermComparison:
    """Two terms that must be equal, or must differ."""

    left: Pattern
    right: Pattern
    equal: bool = False

    @property
    def terms(self) -> tuple[Pattern, ...]:
        """Both sides."""
        return self.left, self.right

    def map(self, change: Callable[[Pattern], Pattern]) -> TermComparison:
        """The comparison with both sides changed."""
        return TermComparison(change(self.left), change(self.right), self.equal)


Condition: TypeAlias = Literal | TermComparison


@dataclass(frozen=True, slots=True)
class Clause:
    """`head` holds when all of `body` does. `span` is the rule it came from."""

    head: Literal
    body: tuple[Condition, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    is_choice: bool = False
    """Whether the head only may hold where the body does: something else decides."""

    @property
    def literals(self) -> list[Literal]:
        """The relations that the body asks for, negated or not."""
        return [condition for condition in self.body if isinstance(condition, Literal)]

    @property
    def positive(self) -> list[Literal]:
        """The relations that must hold: they bind the variables of the clause."""
        return [literal for literal in self.literals if not literal.negated]


@dataclass(frozen=True, slots=True)
class Program:
    """Rules with variables, ready to be grounded or reasoned on."""

    clauses: tuple[Clause, ...]
    roles: tuple[str, ...]  #: Roles in the order of their facts: the order of play and of results
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


def variables_of(condition: Condition) -> set[Var]:
    """The variables of a literal or comparison."""
    return {variable for term in condition.terms for variable in pattern_variables(term)}


def map_variables(pattern: Pattern, value: Callable[[Var], Pattern]) -> Pattern:
    """The pattern with every variable replaced by its value."""
    if isinstance(pattern, Var):
        return value(pattern)
    if isinstance(pattern, tuple):
        return (pattern[0], *(map_variables(argument, value) for argument in pattern[1:]))
    return pattern


def unused_name(wish: str, taken: set[str], joint: str = "-") -> str:
    """The wish, or with a number behind it if it is taken. The name is taken from now on."""
    name, number = wish, 1
    while name in taken:
        number += 1
        name = f"{wish}{joint}{number}"
    taken.add(name)
    return name


def is_ground(pattern: Pattern) -> bool:
    """Whether a pattern holds no variable, and so is a `GroundTerm`."""
    return next(pattern_variables(pattern), None) is None


def as_ground(pattern: Pattern) -> GroundTerm:
    """The pattern as a ground term. It must hold no variable."""
    assert is_ground(pattern)
    return pattern  # type: ignore[return-value]


class PatternTooLargeError(Exception):
    """The equations of one clause make terms of unreasonable size."""


class Bindings:
    """What variables stand for, as far as equations have said."""

    def __init__(self) -> None:
        self._values: dict[Var, Pattern] = {}
        self._steps = 0

    def unify(self, left: Pattern, right: Pattern) -> bool:
        """Bind variables so that both patterns become equal; False when nothing can do that."""
        work = [(left, right)]
        while work:
            self._count()
            first, second = work.pop()
            a, b = self._resolved(first), self._resolved(second)
            if isinstance(a, Var):
                if a != b and not self._bind(a, b):
                    return False
            elif isinstance(b, Var):
                if not self._bind(b, a):
                    return False
            elif isinstance(a, tuple) and isinstance(b, tuple):
                if len(a) != len(b) or a[0] != b[0]:
                    return False
                work.extend(zip(a[1:], b[1:], strict=True))
            elif a != b:
                return False
        return True

    def applied(self, pattern: Pattern) -> Pattern:
        """The pattern with every bound variable replaced, as deep as bindings reach."""
        self._count()
        pattern = self._resolved(pattern)
        if isinstance(pattern, tuple):
            return (pattern[0], *(self.applied(argument) for argument in pattern[1:]))
        return pattern

    def _bind(self, variable: Var, value: Pattern) -> bool:
        if self._occurs(variable, value):
            return False
        self._values[variable] = value
        return True

    def _resolved(self, pattern: Pattern) -> Pattern:
        """What a chain of bound variables ends in."""
        while isinstance(pattern, Var) and pattern in self._values:
            pattern = self._values[pattern]
        return pattern

    def _occurs(self, variable: Var, pattern: Pattern) -> bool:
        work = [pattern]
        while work:
            self._count()
            item = self._resolved(work.pop())
            if item == variable:
                return True
            if isinstance(item, tuple):
                work.extend(item[1:])
        return False

    def _count(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise PatternTooLargeError
