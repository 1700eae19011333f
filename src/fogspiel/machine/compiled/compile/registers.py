"""Numbers at the border of the machine: bits inside, terms such as `(= (score p1) 12)` outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from fogspiel.core.findings import Finding
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.ground.arithmetic.registers import CONFLICT, FAULTS, OVERFLOW, TURNS, Register

EQUALS = "="
MAX_NAMED = 3
"""Registers that an error names."""


class Values:
    """The registers of a machine."""

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
        """The other way round: values that are not given are 0.

        A value that no register holds is passed on as it is.
        """
        given = list(fluents)
        stated = {fluent[1] for fluent in given if _is_value(fluent)}
        unstated = [(EQUALS, term, "0") for term in self._registers if term not in stated]
        for fluent in (*given, *unstated):
            bits = self._bits_of(fluent)
            yield from [fluent] if bits is None else bits

    def fault(self, fluent: GroundTerm) -> Finding:
        """What to say of a state in which something went wrong."""
        kind, term = fluent[0], fluent[1]
        if kind == OVERFLOW:
            return _overflow(format_term(term), [self._registers[term]])
        return _two_turns() if kind == TURNS else _two_values(format_term(term))

    def some_fault(self, counts: int) -> Finding:
        """What to say of playouts in which something went wrong, by the sum of its `FAULTS`."""
        if counts % FAULTS[CONFLICT]:
            registers = self._registers.values()
            return _overflow("a number", [own for own in registers if not own.is_sure])
        return _two_values("a function") if counts % FAULTS[TURNS] else _two_turns()

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
        f"{format_term(r.term)} from {Fraction(r.low, r.scale)} to "
        f"{Fraction(r.low + r.most, r.scale)}"
        for r in registers[:MAX_NAMED]
    ]
    named = "; ".join(ranges) + ("; …" if len(registers) > MAX_NAMED else "")
    return Finding(
        "MCH008",
        f"{what} passed its range ({named})",
        fix="declare the range of the function: (:functions (score) - (number 0 500))",
    )


def _two_values(what: str) -> Finding:
    return Finding(
        "MCH009",
        f"{what} is set to different values by one action",
        fix="let the conditions of the effects exclude each other",
    )


def _two_turns() -> Finding:
    return Finding(
        "MCH010",
        "it is the turn of two roles at once",
        fix="let the action that gives the turn to one role take it from the other",
    )
