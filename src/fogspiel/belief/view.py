"""A belief as people read it: what probably holds, in which states, and what others know there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import position_after
from fogspiel.belief.protocol import BeliefLimits, Histories
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.machine.protocol import Machine
from fogspiel.machine.rows import distinct_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleState:
    """A state that a role holds possible."""

    probability: float
    fluents: tuple[GroundTerm, ...]
    """Those that hold here and not in all possible states."""
    history: tuple[tuple[MoveId, ...], ...]
    """One that leads here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is to be said of a belief."""

    certain: tuple[GroundTerm, ...]
    """Fluents that hold in all states that were found."""
    open: tuple[tuple[GroundTerm, float], ...]
    """Fluents that hold in some, most probable first."""
    states: tuple[PossibleState, ...]
    """Most probable first."""


def view_of(machine: Machine, histories: Histories, most: int) -> View:
    """The fluents and the most probable states of some histories."""
    firsts, inverse = distinct_rows(histories.states)
    weights = np.bincount(inverse, histories.weights)
    weights = weights / weights.sum()
    terms = [machine.fluent_terms(histories.states[first]) for first in firsts]
    shares: dict[GroundTerm, float] = defaultdict(float)
    for fluents, weight in zip(terms, weights, strict=True):
        for fluent in fluents:
            shares[fluent] += float(weight)
    everywhere = set(terms[0]).intersection(*terms[1:])
    by_name = sorted(shares, key=lambda fluent: (-round(shares[fluent], 12), format_term(fluent)))
    order = sorted(range(len(terms)), key=lambda i: (-round(float(weights[i]), 12), i))
    return View(
        certain=tuple(f for f in by_name if f in everywhere),
        open=tuple((f, shares[f]) for f in by_name if f not in everywhere),
        states=tuple(
            PossibleState(
                probability=float(weights[i]),
                fluents=tuple(f for f in terms[i] if f not in everywhere),
                history=_history(histories.joints[firsts[i]]),
            )
            for i in order[:most]
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """What another role would hold possible, if a history were the true one."""

    role: RoleId
    size: int | None
    """Histories; None where they are too many."""
    knows: tuple[GroundTerm, ...]
    """Fluents open to the first role that the other knows to hold."""


def nested_knowledge(
    machine: Machine,
    history: Sequence[Sequence[MoveId]],
    role: RoleId,
    undecided: Sequence[GroundTerm],
    limits: BeliefLimits,
) -> Nested:
    """What a role would know of some fluents after a history (Richards 2012, section 3.5)."""
    belief = ExactBelief(machine, role, limits)
    try:
        for sighting in position_after(machine, history, role).sightings:
            belief.advance(sighting.move, sighting.percepts)
    except LimitError:
        return Nested(role=role, size=None, knows=())
    states = belief.layers[-1].states
    known = set(machine.fluent_terms(states[0]))
    for state in states[1:]:
        known &= set(machine.fluent_terms(state))
    knows = tuple(fluent for fluent in undecided if fluent in known)
    return Nested(role=role, size=belief.size(), knows=knows)


def _history(joints: NDArray[np.int32]) -> tuple[tuple[MoveId, ...], ...]:
    return tuple(tuple(MoveId(int(move)) for move in joint) for joint in joints)
