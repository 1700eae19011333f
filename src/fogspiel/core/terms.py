"""Moves, percepts and fluents: ground terms at the border, integers inside.

Terms are plain values, fast to hash. A role, a move or a percept is known by its index inside, and
the types keep the three apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType, TypeAlias

RoleId = NewType("RoleId", int)  #: Index of a role in the order of the rules
MoveId = NewType("MoveId", int)  #: Index of a move among the moves of one role
PerceptId = NewType("PerceptId", int)  #: Index of a percept among the percepts of one role

GroundTerm: TypeAlias = "str | tuple[GroundTerm, ...]"
"""A name, or a functor with its arguments: `("cell", "1", "1", "x")`."""

MAX_TERM_DEPTH = 200
"""Nesting of terms built while playing; far below what Python can hash and compare."""


def format_term(term: GroundTerm) -> str:
    """The term in KIF prefix notation: `(cell 1 1 x)`. Iterative, so depth is no danger."""
    parts: list[str] = []
    work: list[GroundTerm | None] = [term]  # None closes a parenthesis
    while work:
        item = work.pop()
        if item is None:
            parts.append(")")
            continue
        if parts and parts[-1] != "(":
            parts.append(" ")
        if isinstance(item, str):
            parts.append(item)
        else:
            parts.append("(")
            work.append(None)
            work.extend(reversed(item))
    return "".join(parts)


def functor(term: GroundTerm) -> str:
    """The name that a term opens with: `cell` of `(cell 1 1 x)`."""
    return term if isinstance(term, str) else str(term[0])


def term_depth(term: GroundTerm) -> int:
    """Levels of nesting; a name has none."""
    depth, layer = 0, [term]
    while layer := [part for item in layer if isinstance(item, tuple) for part in item[1:]]:
        depth += 1
    return depth


@dataclass(frozen=True, slots=True)
class Observation:
    """A role's own move in a step, and the percepts that the step gave it."""

    move: MoveId
    percepts: tuple[PerceptId, ...]
