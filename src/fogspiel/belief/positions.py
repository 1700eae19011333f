"""Positions to reason about, and the states and fluents that a belief in them considers possible.

A position is a history, and what one role did and saw in it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.methods import AutoBelief
from fogspiel.belief.protocol import Belief
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.protocol import Machine, MeetsPercepts, State, States
from fogspiel.rules.sexpr import read_term

FORM = (
    'write {"joints": [["(move 1)", "noop"], …]} or {"sightings": [{"move": …, "percepts": […]}]}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What a role did and saw, and, where it is known, what happened in truth."""

    role: RoleId
    observations: tuple[Observation, ...]
    joints: tuple[tuple[MoveId, ...], ...] | None
    """The true history; None where only the role's own experience is given."""


def position_after(machine: Machine, joints: Sequence[Sequence[MoveId]], role: RoleId) -> Position:
    """The position of a role after a history. Raises `PlayError` on an illegal move."""
    state = machine.initial()
    observations = []
    for joint in joints:
        percepts = machine.percepts(state, joint, role)
        observations.append(Observation(joint[role], percepts))
        state = machine.step(state, joint)
    return Position(
        role=role, observations=tuple(observations), joints=tuple(tuple(joint) for joint in joints)
    )


def random_history(
    machine: Machine, steps: int, seed: int, *, start: State | None = None
) -> list[tuple[MoveId, ...]]:
    """Joint moves of a random game, up to some steps or its end; chance moves by its weights.

    start: the state to play on from; by default the game begins.
    """
    rng = np.random.default_rng(seed)
    state = machine.initial() if start is None else start
    joints: list[tuple[MoveId, ...]] = []
    while len(joints) < steps and not machine.terminal(state):
        joint = []
        for role in map(RoleId, range(len(machine.roles))):
            moves = machine.legal(state, role)
            weights = machine.chance_weights(state) if role == machine.chance_role else None
            if len(moves) == 1 or weights is None or not len(weights):
                joint.append(moves[int(rng.integers(len(moves)))])
            else:
                joint.append(moves[int(rng.choice(len(moves), p=weights))])
        joints.append(tuple(joint))
        state = machine.step(state, joints[-1])
    return joints


def read_position(source: Source, machine: Machine, role: RoleId) -> Position:
    """A position from a JSON document of joint moves, or of what the role did and saw.

    Moves and percepts are terms in prefix notation. Raises `UsageError` BEL003 for another form,
    and `PlayError` for moves and percepts that the rules do not know or allow.
    """
    document = _document(source)
    if _is_table(document.get("joints")):
        return position_after(machine, _joints(machine, document, source), role)
    if isinstance(document.get("sightings"), list):
        observations = tuple(
            _sighting(machine, role, step, item, source)
            for step, item in enumerate(document["sightings"], start=1)
        )
        return Position(role=role, observations=observations, joints=None)
    raise _malformed(source, "this holds neither joint moves nor sightings")


def read_history(source: Source, machine: Machine) -> list[tuple[MoveId, ...]]:
    """The joint moves of such a document. Raises as `read_position`, and for one of sightings."""
    document = _document(source)
    if not _is_table(document.get("joints")):
        raise _malformed(source, "this holds no joint moves")
    return _joints(machine, document, source)


def _document(source: Source) -> dict[str, Any]:
    try:
        document = json.loads(source.text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _malformed(source, f"this is no JSON document: {error}") from None
    if not isinstance(document, dict):
        raise _malformed(source, "this holds neither joint moves nor sightings")
    return document


def _joints(machine: Machine, document: dict[str, Any], source: Source) -> list[tuple[MoveId, ...]]:
    return [_joint(machine, row, source) for row in document["joints"]]


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, list) for row in value)


def _joint(machine: Machine, row: list[Any], source: Source) -> tuple[MoveId, ...]:
    if len(row) != len(machine.roles):
        message = f"a joint move has {len(machine.roles)} moves, one for each role; got {len(row)}"
        raise _malformed(source, message)
    return tuple(
        machine.move_id(RoleId(role), _term(text, source)) for role, text in enumerate(row)
    )


def _sighting(machine: Machine, role: RoleId, step: int, item: Any, source: Source) -> Observation:
    if not isinstance(item, dict) or not isinstance(item.get("percepts"), list):
        message = f"step {step}: a sighting has a `move` and a list of `percepts`"
        raise _malformed(source, message)
    move = machine.move_id(role, _term(item.get("move"), source))
    percepts = []
    for text in item["percepts"]:
        percept = percept_of(machine, role, _term(text, source))
        if percept is None:
            raise PlayError.of(
                "BEL001",
                f"nothing fits what the role did and saw: step {step} is impossible, "
                f"since the rules never let {machine.roles[role]} see {text}",
                fix="check the percept against the rules",
                source=source,
            )
        percepts.append(percept)
    return Observation(move, tuple(sorted(set(percepts))))


def percept_of(machine: Machine, role: RoleId, term: GroundTerm) -> PerceptId | None:
    """The id of a percept; None for one that the rules never give, where that is known."""
    if isinstance(machine, MeetsPercepts):
        return machine.percept_id(role, term)
    known = map(PerceptId, range(machine.percept_count(role)))
    return next((p for p in known if machine.percept_term(role, p) == term), None)


def _term(text: Any, source: Source) -> GroundTerm:
    if not isinstance(text, str):
        raise _malformed(source, f"a move or percept is a text; got {text!r}")
    term = read_term(text)
    if term is None:
        raise _malformed(source, f"this is no move or percept: {text[:60]!r}")
    return term


def _malformed(source: Source, message: str) -> UsageError:
    return UsageError.of("BEL003", message, fix=FORM, source=source)


def possible_states(
    belief: Belief, drawn: int, seed: int
) -> tuple[States, NDArray[np.float64], bool]:
    """The different states that a role considers possible, with their probabilities.

    The flag says whether these are exact. Where they are not, so many histories are drawn.
    """
    current = belief.current if isinstance(belief, AutoBelief) else belief
    if isinstance(current, ExactBelief):
        # Layers keep states with all their histories: nothing has to be listed.
        states, weights = current.transitions.states(current.last.states), current.last.weights
        exact = True
    else:
        found = belief.enumerate(belief.limits.histories)
        if not found.complete:
            found = belief.sample(drawn, seed)
        states, weights, exact = found.states, found.weights, found.complete
    firsts, inverse = distinct_rows(np.ascontiguousarray(states))
    sums = np.bincount(inverse, weights, len(firsts)).astype(np.float64)
    return states[firsts], sums / sums.sum(), exact


CHUNK = 1 << 14  #: States whose bits are laid open at a time


def fluent_probabilities(
    machine: Machine, states: States, weights: NDArray[np.float64]
) -> dict[GroundTerm, float]:
    """The probability of each fluent that holds in some state.

    Where each bit stands for a fluent, one question about the union of all states names them:
    asking state by state would take a minute for a million.
    """
    states = machine.fluent_rows(states)
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
    states = machine.fluent_rows(states)
    if _bits_are_fluents(machine, np.bitwise_or.reduce(states, axis=0)):
        return set(machine.fluent_terms(np.bitwise_and.reduce(states, axis=0)))
    return set.intersection(*(set(machine.fluent_terms(state)) for state in states))
