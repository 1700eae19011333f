"""What the rules of a POGDDL game are made of: typed names, numbers and conditions.

Source: Richards (2012), appendix A: <typed list>, <f-exp>, <GD>.
A span never takes part in equality: two texts that say the same are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from fogspiel.core.source import Span

NOWHERE = Span(0, 0)

ANY_TYPE = "object"
"""The type of all objects, and of names that are given none."""
NUMBER_TYPE = "number"


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written: of an object, a type, a requirement."""

    text: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """`?x`. The name is kept without the question mark."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Term: TypeAlias = Name | Variable


@dataclass(frozen=True, slots=True)
class Typed:
    """A name or variable of a typed list. No types means `object`, several mean `either`."""

    term: Term
    types: tuple[Name, ...] = ()

    @property
    def span(self) -> Span:
        """Where the name stands, without its type."""
        return self.term.span


@dataclass(frozen=True, slots=True)
class Bounds:
    """`(number low high)`: the least and the greatest value that a function may have."""

    low: Fraction
    high: Fraction
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A predicate or function with its parameters."""

    name: Name
    parameters: tuple[Typed, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    bounds: Bounds | None = None
    """Of a function; None where it may have any value."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A name applied to terms: a predicate, an observation, or an action that chance may choose."""

    name: Name
    arguments: tuple[Term, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


# Expressions: numbers that depend on the state.


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it stands; exact, since weights and payoffs are."""

    value: Fraction
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fluent:
    """The value of a function for some arguments."""

    name: Name
    arguments: tuple[Term, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`+ - * /` of expressions; `-` of one is its negative."""

    operator: str
    operands: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Expression: TypeAlias = Number | Fluent | Arithmetic


# Conditions.


@dataclass(frozen=True, slots=True)
class And:
    """All conditions hold; `()` is the conjunction of none."""

    conditions: tuple[Condition, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """Some condition holds."""

    conditions: tuple[Condition, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Imply:
    """If the first condition holds, so does the second."""

    premise: Condition
    conclusion: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Quantifier(StrEnum):
    """Over the objects of the types of some variables."""

    EXISTS = "exists"
    FORALL = "forall"


@dataclass(frozen=True, slots=True)
class Quantified:
    """The condition holds for some, or for all, values of the variables."""

    quantifier: Quantifier
    variables: tuple[Typed, ...]
    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Equal:
    """Two terms are the same object."""

    left: Term
    right: Term
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`< <= = >= >` between two numbers."""

    operator: str
    left: Expression
    right: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Condition: TypeAlias = Atom | And | Or | Not | Imply | Quantified | Equal | Comparison
