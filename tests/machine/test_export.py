"""One step as gates, evaluated plainly, against the machine: over every bundled game."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.terms import MoveId, RoleId
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, State, StepCircuit

STATES = 6


def gate_values(circuit: StepCircuit, state: State, joint: list[MoveId]) -> list[bool]:
    """The value of every node."""
    values = [False] * (circuit.first_gate + len(circuit.starts) - 1)
    values[0] = True
    bits = np.unpackbits(state.view(np.uint8), bitorder="little")[: circuit.fluents]
    values[1 : circuit.first_move] = [bool(bit) for bit in bits]
    for role, move in enumerate(joint):
        values[circuit.first_move + int(circuit.role_starts[role]) + move] = True
    loops = {loop.first: loop for loop in circuit.loops}
    node = circuit.first_gate
    while node < len(values):
        loop = loops.get(node)
        if loop is None:
            set_gate(circuit, values, node)
            node += 1
            continue
        for _ in range(len(loop.variables) + 1):
            for gate in range(loop.first, loop.end):
                set_gate(circuit, values, gate)
            for variable, source in zip(loop.variables, loop.sources, strict=True):
                values[variable] = holds(values, source)
        node = loop.end
    return values


def set_gate(circuit: StepCircuit, values: list[bool], node: int) -> None:
    start, end = circuit.starts[node - circuit.first_gate : node - circuit.first_gate + 2]
    values[node] = all(holds(values, literal) for literal in circuit.inputs[start:end])


def holds(values: list[bool], literal: int) -> bool:
    return values[literal >> 1] != bool(literal & 1)


def read(values: list[bool], literals: NDArray[np.int64]) -> list[bool]:
    return [holds(values, int(literal)) for literal in literals]


def check_step(machine: Machine, circuit: StepCircuit, state: State, joint: list[MoveId]) -> None:
    values = gate_values(circuit, state, joint)
    assert holds(values, circuit.terminal) == machine.terminal(state)
    for role in map(RoleId, range(len(machine.roles))):
        first, end = circuit.role_starts[role : role + 2]
        legal = np.flatnonzero(read(values, circuit.legal[first:end]))
        assert tuple(legal) == machine.legal(state, role)
        seen = np.flatnonzero(read(values, circuit.percepts[role]))
        assert tuple(seen) == machine.percepts(state, joint, role)
    after = np.unpackbits(machine.step(state, joint).view(np.uint8), bitorder="little")
    assert read(values, circuit.next) == [bool(bit) for bit in after[: circuit.fluents]]


@pytest.mark.parametrize("name", sorted(bundled_games()))
def test_the_gates_say_what_the_machine_says(name: str) -> None:
    machine = load(name).machine
    circuit = machine.circuit()
    assert circuit is not None
    random = Random(name)
    state = machine.initial()
    roles = [RoleId(role) for role in range(len(machine.roles))]
    for _ in range(STATES):
        joint = [random.choice(machine.legal(state, role)) for role in roles]
        check_step(machine, circuit, state, joint)
        state = machine.step(state, joint)
        if machine.terminal(state):
            state = machine.initial()


def test_some_bundled_game_has_a_loop() -> None:
    circuit = load("dark_hex_3").machine.circuit()
    assert circuit is not None
    assert len(circuit.loops) > 0


def test_a_machine_without_gates_says_so() -> None:
    assert load("kuhn_poker", engine="reference").machine.circuit() is None
