"""A belief as people read it: probable fluents, probable states, and what others know there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.positions import position_after
from fogspiel.belief.protocol import BeliefLimits, BeliefRequest, Histories
from fogspiel.core.findings import LimitError
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.terms import GroundTerm, MoveId, RoleId, format_term
from fogspiel.machine.protocol import Machine, State, States

CHUNK = 1 << 14  #: States whose bits are laid open at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleState:
    """A possible state."""

    probability: float
    fluents: tuple[GroundTerm, ...]  #: Fluents that hold here and not in all possible states
    history: tuple[tuple[MoveId, ...], ...]  #: One history that leads here


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefSummary:
    """What people are told of a belief."""

    certain: tuple[GroundTerm, ...]  #: Fluents that hold in all states that were found
    open: tuple[tuple[GroundTerm, float], ...]  #: Fluents that hold in some, most probable first
    states: tuple[PossibleState, ...]  #: Most probable first


def summary_of(machine: Machine, histories: Histories, most: int) -> BeliefSummary:
    """The fluents and the most probable states of some histories; there must be one."""
    firsts, inverse = distinct_rows(histories.states)
    states = histories.states[firsts]
    weights = np.bincount(inverse, histories.weights)
    weights = weights / weights.sum()
    shares = fluent_probabilities(machine, states, weights)
    everywhere = certain_fluents(machine, states)
    by_name = sorted(shares, key=lambda fluent: (-round(shares[fluent], 12), format_term(fluent)))
    order = np.lexsort((np.arange(len(states)), -weights.round(12)))[:most]
    return BeliefSummary(
        certain=tuple(f for f in by_name if f in everywhere),
        open=tuple((f, shares[f]) for f in by_name if f not in everywhere),
        states=tuple(
            PossibleState(
                probability=float(weights[i]),
                fluents=tuple(f for f in machine.fluent_terms(states[i]) if f not in everywhere),
                history=tuple(
                    tuple(map(MoveId, joint)) for joint in histories.joints[firsts[i]].tolist()
                ),
            )
            for i in order
        ),
    )


def fluent_probabilities(
    machine: Machine, states: States, weights: NDArray[np.float64]
) -> dict[GroundTerm, float]:
    """The probability of each fluent that holds in some state.

    Where each bit stands for a fluent, one question about the union of all states names them:
    asking state by state would take a minute for a million.
    """
    union = np.bitwise_or.reduce(states, axis=0)
    if not _bits_are_fluents(machine, union):
        return _shares_state_by_state(machine, states, weights)
    places = np.flatnonzero(np.unpackbits(union.view(np.uint8), bitorder="little"))
    sums = np.zeros(len(places))
    for first in range(0, len(states), CHUNK):
        part = np.ascontiguousarray(states[first : first + CHUNK]).view(np.uint8)
        bits = np.unpackbits(part, axis=1, bitorder="little")[:, places]
        sums += weights[first : first + CHUNK] @ bits
    terms = machine.fluent_terms(union)
    # Fluents that hold in every state of the game come last, and have no bits.
    shares = dict.fromkeys(terms, 1.0)
    return shares | dict(zip(terms[: len(places)], sums.tolist(), strict=True))


def _shares_state_by_state(
    machine: Machine, states: States, weights: NDArray[np.float64]
) -> dict[GroundTerm, float]:
    shares: dict[GroundTerm, float] = defaultdict(float)
    for state, weight in zip(states, weights.tolist(), strict=True):
        for fluent in machine.fluent_terms(state):
            shares[fluent] += weight
    return dict(shares)


def _bits_are_fluents(machine: Machine, union: State) -> bool:
    """Whether each bit of a state is a fluent by itself.

    It is not where numbers are kept as digits: one term stands for several bits then, or for their
    absence.
    """
    always = machine.fluent_terms(np.zeros_like(union))
    terms = machine.fluent_terms(union)
    bits = int(np.unpackbits(union.view(np.uint8)).sum())
    return len(terms) == bits + len(always) and terms[bits:] == always


def certain_fluents(machine: Machine, states: States) -> set[GroundTerm]:
    """The fluents that hold in all of some states."""
    if _bits_are_fluents(machine, np.bitwise_or.reduce(states, axis=0)):
        return set(machine.fluent_terms(np.bitwise_and.reduce(states, axis=0)))
    return set.intersection(*(set(machine.fluent_terms(state)) for state in states))


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """What another role would know, if a history were the true one."""

    role: RoleId
    size: int | None  #: The number of histories; None where they are too many
    knows: tuple[GroundTerm, ...]  #: Fluents open to the first role that the other knows to hold


def nested_knowledge(
    machine: Machine,
    history: Sequence[Sequence[MoveId]],
    role: RoleId,
    undecided: Sequence[GroundTerm],
    limits: BeliefLimits,
) -> Nested:
    """What a role would know of some fluents after a history (Richards 2012, section 3.5)."""
    belief = ExactBelief(BeliefRequest(machine, role, limits))
    try:
        for observation in position_after(machine, history, role).observations:
            belief.advance(observation)
    except LimitError:
        return Nested(role=role, size=None, knows=())
    known = certain_fluents(machine, belief.layers[-1].states)
    knows = tuple(fluent for fluent in undecided if fluent in known)
    return Nested(role=role, size=belief.size(), knows=knows)
