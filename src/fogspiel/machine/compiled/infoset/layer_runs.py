"""Following a role's view through layers of states, a run of them in each native call.

Memory for the work is kept from call to call; what was found is copied out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.compiled.compile.network import GateNetwork
from fogspiel.machine.compiled.compile.schedule import GateView
from fogspiel.machine.compiled.infoset.kernel_arguments import (
    KernelArguments,
    lay_out,
    make_children,
    make_room,
)
from fogspiel.machine.compiled.infoset.layer_kernel import find_layers
from fogspiel.machine.compiled.kernel.lanes import LANES
from fogspiel.machine.compiled.kernel.vectors import Width
from fogspiel.machine.layers import empty_run
from fogspiel.machine.protocol import Layer, LayerRun

FIRST_ROOM = 1 << 12
"""Steps that there is room for at first."""
GROWTH = 8
LONGEST_RUN = 64
"""Layers of one call."""


class LayerRuns:
    """Layers of one machine's states."""

    def __init__(
        self,
        network: GateNetwork,
        gates: GateView,
        width_for: Callable[[int], Width],
        values_of: Callable[[Width], NDArray[np.uint64]],
    ) -> None:
        """width_for: how wide lanes are best for so many states. values_of: memory of gates."""
        self._network = network
        self._gates = gates
        self._width_for = width_for
        self._values_of = values_of
        self._roles = len(network.wiring.role_starts) - 1
        self._desks: dict[
            tuple[int, Width, RoleId], tuple[KernelArguments, NDArray[np.uint64]]
        ] = {}

    def after(
        self, first: Layer, role: RoleId, observations: Sequence[Observation], limit: int
    ) -> LayerRun:
        """Layers that follow one; see `Machine.layers`."""
        width = self._width_for(len(first))
        states = np.ascontiguousarray(first.states)
        script = _script(
            len(self._network.percept_literals[role]), role, observations[:LONGEST_RUN]
        )
        most = max(LANES * len(width), len(first))
        size = min(FIRST_ROOM, limit)
        while True:
            desk, numbers = self._desk(size, width, role, states.shape[1])
            done = find_layers(numbers, states, first.counts, first.weights, script, most, width)
            if done:
                return _copied_out(desk, done)
            if size >= limit:
                return empty_run(first, self._roles)
            size = min(GROWTH * size, limit)

    def _desk(
        self, size: int, width: Width, role: RoleId, words: int
    ) -> tuple[KernelArguments, NDArray[np.uint64]]:
        """What the kernel needs, and the same laid out. Large ones are not kept."""
        key = size, width, role
        if key in self._desks:
            return self._desks[key]
        desk = KernelArguments(
            self._gates,
            self._network.wiring,
            self._values_of(width),
            self._network.percept_literals[role],
            make_room(size, words, self._roles, LONGEST_RUN),
            make_children(size, words, self._roles),
        )
        numbers = lay_out(desk)
        if size == FIRST_ROOM:
            self._desks[key] = desk, numbers
        return desk, numbers


def _script(
    percept_count: int, role: RoleId, observations: Sequence[Observation]
) -> NDArray[np.int64]:
    """What a role observed, as `find_layers` reads it."""
    percepts = [percept for observation in observations for percept in observation.percepts]
    if percepts and not 0 <= min(percepts) <= max(percepts) < percept_count:
        raise IndexError(f"the role has percepts 0 to {percept_count - 1}; got {max(percepts)}")
    moves = (observation.move for observation in observations)
    ends = accumulate(len(observation.percepts) for observation in observations)
    return np.array([role, len(observations), *moves, *ends, *percepts], np.int64)


def _copied_out(desk: KernelArguments, layers: int) -> LayerRun:
    """Layers from memory that will be used again."""
    room = desk.room
    layer_ends, step_ends = room.layer_ends[:layers].tolist(), room.step_ends[:layers].tolist()
    states, steps = layer_ends[-1], step_ends[-1]
    return LayerRun(
        states=room.states[:states].copy(),
        counts=room.counts[:states].copy(),
        weights=room.weights[:states].copy(),
        layer_ends=layer_ends,
        parents=room.parents[:steps].copy(),
        joints=room.joints[:steps].copy(),
        shares=room.shares[:steps].copy(),
        starts=room.starts[: states + layers].copy(),
        step_ends=step_ends,
    )
