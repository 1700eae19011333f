"""Numbers that play changes, as registers: fluents for their bits, rules for what comes next.

The result is a ground program like any other: below this, nobody knows of numbers, except by the
list of registers that says which fluents make up which value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.ground.arithmetic.binary import Arithmetic, Binary, constant, unsigned
from fogspiel.ground.arithmetic.circuit import FALSE, TRUE, Bit, Circuit
from fogspiel.ground.arithmetic.expressions import Expressions, Scaled, UnsuitedError
from fogspiel.ground.arithmetic.instances import (
    Atoms,
    ChangeInstance,
    bound,
    change_instances,
)
from fogspiel.ground.arithmetic.ranges import Range, find_ranges
from fogspiel.ground.output import GroundRules
from fogspiel.lang.numbers import Expression, Numbers, Test, bind

OVERFLOW: GroundTerm = " overflow"
"""The fluent that holds once a register was passed; no text can write its name."""


@dataclass(frozen=True, slots=True)
class Register:
    """A value that play changes: (low + 1·bit0 + 2·bit1 + …) / scale."""

    term: GroundTerm
    low: int
    scale: int
    bits: tuple[GroundTerm, ...]
    """The fluents, lowest first."""
    most: int
    """What the bits come to at most; more is an overflow."""

    def value(self, holds: Iterable[bool]) -> Fraction:
        """The value when just some of the bits hold."""
        total = sum(1 << place for place, held in enumerate(holds) if held)
        return Fraction(self.low + total, self.scale)

    def is_set(self, value: Fraction) -> list[bool] | None:
        """Which bits hold for a value; None if it does not fit."""
        number = value * self.scale - self.low
        if number.denominator != 1 or not 0 <= number <= self.most:
            return None
        return [bool(int(number) >> place & 1) for place in range(len(self.bits))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetised:
    """What arithmetic adds to a ground program."""

    rules: GroundRules
    registers: tuple[Register, ...]
    fluents: dict[GroundTerm, int]
    """Bits, and OVERFLOW where it may happen: term -> atom of `true`."""
    next: dict[GroundTerm, int]
    initial: frozenset[GroundTerm]
    gains: tuple[tuple[str, int, int], ...]
    """(role, amount, atom): what a role gets besides, where the atom holds."""
    weights: tuple[tuple[GroundTerm, int, int], ...] | None
    """(move of chance, weight, atom), to be summed; None where chance chooses evenly."""
    terminal: int | None
    """The game is also over where a register was passed."""


def arithmetise(
    numbers: Numbers,
    rules: GroundRules,
    atoms: Atoms,
    *,
    legal: dict[GroundTerm, int],
    terminal: int | None,
) -> Arithmetised:
    """Registers and rules for all numbers of a ground program. Raises `UnsuitedError`.

    atoms: of the relations of numbers. legal: the moves of chance and their atoms.
    """
    return _Registers(numbers, rules, atoms).build(legal, terminal)


class _Registers:
    def __init__(self, numbers: Numbers, rules: GroundRules, atoms: Atoms) -> None:
        self.numbers = numbers
        self.atoms = atoms
        self.circuit = Circuit(rules)
        self.arithmetic = Arithmetic(self.circuit)
        self.changes = change_instances(numbers, atoms)
        self.ranges = find_ranges(numbers, self.changes)
        self.registers: dict[GroundTerm, Register] = {}
        self.fluents: dict[GroundTerm, int] = {}
        self.next: dict[GroundTerm, int] = {}
        self.passed: list[Bit] = []
        self.expressions = Expressions(numbers, self.arithmetic, self._values())

    def build(self, legal: dict[GroundTerm, int], terminal: int | None) -> Arithmetised:
        """All parts: comparisons, changes, gains, weights."""
        for test in self.numbers.tests:
            for arguments, atom in self.atoms.get(test.relation, {}).items():
                terms = dict(zip(test.arguments, arguments, strict=True))
                left, right = bound(test.left, terms), bound(test.right, terms)
                instance = Test(test.relation, (), test.operator, left, right)
                self.circuit.define(atom, self.expressions.holds(instance))
        by_target: dict[GroundTerm, list[ChangeInstance]] = defaultdict(list)
        for change in self.changes:
            by_target[change.target].append(change)
        for term, register in self.registers.items():
            self._write(register, by_target[term])
        gains = tuple(self._gains())
        weights = tuple(self._weights(legal)) if self.numbers.weighing else None
        initial = self._initial()
        terminal = self._mark_overflow(terminal)
        return Arithmetised(
            rules=self.circuit.rules(),
            registers=tuple(self.registers.values()),
            fluents=self.fluents,
            next=self.next,
            initial=initial,
            gains=gains,
            weights=weights,
            terminal=terminal,
        )

    def _values(self) -> dict[GroundTerm, Scaled]:
        """A register for every value that a change touches; others keep their first value."""
        values: dict[GroundTerm, Scaled] = {}
        for term, value in self.numbers.initial.items():
            values[term] = Scaled(constant(value.numerator), value.denominator)
        for term, found in sorted(self.ranges.values.items(), key=lambda i: format_term(i[0])):
            function = str(term[0]) if isinstance(term, tuple) else term
            scale = self.numbers.scales.get(function, 1)
            if scale is None:
                raise UnsuitedError(f"values of {function} without a common denominator")
            low, most = _whole(found, scale)
            bits: list[GroundTerm] = [
                ("bit", term, str(place)) for place in range(most.bit_length())
            ]
            self.registers[term] = Register(term, low, scale, tuple(bits), most)
            self.fluents |= {bit: self.circuit.new_atom() for bit in bits}
            own = [self.fluents[bit] for bit in bits]
            values[term] = Scaled(unsigned(low, own, most), scale)
        return values

    def _write(self, register: Register, changes: Sequence[ChangeInstance]) -> None:
        """What a register holds after the step."""
        current = self.expressions.registers[register.term].number
        amounts = _by_condition(changes)
        sets = [
            (self._any(conditions), self._target(register, operator, amount))
            for (operator, amount), conditions in amounts.items()
            if operator not in {"increase", "decrease"}
        ]
        after = self.arithmetic.select(
            sets, self.arithmetic.add(current, self._added(register, changes))
        )
        bits, lost = self.arithmetic.store(after, register.low, len(register.bits))
        if register.term in self.ranges.unseen:
            stored = Binary(0, bits, (1 << len(bits)) - 1)
            self.passed += [lost, -self.arithmetic.below(stored, register.most + 1)]
        for bit, value in zip(register.bits, bits, strict=True):
            if value == TRUE:
                self.next[bit] = 0
            elif value != FALSE:
                self.next[bit] = self.circuit.atom_of(value)

    def _target(self, register: Register, operator: str, amount: Expression) -> Binary:
        """The value that `assign`, `scale-up` or `scale-down` gives."""
        made, own = self.expressions.of(amount), self.expressions.registers[register.term]
        if operator == "scale-up":
            product = self.arithmetic.multiply(own.number, made.number)
            made = Scaled(product, own.scale * made.scale)
        elif operator == "scale-down":
            made = self.expressions.divide(own, made)
        return self.expressions.in_parts(made, register.scale)

    def _added(self, register: Register, changes: Sequence[ChangeInstance]) -> Binary:
        """The sum of what is added to a register and taken from it.

        Changes by different moves exclude each other, so one is chosen; those by one move add up.
        """
        by_move: dict[tuple[GroundTerm, ...], list[ChangeInstance]] = defaultdict(list)
        for change in changes:
            if change.operator in {"increase", "decrease"}:
                by_move[change.move].append(change)
        alone = [together[0] for together in by_move.values() if len(together) == 1]
        options = [
            (self._any(conditions), self._delta(register, operator, amount))
            for (operator, amount), conditions in _by_condition(alone).items()
        ]
        for together in by_move.values():
            if len(together) > 1:
                parts = [
                    self.arithmetic.select(
                        [(_bit(c.atom), self._delta(register, c.operator, c.amount))], constant(0)
                    )
                    for c in together
                ]
                some = self._any(c.atom for c in together)
                options.append((some, self.arithmetic.sum(parts)))
        return self.arithmetic.select(options, constant(0))

    def _delta(self, register: Register, operator: str, amount: Expression) -> Binary:
        added = self.expressions.in_parts(self.expressions.of(amount), register.scale)
        return added if operator == "increase" else self.arithmetic.negate(added)

    def _any(self, atoms: Iterable[int]) -> Bit:
        return self.circuit.any_of(_bit(atom) for atom in atoms)

    def _gains(self) -> Iterable[tuple[str, int, int]]:
        """Each gain as whole amounts: its least one, and one for each bit."""
        for gain in self.numbers.gains:
            for arguments, atom in self.atoms.get(gain.relation, {}).items():
                terms = dict(zip(gain.arguments, arguments, strict=True))
                amount = self.expressions.of(bound(gain.amount, terms))
                parts = self.expressions.in_parts(amount, self.numbers.goal_scale)
                role = str(bind(gain.role, terms))
                for value, bit in _parts_of(parts):
                    held = self.circuit.both(_bit(atom), bit)
                    if value and held != FALSE:
                        yield role, value, 0 if held == TRUE else self.circuit.atom_of(held)

    def _weights(self, legal: dict[GroundTerm, int]) -> Iterable[tuple[GroundTerm, int, int]]:
        """Even weights where no choice holds, and those of the choices."""
        weighing = self.atoms.get(str(self.numbers.weighing), {}).get(())
        evenly = TRUE if weighing is None else -_bit(weighing)
        for move, atom in legal.items():
            held = self.circuit.both(_bit(atom), evenly)
            if held != FALSE:
                yield move, 1, 0 if held == TRUE else self.circuit.atom_of(held)
        options = [
            (bind(weight.move, terms), atom, self.expressions.of(bound(weight.amount, terms)))
            for weight in self.numbers.weights
            for arguments, atom in self.atoms.get(weight.relation, {}).items()
            if (terms := dict(zip(weight.arguments, arguments, strict=True))) is not None
        ]
        scale = lcm(*(amount.scale for *_, amount in options))
        for move, atom, amount in options:
            number = self.expressions.in_parts(amount, scale)
            if number.low < 0:
                raise UnsuitedError("a weight that may be below 0")
            for value, bit in _parts_of(number):
                held = self.circuit.both(_bit(atom), bit)
                if value and held != FALSE:
                    yield move, value, 0 if held == TRUE else self.circuit.atom_of(held)

    def _initial(self) -> frozenset[GroundTerm]:
        found: set[GroundTerm] = set()
        for term, register in self.registers.items():
            holds = register.is_set(self.numbers.initial.get(term, Fraction(0)))
            if holds is None:
                raise UnsuitedError(f"a first value of {format_term(term)} outside its bounds")
            found |= {bit for bit, held in zip(register.bits, holds, strict=True) if held}
        return frozenset(found)

    def _mark_overflow(self, terminal: int | None) -> int | None:
        """Once a register was passed, that stays known, and the game is over."""
        passed = self.circuit.any_of(self.passed)
        if passed == FALSE:
            return terminal
        own = self.fluents[OVERFLOW] = self.circuit.new_atom()
        self.next[OVERFLOW] = self.circuit.atom_of(self.circuit.any_of((own, passed)))
        over = self.circuit.any_of((own, FALSE if terminal is None else _bit(terminal)))
        return 0 if over == TRUE else self.circuit.atom_of(over)


def _by_condition(
    changes: Iterable[ChangeInstance],
) -> dict[tuple[str, Expression], list[int]]:
    """The atoms under which each amount is set, added or taken."""
    found: dict[tuple[str, Expression], list[int]] = defaultdict(list)
    for change in changes:
        found[change.operator, change.amount].append(change.atom)
    return found


def _bit(atom: int) -> Bit:
    """Atom 0 holds always."""
    return TRUE if atom == 0 else atom


def _parts_of(number: Binary) -> list[tuple[int, Bit]]:
    """A number as a sum of amounts, each where a bit holds."""
    return [(number.base, TRUE), *((1 << place, bit) for place, bit in enumerate(number.bits))]


def _whole(found: Range, scale: int) -> tuple[int, int]:
    """The least value and the span of a range, in parts."""
    low = found.low * scale
    return int(low // 1), int(-(-found.high * scale // 1)) - int(low // 1)
