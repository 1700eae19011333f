"""What is remembered while a state is looked at: the facts it gives and what was proved of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from fogspiel.core.terms import GroundTerm

Tables: TypeAlias = list[Any]
"""Item 0 holds the given facts by group; the others the table of each plan of a level.

The values differ by plan (an index, or answers by key) and only generated code reads them.
"""
Fact: TypeAlias = tuple[GroundTerm, ...]
Groups: TypeAlias = dict[tuple[str, int] | None, list[Fact]]


class Context:
    """A state and the moves made in it."""

    __slots__ = ("joint", "state")

    def __init__(self, fluents: Iterable[GroundTerm], moves: Iterable[Fact]) -> None:
        self.state: Tables = [grouped((fluent,) for fluent in fluents)]
        self.joint: Tables = [grouped(moves)]

    def with_moves(self, moves: Iterable[Fact]) -> Context:
        """The same state, sharing what was proved of it, with a joint move of its own."""
        context = Context((), moves)
        context.state = self.state
        return context


def grouped(facts: Iterable[Fact]) -> Groups:
    """Facts by functor and length of their first argument; all of them under None."""
    groups: Groups = {None: []}
    for fact in facts:
        groups[None].append(fact)
        first = fact[0]
        if isinstance(first, tuple) and isinstance(first[0], str):
            groups.setdefault((first[0], len(first)), []).append(fact)
    return groups
