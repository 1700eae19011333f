"""A game in POGDDL as written: effects, actions, results, and the domain and problem they stand in.

Source: Richards (2012), chapter 3 and appendix A, on top of PDDL 2.2 level 2.
Departures: `(:terminal condition)`, and `(:choose …)` in place of the sketch of section 3.6.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from fogspiel.core.source import Source, Span
from fogspiel.rules.pogddl.formulas import (
    NOWHERE,
    Atom,
    Condition,
    Declaration,
    Expression,
    Fluent,
    Name,
    Number,
    Term,
    Typed,
)

MOVER = "whoseturn"
"""The predicate that holds for the role to move."""
PLACEHOLDER = "_"
"""Stands in an observation for an argument that the recipient does not learn."""
ALL, OTHERS = "all", "others"
"""Recipients of an observation: every role, and every role that its list does not name."""


# Effects.


@dataclass(frozen=True, slots=True)
class Add:
    """The atom comes true."""

    atom: Atom
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Delete:
    """The atom comes false."""

    atom: Atom
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Change:
    """`assign increase decrease scale-up scale-down`: the function takes another value."""

    operator: str
    fluent: Fluent
    value: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ObservationClause:
    """What one recipient is told: a role, a variable, `all` or `others`."""

    recipient: Term
    atom: Atom
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Observe:
    """What each recipient is told of the action."""

    observations: tuple[ObservationClause, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class When:
    """The effect takes place if the condition held before the action."""

    condition: Condition
    effect: Effect
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ForEach:
    """`forall`: the effect takes place for all values of the variables."""

    variables: tuple[Typed, ...]
    effect: Effect
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Effects:
    """`and`: all effects take place at once."""

    effects: tuple[Effect, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Effect: TypeAlias = Add | Delete | Change | Observe | When | ForEach | Effects


# Structures of a domain or a problem.


@dataclass(frozen=True, slots=True)
class Action:
    """A move of the role whose turn it is."""

    name: Name
    parameters: tuple[Typed, ...] = ()
    precondition: Condition | None = None
    effect: Effect | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Derived:
    """A predicate that holds where its condition does; it may ask for itself."""

    head: Declaration
    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Gain:
    """What roles get in a terminal state where the condition holds, in addition to other gains."""

    roles: tuple[Typed, ...]
    value: Expression
    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Option:
    """An action that chance may choose, with its weight."""

    weight: Expression
    action: Atom


@dataclass(frozen=True, slots=True)
class Choice:
    """Where the condition holds, chance chooses among these actions by weight, not evenly."""

    parameters: tuple[Typed, ...]
    condition: Condition | None
    options: tuple[Option, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The value of a function at the start."""

    fluent: Fluent
    value: Number
    span: Span = field(default=NOWHERE, compare=False, repr=False)


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
