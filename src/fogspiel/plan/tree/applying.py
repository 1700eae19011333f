"""Which instantiated methods apply in a situation, and in which of its worlds.

Source: Smith and Nau (1993), sections 3 and 4.1. A method applies if its preconditions hold in some
consistent world. Where the planner moves, they must then hold in all of them, which is checked.
Where another agent moves, they are assumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fogspiel.core.findings import Finding, PlayError
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.methods import Bindings, Literal, Method, Network, Pattern, match, substitute
from fogspiel.plan.situation import Mask, Situation


@dataclass(frozen=True, slots=True)
class Instance:
    """A method with what its variables stand for, and the worlds in which it applies."""

    method: Method
    bindings: Bindings
    mask: Mask | None
    """None for all consistent worlds."""


@dataclass(slots=True)
class _Query:
    """The preconditions of one method, asked in one situation."""

    situation: Situation
    network: Network
    method: Method
    consistent: Mask


def instances(
    network: Network, method: Method, task: GroundTerm | None, situation: Situation
) -> Iterator[Instance]:
    """The applicable instances of a method that answers a task (None for NIL), in order."""
    bindings = _answering(method, task)
    if bindings is None:
        return
    query = _Query(situation, network, method, situation.weights > 0.0)
    for found, mask, split in _solve(query, 0, bindings, None, None):
        if split is not None and situation.is_controlled:
            raise PlayError(_requirement(query, found, split, mask))
        yield Instance(method, found, mask)


def _answering(method: Method, task: GroundTerm | None) -> Bindings | None:
    """The bindings under which a method answers a task; None if it does not."""
    if task is None:
        return {}
    assert method.task is not None
    return match(method.task, task, {})


def _solve(
    query: _Query, place: int, bindings: Bindings, mask: Mask | None, split: Literal | None
) -> Iterator[tuple[Bindings, Mask | None, Literal | None]]:
    """Answers to the literals from a place on: bindings, worlds, and what first split the worlds.

    Worlds that a mask leaves out do not come back, so the literal that split them is the one to
    name when the planner should have known.
    """
    literals = query.method.when
    for at in range(place, len(literals)):
        literal = literals[at]
        if not _variables(literal.atom) <= bindings.keys():
            # The checks of a methods file see to it that only positive literals bind variables.
            assert literal.positive, literal
            for found in query.situation.solutions(literal.atom, bindings):
                yield from _solve(query, at, found, mask, split)
            return
        where = _narrowed(query, literal, bindings, mask)
        if where is not mask:
            if where is None or not np.count_nonzero(where):
                return
            mask, split = where, split or literal
    yield bindings, mask, split


def _narrowed(
    query: _Query, literal: Literal, bindings: Bindings, mask: Mask | None
) -> Mask | None:
    """The worlds of a mask in which a literal holds too; the same mask if it holds in all."""
    atom = substitute(literal.atom, bindings)
    before = query.consistent if mask is None else mask
    if atom[0] == "distinct":
        differs = atom[1] != atom[2]
        return mask if differs is literal.positive else np.zeros_like(before)
    holds = query.situation.holds(atom)
    where: Mask = before & holds if literal.positive else before > holds
    same = np.count_nonzero(where) == np.count_nonzero(before)
    return mask if same else where


@lru_cache(maxsize=4_096)
def _variables(pattern: Pattern) -> frozenset[str]:
    """The variables of a pattern. Kept, since the same few are asked for at every node."""
    if isinstance(pattern, str):
        return frozenset({pattern} if pattern.startswith("?") else ())
    return frozenset().union(*map(_variables, pattern))


def _requirement(query: _Query, bindings: Bindings, split: Literal, mask: Mask | None) -> Finding:
    """What is wrong with a method for us that applies in some worlds only."""
    assert mask is not None
    method, source = query.method, query.network.source
    atom = format_term(substitute(split.atom, bindings))
    some, total = int(mask.sum()), int(query.consistent.sum())
    return Finding(
        code="PLN020",
        message=(
            f"{query.situation.agent} cannot know whether method {method.name} applies: its "
            f"preconditions hold in {some} of {total} consistent worlds, "
            f"and {'' if split.positive else 'not '}{atom} is what splits them"
        ),
        fix="ask only for what the planner knows when it moves",
        source=source,
        span=None if source is None else split.span or method.span,
    )
