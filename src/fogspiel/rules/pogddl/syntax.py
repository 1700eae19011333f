"""A game in POGDDL as written: names, conditions and effects, and the domain and problem they make.

Source: Richards (2012), chapter 3 and appendix A, on top of PDDL 2.2 level 2.
Departures: `(:terminal condition)`, and `(:choose …)` in place of the sketch of section 3.6.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from fogspiel.core.source import Source, Span, Spanned

ANY_TYPE = "object"  #: The type of all objects, and of names that are given none
NUMBER_TYPE = "number"
MOVER = "whoseturn"  #: The predicate that holds for the role to move
PLACEHOLDER = "_"  #: Stands in an observation for an argument that the recipient does not learn
ALL, OTHERS = "all", "others"
"""Recipients of an observation: every role, and every role that its list does not name."""


@dataclass(frozen=True, slots=True)
class Name(Spanned):
    """A name as written: of an object, a type, a requirement."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Variable(Spanned):
    """`?x`. The name is kept without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


Term: TypeAlias = Name | Variable


@dataclass(frozen=True, slots=True)
class Typed:
    """A name or variable of a typed list. No types means `object`, several mean `either`."""

    term: Term
    types: tuple[Name, ...] = ()

    @property
    def span(self) -> Span:
        """The place of the name, without its type."""
        return self.term.span


@dataclass(frozen=True, slots=True)
class Bounds(Spanned):
    """`(number low high)`: the least and the greatest value that a function may have."""

    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Declaration(Spanned):
    """A predicate or function with its parameters."""

    name: Name
    parameters: tuple[Typed, ...] = ()
    bounds: Bounds | None = None  #: Bounds of a function; None where it may have any value


@dataclass(frozen=True, slots=True)
class Atom(Spanned):
    """A name applied to terms: a predicate, an observation, or an action that chance may choose."""

    name: Name
    arguments: tuple[Term, ...] = ()


# Expressions: numbers that depend on the state.


@dataclass(frozen=True, slots=True)
class Number(Spanned):
    """A number as it stands; exact, since weights and payoffs are."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Fluent(Spanned):
    """The value of a function for some arguments."""

    name: Name
    arguments: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Arithmetic(Spanned):
    """`+ - * /` of expressions; `-` of one is its negative."""

    operator: str
    operands: tuple[Expression, ...]


Expression: TypeAlias = Number | Fluent | Arithmetic


# Conditions.


@dataclass(frozen=True, slots=True)
class And(Spanned):
    """All conditions hold; `()` is the conjunction of none."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or(Spanned):
    """Some condition holds."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not(Spanned):
    """The condition does not hold."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Imply(Spanned):
    """The second condition holds if the first does."""

    premise: Condition
    conclusion: Condition


class Quantifier(StrEnum):
    """The two quantifiers, over the objects of the types of their variables."""

    EXISTS = "exists"
    FORALL = "forall"


@dataclass(frozen=True, slots=True)
class Quantified(Spanned):
    """The condition holds for some, or for all, values of the variables."""

    quantifier: Quantifier
    variables: tuple[Typed, ...]
    condition: Condition


@dataclass(frozen=True, slots=True)
class Equal(Spanned):
    """Two terms are the same object."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Comparison(Spanned):
    """`< <= = >= >` between two numbers."""

    operator: str
    left: Expression
    right: Expression


Condition: TypeAlias = Atom | And | Or | Not | Imply | Quantified | Equal | Comparison


# Effects.


@dataclass(frozen=True, slots=True)
class Add(Spanned):
    """The atom comes true."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Delete(Spanned):
    """The atom comes false."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Change(Spanned):
    """`assign increase decrease scale-up scale-down`: the function takes another value."""

    operator: str
    fluent: Fluent
    value: Expression


@dataclass(frozen=True, slots=True)
class ObservationClause(Spanned):
    """What one recipient is told: a role, a variable, `all` or `others`."""

    recipient: Term
    atom: Atom


@dataclass(frozen=True, slots=True)
class Observe(Spanned):
    """What each recipient is told of the action."""

    observations: tuple[ObservationClause, ...]


@dataclass(frozen=True, slots=True)
class When(Spanned):
    """The effect takes place if the condition held before the action."""

    condition: Condition
    effect: Effect


@dataclass(frozen=True, slots=True)
class ForEach(Spanned):
    """`forall`: the effect takes place for all values of the variables."""

    variables: tuple[Typed, ...]
    effect: Effect


@dataclass(frozen=True, slots=True)
class Effects(Spanned):
    """`and`: all effects take place at once."""

    effects: tuple[Effect, ...]


Effect: TypeAlias = Add | Delete | Change | Observe | When | ForEach | Effects


# Structures of a domain or a problem.


@dataclass(frozen=True, slots=True)
class Action(Spanned):
    """A move of the role whose turn it is."""

    name: Name
    parameters: tuple[Typed, ...] = ()
    precondition: Condition | None = None
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class Derived(Spanned):
    """A predicate that holds where its condition does; it may ask for itself."""

    head: Declaration
    condition: Condition


@dataclass(frozen=True, slots=True)
class Gain(Spanned):
    """What roles get in a terminal state where the condition holds, in addition to other gains."""

    roles: tuple[Typed, ...]
    value: Expression
    condition: Condition


@dataclass(frozen=True, slots=True)
class Option:
    """An action that chance may choose, with its weight."""

    weight: Expression
    action: Atom


@dataclass(frozen=True, slots=True)
class Choice(Spanned):
    """A weighted choice of chance: by these weights where the condition holds, else uniform."""

    parameters: tuple[Typed, ...]
    condition: Condition | None
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Assignment(Spanned):
    """The value of a function at the start."""

    fluent: Fluent
    value: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """What is common to all instances of a game."""

    name: Name
    requirements: tuple[Name, ...] = ()
    types: tuple[Typed, ...] = ()
    constants: tuple[Typed, ...] = ()
    predicates: tuple[Declaration, ...] = ()
    functions: tuple[Declaration, ...] = ()
    derived: tuple[Derived, ...] = ()
    actions: tuple[Action, ...] = ()
    choices: tuple[Choice, ...] = ()
    gains: tuple[Gain, ...] = ()
    terminals: tuple[Condition, ...] = ()
    """The game is over where one of them holds, or where the mover has no action."""
    source: Source = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One instance: its objects and how it starts."""

    name: Name
    domain: Name | None = None
    requirements: tuple[Name, ...] = ()
    objects: tuple[Typed, ...] = ()
    facts: tuple[Atom, ...] = ()
    values: tuple[Assignment, ...] = ()
    gains: tuple[Gain, ...] = ()
    terminals: tuple[Condition, ...] = ()
    source: Source = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GameDescription:
    """A game as far as it was given: a domain without a problem can be checked, not played."""

    domain: Domain | None
    problem: Problem | None
