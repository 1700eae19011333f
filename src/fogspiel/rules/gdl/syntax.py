"""The rules of a game as written: terms, formulas and rules, each with its span.

A span never takes part in equality: two texts that say the same are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from fogspiel.core.source import Source, Span

NOWHERE = Span(0, 0)

KEYWORD_ARITIES = {
    "role": 1, "init": 1, "true": 1, "next": 1, "base": 1,
    "does": 2, "legal": 2, "goal": 2, "input": 2, "sees": 2, "percept": 2,
    "terminal": 0, "distinct": 2,
}  # fmt: skip
"""The relations that have a meaning of their own (GDL 2008, GDL-II 2010)."""

CONNECTIVES = frozenset({"not", "or", "and", "<="})
KEYWORDS = frozenset(KEYWORD_ARITIES) | CONNECTIVES
CHANCE_ROLE = "random"


class Notation(StrEnum):
    """The two ways of writing GDL."""

    PREFIX = "prefix"
    INFIX = "infix"


@dataclass(frozen=True, slots=True)
class Variable:
    """`?x`, or `X` in infix. The name is kept without the question mark."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compound:
    """A name applied to arguments; a plain name is a compound without any."""

    functor: str
    arguments: tuple[Term, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Term: TypeAlias = Variable | Compound


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation applied to terms, in a head or a body."""

    predicate: str
    arguments: tuple[Term, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """`(distinct a b)`."""

    left: Term
    right: Term
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """`(not a)`."""

    formula: Formula
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """`(and a b …)`, as some sheets write inside `or`."""

    formulas: tuple[Formula, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """`(or a b …)`."""

    formulas: tuple[Formula, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Formula: TypeAlias = Atom | Distinct | Not | And | Or


@dataclass(frozen=True, slots=True)
class Rule:
    """`(<= head body…)`, or a fact when the body is empty."""

    head: Atom
    body: tuple[Formula, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Description:
    """A whole rule sheet, as read."""

    rules: tuple[Rule, ...]
    source: Source = field(compare=False, repr=False)
    dialect: Notation = field(default=Notation.PREFIX, compare=False)


def variables_of(term: Term) -> Iterator[Variable]:
    """Every occurrence of a variable in a term, left to right."""
    work = [term]
    while work:
        item = work.pop()
        if isinstance(item, Variable):
            yield item
        else:
            work.extend(reversed(item.arguments))
