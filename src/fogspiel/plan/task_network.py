"""Task networks of methods, and the situations in which their preconditions are asked.

Source: Smith and Nau (1993), "Strategic Planning for Imperfect-Information Games", T.R. 93-56,
section 3. A method answers a task (or NIL, when nothing is left to do), applies where its
preconditions hold, and is carried out by one operator or by further tasks.
Departures: preconditions may use any relation that a situation can answer, also derived ones.

A situation is a state information set with a belief (section 2). The states consistent with what is
known are held as worlds, numbered from 0 for the whole of a decision tree, with a weight each. They
are all of the consistent states where these can be enumerated, and a sample of them where they
cannot.
Departure: what a move does may depend on what is hidden, and the planner may be told of it (a shot
hits or misses). Such a report is a step of its own, which no method has to foresee.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.source import Source, Span
from fogspiel.core.terms import GroundTerm

Pattern: TypeAlias = GroundTerm  #: A term in which words that start with "?" are variables
Bindings: TypeAlias = Mapping[str, GroundTerm]  #: The term that each variable stands for


@dataclass(frozen=True, slots=True)
class MethodLiteral:
    """An atom that must hold, or must not."""

    atom: Pattern
    positive: bool = True
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One scheme. Exactly one of `operator` and `expansion` says how it is carried out."""

    name: str
    task: Pattern | None
    """The task that it answers: a name, the agent, then other arguments; None is NIL."""
    when: tuple[MethodLiteral, ...]
    operator: Pattern | None = None
    """The move of an operator method; its agent is the one whose turn it is."""
    expansion: tuple[Pattern, ...] = ()
    """The tasks of a decomposable method, in order; it may have none."""
    title: str = ""  #: The name that books give the scheme
    note: str = ""  #: A description for people: what it does and why
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskNetwork:
    """A set of methods, in the order in which they were written."""

    name: str
    methods: tuple[Method, ...]
    source: Source | None = None
    note: str = ""  #: A description for people
    facts: tuple[GroundTerm, ...] = ()
    """Facts of every situation: relations that a game does not keep, such as neighbours."""
    draws_others: bool = False
    """Whether it has no methods for other agents: these are assumed to move at random."""
    by_task: Mapping[tuple[str, int] | None, Sequence[Method]] = field(init=False)
    """The methods for each task, by its name and number of arguments; None is NIL."""

    def __post_init__(self) -> None:
        """Sort the methods by what they answer."""
        groups: dict[tuple[str, int] | None, list[Method]] = {}
        for method in self.methods:
            groups.setdefault(task_key(method.task), []).append(method)
        object.__setattr__(self, "by_task", groups)


def task_key(task: Pattern | None) -> tuple[str, int] | None:
    """The key by which methods for a task are found: its name and number of arguments."""
    if task is None:
        return None
    if isinstance(task, str):
        return task, 0
    assert isinstance(task[0], str)
    return task[0], len(task) - 1


def is_variable(term: Pattern) -> bool:
    """Whether a term is a variable."""
    return isinstance(term, str) and term.startswith("?")


def match(pattern: Pattern, term: GroundTerm, bindings: Bindings) -> dict[str, GroundTerm] | None:
    """The bindings, extended so that a pattern becomes a term; None if it cannot."""
    found = dict(bindings)
    return found if _match(pattern, term, found) else None


def _match(pattern: Pattern, term: GroundTerm, found: dict[str, GroundTerm]) -> bool:
    # Planners ask this far more often than anything else: hence a loop, and no calls for words.
    if isinstance(pattern, str):
        if not pattern.startswith("?"):
            return pattern == term
        return found.setdefault(pattern, term) == term
    if isinstance(term, str) or len(pattern) != len(term):
        return False
    for part, other in zip(pattern, term, strict=True):
        if isinstance(part, str):
            if part != other and (part[:1] != "?" or found.setdefault(part, other) != other):
                return False
        elif not _match(part, other, found):
            return False
    return True


def substitute(pattern: Pattern, bindings: Bindings) -> GroundTerm:
    """A pattern with its bound variables replaced; unbound ones stay."""
    if isinstance(pattern, str):
        return bindings.get(pattern, pattern)
    return tuple(
        [
            bindings.get(part, part) if isinstance(part, str) else substitute(part, bindings)
            for part in pattern
        ]
    )


Mask: TypeAlias = NDArray[np.bool_]  #: (worlds,) truth values: the worlds in which something holds
Weights: TypeAlias = NDArray[np.float64]
"""(worlds,) belief; 0 in worlds that are not consistent with what is known."""


class Situation(Protocol):
    """A state information set. Immutable: every change gives a new one."""

    @property
    def agent(self) -> str:
        """The agent to move; known in every situation (section 2, characteristic 2)."""

    @property
    def is_controlled(self) -> bool:
        """Whether the planner moves for that agent."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended in every consistent world."""

    @property
    def weights(self) -> Weights:
        """(worlds,) the belief function p; its sum is the mass that reached this situation."""

    @property
    def reports(self) -> Sequence[GroundTerm]:
        """Reports that the planner may get before anybody moves; none where it gets none.

        Each consistent world gives exactly one of them, and `perform` takes one like a move.
        """

    def solutions(self, atom: Pattern, bindings: Bindings) -> Iterable[Bindings]:
        """Bindings of an atom's variables under which it holds in some consistent world.

        Each once, in an order that depends on nothing but the situation.
        """

    def holds(self, atom: GroundTerm) -> Mask:
        """(worlds,) truth of a ground atom; worlds that are not consistent do not matter."""

    def assume(self, mask: Mask) -> Situation:
        """The situation in which only some of the worlds are possible."""

    def perform(self, operator: GroundTerm) -> Situation:
        """The situation after the agent's move; worlds where it cannot be made are dropped."""

    def evaluate(self) -> NDArray[np.float64]:
        """(worlds,) values in [0, 1]: the objective f at the end, else the evaluation e."""
