"""Steps and layers consistent with a role's observations, in native calls with growing memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId
from fogspiel.machine.compiled.compile.compiled_game import GateNetwork
from fogspiel.machine.compiled.infoset.consistent import (
    Children,
    PackedObservation,
    find_consistent,
    still_tried,
)
from fogspiel.machine.compiled.infoset.layer_kernel import (
    Buffers,
    LayerMemory,
    find_layers,
    make_buffers,
    pack_layers,
)
from fogspiel.machine.compiled.kernel.evaluate import LANES
from fogspiel.machine.compiled.kernel.intrinsics import Width
from fogspiel.machine.layers import empty_run, joined
from fogspiel.machine.protocol import Continuations, Layer, LayerRun, States, too_many_continuations

FIRST_ROOM = 1 << 12  #: Number of children that the first call has memory for
MOST_ROOM = 1 << 20
GROWTH = 8
LONGEST_RUN = 64  #: Most layers of one call


def packed_observation(
    network: GateNetwork,
    role: RoleId,
    observation: Observation,
    among: Sequence[NDArray[np.bool_]] | None = None,
) -> PackedObservation:
    """Observation of a role, as moves to try and literals that must all hold."""
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
    """(moves,) whether a role's percepts admit each move, legal or not, for every role."""
    starts = network.wiring.role_starts
    packed = packed_observation(network, role, Observation(MoveId(0), tuple(percepts)))
    packed.tried[starts[role] : starts[role + 1]] = True
    return np.split(still_tried(network.wiring, packed), starts[1:-1])


def collect(
    memory: NDArray[np.uint64],
    roles: int,
    states: States,
    observation: PackedObservation,
    limit: int | None,
    width: Width,
) -> Continuations:
    """All consistent children of the states. Raises `LimitError` beyond the limit."""
    states = np.ascontiguousarray(states)
    parts: list[Continuations] = []
    done = total = 0
    room = FIRST_ROOM
    while done < len(states) or not parts:  # no states also have an answer
        children = make_children(room, states.shape[1], roles)
        more, found = find_consistent(memory, states[done:], observation, children, width)
        total += found
        if limit is not None and total > limit:
            raise too_many_continuations(limit)
        parts.append(_part(children, done, found))
        done += more
        # A chunk of states for which there was no room gets more, however much it needs.
        room = room * GROWTH if more == 0 else min(room * GROWTH, MOST_ROOM)
    return joined(parts)


def make_children(size: int, words: int, roles: int) -> Children:
    """Memory for so many children."""
    return Children(
        np.empty(size, np.int64),
        np.empty((size, roles), np.int32),
        np.zeros((size, words), np.uint64),
        np.empty(size, np.float64),
    )


def _part(children: Children, done: int, found: int) -> Continuations:
    return Continuations(
        parents=children.parents[:found] + done,
        joints=children.joints[:found],
        states=children.states[:found],
        shares=children.shares[:found],
    )


class LayerRuns:
    """Layers of states of one machine. Memory is reused from call to call."""

    def __init__(
        self,
        network: GateNetwork,
        width_for: Callable[[int], Width],
        memory_of: Callable[[Width], NDArray[np.uint64]],
    ) -> None:
        """width_for: best width for so many states. memory_of: packed gates and values by width."""
        self._network = network
        self._width_for = width_for
        self._memory_of = memory_of
        self._roles = len(network.wiring.role_starts) - 1
        self._kept: dict[tuple[int, RoleId], tuple[LayerMemory, NDArray[np.uint64]]] = {}

    def after(
        self, first: Layer, role: RoleId, observations: Sequence[Observation], limit: int
    ) -> LayerRun:
        """Layers that follow one; see `Machine.layers`."""
        width = self._width_for(len(first))
        states = np.ascontiguousarray(first.states)
        percepts = len(self._network.percept_literals[role])
        script = _script(percepts, role, observations[:LONGEST_RUN])
        most = max(LANES * len(width), len(first))
        size = min(FIRST_ROOM, limit)
        while True:
            memory, packed = self._layer_memory(size, role, states.shape[1])
            layer = states, first.counts, first.weights
            done = find_layers(self._memory_of(width), packed, *layer, script, most, width)
            if done:
                return _copied_out(memory.buffers, done)
            if size >= limit:
                return empty_run(first, self._roles)
            size = min(GROWTH * size, limit)

    def _layer_memory(
        self, size: int, role: RoleId, words: int
    ) -> tuple[LayerMemory, NDArray[np.uint64]]:
        """Memory for so many steps, plain and packed. Large memory is not kept."""
        if (size, role) in self._kept:
            return self._kept[size, role]
        memory = LayerMemory(
            self._network.percept_literals[role],
            make_buffers(size, words, self._roles, LONGEST_RUN),
            make_children(size, words, self._roles),
        )
        found = memory, pack_layers(memory)
        if size == FIRST_ROOM:
            self._kept[size, role] = found
        return found


def _script(
    percept_count: int, role: RoleId, observations: Sequence[Observation]
) -> NDArray[np.int64]:
    """Observations of a role in the form that `find_layers` reads."""
    percepts = [percept for observation in observations for percept in observation.percepts]
    if percepts and not 0 <= min(percepts) <= max(percepts) < percept_count:
        raise IndexError(f"the role has percepts 0 to {percept_count - 1}; got {max(percepts)}")
    moves = (observation.move for observation in observations)
    ends = accumulate(len(observation.percepts) for observation in observations)
    return np.array([role, len(observations), *moves, *ends, *percepts], np.int64)


def _copied_out(buffers: Buffers, layers: int) -> LayerRun:
    """Copy of the layers, since their memory will be used again."""
    layer_ends = buffers.layer_ends[:layers].tolist()
    step_ends = buffers.step_ends[:layers].tolist()
    states, steps = layer_ends[-1], step_ends[-1]
    return LayerRun(
        states=buffers.states[:states].copy(),
        counts=buffers.counts[:states].copy(),
        weights=buffers.weights[:states].copy(),
        layer_ends=layer_ends,
        parents=buffers.parents[:steps].copy(),
        joints=buffers.joints[:steps].copy(),
        shares=buffers.shares[:steps].copy(),
        starts=buffers.starts[: states + layers].copy(),
        step_ends=step_ends,
    )
