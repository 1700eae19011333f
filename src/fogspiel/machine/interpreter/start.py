"""How a game begins: its facts, the values of its functions, and what of them play can change."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod

from fogspiel.core.findings import RulesError
from fogspiel.machine.interpreter.frames import Arguments
from fogspiel.machine.interpreter.objects import Objects
from fogspiel.machine.interpreter.views import ZERO, Atom, FactTable, FunctionKey
from fogspiel.rules.pogddl.syntax import Domain, GameDescription, Name, Problem, Term
from fogspiel.rules.pogddl.world import World, changed_functions, changed_predicates

MAX_LISTED = 10_000
"""Of a function with more arguments than that, a state lists only the values other than 0."""


class InitialState:
    """The beginning of a game."""

    def __init__(self, description: GameDescription) -> None:
        self.domain, self.problem = _whole(description)
        self.world = World(description)
        self.objects = Objects(self.world)
        self.predicates = changed_predicates(self.domain)
        """Those that play changes: their facts make up a state."""
        self.functions = changed_functions(self.domain)
        """Those that play changes: their values make up a state."""
        self.bounds = {
            name: function.bounds
            for name, function in self.world.functions.items()
            if function.bounds is not None
        }
        """The values that functions may have, where the domain says so."""
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
        """The facts that no effect changes; the predicates that play changes are empty."""
        return {
            name: FactTable(() if name in self.predicates else rows)
            for name, rows in self.facts().items()
        }

    def atoms(self) -> Iterator[Atom]:
        """The facts of the start that play can change."""
        for name, rows in self.facts().items():
            if name in self.predicates:
                yield from ((name, row) for row in rows)

    def numbers(self) -> dict[FunctionKey, Fraction]:
        """The values of the start that play can change."""
        found = dict.fromkeys(self.listed(), ZERO)
        found.update((key, value) for key, value in self.values.items() if key[0] in self.functions)
        return found

    def listed(self) -> Iterator[FunctionKey]:
        """Functions with all arguments that their types allow: a state lists the values of these.

        So a value of 0 does not depend on whether it was ever given.
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
