"""Numbers that play changes, as registers: fluents for their bits, rules for what comes next.

The result is a ground program like any other: below this, nobody knows of numbers, except by the
list of registers that says which fluents make up which value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm

from fogspiel.core.terms import GroundTerm, format_term, functor
from fogspiel.ground.arithmetic.circuit import (
    FALSE,
    TRUE,
    Binary,
    BinaryCircuits,
    Bit,
    Circuit,
    unsigned,
)
from fogspiel.ground.arithmetic.expressions import (
    Atoms,
    ChangeInstance,
    Expressions,
    Scaled,
    UnsuitedError,
    Updates,
    bound,
    change_instances,
    held,
)
from fogspiel.ground.arithmetic.ranges import ValueRange, find_ranges
from fogspiel.ground.arithmetic.register import CONFLICT, OVERFLOW, TURNS, Register, bit_fluents
from fogspiel.ground.gringo import GroundRules
from fogspiel.rules.numbers import Numbers, Test, bind

MAX_SUM = 1 << 62  #: Payoffs and weights are summed in 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetised:
    """What arithmetic adds to a ground program."""

    rules: GroundRules
    registers: tuple[Register, ...]
    fluents: dict[GroundTerm, int]  #: Bits, and what may go wrong: term -> atom of `true`
    next: dict[GroundTerm, int]
    initial: frozenset[GroundTerm]
    gains: tuple[tuple[str, int, int], ...]
    """(role, amount, atom): what a role gets besides, where the atom holds."""
    weights: tuple[tuple[GroundTerm, int, int], ...] | None
    """Weights of chance as (move, weight, atom), to be summed; None where chance is uniform."""
    terminal: int | None  #: The game is also over where something went wrong


def arithmetise(
    numbers: Numbers,
    rules: GroundRules,
    atoms: Atoms,
    *,
    legal: dict[GroundTerm, int],
    following: dict[GroundTerm, int],
    terminal: int | None,
) -> Arithmetised:
    """Registers and rules for all numbers of a ground program. Raises `UnsuitedError`.

    atoms: of the relations of numbers. legal: the moves of chance and their atoms. following: what
    may hold after the step, and its atoms.
    """
    registers = _Registers(numbers, rules, atoms)
    registers.watch_turns(following)
    return registers.build(legal, terminal)


class _Registers:
    def __init__(self, numbers: Numbers, rules: GroundRules, atoms: Atoms) -> None:
        self.numbers = numbers
        self.atoms = atoms
        self.circuit = Circuit(rules)
        self.arithmetic = BinaryCircuits(self.circuit)
        self.changes = change_instances(numbers, atoms)
        self.ranges = find_ranges(numbers, self.changes)
        self.registers: dict[GroundTerm, Register] = {}
        self.fluents: dict[GroundTerm, int] = {}
        self.next: dict[GroundTerm, int] = {}
        self.faults: list[Bit] = []
        self.expressions = Expressions(numbers, self.arithmetic, self._values())
        self.updates = Updates(self.circuit, self.arithmetic, self.expressions)

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
        terminal = self._ended(terminal)
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

    def watch_turns(self, following: dict[GroundTerm, int]) -> None:
        """One role is to move at a time."""
        earlier = FALSE
        for term in self.numbers.turns:
            own = held(following[term]) if term in following else FALSE
            self._fault((TURNS, term), self.circuit.both(own, earlier))
            earlier = self.circuit.any_of((own, earlier))

    def _values(self) -> dict[GroundTerm, Scaled]:
        """A register for every value of a function that changes; of some it never does."""
        values: dict[GroundTerm, Scaled] = {}
        for term, found in sorted(self.ranges.values.items(), key=lambda i: format_term(i[0])):
            scale = self.numbers.scales.get(functor(term)) or 1
            low, most = _whole(found, scale)
            bits = bit_fluents(term, most)
            is_sure = term not in self.ranges.unseen
            is_listed = term in self.numbers.listed
            self.registers[term] = Register(term, low, scale, bits, most, is_sure, is_listed)
            self.fluents |= {bit: self.circuit.new_atom() for bit in bits}
            own = [self.fluents[bit] for bit in bits]
            values[term] = Scaled(unsigned(low, own, most), scale)
        return values

    def _write(self, register: Register, changes: Sequence[ChangeInstance]) -> None:
        """What a register holds after the step, and what may go wrong with it."""
        after, conflict = self.updates.after(register.term, register.scale, changes)
        bits, lost = self.arithmetic.store(after, register.low, len(register.bits))
        if register.term in self.ranges.unseen:
            stored = Binary(0, bits, (1 << len(bits)) - 1)
            beyond = -self.arithmetic.below(stored, register.most + 1)
            passed = self.circuit.both(self.circuit.any_of((lost, beyond)), -conflict)
            self._fault((OVERFLOW, register.term), passed)
        self._fault((CONFLICT, register.term), conflict)
        for bit, value in zip(register.bits, bits, strict=True):
            if value != FALSE:
                self.next[bit] = self._atom(value)

    def _fault(self, fluent: GroundTerm, happens: Bit) -> None:
        """A fluent that ends the game where something went wrong."""
        if happens != FALSE:
            self.faults.append(self.circuit.new_atom())
            self.fluents[fluent] = self.faults[-1]
            self.next[fluent] = self._atom(happens)

    def _gains(self) -> Iterable[tuple[str, int, int]]:
        """Each gain as whole amounts: its least one, and one for each bit."""
        for gain in self.numbers.gains:
            for arguments, atom in self.atoms.get(gain.relation, {}).items():
                terms = dict(zip(gain.arguments, arguments, strict=True))
                amount = self.expressions.of(bound(gain.amount, terms))
                parts = self.expressions.in_parts(amount, self.numbers.goal_scale)
                if max(-parts.low, parts.high) >= MAX_SUM:
                    raise UnsuitedError("payoffs with too many digits")
                role = str(bind(gain.role, terms))
                for value, bit in _parts_of(parts):
                    both = self.circuit.both(held(atom), bit)
                    if value and both != FALSE:
                        yield role, value, self._atom(both)

    def _weights(self, legal: dict[GroundTerm, int]) -> Iterable[tuple[GroundTerm, int, int]]:
        """Equal weights where no choice holds, and those of the choices."""
        weighing = self.atoms.get(str(self.numbers.weighing), {}).get(())
        unweighted = TRUE if weighing is None else -held(weighing)
        for move, atom in legal.items():
            both = self.circuit.both(held(atom), unweighted)
            if both != FALSE:
                yield move, 1, self._atom(both)
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
            if number.high >= MAX_SUM:
                raise UnsuitedError("weights with too many digits")
            for value, bit in _parts_of(number):
                both = self.circuit.both(held(atom), bit)
                if value and both != FALSE:
                    yield move, value, self._atom(both)

    def _initial(self) -> frozenset[GroundTerm]:
        found: set[GroundTerm] = set()
        for term, register in self.registers.items():
            holds = register.is_set(self.numbers.initial.get(term, Fraction(0)))
            if holds is None:
                raise UnsuitedError(f"a first value of {format_term(term)} outside its bounds")
            found |= {bit for bit, held in zip(register.bits, holds, strict=True) if held}
        return frozenset(found)

    def _ended(self, terminal: int | None) -> int | None:
        """The game is also over where something went wrong."""
        over = self.circuit.any_of([*self.faults, *([] if terminal is None else [held(terminal)])])
        return None if over == FALSE else self._atom(over)

    def _atom(self, bit: Bit) -> int:
        return 0 if bit == TRUE else self.circuit.atom_of(bit)


def _parts_of(number: Binary) -> list[tuple[int, Bit]]:
    """A number as a sum of amounts, each where a bit holds."""
    return [(number.base, TRUE), *((1 << place, bit) for place, bit in enumerate(number.bits))]


def _whole(found: ValueRange, scale: int) -> tuple[int, int]:
    """The least value and the span of a range, in parts: no other values are in it."""
    low, high = ceil(found.low * scale), floor(found.high * scale)
    return low, high - low
