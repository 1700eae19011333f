"""Shapes of calls: which parts of a relation's arguments are known, asked for, or indifferent.

A shape has a mode for each argument. An argument with a functor known at planning time is opened
one level, so that `(true (cell ?x ?y ?b))` with `?x ?y` known is looked up by functor and place.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Literal, Pattern, Var, is_ground, pattern_variables

BOUND = "b"
"""The caller gives the value."""
FREE = "f"
"""The caller wants every value."""
SOME = "x"
"""The caller wants to know only that there is a value."""

Mode: TypeAlias = str | tuple[str, ...]
"""One of the above, or a functor followed by the modes of its arguments."""
Shape: TypeAlias = tuple[Mode, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """A literal seen as a call: its shape, what it gives, and what it gets back."""

    shape: Shape
    inputs: tuple[Pattern, ...]
    """Patterns whose variables are all bound: the values of the bound places, in order."""
    outputs: tuple[Pattern, ...]
    """Patterns that each answer must match: the values of the free places, in order."""


def goal_of(
    literal: Literal, bound: Collection[Var], wanted: Collection[Var], *, build: bool = True
) -> Goal:
    """How to call a literal when some variables are bound and some are wanted afterwards.

    build: whether terms may be built from bound variables to be given as they are. Otherwise
    they are compared with the answers, and a call never gives a term larger than those it has.
    """
    occurrences: dict[Var, int] = {}
    for argument in literal.arguments:
        for variable in pattern_variables(argument):
            occurrences[variable] = occurrences.get(variable, 0) + 1
    inputs: list[Pattern] = []
    outputs: list[Pattern] = []

    def given(pattern: Pattern) -> bool:
        if isinstance(pattern, tuple) and not build:
            return is_ground(pattern)
        return all(variable in bound for variable in pattern_variables(pattern))

    def mode(pattern: Pattern) -> str:
        if given(pattern):
            inputs.append(pattern)
            return BOUND
        if isinstance(pattern, Var) and pattern not in wanted and occurrences[pattern] == 1:
            return SOME
        outputs.append(pattern)
        return FREE

    def opened(pattern: Pattern) -> Mode:
        if isinstance(pattern, tuple) and not given(pattern):
            functor = pattern[0]
            assert isinstance(functor, str)
            return (functor, *map(mode, pattern[1:]))
        return mode(pattern)

    shape = tuple(map(opened, literal.arguments))
    return Goal(shape, tuple(inputs), tuple(outputs))


def leaves(shape: Shape) -> tuple[str, ...]:
    """The modes of a shape from left to right, opened arguments included."""
    return tuple(
        leaf for mode in shape for leaf in ((mode,) if isinstance(mode, str) else mode[1:])
    )


def pattern_of(shape: Shape, names: Sequence[Var]) -> tuple[Pattern, ...]:
    """Arguments of the shape with a variable at each leaf, taken from `names` in order."""
    rest = iter(names)
    return tuple(
        next(rest) if isinstance(mode, str) else (mode[0], *(next(rest) for _ in mode[1:]))
        for mode in shape
    )


def leaf_values(shape: Shape, arguments: Sequence[GroundTerm]) -> tuple[GroundTerm, ...] | None:
    """The values of a fact at the leaves of a shape; None where a functor differs."""
    values: list[GroundTerm] = []
    for mode, argument in zip(shape, arguments, strict=True):
        if isinstance(mode, str):
            values.append(argument)
        elif isinstance(argument, tuple) and len(argument) == len(mode) and argument[0] == mode[0]:
            values.extend(argument[1:])
        else:
            return None
    return tuple(values)
