"""Ground instances of expressions and changes, and their circuits: scaled whole numbers, exact.

After a step a value is set, then scaled, then added to, all amounts read before the step. Changes
by different moves exclude each other, so one of them is chosen; those by one move meet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm
from fogspiel.ground.arithmetic.circuit import TRUE, Binary, BinaryCircuits, Bit, Circuit, constant
from fogspiel.rules.clauses import Var
from fogspiel.rules.numbers import (
    OPERATIONS,
    Expression,
    Numbers,
    Operation,
    Test,
    Value,
    ValueChange,
    bind,
    expression_variables,
    map_values,
    value_term,
)

MAX_DIVISORS = 64  #: Values of a divisor that changes, for each of which the quotient is made
MAX_SCALE = 10**9
MAX_WIDTH = 48  #: Bits of a number; goals are summed in 64


@dataclass(frozen=True, slots=True)
class ChangeInstance:
    """A change of one value, where its atom holds."""

    atom: int  #: 0 where it holds in every step
    move: tuple[GroundTerm, ...]
    """The move that makes the change: changes of different moves never meet."""
    operator: str
    target: GroundTerm
    amount: Expression
    guards: tuple[Test, ...]


Atoms: TypeAlias = Mapping[str, Mapping[tuple[GroundTerm, ...], int]]
"""The ground atoms of each relation of numbers, by their arguments."""


def change_instances(numbers: Numbers, atoms: Atoms) -> list[ChangeInstance]:
    """Every change that some step may make, in a fixed order."""
    return [
        _change(change, arguments, atom)
        for change in numbers.changes
        for arguments, atom in atoms.get(change.relation, {}).items()
    ]


def _change(change: ValueChange, arguments: tuple[GroundTerm, ...], atom: int) -> ChangeInstance:
    terms = dict(zip(change.arguments, arguments, strict=True))
    target = value_term(change.value.function, change.value.arguments, terms)
    guards = tuple(
        Test("", (), guard.operator, bound(guard.left, terms), bound(guard.right, terms))
        for guard in change.guards
        if _is_bound((guard.left, guard.right), terms)
    )
    move = (change.action, *arguments[: change.move])
    amount = bound(change.amount, terms)
    return ChangeInstance(atom, move, change.operator, target, amount, guards)


def bound(expression: Expression, terms: Mapping[Var, GroundTerm]) -> Expression:
    """An expression with its variables bound."""
    return map_values(
        expression, lambda v: Value(v.function, tuple(bind(a, terms) for a in v.arguments))
    )


def _is_bound(expressions: Iterable[Expression], terms: Mapping[Var, GroundTerm]) -> bool:
    return all(v in terms for e in expressions for v in expression_variables(e))


def term_of(value: Value) -> GroundTerm:
    """A value without variables as a term."""
    return value_term(value.function, value.arguments, {})


def static_value(numbers: Numbers, value: Value) -> Fraction | None:
    """What a function that never changes gives; None for one that may change."""
    if value.function in numbers.changing:
        return None
    return numbers.initial.get(term_of(value), Fraction(0))


class UnsuitedError(Exception):
    """The numbers of a game are none for a circuit; the text says why."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """A number in a state: number / scale."""

    number: Binary
    scale: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Expressions:
    """Makes the circuits of expressions over registers."""

    numbers: Numbers
    arithmetic: BinaryCircuits
    registers: Mapping[GroundTerm, Scaled]
    _made: dict[Expression, Scaled] = field(default_factory=dict)

    def of(self, expression: Expression) -> Scaled:
        """The value of an expression without variables. Raises `UnsuitedError`."""
        if expression not in self._made:
            self._made[expression] = made = self._make(expression)
            if made.scale > MAX_SCALE or len(made.number.bits) > MAX_WIDTH:
                raise UnsuitedError("numbers with too many digits")
        return self._made[expression]

    def holds(self, test: Test) -> Bit:
        """Whether a comparison holds."""
        left, right = self._aligned(self.of(test.left), self.of(test.right))
        return self.arithmetic.compare(test.operator, left.number, right.number)

    def in_parts(self, value: Scaled, scale: int) -> Binary:
        """The value as a multiple of 1/scale."""
        if scale % value.scale:
            raise UnsuitedError(f"values that are no multiples of 1/{scale}")
        return self.arithmetic.times(value.number, scale // value.scale)

    def divide(self, dividend: Scaled, divisor: Scaled) -> Scaled:
        """The quotient: of a divisor that changes, one for each of its values."""
        low, high = divisor.number.low, divisor.number.high
        if low <= 0 <= high:
            raise UnsuitedError("a division by a number that may be 0")
        if high - low >= MAX_DIVISORS:
            raise UnsuitedError("a division by a number that has many values")
        quotients = [
            self._divided(dividend, Fraction(value, divisor.scale))
            for value in range(low, high + 1)
        ]
        scale = lcm(*(quotient.scale for quotient in quotients))
        if scale > MAX_SCALE:
            raise UnsuitedError("a division whose results have no common denominator")
        numbers = [self.in_parts(quotient, scale) for quotient in quotients]
        compare = self.arithmetic.compare
        options = [
            (compare("=", divisor.number, constant(low + place)), number)
            for place, number in enumerate(numbers[1:], start=1)
        ]
        return Scaled(self.arithmetic.select(options, numbers[0]), scale)

    def _make(self, expression: Expression) -> Scaled:
        known = self._known(expression)
        if known is not None:
            return Scaled(constant(known.numerator), known.denominator)
        match expression:
            case Value():
                return self.registers.get(term_of(expression), Scaled(constant(0)))
            case Operation("*", left, right):
                first, second = self.of(left), self.of(right)
                product = self.arithmetic.multiply(first.number, second.number)
                return Scaled(product, first.scale * second.scale)
            case Operation("/", left, right):
                return self.divide(self.of(left), self.of(right))
            case Operation(operator, left, right):
                first, second = self._aligned(self.of(left), self.of(right))
                combine = self.arithmetic.add if operator == "+" else self.arithmetic.subtract
                return Scaled(combine(first.number, second.number), first.scale)
        raise AssertionError(expression)

    def _known(self, expression: Expression) -> Fraction | None:
        """The value of what is the same in every state, in lowest terms."""
        match expression:
            case Fraction():
                return expression
            case Value():
                return static_value(self.numbers, expression)
            case Operation(operator, left, right):
                first, second = self.of(left), self.of(right)
                are_constant = first.number.is_constant and second.number.is_constant
                if not are_constant or (operator == "/" and not second.number.base):
                    return None
                value = Fraction(first.number.base, first.scale)
                return OPERATIONS[operator](value, Fraction(second.number.base, second.scale))

    def _aligned(self, left: Scaled, right: Scaled) -> tuple[Scaled, Scaled]:
        """Both over their common denominator."""
        scale = lcm(left.scale, right.scale)
        return (
            Scaled(self.in_parts(left, scale), scale),
            Scaled(self.in_parts(right, scale), scale),
        )

    def _divided(self, dividend: Scaled, divisor: Fraction) -> Scaled:
        number = self.arithmetic.times(dividend.number, divisor.denominator)
        if divisor < 0:
            number = self.arithmetic.negate(number)
        return Scaled(number, dividend.scale * abs(divisor.numerator))


ADDING = frozenset({"increase", "decrease"})


@dataclass(frozen=True, slots=True, eq=False)
class Updates:
    """Makes the circuits of changes."""

    circuit: Circuit
    arithmetic: BinaryCircuits
    expressions: Expressions

    def after(
        self, term: GroundTerm, scale: int, changes: Sequence[ChangeInstance]
    ) -> tuple[Binary, Bit]:
        """The new value in parts, and whether it is set to two values at once."""
        update = _Update(self, self.expressions.registers[term], scale)
        by_move: dict[tuple[GroundTerm, ...], list[ChangeInstance]] = defaultdict(list)
        for change in changes:
            by_move[change.move].append(change)
        for together in by_move.values():
            if len(together) > 1:
                update.meet(together)
        update.choose([together[0] for together in by_move.values() if len(together) == 1])
        return update.value(), self.circuit.any_of(update.conflicts)


class _Update:
    """The change of one register, under construction."""

    def __init__(self, updates: Updates, current: Scaled, scale: int) -> None:
        self.circuit = updates.circuit
        self.arithmetic = updates.arithmetic
        self.expressions = updates.expressions
        self.current = current
        self.scale = scale
        self.sets: list[tuple[Bit, Binary]] = []
        """Values that take the place of the old one, each where a bit holds."""
        self.sums: list[tuple[Bit, Binary]] = []
        """What is added to the old value."""
        self.conflicts: list[Bit] = []

    def value(self) -> Binary:
        """The value after the step."""
        own = self._parts(self.current)
        added = self.arithmetic.select(self.sums, constant(0))
        return self.arithmetic.select(self.sets, self.arithmetic.add(own, added))

    def choose(self, changes: Sequence[ChangeInstance]) -> None:
        """Changes that are alone in their moves; those that do the same are one."""
        for (operator, amount), atoms in _by_amount(changes).items():
            held = self._any(atoms)
            if operator in ADDING:
                self.sums.append((held, self._delta(operator, amount)))
            else:
                self.sets.append((held, self._target(operator, amount, self.current)))

    def meet(self, together: Sequence[ChangeInstance]) -> None:
        """Changes by one move, of which any may be made."""
        some = self._any(change.atom for change in together)
        added = self.arithmetic.sum(
            [
                self._if(change.atom, self._delta(change.operator, change.amount), constant(0))
                for change in together
                if change.operator in ADDING
            ]
        )
        rest = [change for change in together if change.operator not in ADDING]
        if not rest:
            self.sums.append((some, added))
            return
        base = self._assigned([change for change in rest if change.operator == "assign"])
        for change in rest:
            if change.operator != "assign":
                scaled = self._target(change.operator, change.amount, Scaled(base, self.scale))
                base = self._if(change.atom, scaled, base)
        self.sets.append((some, self.arithmetic.add(base, added)))

    def _assigned(self, changes: Sequence[ChangeInstance]) -> Binary:
        """The value that is set, or the old one. Two values that are set at once must be equal."""
        options = [
            (self._any(atoms), self._target(operator, amount, self.current))
            for (operator, amount), atoms in _by_amount(changes).items()
        ]
        chosen = self.arithmetic.select(options, self._parts(self.current))
        if len(options) > 1:
            # Where two are chosen, their bits are joined: that differs from one of them.
            self.conflicts += [
                self.circuit.both(held, -self.arithmetic.compare("=", chosen, number))
                for held, number in options
            ]
        return chosen

    def _target(self, operator: str, amount: Expression, base: Scaled) -> Binary:
        """The value that `assign`, `scale-up` or `scale-down` gives."""
        made = self.expressions.of(amount)
        if operator == "scale-up":
            product = self.arithmetic.multiply(base.number, made.number)
            made = Scaled(product, base.scale * made.scale)
        elif operator == "scale-down":
            made = self.expressions.divide(base, made)
        return self._parts(made)

    def _delta(self, operator: str, amount: Expression) -> Binary:
        added = self._parts(self.expressions.of(amount))
        return added if operator == "increase" else self.arithmetic.negate(added)

    def _if(self, atom: int, then: Binary, otherwise: Binary) -> Binary:
        return self.arithmetic.select([(held(atom), then)], otherwise)

    def _any(self, atoms: Iterable[int]) -> Bit:
        return self.circuit.any_of(held(atom) for atom in atoms)

    def _parts(self, value: Scaled) -> Binary:
        return self.expressions.in_parts(value, self.scale)


def held(atom: int) -> Bit:
    """Atom 0 holds always."""
    return TRUE if atom == 0 else atom


def _by_amount(
    changes: Iterable[ChangeInstance],
) -> dict[tuple[str, Expression], list[int]]:
    """The atoms under which each amount is set, added or taken."""
    found: dict[tuple[str, Expression], list[int]] = defaultdict(list)
    for change in changes:
        found[change.operator, change.amount].append(change.atom)
    return found
