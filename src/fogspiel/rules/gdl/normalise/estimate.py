"""Estimated number of ground instances of each clause, before anything is grounded.

Two bounds are combined and the smaller taken. Joins are estimated as in System R: the sizes of the
relations, divided for every equality by the larger number of distinct values (Selinger et al. 1979,
section 4). And no clause has more instances than its variables have values, by the constants that
can flow into their argument places.

A place is a path: relation, argument, function, argument. `init` and `next` feed `true`, and
`legal` feeds `does`. The work is bounded; estimates of hostile texts are only coarser.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from math import inf, prod
from typing import TypeAlias

from fogspiel.rules.clauses import DOES, LEGAL, Clause, Literal, Pattern, Program, Signature, Var
from fogspiel.rules.graphs import components, dependencies

Place: TypeAlias = tuple[str | int, ...]
"""(relation, arity, argument, function, arity, argument, …)"""

MAX_DEPTH = 4  #: Functions within functions that are looked into
MAX_VALUES = 2_000
MAX_ROUNDS = 30
MAX_WORK = 3_000_000  #: Values moved in all rounds together: about 0.2 seconds
CEILING = 1e18  #: The estimate for what grows without end

Shape: TypeAlias = Signature | tuple[str, str, int]  #: A relation, or the moves of one function

FEEDS = {"init": "true", "next": "true", "legal": "does"}


def estimate_instances(program: Program) -> list[float]:
    """The estimated number of ground instances of every clause, in their order."""
    domains = _Domains(program.clauses)
    sizes = _RelationSizes(program.clauses, domains)
    return [_instances(clause, domains, sizes) for clause in program.clauses]


class _Domains:
    """The constants that can stand at every place, as the least fixpoint of the clauses."""

    def __init__(self, clauses: tuple[Clause, ...]) -> None:
        self._values: dict[Place, set[str]] = defaultdict(set)
        self._functions: dict[Place, set[tuple[str, int]]] = defaultdict(set)
        self._endless: set[Place] = set()
        self._work = 0
        rules: list[tuple[list[tuple[Place, Var]], dict[Var, list[Place]]]] = []
        for clause in clauses:
            head: list[tuple[Place, Var]] = []
            for place, leaf in _leaves(clause.head, is_head=True):
                if isinstance(leaf, Var):
                    head.append((place, leaf))
                elif isinstance(leaf, str):
                    self._values[place].add(leaf)
                else:
                    self._functions[place].add((str(leaf[0]), len(leaf) - 1))
            if head:
                rules.append((head, bound_places(clause)))
        for _ in range(MAX_ROUNDS):
            if not self._flow(rules) or self._work > MAX_WORK:
                break
        self._sizes: dict[Place, float] = {}

    def _flow(self, rules: list[tuple[list[tuple[Place, Var]], dict[Var, list[Place]]]]) -> bool:
        """Move values through every rule once; whether anything was new."""
        changed = False
        for head, bound in rules:
            for place, variable in head:
                for source in bound.get(variable, ())[:1]:
                    changed = self._copy_functions(source, place) or changed
                values = self.of_variable(bound.get(variable, []))
                target = self._values[place]
                self._work += len(values) + 1
                if values - target and len(target) < MAX_VALUES:
                    target |= values
                    changed = True
            if self._work > MAX_WORK:
                return False
        return changed

    def _copy_functions(self, source: Place, target: Place) -> bool:
        """A variable may stand for terms, and then their inner places have the same values."""
        changed = False
        for name, arity in sorted(self._functions.get(source, ())):
            if len(target) >= 3 * MAX_DEPTH:
                changed = changed or target not in self._endless
                self._endless.add(target)
                return changed
            if (name, arity) not in self._functions[target]:
                self._functions[target].add((name, arity))
                changed = True
            for index in range(arity):
                inner = (name, arity, index)
                values = self._values.get(source + inner, set()) - self._values[target + inner]
                self._work += len(values) + 1
                if values and len(self._values[target + inner]) < MAX_VALUES:
                    self._values[target + inner] |= values
                    changed = True
                changed = self._copy_functions(source + inner, target + inner) or changed
        return changed

    def of_variable(self, places: list[Place]) -> set[str]:
        """The constants that can stand at all of the places."""
        found: set[str] | None = None
        for place in places:
            values = self._values.get(place, set())
            found = values if found is None else found & values
        return found or set()

    def size(self, place: Place) -> float:
        """Number of different terms that can stand at a place, at least 1."""
        if place not in self._sizes:
            self._sizes[place] = 1.0  # where a term holds itself, one level is counted
            inner = sum(
                prod(self.size((*place, name, arity, index)) for index in range(arity))
                for name, arity in self._functions.get(place, ())
                if len(place) < 3 * MAX_DEPTH
            )
            # Terms that have grown this deep by rules grow without end.
            total = CEILING if place in self._endless else len(self._values.get(place, ())) + inner
            self._sizes[place] = min(CEILING, max(1.0, total))
        return self._sizes[place]


class _RelationSizes:
    """Estimated number of facts of each relation, from the bottom of the dependencies upwards."""

    def __init__(self, clauses: tuple[Clause, ...], domains: _Domains) -> None:
        self._domains = domains
        self._sizes: dict[Shape, float] = defaultdict(float)
        rules: dict[Signature, list[Clause]] = defaultdict(list)
        graph = dependencies(clauses)
        for clause in clauses:
            rules[clause.head.signature].append(clause)
        graph[DOES].add(LEGAL)
        component = components(graph)
        members = Counter(component.values())
        for signature in sorted(graph, key=lambda s: (component[s], s)):
            # What depends on itself is bounded by the values of its arguments alone.
            if members[component[signature]] > 1 or signature in graph[signature]:
                continue
            for clause in rules[LEGAL if signature == DOES else signature]:
                shape = _shape(clause.head) if signature == DOES else signature
                self._sizes[shape] += _instances(clause, domains, self)

    def of(self, literal: Literal) -> float:
        """The size of a literal's relation: of this shape, for fluents and moves."""
        leaves = [place for place, leaf in _leaves(literal) if not isinstance(leaf, tuple)]
        values = prod((self._domains.size(place) for place in leaves), start=1.0)
        shape = _shape(literal) if literal.signature == DOES else literal.signature
        return min(CEILING, values, max(1.0, self._sizes.get(shape, inf)))


def _shape(move: Literal) -> Shape:
    """The moves that a `legal` or `does` speaks of: those of one function, or of one name."""
    term = move.arguments[1]
    if isinstance(term, tuple):
        return "does", str(term[0]), len(term) - 1
    return "does", term if isinstance(term, str) else "", 0


def _instances(clause: Clause, domains: _Domains, sizes: _RelationSizes) -> float:
    joined = 1.0
    seen: dict[Var, float] = {}
    for condition in clause.positive:
        joined = min(CEILING, joined * sizes.of(condition))
        for place, leaf in _leaves(condition):
            size = domains.size(place)
            if isinstance(leaf, str):
                joined /= size
            elif isinstance(leaf, Var):
                if leaf in seen:
                    joined /= max(seen[leaf], size)
                seen[leaf] = min(seen.get(leaf, inf), size)
    return max(0.0, min(joined, prod(seen.values(), start=1.0), CEILING))


def bound_places(clause: Clause) -> dict[Var, list[Place]]:
    """The places of each variable in the positive conditions."""
    places: dict[Var, list[Place]] = defaultdict(list)
    for literal in clause.positive:
        for place, leaf in _leaves(literal):
            if isinstance(leaf, Var):
                places[leaf].append(place)
    return places


def _leaves(literal: Literal, *, is_head: bool = False) -> Iterator[tuple[Place, Pattern]]:
    """Names, variables and (before what they hold) terms, each with its place."""
    name, arity = literal.signature
    if is_head:
        name = FEEDS.get(name, name)
    work: list[tuple[Place, Pattern]] = [
        ((name, arity, index), argument) for index, argument in enumerate(literal.arguments)
    ]
    while work:
        place, pattern = work.pop()
        yield place, pattern
        if isinstance(pattern, tuple) and len(place) < 3 * MAX_DEPTH:
            functor = str(pattern[0])
            work += [
                ((*place, functor, len(pattern) - 1, index), argument)
                for index, argument in enumerate(pattern[1:])
            ]
