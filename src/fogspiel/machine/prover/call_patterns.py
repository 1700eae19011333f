"""Shapes of calls: which arguments of a relation are given, asked for, or only need to exist.

A shape has a mode for each argument. An argument with a known functor is opened one level, so that
`(true (cell ?x ?y ?b))` with known `?x ?y` is looked up by functor and place.

`Modes` tells which arguments must be given so that a relation has finitely many answers, which are
ground. Safe rules bind every variable of their heads, so that any call will do. Published rules
also have clauses such as `(<= (member ?x (cons ?x ?rest)))`, which can only test given arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Clause, Literal, Pattern, Var, is_ground, pattern_variables

BOUND = "b"  #: Mode of an argument whose value the caller gives
FREE = "f"  #: Mode of an argument of which the caller wants every value
SOME = "x"  #: Mode of an argument that only needs to have some value

Mode: TypeAlias = str | tuple[str, ...]
"""One of the three modes, or a functor followed by the modes of its arguments."""
Shape: TypeAlias = tuple[Mode, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """A literal as a call: its shape, its inputs, and its outputs."""

    shape: Shape
    inputs: tuple[Pattern, ...]
    """Patterns whose variables are all bound: the values of the bound places, in order."""
    outputs: tuple[Pattern, ...]
    """Patterns that each answer must match: the values of the free places, in order."""


def goal_of(
    literal: Literal, bound: Collection[Var], wanted: Collection[Var], *, build: bool = True
) -> Goal:
    """The call of a literal when some variables are bound and some are wanted afterwards.

    build: whether the call may give terms that are built from bound variables. Otherwise such terms
    are matched with the answers, so that a call never gives a larger term than it was given.
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


Signature: TypeAlias = tuple[str, int]  #: Name and arity of a relation
_Mode: TypeAlias = tuple[Signature, frozenset[int]]


class Modes:
    """Tells whether a relation can be called with some of its arguments bound."""

    def __init__(self, rules: Mapping[Signature, Sequence[Clause]]) -> None:
        self._rules = rules
        self._partial = _partial_relations(rules)
        self._answerable: dict[_Mode, bool] = {}

    def answerable(self, signature: Signature, bound: frozenset[int]) -> bool:
        """Whether a call that gives these arguments has only ground answers."""
        if signature not in self._partial:
            return True
        mode = signature, bound
        if mode not in self._answerable:
            self._analyse(mode)
        return self._answerable[mode]

    def _analyse(self, mode: _Mode) -> None:
        """Assume that all calls met can be answered, and drop those that cannot (a fixpoint)."""
        fresh = [mode]
        self._answerable[mode] = True
        changed = True
        while changed:
            changed = False
            for met in fresh:  # grows as new calls are met
                signature, bound = met
                if self._answerable[met] and not all(
                    self._clause_binds(clause, bound, fresh) for clause in self._rules[signature]
                ):
                    self._answerable[met] = False
                    changed = True

    def _clause_binds(self, clause: Clause, given: frozenset[int], fresh: list[_Mode]) -> bool:
        head = clause.head.arguments
        bound = {v for index in given for v in pattern_variables(head[index])}
        waiting = [c for c in clause.body if isinstance(c, Literal) and not c.negated]
        while True:
            ready = [c for c in waiting if self._ready(c, bound, fresh)]
            if not ready:
                break
            waiting = [c for c in waiting if c not in ready]
            for literal in ready:
                for argument in literal.arguments:
                    bound.update(pattern_variables(argument))
        return not waiting and all(v in bound for a in head for v in pattern_variables(a))

    def _ready(self, literal: Literal, bound: set[Var], fresh: list[_Mode]) -> bool:
        if literal.signature not in self._partial:
            return True
        mode = literal.signature, bound_arguments(literal, bound)
        if mode not in self._answerable:
            self._answerable[mode] = True
            fresh.append(mode)
        return self._answerable[mode]


def bound_arguments(literal: Literal, bound: Collection[Var]) -> frozenset[int]:
    """The arguments of a literal whose variables are all bound."""
    return frozenset(
        index
        for index, argument in enumerate(literal.arguments)
        if all(variable in bound for variable in pattern_variables(argument))
    )


def _partial_relations(rules: Mapping[Signature, Sequence[Clause]]) -> set[Signature]:
    """Relations with a clause that leaves a variable unbound, and those that depend on them."""
    partial: set[Signature] = set()
    changed = True
    while changed:
        changed = False
        for signature, clauses in rules.items():
            if signature not in partial and any(_leaves_open(c, partial) for c in clauses):
                partial.add(signature)
                changed = True
    return partial


def _leaves_open(clause: Clause, partial: set[Signature]) -> bool:
    positive = [c for c in clause.body if isinstance(c, Literal) and not c.negated]
    if any(literal.signature in partial for literal in positive):
        return True
    bound = {v for c in positive for argument in c.arguments for v in pattern_variables(argument)}
    return any(v not in bound for a in clause.head.arguments for v in pattern_variables(a))
