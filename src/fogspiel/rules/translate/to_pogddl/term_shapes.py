"""Shapes of terms: the nested terms that can stand at each place, found without grounding.

POGDDL has no functions: a predicate takes objects alone. A term such as `(card ace spades)` is
therefore taken apart, which needs to know where such terms occur. All names are replaced by one,
negations and comparisons are left out, and what can be derived from the rules that remain are the
shapes: a few per relation, where grounding would list thousands of atoms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

from fogspiel.core.findings import LimitError
from fogspiel.core.terms import GroundTerm, term_depth
from fogspiel.rules.clauses import (
    DOES,
    INIT,
    LEGAL,
    NEXT,
    TRUE,
    Clause,
    Literal,
    Pattern,
    Program,
    Signature,
    Var,
    map_variables,
)

Shape: TypeAlias = GroundTerm  #: A term whose names are all `LEAF`; functors keep theirs
Binding: TypeAlias = dict[Var, Shape]
Shapes: TypeAlias = Mapping[Signature, Mapping[tuple[Shape, ...], None]]
"""The shapes of the arguments of every relation, in the order in which they were found."""

LEAF = "."
MAX_DEPTH = 12  #: Deeper terms are lists that grow by a rule
MAX_SHAPES = 3_000  #: A relation of more would become as many predicates: nobody could read them

SAME_TERMS: Mapping[Signature, Signature] = {
    INIT: TRUE,
    NEXT: TRUE,
    LEGAL: DOES,
}
"""What follows for the second relation from the first, by the meaning of GDL."""


def shapes_of(program: Program) -> Shapes:
    """The shapes of all relations. Raises `LimitError` where terms grow without end."""
    found: dict[Signature, dict[tuple[Shape, ...], None]] = defaultdict(dict)
    rules: dict[Clause, None] = {}
    for clause in program.clauses:
        if clause.body:
            rules[clause] = None
        else:
            _add(found, clause.head.signature, _instance(clause.head, {}))
    changes = True
    while changes:
        changes = False
        for rule in rules:
            for binding in bindings_of(rule, found):
                changes |= _add(found, rule.head.signature, _instance(rule.head, binding))
        if sum(map(len, found.values())) > MAX_SHAPES or _depth(found) > MAX_DEPTH:
            raise LimitError.of(
                "TRN002",
                "terms nest too deep, or in too many ways, to be taken apart into objects",
                fix="bound what the rules nest, e.g. write (score 3) instead of (s (s (s 0)))",
                source=program.source,
            )
    return found


def bindings_of(clause: Clause, shapes: Shapes) -> list[Binding]:
    """The shapes of the variables of a clause with which all its positive conditions can hold."""
    bindings: list[Binding] = [{}]
    for condition in clause.positive:
        known = shapes.get(condition.signature, {})
        grown: dict[tuple[tuple[Var, Shape], ...], Binding] = {}
        for binding in bindings:
            for shape in known:
                extended = dict(binding)
                if all(map(_matches, condition.arguments, shape, [extended] * len(shape))):
                    grown[tuple(extended.items())] = extended
        bindings = list(grown.values())
    return bindings


def spread(pattern: Pattern, binding: Binding) -> Pattern:
    """The pattern with every variable of a nested shape replaced by a term of that shape.

    The new variables are named after the old one, so that equal variables stay equal.
    """
    return map_variables(
        pattern, lambda variable: _spread_variable(variable.name, binding.get(variable, LEAF))
    )


def _spread_variable(name: str, shape: Shape) -> Pattern:
    if isinstance(shape, str):
        return Var(name)
    inner = (_spread_variable(f"{name}_{i}", part) for i, part in enumerate(shape[1:], 1))
    return (shape[0], *inner)


def _matches(pattern: Pattern, shape: Shape, binding: Binding) -> bool:
    """Whether the pattern can have the shape; binds variables that had none yet."""
    if isinstance(pattern, Var):
        return binding.setdefault(pattern, shape) == shape
    if isinstance(pattern, str) or isinstance(shape, str):
        return isinstance(pattern, str) and isinstance(shape, str)
    if pattern[0] != shape[0] or len(pattern) != len(shape):
        return False
    return all(_matches(p, s, binding) for p, s in zip(pattern[1:], shape[1:], strict=True))


def _instance(head: Literal, binding: Binding) -> tuple[Shape, ...]:
    return tuple(_shape(argument, binding) for argument in head.arguments)


def _shape(pattern: Pattern, binding: Binding) -> Shape:
    if isinstance(pattern, Var):
        return binding[pattern]
    if isinstance(pattern, str):
        return LEAF
    assert isinstance(pattern[0], str)
    return (pattern[0], *(_shape(argument, binding) for argument in pattern[1:]))


def _add(
    found: dict[Signature, dict[tuple[Shape, ...], None]],
    signature: Signature,
    shape: tuple[Shape, ...],
) -> bool:
    """Take note of a shape, and of what it means for `true` and `does`. Whether it is new."""
    if shape in found[signature]:
        return False
    found[signature][shape] = None
    if signature in SAME_TERMS:
        _add(found, SAME_TERMS[signature], shape)
    return True


def _depth(found: Shapes) -> int:
    return max(
        (term_depth(s) for shapes in found.values() for row in shapes for s in row), default=0
    )
