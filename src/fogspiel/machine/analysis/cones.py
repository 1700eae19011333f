"""The part of a circuit that some literals depend on, in an order fit for evaluation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.machine.circuit import StepCircuit
from fogspiel.machine.protocol import States


class Cone(NamedTuple):
    """Gates to be evaluated one after the other."""

    fluents: int
    first_gate: int
    """Node of gate 0."""
    starts: NDArray[np.int64]
    inputs: NDArray[np.int64]
    """Literals that gates read, as in the circuit."""
    order: NDArray[np.int64]
    """Gates, and -1 - k where loop k begins."""
    loops: NDArray[np.int64]
    """(loops, 3) how many of the gates that follow are its own; its first variable, and the
    variable after its last."""
    variables: NDArray[np.int64]
    """Nodes."""
    sources: NDArray[np.int64]
    """Literals that give variables their values."""


def cone_of(circuit: StepCircuit, literals: NDArray[np.int64]) -> Cone:
    """What the literals depend on."""
    needed = needed_nodes(circuit, literals)
    order: list[int] = []
    loops = np.zeros((len(circuit.loops), 3), np.int64)
    firsts = {loop.first: number for number, loop in enumerate(circuit.loops)}
    ends = np.cumsum([0, *(len(loop.variables) for loop in circuit.loops)])
    for node in range(circuit.first_gate, len(needed)):
        if node in firsts:
            number = firsts[node]
            loop = circuit.loops[number]
            inside = int(needed[loop.first : loop.end].sum())
            loops[number] = inside, ends[number], ends[number + 1]
            if inside:
                order.append(-1 - number)
        if needed[node]:
            order.append(node - circuit.first_gate)
    none = np.zeros(0, np.int64)
    return Cone(
        fluents=circuit.fluents,
        first_gate=circuit.first_gate,
        starts=circuit.starts,
        inputs=circuit.inputs,
        order=np.array(order, np.int64),
        loops=loops,
        variables=np.concatenate([none, *(loop.variables for loop in circuit.loops)]),
        sources=np.concatenate([none, *(loop.sources for loop in circuit.loops)]),
    )


def needed_nodes(circuit: StepCircuit, literals: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(nodes,) which nodes the literals depend on."""
    needed = np.zeros(circuit.first_gate + len(circuit.starts) - 1, np.bool_)
    needed[literals >> 1] = True
    while True:
        before = int(needed.sum())
        _mark_inputs(circuit.first_gate, circuit.starts, circuit.inputs, needed)
        for loop in circuit.loops:
            needed[loop.sources[needed[loop.variables]] >> 1] = True
        if int(needed.sum()) == before:
            return needed


@native
def _mark_inputs(
    first_gate: int,
    starts: NDArray[np.int64],
    inputs: NDArray[np.int64],
    needed: NDArray[np.bool_],
) -> None:
    for gate in range(len(starts) - 2, -1, -1):
        if needed[first_gate + gate]:
            for place in range(starts[gate], starts[gate + 1]):
                needed[inputs[place] >> 1] = True


class Reader:
    """Tells which literals hold in states; of literals that depend on fluents alone."""

    def __init__(self, circuit: StepCircuit, literals: NDArray[np.int64]) -> None:
        self._cone, self._literals = cone_of(circuit, literals), literals

    def __call__(self, states: States) -> NDArray[np.bool_]:
        """(n, literals)"""
        found = np.empty((len(states), len(self._literals)), np.bool_)
        _read(np.ascontiguousarray(states), self._cone, self._literals, found)
        return found


@native
def _read(
    states: NDArray[np.uint64],
    cone: Cone,
    literals: NDArray[np.int64],
    found: NDArray[np.bool_],
) -> None:
    values = np.zeros(cone.first_gate + len(cone.starts) - 1, np.bool_)
    values[0] = True
    for row in range(len(states)):
        for fluent in range(cone.fluents):
            word = states[row, fluent >> 6] >> np.uint64(fluent & 63)
            values[1 + fluent] = (word & np.uint64(1)) != 0
        at = 0
        while at < len(cone.order):
            if cone.order[at] >= 0:
                _set_gate(cone, cone.order[at], values)
                at += 1
            else:
                at = _set_loop(cone, at, values)
        for k in range(len(literals)):
            found[row, k] = values[literals[k] >> 1] != (literals[k] & 1 == 1)


@native
def _set_loop(cone: Cone, at: int, values: NDArray[np.bool_]) -> int:
    """Up to the least fixpoint; where the order goes on behind the loop."""
    number = -1 - cone.order[at]
    count, first, end = cone.loops[number, 0], cone.loops[number, 1], cone.loops[number, 2]
    for k in range(first, end):
        values[cone.variables[k]] = False
    changed = True
    while changed:
        changed = False
        for step in range(at + 1, at + 1 + count):
            _set_gate(cone, cone.order[step], values)
        for k in range(first, end):
            new = values[cone.sources[k] >> 1] != (cone.sources[k] & 1 == 1)
            changed = changed or new != values[cone.variables[k]]
            values[cone.variables[k]] = new
    return int(at + 1 + count)


@native
def _set_gate(cone: Cone, gate: int, values: NDArray[np.bool_]) -> None:
    holds = True
    for place in range(cone.starts[gate], cone.starts[gate + 1]):
        literal = cone.inputs[place]
        if values[literal >> 1] == (literal & 1 == 1):
            holds = False
            break
    values[cone.first_gate + gate] = holds
