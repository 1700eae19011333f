"""Boolean circuits as ground rules, and whole numbers made of their bits.

Every gate is an atom with one to three rules. A literal is an atom or, negated, the negative of its
number, as in the rules of the grounder. Gates over constants are folded, and equal gates are made
once.

A number is `base + 1·b0 + 2·b1 + 4·b2 + …`. The base makes a sign needless: negating a number
inverts its bits and moves its base. `most` bounds what the bits can come to, so that sums are no
wider than they must be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from fogspiel.ground.gringo import GroundRules

Bit: TypeAlias = int  #: A literal, or one of the two constants

TRUE: Bit = 1 << 30
FALSE: Bit = -TRUE  #: Larger than any atom: the negation of a constant is the other one


class Circuit:
    """Gates that are added to ground rules."""

    def __init__(self, rules: GroundRules) -> None:
        self._rules = rules
        self._atoms = rules.atoms
        self._heads: list[int] = []
        self._bodies: list[Sequence[Bit]] = []
        self._known: dict[tuple[str, tuple[Bit, ...]], Bit] = {}

    def new_atom(self) -> Bit:
        """An atom that has no rule yet."""
        self._atoms += 1
        return self._atoms

    def define(self, atom: Bit, value: Bit) -> None:
        """Let an atom hold where a literal does."""
        if value == TRUE:
            self._rule(atom, ())
        elif value != FALSE:
            self._rule(atom, (value,))

    def atom_of(self, value: Bit) -> Bit:
        """An atom that holds where a literal does; a positive literal is one."""
        if 0 < value < TRUE:
            return value
        return self._gate("alias", (value,), [(value,)] if value != FALSE else [])

    def both(self, *bits: Bit) -> Bit:
        """All hold."""
        return self.all_of(bits)

    def all_of(self, bits: Iterable[Bit]) -> Bit:
        """All hold; true of none."""
        inputs = tuple(sorted({bit for bit in bits if bit != TRUE}))
        if FALSE in inputs or any(-bit in inputs for bit in inputs):
            return FALSE
        if len(inputs) <= 1:
            return inputs[0] if inputs else TRUE
        return self._gate("and", inputs, [inputs])

    def any_of(self, bits: Iterable[Bit]) -> Bit:
        """Some holds; false of none."""
        inputs = tuple(sorted({bit for bit in bits if bit != FALSE}))
        if TRUE in inputs or any(-bit in inputs for bit in inputs):
            return TRUE
        if len(inputs) <= 1:
            return inputs[0] if inputs else FALSE
        return self._gate("or", inputs, [(bit,) for bit in inputs])

    def differ(self, left: Bit, right: Bit) -> Bit:
        """Exactly one holds."""
        for one, other in ((left, right), (right, left)):
            if one in {TRUE, FALSE}:
                return other if one == FALSE else -other
        if abs(left) == abs(right):
            return FALSE if left == right else TRUE
        sign = 1 if (left > 0) == (right > 0) else -1
        left, right = sorted((abs(left), abs(right)))
        return sign * self._gate("xor", (left, right), [(left, -right), (-left, right)])

    def rules(self) -> GroundRules:
        """The rules that were there before, and those of the gates."""
        lengths = [len(body) for body in self._bodies]
        literals = [bit for body in self._bodies for bit in body]
        ends = self._rules.offsets[-1] + np.cumsum(lengths, dtype=np.int64)
        return GroundRules(
            atoms=self._atoms,
            heads=np.concatenate([self._rules.heads, np.array(self._heads, np.int32)]),
            choices=np.concatenate([self._rules.choices, np.zeros(len(lengths), np.bool_)]),
            offsets=np.concatenate([self._rules.offsets, ends]),
            literals=np.concatenate([self._rules.literals, np.array(literals, np.int32)]),
        )

    def _gate(self, kind: str, inputs: tuple[Bit, ...], bodies: Sequence[Sequence[Bit]]) -> Bit:
        found = self._known.get((kind, inputs))
        if found is None:
            found = self._known[kind, inputs] = self.new_atom()
            for body in bodies:
                self._rule(found, [bit for bit in body if bit != TRUE])
        return found

    def _rule(self, head: Bit, body: Sequence[Bit]) -> None:
        self._heads.append(head)
        self._bodies.append(body)


@dataclass(frozen=True, slots=True)
class Binary:
    """A number in a state: base plus its bits, lowest first."""

    base: int
    bits: tuple[Bit, ...] = ()
    most: int = 0

    @property
    def low(self) -> int:
        """The least value it can have."""
        return self.base

    @property
    def high(self) -> int:
        """No value is greater."""
        return self.base + self.most

    @property
    def is_constant(self) -> bool:
        """Whether it is the same in every state."""
        return self.most == 0


def constant(value: int) -> Binary:
    """A number that never changes."""
    return Binary(value)


def unsigned(base: int, bits: Sequence[Bit], most: int) -> Binary:
    """A number of some bits, without those that are never set."""
    width = most.bit_length()
    kept = list(bits[:width])
    while kept and kept[-1] == FALSE:
        kept.pop()
    return Binary(base, tuple(kept), min(most, (1 << len(kept)) - 1))


class BinaryCircuits:
    """Operations on numbers, as gates of a circuit."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit

    def add(self, left: Binary, right: Binary) -> Binary:
        """The sum, by a ripple of full adders."""
        if right.is_constant or left.is_constant:
            moved, other = (left, right) if right.is_constant else (right, left)
            return Binary(moved.base + other.base, moved.bits, moved.most)
        most = left.most + right.most
        bits = self._ripple(left.bits, right.bits, FALSE, most.bit_length())
        return unsigned(left.base + right.base, bits, most)

    def negate(self, number: Binary) -> Binary:
        """The negative: all bits inverted."""
        full = (1 << len(number.bits)) - 1
        return Binary(-number.base - full, tuple(-bit for bit in number.bits), full)

    def subtract(self, left: Binary, right: Binary) -> Binary:
        """The difference."""
        return self.add(left, self.negate(right))

    def times(self, number: Binary, factor: int) -> Binary:
        """A multiple: shifted copies, added."""
        if factor < 0:
            return self.negate(self.times(number, -factor))
        total = constant(0)
        for place in range(factor.bit_length()):
            if factor >> place & 1:
                total = self.add(total, _shifted(number, place))
        return total

    def multiply(self, left: Binary, right: Binary) -> Binary:
        """The product: (a + x)(b + y) = ab + ay + bx + xy."""
        total = self.add(
            self.times(Binary(0, right.bits, right.most), left.base),
            self.times(Binary(0, left.bits, left.most), right.base),
        )
        for place, bit in enumerate(right.bits):
            row = Binary(0, tuple(self.circuit.both(bit, other) for other in left.bits), left.most)
            total = self.add(total, _shifted(row, place))
        return self.add(total, constant(left.base * right.base))

    def rebase(self, number: Binary, base: int) -> Binary:
        """The same number over a smaller base: the difference is added to the bits."""
        gap = number.base - base
        assert gap >= 0
        if gap == 0:
            return number
        most = number.most + gap
        bits = self._ripple(number.bits, _digits(gap), FALSE, most.bit_length())
        return unsigned(base, bits, most)

    def select(self, options: Sequence[tuple[Bit, Binary]], otherwise: Binary) -> Binary:
        """The number of the option whose bit holds; at most one may, and none gives `otherwise`."""
        if not options:
            return otherwise
        base = min(otherwise.base, *(number.base for _, number in options))
        none = self.circuit.all_of(-bit for bit, _ in options)
        every = [(bit, self.rebase(number, base)) for bit, number in (*options, (none, otherwise))]
        width = max(len(number.bits) for _, number in every)
        bits = [
            self.circuit.any_of(
                self.circuit.both(bit, number.bits[place])
                for bit, number in every
                if place < len(number.bits)
            )
            for place in range(width)
        ]
        return unsigned(base, bits, max(number.most for _, number in every))

    def sum(self, numbers: Sequence[Binary]) -> Binary:
        """The sum of many, halved again and again to stay narrow."""
        if len(numbers) > 2:
            middle = len(numbers) // 2
            return self.add(self.sum(numbers[:middle]), self.sum(numbers[middle:]))
        return reduce(self.add, numbers, constant(0))

    def compare(self, operator: str, left: Binary, right: Binary) -> Bit:
        """`< <= = >= >` of two numbers."""
        match operator:
            case ">" | ">=":
                return self.compare({">": "<", ">=": "<="}[operator], right, left)
            case "=":
                gap = self.subtract(left, right)
                return self._is(gap, -gap.base)
        gap = self.subtract(left, right)
        return self.below(gap, -gap.base + (operator == "<="))

    def below(self, number: Binary, bound: int) -> Bit:
        """Whether the bits of a number, without its base, come to less than the bound."""
        if bound <= 0:
            return FALSE
        if bound > number.most:
            return TRUE
        less = FALSE
        # From the lowest bit up: the highest that differs decides.
        for place, bit in enumerate(number.bits):
            if bound >> place & 1:
                less = self.circuit.any_of((-bit, less))
            else:
                less = self.circuit.both(-bit, less)
        return less

    def store(self, number: Binary, low: int, width: int) -> tuple[tuple[Bit, ...], Bit]:
        """The lowest bits of the number less `low`, and whether that is not all of it."""
        gap = number.base - low
        if gap >= 0:
            moved = self.rebase(number, low)
            lost = self.circuit.any_of(moved.bits[width:])
            return _padded(moved.bits, width), lost
        negative = self.below(number, -gap)
        wide = max(width, len(number.bits), (-gap).bit_length())
        bits = self._ripple(number.bits, _digits(gap % (1 << wide), wide), FALSE, wide)
        over = self.circuit.both(-negative, self.circuit.any_of(bits[width:]))
        return _padded(bits, width), self.circuit.any_of((negative, over))

    def _is(self, number: Binary, value: int) -> Bit:
        """Whether the bits of a number come to a value."""
        if not 0 <= value <= number.most:
            return FALSE
        return self.circuit.all_of(
            bit if value >> place & 1 else -bit for place, bit in enumerate(number.bits)
        )

    def _ripple(
        self, left: Sequence[Bit], right: Sequence[Bit], carry: Bit, width: int
    ) -> list[Bit]:
        total = []
        for place in range(width):
            one = left[place] if place < len(left) else FALSE
            other = right[place] if place < len(right) else FALSE
            half = self.circuit.differ(one, other)
            total.append(self.circuit.differ(half, carry))
            carry = self.circuit.any_of(
                (self.circuit.both(one, other), self.circuit.both(half, carry))
            )
        return total


def _shifted(number: Binary, places: int) -> Binary:
    bits = (*(FALSE,) * places, *number.bits) if number.bits else ()
    return Binary(number.base << places, bits, number.most << places)


def _digits(value: int, width: int | None = None) -> tuple[Bit, ...]:
    places = value.bit_length() if width is None else width
    return tuple(TRUE if value >> place & 1 else FALSE for place in range(places))


def _padded(bits: Sequence[Bit], width: int) -> tuple[Bit, ...]:
    return tuple(bits[:width]) + (FALSE,) * (width - len(bits))
