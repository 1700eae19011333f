"""States as sets of numbered fluents: facts, and functions with their values."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm
from fogspiel.machine.interpreter.apply import ActionOutcome, ground
from fogspiel.machine.interpreter.derive import Derivations
from fogspiel.machine.interpreter.start import InitialState
from fogspiel.machine.interpreter.views import ZERO, Atom, FactTable, FunctionKey, StateView
from fogspiel.machine.uncompiled.numbered_machine import unknown_term
from fogspiel.machine.uncompiled.term_ids import TermIds

Value: TypeAlias = tuple[FunctionKey, Fraction]
"""A function with its value."""


class States:
    """Turns views of states into sets of bits and back."""

    def __init__(self, start: InitialState, fluents: TermIds, derivations: Derivations) -> None:
        self._start = start
        self._fluents = fluents
        self._derivations = derivations
        self._tables = start.tables()
        self._listed = frozenset(start.listed())
        self._meanings: list[Atom | Value] = []
        """Of each fluent, by its number."""
        self._numbers: dict[Atom | Value, int] = {}

    def initial(self) -> int:
        """The bits of the start."""
        return self._bits(self._start.atoms(), self._start.numbers().items())

    def view(self, numbers: Iterable[int]) -> StateView:
        """The state with the fluents of these numbers."""
        rows: dict[str, list[tuple[str, ...]]] = {name: [] for name in self._start.predicates}
        values: dict[FunctionKey, Fraction] = {}
        for number in numbers:
            first, second = self._meanings[number]
            if isinstance(first, str):
                assert isinstance(second, tuple)
                rows[first].append(second)
            else:
                assert isinstance(second, Fraction)
                values[first] = second
        tables = {name: FactTable(found) for name, found in rows.items()}
        return StateView({**self._tables, **tables}, values, self._derivations)

    def after(self, bits: int, view: StateView, outcome: ActionOutcome) -> tuple[int, StateView]:
        """The state after a step, as bits and as view."""
        values = outcome.numbers(view, self._start.bounds)
        for number in self._known(outcome.deleted):
            bits &= ~(1 << number)
        old = [(key, view.numbers[key]) for key in values if key in view.numbers]
        for number in self._known(old):
            bits &= ~(1 << number)
        bits |= self._bits(outcome.added, values.items())
        return bits, view.after(outcome.deleted, outcome.added, values)

    def bits_of(self, terms: Iterable[GroundTerm]) -> int:
        """The bits of a state that is given by its fluents; functions without a value are 0."""
        atoms: list[Atom] = []
        values: dict[FunctionKey, Fraction] = dict.fromkeys(self._listed, ZERO)
        for term in terms:
            value = self._value_of(term)
            if value is not None:
                values[value[0]] = value[1]
            else:
                atoms.append(self._atom_of(term))
        return self._bits(atoms, values.items())

    def _bits(self, atoms: Iterable[Atom], values: Iterable[Value]) -> int:
        """The bits of some facts and values, which get numbers if they have none."""
        # A value of 0 goes without saying where not all arguments of a function are listed.
        given = [(key, value) for key, value in values if value or key in self._listed]
        bits = 0
        fresh: dict[GroundTerm, Atom | Value] = {}
        meanings: list[Atom | Value] = [*atoms, *given]
        for meaning in meanings:
            number = self._numbers.get(meaning)
            if number is None:
                fresh[_term(meaning)] = meaning
            else:
                bits |= 1 << number
        if fresh:
            for number in self._fluents.numbers(fresh):
                meaning = fresh[self._fluents.terms[number]]
                self._meanings.append(meaning)
                self._numbers[meaning] = number
                bits |= 1 << number
        return bits

    def _known(self, meanings: Iterable[Atom | Value]) -> list[int]:
        found = [self._numbers.get(meaning) for meaning in meanings]
        return [number for number in found if number is not None]

    def _atom_of(self, term: GroundTerm) -> Atom:
        name, *arguments = (term,) if isinstance(term, str) else term
        objects = tuple(item for item in arguments if isinstance(item, str))
        world = self._start.world
        if (
            not isinstance(name, str)
            or name not in self._start.predicates
            or len(arguments) != len(world.predicates[name].parameters)
            or any(item not in world.objects for item in arguments)
        ):
            raise unknown_term("MCH005", "fluent", term)
        return name, objects

    def _value_of(self, term: GroundTerm) -> Value | None:
        """The function and value of `(= (function argument…) number)`."""
        if isinstance(term, str) or len(term) != 3 or term[0] != "=":
            return None
        left, right = term[1:]
        name, *arguments = (left,) if isinstance(left, str) else left
        objects = tuple(item for item in arguments if isinstance(item, str))
        world = self._start.world
        if (
            not isinstance(name, str)
            or not isinstance(right, str)
            or name not in self._start.functions
            or len(arguments) != len(world.functions[name].parameters)
            or any(item not in world.objects for item in arguments)
        ):
            raise unknown_term("MCH005", "fluent", term)
        try:
            value = Fraction(right)
        except (ValueError, ZeroDivisionError):
            raise unknown_term("MCH005", "fluent", term) from None
        bounds = self._start.bounds.get(name)
        if bounds is not None and not bounds.low <= value <= bounds.high:
            raise unknown_term("MCH005", "fluent", term)
        return (name, objects), value


def _term(meaning: Atom | Value) -> GroundTerm:
    """A fluent as the machine shows it."""
    first, second = meaning
    if isinstance(first, str):
        assert isinstance(second, tuple)
        return ground(first, second)
    return "=", ground(*first), str(second)
