"""The initial state, and states as sets of numbered fluents: facts, and values of functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import TypeAlias

from fogspiel.core.findings import RulesError
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.interpreter.apply import ActionOutcome, ground
from fogspiel.machine.interpreter.derive import Derivations
from fogspiel.machine.interpreter.variables import Arguments, Objects
from fogspiel.machine.interpreter.views import ZERO, FactTable, FunctionKey, GroundAtom, StateView
from fogspiel.machine.uncompiled.numbered_machine import TermIds, unknown_term
from fogspiel.rules.pogddl.syntax import Domain, GameDescription, Name, Problem, Term
from fogspiel.rules.pogddl.world import World, changed_functions, changed_predicates

MAX_LISTED = 10_000
"""Most values of a function that are all part of a state; otherwise only those other than 0 are."""


class InitialState:
    """The initial state of a game, and the parts of it that play can change."""

    def __init__(self, description: GameDescription) -> None:
        self.domain, self.problem = _whole(description)
        self.world = World(description)
        self.objects = Objects(self.world)
        self.predicates = changed_predicates(self.domain)
        """Predicates that effects change, whose facts are part of a state."""
        self.functions = changed_functions(self.domain)
        """Functions that effects change, whose values are part of a state."""
        self.bounds = {
            name: function.bounds
            for name, function in self.world.functions.items()
            if function.bounds is not None
        }
        """Bounds of the values of functions that have any in the domain."""
        self.values: dict[FunctionKey, Fraction] = {
            (item.fluent.name.text, _objects(item.fluent.arguments)): item.value.value
            for item in self.problem.values
        }

    def facts(self) -> dict[str, dict[Arguments, None]]:
        """The facts of all predicates that are not derived."""
        found: dict[str, dict[Arguments, None]] = {
            name: {} for name in self.world.predicates if name not in self.world.derived
        }
        for fact in self.problem.facts:
            found[fact.name.text][_objects(fact.arguments)] = None
        return found

    def tables(self) -> dict[str, FactTable]:
        """The facts that no effect changes; tables of all other predicates are empty."""
        return {
            name: FactTable(() if name in self.predicates else rows)
            for name, rows in self.facts().items()
        }

    def atoms(self) -> Iterator[GroundAtom]:
        """The initial facts that effects can change."""
        for name, rows in self.facts().items():
            if name in self.predicates:
                yield from ((name, row) for row in rows)

    def numbers(self) -> dict[FunctionKey, Fraction]:
        """The initial values that effects can change."""
        found = dict.fromkeys(self.listed(), ZERO)
        found.update((key, value) for key, value in self.values.items() if key[0] in self.functions)
        return found

    def listed(self) -> Iterator[FunctionKey]:
        """Functions with all arguments that their types allow, whose values are part of a state.

        A state with the value 0 is therefore the same whether or not the value was ever given.
        """
        for name in sorted(self.functions & self.world.functions.keys()):
            ranges = [
                self.objects.of_types(item.types).objects
                for item in self.world.functions[name].parameters
            ]
            if prod(len(objects) for objects in ranges) <= MAX_LISTED:
                yield from ((name, arguments) for arguments in product(*ranges))


def _whole(description: GameDescription) -> tuple[Domain, Problem]:
    domain, problem = description.domain, description.problem
    if domain is not None and problem is not None:
        return domain, problem
    missing = "domain" if domain is None else "problem"
    raise RulesError.of(
        "POG009", f"there is no {missing}", fix=f"give the text with (define ({missing} …) …) too"
    )


def _objects(terms: tuple[Term, ...]) -> Arguments:
    return tuple(term.text for term in terms if isinstance(term, Name))


Value: TypeAlias = tuple[FunctionKey, Fraction]  #: A function with its value


class States:
    """Translates views of states to sets of bits and back."""

    def __init__(self, start: InitialState, fluents: TermIds, derivations: Derivations) -> None:
        self._start = start
        self._fluents = fluents
        self._derivations = derivations
        self._tables = start.tables()
        self._listed = frozenset(start.listed())
        self._meanings: list[GroundAtom | Value] = []
        """Fact or value of each fluent, by its number."""
        self._numbers: dict[GroundAtom | Value, int] = {}

    def initial(self) -> int:
        """The bits of the initial state."""
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
        """The bits of the state with these fluents; functions without a value are 0."""
        atoms: list[GroundAtom] = []
        values: dict[FunctionKey, Fraction] = dict.fromkeys(self._listed, ZERO)
        for term in terms:
            value = self._value_of(term)
            if value is not None:
                values[value[0]] = value[1]
            else:
                atoms.append(self._atom_of(term))
        return self._bits(atoms, values.items())

    def _bits(self, atoms: Iterable[GroundAtom], values: Iterable[Value]) -> int:
        """The bits of some facts and values, which are numbered if they are new."""
        # A value of 0 is left out if not all values of a function are part of a state.
        given = [(key, value) for key, value in values if value or key in self._listed]
        bits = 0
        fresh: dict[GroundTerm, GroundAtom | Value] = {}
        meanings: list[GroundAtom | Value] = [*atoms, *given]
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

    def _known(self, meanings: Iterable[GroundAtom | Value]) -> list[int]:
        found = [self._numbers.get(meaning) for meaning in meanings]
        return [number for number in found if number is not None]

    def _atom_of(self, term: GroundTerm) -> GroundAtom:
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


def _term(meaning: GroundAtom | Value) -> GroundTerm:
    """A fluent as a term."""
    first, second = meaning
    if isinstance(first, str):
        assert isinstance(second, tuple)
        return ground(first, second)
    return "=", ground(*first), str(second)
