"""All that a kernel works with, in one array of addresses.

Numba looks at every array that a kernel is called with, which takes longer than the gates of a
small game. What stays the same from call to call is laid out once, and taken up inside the kernel.
Whoever lays it out keeps the arrays alive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import carray
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.compiled.compile.schedule import GateView
from fogspiel.machine.compiled.infoset.consistent import Children
from fogspiel.machine.compiled.kernel.memory import address_of, place
from fogspiel.machine.compiled.kernel.wiring import Wiring

GATES = len(GateView._fields)
SCALARS = 7
"""Numbers after the addresses of the gates: five of the wiring, words of a state, and roles."""


class Buffers(NamedTuple):
    """Memory for the layers of one call and for the work on the last of them."""

    states: NDArray[np.uint64]
    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    parents: NDArray[np.int64]
    joints: NDArray[np.int32]
    shares: NDArray[np.float64]
    starts: NDArray[np.int64]
    """Of every layer one more than it has states."""
    groups: NDArray[np.int64]
    """(children,) which state of the layer each leads to."""
    firsts: NDArray[np.int64]
    """(states of the layer,) a child that leads to each."""
    table: NDArray[np.int64]
    """Of states, by hash; as many places as a power of 2."""
    layer_ends: NDArray[np.int64]
    step_ends: NDArray[np.int64]


class KernelArguments(NamedTuple):
    """What was laid out."""

    gates: GateView
    wiring: Wiring
    values: NDArray[np.uint64]
    literals: NDArray[np.uint32]
    """Of all percepts of a role."""
    room: Buffers
    children: Children


def make_room(size: int, words: int, roles: int, layers: int) -> Buffers:
    """Room for so many steps, in all layers and in the last one alone."""
    places = 16
    while places < 2 * size:
        places *= 2
    return Buffers(
        states=np.empty((size, words), np.uint64),
        counts=np.empty(size, np.float64),
        weights=np.empty(size, np.float64),
        parents=np.empty(size, np.int64),
        joints=np.empty((size, roles), np.int32),
        shares=np.empty(size, np.float64),
        starts=np.empty(size + layers, np.int64),
        groups=np.empty(size, np.int64),
        firsts=np.empty(size, np.int64),
        table=np.empty(places, np.int64),
        layer_ends=np.empty(layers, np.int64),
        step_ends=np.empty(layers, np.int64),
    )


def make_children(size: int, words: int, roles: int) -> Children:
    """Room for the steps into one layer."""
    return Children(
        np.empty(size, np.int64),
        np.empty((size, roles), np.int32),
        np.empty((size, words), np.uint64),
        np.empty(size, np.float64),
    )


def lay_out(desk: KernelArguments) -> NDArray[np.uint64]:
    """The desk as numbers: the gates, scalars, then address and length of each array."""
    wiring = desk.wiring
    scalars = [
        wiring.fluents,
        wiring.first_move,
        wiring.terminal,
        wiring.goal_cost,
        wiring.weighted_role,
        desk.room.states.shape[1],
        desk.room.joints.shape[1],
    ]
    arrays: Sequence[NDArray[Any]] = [
        *(field for field in wiring if isinstance(field, np.ndarray)),
        desk.values,
        desk.literals,
        *desk.room,
        *desk.children,
    ]
    places = [number for array in arrays for number in (int(address_of(array)), len(array))]
    numbers = [*map(int, desk.gates), *(scalar & 0xFFFFFFFFFFFFFFFF for scalar in scalars), *places]
    return np.array(numbers, np.uint64)


@native
def take_up(desk: NDArray[np.uint64]) -> KernelArguments:
    """What `lay_out` put into numbers."""
    gates = GateView(desk[0], desk[1], desk[2], desk[3], desk[4], desk[5])
    scalars = desk[GATES : GATES + SCALARS].view(np.int64)
    words, roles = scalars[5], scalars[6]
    rest = desk[GATES + SCALARS :]
    wiring = Wiring(
        scalars[0],
        scalars[1],
        _numbers(rest, 0),
        _literals(rest, 1),
        scalars[2],
        _literals(rest, 2),
        _literals(rest, 3),
        _numbers(rest, 4),
        _numbers(rest, 5),
        _numbers(rest, 6),
        scalars[3],
        scalars[4],
        _literals(rest, 7),
        _numbers(rest, 8),
        _numbers(rest, 9),
    )
    room = Buffers(
        _states(rest, 12, words),
        _reals(rest, 13),
        _reals(rest, 14),
        _numbers(rest, 15),
        _joints(rest, 16, roles),
        _reals(rest, 17),
        _numbers(rest, 18),
        _numbers(rest, 19),
        _numbers(rest, 20),
        _numbers(rest, 21),
        _numbers(rest, 22),
        _numbers(rest, 23),
    )
    children = Children(
        _numbers(rest, 24), _joints(rest, 25, roles), _states(rest, 26, words), _reals(rest, 27)
    )
    return KernelArguments(gates, wiring, _words(rest, 10), _literals(rest, 11), room, children)


@native
def _numbers(places: NDArray[np.uint64], at: int) -> NDArray[np.int64]:
    array: NDArray[np.int64] = carray(
        place(places[2 * at]), (np.int64(places[2 * at + 1]),), np.int64
    )
    return array


@native
def _reals(places: NDArray[np.uint64], at: int) -> NDArray[np.float64]:
    array: NDArray[np.float64] = carray(
        place(places[2 * at]), (np.int64(places[2 * at + 1]),), np.float64
    )
    return array


@native
def _literals(places: NDArray[np.uint64], at: int) -> NDArray[np.uint32]:
    array: NDArray[np.uint32] = carray(
        place(places[2 * at]), (np.int64(places[2 * at + 1]),), np.uint32
    )
    return array


@native
def _words(places: NDArray[np.uint64], at: int) -> NDArray[np.uint64]:
    array: NDArray[np.uint64] = carray(
        place(places[2 * at]), (np.int64(places[2 * at + 1]),), np.uint64
    )
    return array


@native
def _states(places: NDArray[np.uint64], at: int, words: int) -> NDArray[np.uint64]:
    array: NDArray[np.uint64] = carray(
        place(places[2 * at]), (np.int64(places[2 * at + 1]), words), np.uint64
    )
    return array


@native
def _joints(places: NDArray[np.uint64], at: int, roles: int) -> NDArray[np.int32]:
    array: NDArray[np.int32] = carray(
        place(places[2 * at]), (np.int64(places[2 * at + 1]), roles), np.int32
    )
    return array
