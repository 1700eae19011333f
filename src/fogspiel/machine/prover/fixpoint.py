"""Tables of the facts given and proved in a state, and fixpoints of recursive relations.

All calls that depend on each other are answered together. Each call has a table that grows. A call
is repeated whenever a table that it read has grown. When none grows, every table is the least
fixpoint and complete.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from fogspiel.core.terms import GroundTerm
from fogspiel.machine.prover.codegen import Target

Tables: TypeAlias = list[Any]
"""Tables of one level: item 0 has the given facts by group, the others the table of each plan.

A table is an index or a dictionary of answers by key, and is read by generated code only.
"""
Fact: TypeAlias = tuple[GroundTerm, ...]
Groups: TypeAlias = dict[tuple[str, int] | None, list[Fact]]


class Context:
    """A state and the joint move that is made in it."""

    __slots__ = ("joint", "state")

    def __init__(self, fluents: Iterable[GroundTerm], moves: Iterable[Fact]) -> None:
        self.state: Tables = [grouped((fluent,) for fluent in fluents)]
        self.joint: Tables = [grouped(moves)]

    def with_moves(self, moves: Iterable[Fact]) -> Context:
        """A context of the same state, which shares its proved facts, with another joint move."""
        context = Context((), moves)
        context.state = self.state
        return context


def grouped(facts: Iterable[Fact]) -> Groups:
    """Facts by functor and length of their first argument, and all facts under None."""
    groups: Groups = {None: []}
    for fact in facts:
        groups[None].append(fact)
        first = fact[0]
        if isinstance(first, tuple) and isinstance(first[0], str):
            groups.setdefault((first[0], len(first)), []).append(fact)
    return groups


class Reasoner(Protocol):
    """Operations of the prover that a fixpoint uses."""

    numbered: list[Target]

    def table(self, target: Target, state: Tables, joint: Tables) -> dict[Any, Any]:
        """The complete answers of a plan."""

    def runner(self, target: Target) -> Callable[..., None]:
        """The function that makes one pass over the rules of a plan."""

    def tick(self, number: int, answers: int) -> None:
        """Count an inference."""


@dataclass(slots=True, eq=False)
class Growing:
    """The growing answers of one call."""

    run: Fixpoint
    target: Target
    key: Any
    answers: list[Any] = field(default_factory=list)
    """Answers in the order in which they were found; `[()]` if a call without outputs holds."""
    seen: set[Any] = field(default_factory=set)
    readers: dict[Growing, None] = field(default_factory=dict)
    queued: bool = False


class Fixpoint:
    """One evaluation of a recursive component."""

    def __init__(self, reasoner: Reasoner, state: Tables, joint: Tables) -> None:
        self._reasoner = reasoner
        self._state = state
        self._joint = joint
        self._tables: dict[int, dict[Any, Any]] = {}
        self._calls: dict[tuple[int, Any], Growing] = {}
        self._fresh: list[Growing] = []
        """Calls that were not made yet; the last one is made first, since others wait for it."""
        self._stale: deque[Growing] = deque()
        """Calls to be repeated; the first one comes first, since more tables have grown for it."""

    def solve(self, target: Target, key: Any) -> Any:
        """The answers of a call. Those of all calls that it led to are stored as well."""
        self._call(target, key)
        while self._fresh or self._stale:
            call = self._fresh.pop() if self._fresh else self._stale.popleft()
            call.queued = False
            if call.answers and not call.target.has_answers:
                continue
            self._reasoner.tick(call.target.number, len(self._calls))
            before = len(call.answers)
            self._reasoner.runner(call.target)(self._state, self._joint, call)
            if len(call.answers) > before:
                for reader in call.readers:
                    self._queue(reader)
        for call in self._calls.values():
            table = self._table(call.target)
            table[call.key] = call.answers if call.target.has_answers else bool(call.answers)
            call.readers.clear()  # calls that refer to each other would need garbage collection
        self._calls.clear()
        return self._table(target)[key]

    def need(self, reader: Growing, number: int, key: Any) -> list[Any]:
        """The answers so far of a call made by `reader`, which is repeated when there are more."""
        call = self._calls.get((number, key))
        if call is None:
            target = self._reasoner.numbered[number]
            complete = self._table(target).get(key)
            if complete is not None:
                if target.has_answers:
                    answers: list[Any] = complete
                    return answers
                return [()] if complete else []
            call = self._call(target, key)
        call.readers[reader] = None
        return call.answers

    def _table(self, target: Target) -> dict[Any, Any]:
        """The complete answers of a plan."""
        table = self._tables.get(target.number)
        if table is None:
            table = self._reasoner.table(target, self._state, self._joint)
            self._tables[target.number] = table
        return table

    def _call(self, target: Target, key: Any) -> Growing:
        call = self._calls[target.number, key] = Growing(self, target, key)
        call.queued = True
        self._fresh.append(call)
        return call

    def _queue(self, call: Growing) -> None:
        if not call.queued:
            call.queued = True
            self._stale.append(call)
