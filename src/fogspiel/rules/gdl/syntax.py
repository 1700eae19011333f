"""The rules of a game in GDL as written: terms, formulas and rules, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from fogspiel.core.source import Source, Spanned

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
class Variable(Spanned):
    """`?x`, or `X` in infix. The name is kept without the question mark."""

    name: str


@dataclass(frozen=True, slots=True)
class Compound(Spanned):
    """A name applied to arguments; a plain name is a compound without any."""

    functor: str
    arguments: tuple[Term, ...] = ()


Term: TypeAlias = Variable | Compound


@dataclass(frozen=True, slots=True)
class Atom(Spanned):
    """A relation applied to terms, in a head or a body."""

    predicate: str
    arguments: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Distinct(Spanned):
    """`(distinct a b)`."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not(Spanned):
    """`(not a)`."""

    formula: Formula


@dataclass(frozen=True, slots=True)
class And(Spanned):
    """`(and a b …)`, as some sheets write inside `or`."""

    formulas: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or(Spanned):
    """`(or a b …)`."""

    formulas: tuple[Formula, ...]


Formula: TypeAlias = Atom | Distinct | Not | And | Or


@dataclass(frozen=True, slots=True)
class Rule(Spanned):
    """`(<= head body…)`, or a fact when the body is empty."""

    head: Atom
    body: tuple[Formula, ...] = ()


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
