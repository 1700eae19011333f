"""Names of a compiled game: the terms of its fluents, moves and percepts, and its step circuit.

Registers are bits inside the machine and terms such as `(= (score p1) 12)` outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import Finding, PlayError
from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId, format_term
from fogspiel.ground.arithmetic.register import CONFLICT, FAULTS, OVERFLOW, TURNS, Register
from fogspiel.machine.compiled.compile.compiled_game import GateNetwork
from fogspiel.machine.compiled.kernel.evaluate import pack_bits
from fogspiel.machine.compiled.kernel.wiring import Gates
from fogspiel.machine.protocol import GateLoop, Literals, State, States, StepCircuit

EQUALS = "="
MAX_NAMED = 3  #: Registers that an error names


class Naming:
    """Translation between the numbers and the terms of fluents, moves and percepts."""

    roles: tuple[str, ...]

    def __init__(self, network: GateNetwork, numbers: RegisterValues) -> None:
        self.network = network
        self._numbers = numbers

    def key(self, state: State) -> bytes:
        """A value equal for equal states."""
        return state.tobytes()

    def fluent_terms(self, state: State) -> tuple[GroundTerm, ...]:
        """The fluents that hold: those that can change, then those that hold in every state."""
        bits = np.unpackbits(state.view(np.uint8), bitorder="little")
        changing = (self.network.fluents[i] for i in np.flatnonzero(bits))
        return self._numbers.shown((*changing, *self.network.always))

    def fluent_rows(self, states: States) -> States:
        """(n, words) the states, whose bits are fluents."""
        return states

    def state_of(self, fluents: Iterable[GroundTerm]) -> State:
        """The state in which exactly these fluents hold."""
        bits = np.zeros(len(self.network.fluents), np.bool_)
        always = set(self.network.always)
        for fluent in self._numbers.hidden(fluents):
            if fluent in self._fluent_ids:
                bits[self._fluent_ids[fluent]] = True
            elif fluent not in always:
                raise unknown_name("MCH005", "fluent", fluent)
        return pack_bits(bits)

    def move_count(self, role: RoleId) -> int:
        """Moves of a role."""
        return len(self.network.moves[role])

    def move_term(self, role: RoleId, move: MoveId) -> GroundTerm:
        """A move as the rules write it."""
        return self.network.moves[role][move]

    def move_id(self, role: RoleId, move: GroundTerm) -> MoveId:
        """The id of a move."""
        found = self._move_ids[role].get(move)
        if found is None:
            raise unknown_name("MCH002", f"move of {self.roles[role]}", move)
        return MoveId(found)

    def percept_count(self, role: RoleId) -> int:
        """Percepts of a role."""
        return len(self.network.percepts[role])

    def percept_term(self, role: RoleId, percept: PerceptId) -> GroundTerm:
        """A percept as the rules write it."""
        return self.network.percepts[role][percept]

    @cached_property
    def _fluent_ids(self) -> dict[GroundTerm, int]:
        return {fluent: i for i, fluent in enumerate(self.network.fluents)}

    @cached_property
    def _move_ids(self) -> list[dict[GroundTerm, int]]:
        return [{move: i for i, move in enumerate(moves)} for moves in self.network.moves]


class RegisterValues:
    """Translates between register bits and the numbers that they stand for."""

    def __init__(self, registers: Sequence[Register]) -> None:
        self._registers = {register.term: register for register in registers}
        self._bits = {bit for register in registers for bit in register.bits}

    def shown(self, fluents: Sequence[GroundTerm]) -> tuple[GroundTerm, ...]:
        """Fluents that hold, with the value of each register in place of its bits."""
        if not self._registers:
            return tuple(fluents)
        held = set(fluents)
        plain = [fluent for fluent in fluents if fluent not in self._bits]
        values = [
            (EQUALS, term, str(value))
            for term, register in self._registers.items()
            if (value := register.value(bit in held for bit in register.bits)) or register.is_listed
        ]
        return (*plain, *values)

    def hidden(self, fluents: Iterable[GroundTerm]) -> Iterable[GroundTerm]:
        """Fluents with the bits of each register in place of its value; the inverse of `shown`.

        Values that are not given are 0. A value that fits no register is returned unchanged.
        """
        given = list(fluents)
        stated = {fluent[1] for fluent in given if _is_value(fluent)}
        unstated = [(EQUALS, term, "0") for term in self._registers if term not in stated]
        for fluent in (*given, *unstated):
            bits = self._bits_of(fluent)
            yield from [fluent] if bits is None else bits

    def fault(self, fluent: GroundTerm) -> Finding:
        """The finding for a state in which this fault holds."""
        kind, term = fluent[0], fluent[1]
        if kind == OVERFLOW:
            return _overflow(format_term(term), [self._registers[term]])
        return TWO_TURNS if kind == TURNS else _two_values(format_term(term))

    def some_fault(self, counts: int) -> Finding:
        """The finding for playouts with faults, given the sum of their `FAULTS`."""
        if counts % FAULTS[CONFLICT]:
            registers = self._registers.values()
            return _overflow("a number", [own for own in registers if not own.is_sure])
        return _two_values("a function") if counts % FAULTS[TURNS] else TWO_TURNS

    def _bits_of(self, fluent: GroundTerm) -> list[GroundTerm] | None:
        if not _is_value(fluent):
            return None
        register, text = self._registers.get(fluent[1]), fluent[2]
        if register is None or not isinstance(text, str):
            return None
        holds = register.is_set(Fraction(text))
        if holds is None:
            return None
        return [bit for bit, held in zip(register.bits, holds, strict=True) if held]


def _is_value(fluent: GroundTerm) -> bool:
    return isinstance(fluent, tuple) and len(fluent) == 3 and fluent[0] == EQUALS


def _overflow(what: str, registers: Sequence[Register]) -> Finding:
    ranges = [
        f"{format_term(r.term)} from {r.least} to {r.greatest}" for r in registers[:MAX_NAMED]
    ]
    named = "; ".join(ranges) + ("; …" if len(registers) > MAX_NAMED else "")
    return Finding(
        "MCH008",
        f"{what} passed its range ({named})",
        fix="declare the range of the function: (:functions (score) - (number 0 500))",
    )


def _two_values(what: str) -> Finding:
    message = f"{what} is set to different values by one action"
    return Finding("MCH009", message, fix="let the conditions of the effects exclude each other")


TWO_TURNS = Finding(
    "MCH010",
    "it is the turn of two roles at once",
    fix="let the action that gives the turn to one role take it from the other",
)


def unknown_name(code: str, what: str, term: GroundTerm) -> PlayError:
    """Error for a move or fluent that does not occur in the rules."""
    return PlayError.of(
        code,
        f"the rules know no {what} {format_term(term)}",
        fix="check the spelling against `fogspiel info`",
    )


def circuit_of(network: GateNetwork) -> StepCircuit:
    """One step of a compiled game as a circuit, which includes gates that only goals need."""
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
    """Start of each gate's inputs, and the inputs of all gates as literals."""
    first, end, holding, inverted, _ = gates.runs.T
    arity = np.repeat(holding + inverted, end - first)
    starts = np.concatenate([[0], np.cumsum(arity)])
    # The inputs of a gate that must hold come before those that must not.
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
