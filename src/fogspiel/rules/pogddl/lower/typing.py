"""Which predicates hold only for objects of their declared types.

An effect may add an atom with a variable of a wider type, of which the checks only warn. Where a
predicate is always set as declared, asking for it also asks for the types of its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fogspiel.rules.pogddl.syntax import (
    Action,
    Add,
    Atom,
    Domain,
    Effect,
    Effects,
    ForEach,
    Name,
    Problem,
    Term,
    Typed,
    Variable,
    When,
)
from fogspiel.rules.pogddl.world import ANYTHING, UNKNOWN, World


def well_typed(world: World, domain: Domain, problem: Problem) -> frozenset[str]:
    """The predicates that are derived, stated and added with arguments of their types only."""
    loose = {
        derived.head.name.text
        for derived in domain.derived
        if not _fit(world, derived.head.name, [p.types for p in derived.head.parameters])
    }
    for atom, types in (*_added(domain.actions), *((fact, {}) for fact in problem.facts)):
        if not _fit(world, atom.name, [_types(world, term, types) for term in atom.arguments]):
            loose.add(atom.name.text)
    return frozenset(world.predicates) - loose


def fits(world: World, narrow: Iterable[Name], wide: Iterable[Name]) -> bool:
    """Whether all that is of some types is of others."""
    inside, outside = world.mask(narrow), world.mask(wide)
    return outside == ANYTHING or (UNKNOWN not in {inside, outside} and not inside & ~outside)


def _fit(world: World, predicate: Name, given: Sequence[tuple[Name, ...] | None]) -> bool:
    """Whether arguments fit a predicate; those of a head may leave out their types."""
    declared = world.predicates[predicate.text].parameters
    return all(
        own is not None and (not own or fits(world, own, parameter.types))
        for own, parameter in zip(given, declared, strict=True)
    )


def _added(actions: Iterable[Action]) -> Iterator[tuple[Atom, dict[str, tuple[Name, ...]]]]:
    """Each atom that an effect adds, with the types of the variables around it."""
    for action in actions:
        work: list[tuple[Effect | None, dict[str, tuple[Name, ...]]]]
        work = [(action.effect, _bound(action.parameters))]
        while work:
            effect, types = work.pop()
            match effect:
                case Add(atom):
                    yield atom, types
                case Effects(inner):
                    work += [(part, types) for part in inner]
                case When(_, part):
                    work.append((part, types))
                case ForEach(variables, part):
                    work.append((part, types | _bound(variables)))


def _bound(variables: Iterable[Typed]) -> dict[str, tuple[Name, ...]]:
    return {item.term.name: item.types for item in variables if isinstance(item.term, Variable)}


def _types(world: World, term: Term, types: dict[str, tuple[Name, ...]]) -> tuple[Name, ...] | None:
    """The types of an argument; None if it may be anything."""
    own = types[term.name] if isinstance(term, Variable) else world.objects[term.text]
    return own or None
