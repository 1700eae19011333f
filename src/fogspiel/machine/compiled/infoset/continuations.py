"""Collecting what `consistent` finds, in portions that grow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import MoveId, PerceptId, RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.compiled.compile.network import GateNetwork
from fogspiel.machine.compiled.compile.schedule import GateView
from fogspiel.machine.compiled.infoset.consistent import (
    Children,
    PackedObservation,
    find_consistent,
    still_tried,
)
from fogspiel.machine.compiled.kernel.vectors import Width
from fogspiel.machine.compiled.kernel.wiring import Wiring
from fogspiel.machine.layers import joined
from fogspiel.machine.protocol import Continuations, States, too_many_continuations

FIRST_ROOM = 1 << 12
"""Children that the first portion has room for."""
MOST_ROOM = 1 << 20
GROWTH = 8


def packed_observation(
    network: GateNetwork,
    role: RoleId,
    observation: Observation,
    among: Sequence[NDArray[np.bool_]] | None = None,
) -> PackedObservation:
    """What a role observed, as literals that must all hold."""
    unseen = np.ones(len(network.percept_literals[role]), np.uint32)
    unseen[list(observation.percepts)] = 0
    starts = network.wiring.role_starts
    tried = np.ones(starts[-1], np.bool_) if among is None else np.concatenate(among)
    tried[starts[role] : starts[role + 1]] = False
    tried[starts[role] + observation.move] = True
    return PackedObservation(int(role), tried, network.percept_literals[role] ^ unseen)


def open_moves(
    network: GateNetwork, role: RoleId, percepts: Sequence[PerceptId]
) -> list[NDArray[np.bool_]]:
    """Of each role (moves,) what it may have done by what a role saw, whatever is legal."""
    starts = network.wiring.role_starts
    packed = packed_observation(network, role, Observation(MoveId(0), tuple(percepts)))
    packed.tried[starts[role] : starts[role + 1]] = True
    return np.split(still_tried(network.wiring, packed), starts[1:-1])


def collect(
    gates: GateView,
    wiring: Wiring,
    values: NDArray[np.uint64],
    states: States,
    observation: PackedObservation,
    limit: int | None,
    width: Width,
) -> Continuations:
    """All children of the states that fit. Raises `LimitError` beyond the limit."""
    states = np.ascontiguousarray(states)
    parts: list[Continuations] = []
    done = total = 0
    room = FIRST_ROOM
    while done < len(states) or not parts:  # also of no states there is an answer
        children = Children(
            np.empty(room, np.int64),
            np.empty((room, len(wiring.role_starts) - 1), np.int32),
            np.zeros((room, states.shape[1]), np.uint64),
            np.empty(room, np.float64),
        )
        more, found = find_consistent(
            gates, wiring, values, states[done:], observation, children, width
        )
        total += found
        if limit is not None and total > limit:
            raise too_many_continuations(limit)
        parts.append(_part(children, done, found))
        done += more
        # A chunk of states that had no room must find it next time, however much it needs.
        room = room * GROWTH if more == 0 else min(room * GROWTH, MOST_ROOM)
    return joined(parts)


def _part(children: Children, done: int, found: int) -> Continuations:
    return Continuations(
        parents=children.parents[:found] + done,
        joints=children.joints[:found],
        states=children.states[:found],
        shares=children.shares[:found],
    )
