"""Circuits of whole numbers against Python's: the rules are made, then evaluated bit by bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.terms import GroundTerm
from fogspiel.ground.arithmetic.circuit import (
    FALSE,
    TRUE,
    Binary,
    BinaryCircuits,
    Bit,
    Circuit,
    constant,
    unsigned,
)
from fogspiel.ground.arithmetic.expressions import Expressions, Scaled, UnsuitedError
from fogspiel.ground.gringo import GroundRules
from fogspiel.rules.numbers import COMPARISONS, Numbers, Operation, Value, evaluate
from fogspiel.rules.numbers import Test as Asked

WIDTH = 5
NOTHING = GroundRules(
    atoms=0,
    heads=np.zeros(0, np.int32),
    choices=np.zeros(0, np.bool_),
    offsets=np.zeros(1, np.int64),
    literals=np.zeros(0, np.int32),
)


@dataclass
class Bench:
    """A circuit with numbers as inputs, and what they are."""

    circuit: Circuit = field(default_factory=lambda: Circuit(NOTHING))
    given: dict[int, bool] = field(default_factory=dict)

    @property
    def arithmetic(self) -> BinaryCircuits:
        return BinaryCircuits(self.circuit)

    def bit(self, *, held: bool) -> Bit:
        atom = self.circuit.new_atom()
        self.given[atom] = held
        return atom

    def number(self, base: int, bits: int, most: int) -> Binary:
        """The number base + bits, of which it is known that bits are no more than most."""
        own = [self.bit(held=bool(bits >> place & 1)) for place in range(most.bit_length())]
        return unsigned(base, own, most)

    def held(self) -> set[int]:
        """The atoms that hold; gates only read what was made before them."""
        rules = self.circuit.rules()
        held = {atom for atom, is_held in self.given.items() if is_held}
        literals, offsets = rules.literals.tolist(), rules.offsets.tolist()
        for rule in np.argsort(rules.heads, kind="stable").tolist():
            body = literals[offsets[rule] : offsets[rule + 1]]
            if all((abs(x) in held) == (x > 0) for x in body):
                held.add(int(rules.heads[rule]))
        return held

    def truth(self, bit: Bit) -> bool:
        if bit in {TRUE, FALSE}:
            return bit == TRUE
        return (abs(bit) in self.held()) == (bit > 0)

    def value(self, number: Binary) -> int:
        held = self.held()
        total = 0
        for place, bit in enumerate(number.bits):
            is_set = bit == TRUE if bit in {TRUE, FALSE} else (abs(bit) in held) == (bit > 0)
            total += is_set << place
        assert total <= number.most
        assert number.low <= number.base + total <= number.high
        return number.base + total


@st.composite
def plans(draw: st.DrawFn) -> tuple[int, int, int]:
    """Numbers as (base, bits, most), constants among them."""
    most = draw(st.integers(0, (1 << WIDTH) - 1))
    return draw(st.integers(-40, 40)), draw(st.integers(0, most)), most


def value_of(plan: tuple[int, int, int]) -> int:
    return plan[0] + plan[1]


@given(plans(), plans())
def test_sums_differences_and_products(
    left: tuple[int, int, int], right: tuple[int, int, int]
) -> None:
    bench = Bench()
    first, second = bench.number(*left), bench.number(*right)
    x, y = value_of(left), value_of(right)
    assert bench.value(bench.arithmetic.add(first, second)) == x + y
    assert bench.value(bench.arithmetic.subtract(first, second)) == x - y
    assert bench.value(bench.arithmetic.multiply(first, second)) == x * y
    assert bench.value(bench.arithmetic.negate(first)) == -x
    assert bench.value(bench.arithmetic.sum([first, second, first, constant(3)])) == 2 * x + y + 3


@given(plans(), st.integers(-50, 50), st.integers(0, 30))
def test_multiples_and_other_bases(plan: tuple[int, int, int], factor: int, gap: int) -> None:
    bench = Bench()
    number = bench.number(*plan)
    assert bench.value(bench.arithmetic.times(number, factor)) == factor * value_of(plan)
    moved = bench.arithmetic.rebase(number, number.base - gap)
    assert moved.base == number.base - gap
    assert bench.value(moved) == value_of(plan)


@pytest.mark.parametrize("sign", COMPARISONS)
@given(left=plans(), right=plans(), is_same=st.booleans())
def test_comparisons(
    sign: str, left: tuple[int, int, int], right: tuple[int, int, int], is_same: bool
) -> None:
    bench = Bench()
    if is_same:  # equal numbers would be rare
        right = (value_of(left) - right[1], *right[1:])
    first, second = bench.number(*left), bench.number(*right)
    found = bench.truth(bench.arithmetic.compare(sign, first, second))
    assert found == COMPARISONS[sign](Fraction(value_of(left)), Fraction(value_of(right)))


@given(st.lists(plans(), max_size=4), plans(), st.integers(0, 4))
def test_one_of_several_numbers_is_selected(
    options: list[tuple[int, int, int]], otherwise: tuple[int, int, int], chosen: int
) -> None:
    bench = Bench()
    pairs = [
        (bench.bit(held=place == chosen), bench.number(*plan)) for place, plan in enumerate(options)
    ]
    found = bench.arithmetic.select(pairs, bench.number(*otherwise))
    assert bench.value(found) == value_of([*options, otherwise][min(chosen, len(options))])


@given(plans(), st.integers(-60, 60), st.integers(0, 8))
def test_what_a_register_cannot_hold_is_noticed(
    plan: tuple[int, int, int], low: int, width: int
) -> None:
    bench = Bench()
    bits, lost = bench.arithmetic.store(bench.number(*plan), low, width)
    assert len(bits) == width
    fits = 0 <= value_of(plan) - low < 1 << width
    assert bench.truth(lost) == (not fits)
    if fits:
        assert bench.value(Binary(low, bits, (1 << width) - 1)) == value_of(plan)


@given(plans(), st.integers(-5, 40))
def test_bits_below_a_bound(plan: tuple[int, int, int], bound: int) -> None:
    bench = Bench()
    assert bench.truth(bench.arithmetic.below(bench.number(*plan), bound)) == (plan[1] < bound)


def numbers(initial: Mapping[GroundTerm, Fraction] | None = None) -> Numbers:
    """Functions x and y that change, and k that does not."""
    return Numbers(
        initial={"k": Fraction(3, 2), **(initial or {})},
        listed=frozenset({"x", "y"}),
        changing=frozenset({"x", "y"}),
        scales={},
        bounds={},
    )


def expressions_over(bench: Bench, registers: Mapping[GroundTerm, Scaled]) -> Expressions:
    return Expressions(numbers(), bench.arithmetic, registers)


LEAVES = st.one_of(
    st.fractions(-4, 4, max_denominator=3),
    st.sampled_from([Value("x"), Value("y"), Value("k")]),
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(Operation, st.sampled_from("+-*"), inner, inner)
        | st.builds(Operation, st.just("/"), inner, st.sampled_from([Fraction(2), Fraction(-3, 2)]))
    ),
    max_leaves=4,
)


@settings(max_examples=60)
@given(EXPRESSIONS, EXPRESSIONS, plans(), plans(), st.sampled_from(sorted(COMPARISONS)))
def test_expressions_and_tests_of_them(
    left: Fraction | Value | Operation,
    right: Fraction | Value | Operation,
    x: tuple[int, int, int],
    y: tuple[int, int, int],
    sign: str,
) -> None:
    bench = Bench()
    registers: dict[GroundTerm, Scaled] = {
        "x": Scaled(bench.number(*x)),
        "y": Scaled(bench.number(*y), 2),
    }
    values: dict[GroundTerm, Fraction] = {
        "x": Fraction(value_of(x)), "y": Fraction(value_of(y), 2), "k": Fraction(3, 2),
    }  # fmt: skip
    expressions = expressions_over(bench, registers)
    made = expressions.of(left)
    assert Fraction(bench.value(made.number), made.scale) == evaluate(left, {}, values)
    first, second = evaluate(left, {}, values), evaluate(right, {}, values)
    assert first is not None
    assert second is not None
    holds = bench.truth(expressions.holds(Asked("t", (), sign, left, right)))
    assert holds == COMPARISONS[sign](first, second)


@given(plans(), st.integers(1, 8), st.integers(0, 7), st.sampled_from([1, 2, 3]), st.booleans())
def test_quotients_by_a_divisor_that_changes(
    dividend: tuple[int, int, int], base: int, bits: int, scale: int, is_negative: bool
) -> None:
    bench = Bench()
    divisor = bench.number(base, bits, 7)
    if is_negative:
        divisor = bench.arithmetic.negate(divisor)
    expressions = expressions_over(bench, {})
    found = expressions.divide(Scaled(bench.number(*dividend)), Scaled(divisor, scale))
    by = Fraction(-(base + bits) if is_negative else base + bits, scale)
    assert Fraction(bench.value(found.number), found.scale) == value_of(dividend) / by


@pytest.mark.parametrize(("base", "most"), [(0, 3), (-2, 3), (-3, 3), (1, 100)])
def test_a_divisor_that_may_be_0_or_many_things_is_refused(base: int, most: int) -> None:
    bench = Bench()
    with pytest.raises(UnsuitedError, match="a division by a number that"):
        expressions_over(bench, {}).divide(Scaled(constant(1)), Scaled(bench.number(base, 0, most)))


def test_constants_stay_in_lowest_terms() -> None:
    half = Fraction(1, 2)
    whole = Operation("/", Operation("+", half, half), Operation("*", Value("k"), Fraction(2, 3)))
    assert expressions_over(Bench(), {}).of(whole) == Scaled(constant(1), 1)


SIGNS = st.sampled_from([1, -1, TRUE, FALSE])


@pytest.mark.parametrize("name", ["both", "any_of", "differ"])
@given(
    signs=st.tuples(SIGNS, SIGNS),
    held=st.tuples(st.booleans(), st.booleans()),
    is_one=st.booleans(),
)
def test_gates_over_literals_and_constants(
    name: str, signs: tuple[int, int], held: tuple[bool, bool], is_one: bool
) -> None:
    bench = Bench()
    atoms = [bench.bit(held=own) for own in held]
    if is_one:  # the same atom twice, or with its negation
        atoms[1] = atoms[0]
    bits = [
        sign if sign in {TRUE, FALSE} else sign * atom
        for sign, atom in zip(signs, atoms, strict=True)
    ]
    left, right = (bench.truth(bit) for bit in bits)
    match name:
        case "both":
            assert bench.truth(bench.circuit.both(*bits)) == (left and right)
        case "any_of":
            assert bench.truth(bench.circuit.any_of(bits)) == (left or right)
        case _:
            assert bench.truth(bench.circuit.differ(*bits)) == (left != right)


def test_equal_gates_are_made_once() -> None:
    bench = Bench()
    a, b = bench.bit(held=True), bench.bit(held=False)
    assert bench.circuit.both(a, -b) == bench.circuit.both(-b, a)
    assert bench.circuit.differ(a, -b) == -bench.circuit.differ(a, b)
    assert len(bench.circuit.rules().heads) == 3
