"""The gate array as others can read it: gates with their inputs, without lanes and kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogspiel.machine.circuit import GateLoop, Literals, StepCircuit
from fogspiel.machine.compiled.compile.network import GateNetwork
from fogspiel.machine.compiled.compile.schedule import Gates


def circuit_of(network: GateNetwork) -> StepCircuit:
    """One step of a compiled game. The gates that only goals need are among the others."""
    wiring = network.wiring
    first_gate = wiring.first_move + len(wiring.legal) + len(network.gates.loop_slots)
    starts, inputs = _inputs(network.gates, network.slots - first_gate)
    return StepCircuit(
        fluents=wiring.fluents,
        role_starts=wiring.role_starts,
        first_gate=first_gate,
        starts=starts,
        inputs=inputs,
        loops=_loops(network.gates),
        legal=wiring.legal.astype(np.int64),
        terminal=wiring.terminal,
        next=wiring.next.astype(np.int64),
        percepts=tuple(literals.astype(np.int64) for literals in network.percept_literals),
        weighted=len(wiring.weights) > 0,
    )


def _inputs(gates: Gates, count: int) -> tuple[NDArray[np.int64], Literals]:
    """Where the inputs of each gate begin, and all inputs as literals."""
    first, end, holding, inverted, _ = gates.runs.T
    arity = np.repeat(holding + inverted, end - first)
    starts = np.concatenate([[0], np.cumsum(arity)])
    # Of each gate, the inputs that must hold come before those that must not.
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], arity)
    negated = place >= np.repeat(np.repeat(holding, end - first), arity)
    assert len(arity) == count
    return starts, 2 * gates.inputs.astype(np.int64) + negated


def _loops(gates: Gates) -> tuple[GateLoop, ...]:
    return tuple(
        GateLoop(
            int(gates.runs[first, 0]),
            int(gates.runs[end - 1, 1]),
            gates.loop_slots[variable:last].astype(np.int64),
            gates.loop_sources[variable:last].astype(np.int64),
        )
        for first, end, variable, last in gates.blocks
        if variable < last
    )
