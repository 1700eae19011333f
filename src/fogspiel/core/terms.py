"""Ground terms: names, or tuples of a functor and its arguments. Plain values: fast to hash."""

from __future__ import annotations

from typing import TypeAlias

GroundTerm: TypeAlias = "str | tuple[GroundTerm, ...]"

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


def term_depth(term: GroundTerm) -> int:
    """Levels of nesting; a name has none."""
    depth, layer = 0, [term]
    while layer := [part for item in layer if isinstance(item, tuple) for part in item[1:]]:
        depth += 1
    return depth
