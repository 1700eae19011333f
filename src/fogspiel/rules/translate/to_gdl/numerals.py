"""Numbers as names, and the relations between them that GDL has to be told.

GDL knows no arithmetic. What a game adds and compares is found beforehand; few sums are listed as
facts, many are derived by counting along the line of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from fogspiel.core.findings import LimitError
from fogspiel.core.source import Source
from fogspiel.rules.clauses import Clause, Literal, Pattern, Var
from fogspiel.rules.numbers import OPERATIONS

Row: TypeAlias = tuple[Fraction, Fraction, Fraction]  #: Two numbers and what comes of them

MAX_FACTS = 60  #: More sums or comparisons are derived by counting
MAX_TABLE = 4_000  #: Products and quotients are listed whatever they are, up to this many
MAX_NUMBERS = 700  #: Counting along a longer line would ground into a million sums
MAX_DIGITS = 6  #: Longer decimal fractions are written as ratios


def numeral(value: Fraction) -> str:
    """A number as a name: 3, -2, 0.25, or 1over3 where no decimal is exact."""
    denominator, digits = value.denominator, 0
    if denominator == 1:
        return str(value.numerator)
    while (value * 10**digits).denominator != 1 and digits <= MAX_DIGITS:
        digits += 1
    scaled = value * 10**digits
    if scaled.denominator != 1:
        return f"{value.numerator}over{denominator}"
    whole, part = divmod(abs(scaled.numerator), 10**digits)
    return f"{'-' if value < 0 else ''}{whole}.{part:0{digits}}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A numeral, or a variable for one, with the numbers that it may stand for."""

    term: Pattern
    values: frozenset[Fraction]


@dataclass(slots=True)
class NumeralRelations:
    """Collects which numbers meet, and writes the relations for them."""

    source: Source
    names: Callable[[str], str]  #: A free name for a relation
    _sums: set[Row] = field(default_factory=set)
    _pairs: set[tuple[Fraction, Fraction]] = field(default_factory=set)
    _products: set[Row] = field(default_factory=set)
    _quotients: set[Row] = field(default_factory=set)
    _relations: dict[str, str] = field(default_factory=dict)

    def relation(self, wish: str) -> str:
        """The name of a relation of numbers, the same each time."""
        if wish not in self._relations:
            self._relations[wish] = self.names(wish)
        return self._relations[wish]

    def calculate(
        self,
        operator: str,
        left: Quantity,
        right: Quantity,
        result: Var,
        within: frozenset[Fraction] | None = None,
    ) -> tuple[Literal, Quantity]:
        """The literal that left operator right = result, and what the result may be.

        within: what the result is known to be; other results need not be written down.
        """
        limit = MAX_NUMBERS**2 if operator in "+-" else MAX_TABLE
        pairs = self._combined(left, right, limit)
        if operator == "/":
            pairs = {pair for pair in pairs if pair[1]}  # a division by 0 has no result
        rows = {(a, b, OPERATIONS[operator](a, b)) for a, b in pairs}
        if within is not None:
            rows = {row for row in rows if row[2] in within}
        match operator:
            case "+":
                self._sums |= rows
                literal = Literal(self.relation("plus"), (left.term, right.term, result))
            case "-":  # said as result + right = left
                self._sums |= {(c, b, a) for a, b, c in rows}
                literal = Literal(self.relation("plus"), (result, right.term, left.term))
            case "*":
                self._products |= rows
                literal = Literal(self.relation("times"), (left.term, right.term, result))
            case _:
                self._quotients |= rows
                literal = Literal(self.relation("divided"), (left.term, right.term, result))
        return literal, self._quantity(result, (row[2] for row in rows))

    def less(self, left: Quantity, right: Quantity, *, negated: bool) -> Literal:
        """The literal that left is less than right, or is not."""
        self._pairs |= self._combined(left, right, MAX_NUMBERS**2)
        return Literal(self.relation("less"), (left.term, right.term), negated)

    def clauses(self) -> Iterator[Clause]:
        """The facts, or the rules for counting."""
        smaller = {pair for pair in self._pairs if pair[0] < pair[1]}
        counts_sums, counts_pairs = len(self._sums) > MAX_FACTS, len(smaller) > MAX_FACTS
        line: set[Fraction] = set()
        if counts_sums:
            line |= {value for row in self._sums for value in row} | {Fraction(0)}
        if counts_pairs:
            line |= {value for pair in self._pairs for value in pair}
        if line:
            yield from self._line(line)
        if counts_sums:
            yield from self._counted_sums(line)
        else:
            yield from self._facts("plus", self._sums)
        if counts_pairs:
            yield from self._counted_pairs()
        else:
            yield from self._facts("less", smaller)
        yield from self._facts("times", self._products)
        yield from self._facts("divided", self._quotients)

    def _facts(self, wish: str, rows: Iterable[tuple[Fraction, ...]]) -> Iterator[Clause]:
        for row in sorted(rows):
            yield Clause(Literal(self.relation(wish), tuple(map(numeral, row))))

    def _line(self, numbers: set[Fraction]) -> Iterator[Clause]:
        """Each number with the next one, in steps of the common denominator."""
        step = Fraction(1, lcm(*(value.denominator for value in numbers)))
        count = int((max(numbers) - min(numbers)) / step)
        if count > MAX_NUMBERS:
            raise self._too_many()
        for index in range(count):
            value = min(numbers) + index * step
            pair = numeral(value), numeral(value + step)
            yield Clause(Literal(self.relation("succ"), pair))

    def _counted_sums(self, line: set[Fraction]) -> Iterator[Clause]:
        """x + 0 = x; a step of y is a step of the sum, up and, if need be, down."""
        succ, plus = self.relation("succ"), self.relation("plus")
        number = self.relation("numeral")
        x, y, z, v, w = map(Var, "xyzvw")
        yield Clause(Literal(number, (x,)), (Literal(succ, (x, y)),))
        yield Clause(Literal(number, (y,)), (Literal(succ, (x, y)),))
        yield Clause(Literal(plus, (x, "0", x)), (Literal(number, (x,)),))
        steps = (Literal(succ, (y, v)), Literal(succ, (z, w)))
        yield Clause(Literal(plus, (x, v, w)), (Literal(plus, (x, y, z)), *steps))
        if min(line) < 0:
            yield Clause(Literal(plus, (x, y, z)), (Literal(plus, (x, v, w)), *steps))

    def _counted_pairs(self) -> Iterator[Clause]:
        succ, less = self.relation("succ"), self.relation("less")
        x, y, z = map(Var, "xyz")
        yield Clause(Literal(less, (x, y)), (Literal(succ, (x, y)),))
        yield Clause(Literal(less, (x, z)), (Literal(less, (x, y)), Literal(succ, (y, z))))

    def _combined(
        self, left: Quantity, right: Quantity, limit: int
    ) -> set[tuple[Fraction, Fraction]]:
        if len(left.values) * len(right.values) > limit:
            raise self._too_many()
        return {(a, b) for a in left.values for b in right.values}

    def _quantity(self, term: Pattern, values: Iterable[Fraction]) -> Quantity:
        found = frozenset(values)
        if len(found) > MAX_NUMBERS:
            raise self._too_many()
        return Quantity(term, found)

    def _too_many(self) -> LimitError:
        return LimitError.of(
            "TRN003",
            "the game calculates with too many numbers to write them down for GDL",
            fix="bound what is counted by comparisons in preconditions, or count in larger steps",
            source=self.source,
        )
