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
    if place == len(query.method.when):
        yield bindings, mask, split
        return
    literal = query.method.when[place]
    for found in _candidates(query.situation, literal, bindings):
        where = _narrowed(query, literal, found, mask)
        if where is None:
            yield from _solve(query, place + 1, found, mask, split)
        elif where.any():
            yield from _solve(query, place + 1, found, where, split or literal)


def _candidates(situation: Situation, literal: Literal, bindings: Bindings) -> Iterator[Bindings]:
    """Bindings that leave a literal without variables."""
    if all(name in bindings for name in _variables(literal.atom)):
        yield bindings
        return
    # The checks of a methods file see to it that only positive literals bind variables.
    assert literal.positive, literal
    assert literal.atom[0] != "distinct", literal
    yield from situation.solutions(literal.atom, bindings)


def _narrowed(
    query: _Query, literal: Literal, bindings: Bindings, mask: Mask | None
) -> Mask | None:
    """The worlds of a mask in which a literal holds too; None if that is all of the consistent."""
    atom = substitute(literal.atom, bindings)
    before = query.consistent if mask is None else mask
    if atom[0] == "distinct":
        differs = atom[1] != atom[2]
        return mask if differs is literal.positive else np.zeros_like(before)
    holds = query.situation.holds(atom)
    where: Mask = before & holds if literal.positive else before & ~holds
    if mask is None and where.sum() == before.sum():
        return None
    return where


@lru_cache(maxsize=4_096)
def _variables(pattern: Pattern) -> tuple[str, ...]:
    """The variables of a pattern. Kept, since the same few are asked for at every node."""
    if isinstance(pattern, str):
        return (pattern,) if pattern.startswith("?") else ()
    return tuple(name for part in pattern for name in _variables(part))


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
