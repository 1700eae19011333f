"""Instances of methods that apply in a situation, with the worlds in which they do.

Source: Smith and Nau (1993), sections 3 and 4.1. A method applies if its preconditions hold in some
consistent world. Where the planner moves, they must then hold in all of them, which is checked.
Where another agent moves, they are assumed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.task_network import (
    Bindings,
    Mask,
    Method,
    MethodLiteral,
    Pattern,
    Situation,
    TaskNetwork,
    match,
    substitute,
    task_key,
)

CLOCK_EVERY = 512  #: Variable bindings between looks at the clock: about a millisecond


@dataclass(frozen=True, slots=True)
class Instance:
    """A method with its variables bound, and the worlds in which it applies."""

    method: Method
    bindings: Bindings
    mask: Mask | None  #: None for all consistent worlds
    split: MethodLiteral | None  #: The first precondition that does not hold in all of them


class ExpansionTimeoutError(Exception):
    """The clock ran out while one node was expanded; the tree is left without its children."""


def instances(
    network: TaskNetwork,
    task: GroundTerm | None,
    situation: Situation,
    *,
    most: int = 1_000_000,
    ends_at: float = math.inf,
) -> Iterator[Instance]:
    """All applicable instances of methods that answer a task (None for NIL), in order.

    most: variable bindings that may be tried, beyond which a `LimitError` names the method.
    Raises `ExpansionTimeoutError` when the clock, `time.monotonic`, has passed `ends_at`.
    """
    asked = _Asked(network, situation, most, ends_at)
    for method in network.by_task.get(task_key(task), ()):
        bindings = _answering(method, task)
        if bindings is None:
            continue
        asked.method = method
        for instance in _solve(asked, method, 0, bindings, None, None):
            if instance.split is not None and situation.is_controlled:
                raise _requirement(network, asked, instance)
            yield instance


class _Asked:
    """Answers of a situation, kept while one node is expanded: methods ask much the same."""

    def __init__(
        self, network: TaskNetwork, situation: Situation, most: int, ends_at: float
    ) -> None:
        self._network = network
        self.situation = situation
        self.method: Method | None = None
        """The method that asks."""
        self.consistent: Mask = situation.weights > 0.0
        self._count = int(np.count_nonzero(self.consistent))
        self._where: dict[GroundTerm, Mask | bool] = {}
        self._solutions: dict[Pattern, list[Bindings]] = {}
        self._most, self._ends_at = most, ends_at
        self._tried = 0

    def where(self, atom: GroundTerm) -> Mask | bool:
        """Whether an atom holds in all consistent worlds or in none, or else in which."""
        found = self._where.get(atom)
        if found is None:
            mask = self.situation.holds(atom) & self.consistent
            count = int(np.count_nonzero(mask))
            found = count == self._count if count in {0, self._count} else mask
            self._where[atom] = found
        return found

    def solutions(self, pattern: Pattern, bindings: Bindings) -> Iterator[Bindings]:
        """The bindings with all ways to bind what else a pattern has."""
        wanted = substitute(pattern, bindings)
        found = self._solutions.get(wanted)
        if found is None:
            found = self._solutions[wanted] = list(self.situation.solutions(wanted, {}))
        for bound in found:
            self._count_one()
            yield {**bindings, **bound}

    def _count_one(self) -> None:
        """Count a binding, and stop at the limits: conditions that share no variables multiply."""
        self._tried += 1
        if self._tried > self._most:
            assert self.method is not None
            raise LimitError.of(
                "PLN028",
                f"more than {self._most} ways to apply methods were tried in one place, at "
                f"{self.method.name}",
                fix="let each precondition share a variable with those before it",
                source=self._network.source,
                span=None if self._network.source is None else self.method.span,
            )
        if self._tried % CLOCK_EVERY == 0 and time.monotonic() > self._ends_at:
            raise ExpansionTimeoutError


def _answering(method: Method, task: GroundTerm | None) -> Bindings | None:
    """The bindings under which a method answers a task; None if it does not."""
    if task is None:
        return {}
    assert method.task is not None
    return match(method.task, task, {})


def _solve(
    asked: _Asked,
    method: Method,
    place: int,
    bindings: Bindings,
    mask: Mask | None,
    split: MethodLiteral | None,
) -> Iterator[Instance]:
    """The instances that also meet the preconditions from a place on.

    Worlds that a mask leaves out do not come back, so the literal that split them first is the one
    to name when the planner should have known.
    """
    for at in range(place, len(method.when)):
        literal = method.when[at]
        variables = _variables(literal.atom)
        if variables and not variables <= bindings.keys():
            # The checks of a methods file see to it that only positive literals bind variables.
            assert literal.positive, literal
            for found in asked.solutions(literal.atom, bindings):
                yield from _solve(asked, method, at, found, mask, split)
            return
        where = _worlds(asked, literal, bindings)
        if where is False:
            return
        if where is not True:
            mask, split = (where if mask is None else mask & where), split or literal
            if not np.count_nonzero(mask):
                return
    yield Instance(method, bindings, mask, split)


def _worlds(asked: _Asked, literal: MethodLiteral, bindings: Bindings) -> Mask | bool:
    """Whether a literal holds in all consistent worlds or in none, or else in which."""
    atom = substitute(literal.atom, bindings)
    if atom[0] == "distinct":
        return (atom[1] != atom[2]) is literal.positive
    where = asked.where(atom)
    if literal.positive:
        return where
    return not where if isinstance(where, bool) else asked.consistent & ~where


@lru_cache(maxsize=4_096)
def _variables(pattern: Pattern) -> frozenset[str]:
    """The variables of a pattern. Cached, since the same few are asked for at every node."""
    if isinstance(pattern, str):
        return frozenset({pattern} if pattern.startswith("?") else ())
    return frozenset().union(*map(_variables, pattern))


def _requirement(network: TaskNetwork, asked: _Asked, instance: Instance) -> PlayError:
    """The error about a method of the planner that applies in some worlds only."""
    method, split = instance.method, instance.split
    assert split is not None
    assert instance.mask is not None
    atom = format_term(substitute(split.atom, instance.bindings))
    some, total = int(instance.mask.sum()), int(asked.consistent.sum())
    return PlayError.of(
        "PLN020",
        f"{asked.situation.agent} cannot know whether method {method.name} applies: its "
        f"preconditions hold in {some} of {total} consistent worlds, "
        f"and {'' if split.positive else 'not '}{atom} is what splits them",
        fix="ask only for what the planner knows when it moves",
        source=network.source,
        span=None if network.source is None else split.span or method.span,
    )
