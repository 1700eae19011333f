"""Numbers at the border of the machine: bits inside, terms such as `(= (score p1) 12)` outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from fogspiel.core.findings import Finding
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.ground.arithmetic.registers import CONFLICT, Register

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
            (EQUALS, term, str(register.value(bit in held for bit in register.bits)))
            for term, register in self._registers.items()
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
        if kind == CONFLICT:
            return Finding(
                code="MCH009",
                message=f"{format_term(term)} is set to different values by one action",
                fix="let the conditions of the effects exclude each other",
            )
        return _overflow(f"{format_term(term)} passed its range", [self._registers[term]])

    def some_fault(self) -> Finding:
        """What to say when it is not known where something went wrong, but only that it did."""
        unsure = [register for register in self._registers.values() if not register.is_sure]
        if unsure:
            return _overflow("a number passed its range", unsure)
        return Finding(
            code="MCH009",
            message="a function is set to different values by one action",
            fix="let the conditions of the effects exclude each other",
        )

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


def _overflow(message: str, registers: Sequence[Register]) -> Finding:
    ranges = [
        f"{format_term(r.term)} from {Fraction(r.low, r.scale)} to "
        f"{Fraction(r.low + r.most, r.scale)}"
        for r in registers[:MAX_NAMED]
    ]
    named = "; ".join(ranges) + ("; …" if len(registers) > MAX_NAMED else "")
    return Finding(
        code="MCH008",
        message=f"{message} ({named})",
        fix="declare the range of the function: (:functions (score) - (number 0 500))",
    )
