"""The rules of a game in GDL as written: terms, formulas and rules, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from fogspiel.core.source import Source, Spanned
from fogspiel.rules.clauses import Signature

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

    @property
    def signature(self) -> Signature:
        """Name and arity of the relation."""
        return self.predicate, len(self.arguments)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The arguments."""
        return self.arguments


@dataclass(frozen=True, slots=True)
class Distinct(Spanned):
    """`(distinct a b)`."""

    left: Term
    right: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """Both sides."""
        return self.left, self.right


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
    lost: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """The words of what could not be read: what seems to be missing may stand there."""


def subterms(terms: Iterable[Term]) -> Iterator[Term]:
    """The terms and everything inside them, left to right."""
    work = list(reversed(tuple(terms)))
    while work:
        term = work.pop()
        yield term
        if isinstance(term, Compound):
            work.extend(reversed(term.arguments))


def variables_of(*terms: Term) -> Iterator[Variable]:
    """Every occurrence of a variable in some terms, left to right."""
    return (term for term in subterms(terms) if isinstance(term, Variable))


def subformulas(body: Iterable[Formula]) -> Iterator[tuple[Formula, bool]]:
    """The formulas of a body and everything inside them, each with whether it is negated."""
    work: list[tuple[Formula, bool]] = [(formula, False) for formula in reversed(tuple(body))]
    while work:
        formula, negated = work.pop()
        yield formula, negated
        match formula:
            case Not(inner):
                work.append((inner, not negated))
            case And(formulas) | Or(formulas):
                work.extend((part, negated) for part in reversed(formulas))


def all_terms(rule: Rule) -> Iterator[Term]:
    """Every term of a rule, at any depth."""
    yield from subterms(rule.head.arguments)
    for formula, _ in subformulas(rule.body):
        if isinstance(formula, Atom | Distinct):
            yield from subterms(formula.terms)
