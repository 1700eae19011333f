"""Positions to reason about: a history, and what one role did and saw in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.source import Source
from fogspiel.core.terms import GroundTerm, MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.protocol import Machine, MeetsPercepts
from fogspiel.rules.gdl.read import DEFAULT_LIMITS
from fogspiel.rules.sexpr import ground_term, read_nodes

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


def random_history(machine: Machine, steps: int, seed: int) -> list[tuple[MoveId, ...]]:
    """Joint moves of a random game, up to some steps or its end; chance moves by its weights."""
    rng = np.random.default_rng(seed)
    state = machine.initial()
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
    try:
        document = json.loads(source.text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _malformed(source, f"this is no JSON document: {error}") from None
    if isinstance(document, dict) and _is_table(document.get("joints")):
        joints = [_joint(machine, row, source) for row in document["joints"]]
        return position_after(machine, joints, role)
    if isinstance(document, dict) and isinstance(document.get("sightings"), list):
        observations = tuple(
            _sighting(machine, role, step, item, source)
            for step, item in enumerate(document["sightings"], start=1)
        )
        return Position(role=role, observations=observations, joints=None)
    raise _malformed(source, "this holds neither joint moves nor sightings")


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
    nodes, faults = read_nodes(Source(source.name, text), DEFAULT_LIMITS)
    if faults or len(nodes) != 1:
        raise _malformed(source, f"this is no move or percept: {text!r}")
    return ground_term(nodes[0])


def _malformed(source: Source, message: str) -> UsageError:
    return UsageError.of("BEL003", message, fix=FORM, source=source)
