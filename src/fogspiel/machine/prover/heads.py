"""Which terms the heads of rules could ever state, found without proving anything.

The reasoner numbers terms as it meets them. A term that comes from outside, an opponent's move or
a position set up by hand, is taken if it has the shape of some head.
"""

from __future__ import annotations

from collections.abc import Iterable

from fogspiel.core.terms import GroundTerm
from fogspiel.rules.clauses import Pattern, Program, Var


class Heads:
    """The argument patterns of the rules that state moves and fluents."""

    def __init__(self, program: Program) -> None:
        self._moves = _heads(program, ("legal", 2))
        self._fluents = [*_heads(program, ("init", 1)), *_heads(program, ("next", 1))]

    def may_be_move(self, role: str, move: GroundTerm) -> bool:
        """Whether some rule could make this a legal move of the role."""
        return any(_fits(head, (role, move)) for head in self._moves)

    def may_be_fluent(self, fluent: GroundTerm) -> bool:
        """Whether some rule could make this true, at first or later."""
        return any(_fits(head, (fluent,)) for head in self._fluents)


def _heads(program: Program, signature: tuple[str, int]) -> list[tuple[Pattern, ...]]:
    found = (c.head.arguments for c in program.clauses if c.head.signature == signature)
    return list(dict.fromkeys(found))


def _fits(patterns: Iterable[Pattern], terms: Iterable[GroundTerm]) -> bool:
    """Whether terms are instances of patterns, taking every variable for a different one."""
    work = list(zip(patterns, terms, strict=True))
    while work:
        pattern, term = work.pop()
        if isinstance(pattern, Var):
            continue
        if isinstance(pattern, str) or isinstance(term, str):
            if pattern != term:
                return False
            continue
        if len(pattern) != len(term) or pattern[0] != term[0]:
            return False
        work.extend(zip(pattern[1:], term[1:], strict=True))
    return True
