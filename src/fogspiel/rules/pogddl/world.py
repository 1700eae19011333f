"""A game in POGDDL at a glance: declarations, objects of each type, and what play may change.

Built once and shared by all checks. Types are sets of bits: a type's bits are its subtypes.
Predicates and functions that no effect touches hold the same in every state, and are no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.syntax import ANY_TYPE, MOVER

MAX_TYPES = 2_000  #: More are a fault or an attack: comparing them all would take minutes
ANYTHING = -1  #: The set of all types: that of `object`
UNKNOWN = 0
"""The set of an undeclared type, or of any where there are too many: it fits everywhere."""
IDLE = "noop"


class World:
    """The declarations of a game. Of names declared twice, the first counts."""

    def __init__(self, description: syntax.GameDescription) -> None:
        self.domain: syntax.Domain | None = description.domain
        self.problem: syntax.Problem | None = description.problem
        constants: Sequence[syntax.Typed] = self.domain.constants if self.domain else ()
        objects: Sequence[syntax.Typed] = self.problem.objects if self.problem else ()
        self.objects = _first_types([*constants, *objects])
        self.types = _supertypes(self.domain.types if self.domain else ())
        self.predicates = _first(self.domain.predicates if self.domain else ())
        self.functions = _first(self.domain.functions if self.domain else ())
        self.actions: dict[str, syntax.Action] = {}
        for action in self.domain.actions if self.domain else ():
            self.actions.setdefault(action.name.text, action)
        self.derived = {
            derived.head.name.text for derived in (self.domain.derived if self.domain else ())
        }

    @property
    def has_too_many_types(self) -> bool:
        """Whether types are not compared, because that could take minutes."""
        return len(self.types) > MAX_TYPES

    @cached_property
    def masks(self) -> dict[str, int]:
        """The bits of every type: its own and those of its subtypes."""
        if self.has_too_many_types:
            return {}
        masks = {name: 1 << index for index, name in enumerate(self.types)}
        changes = True
        while changes:  # as often as types are nested, at most
            changes = False
            for name, parents in self.types.items():
                for parent in parents:
                    joined = masks.get(parent, 0) | masks[name]
                    if parent in masks and joined != masks[parent]:
                        masks[parent] = joined
                        changes = True
        return masks

    def mask(self, types: Iterable[syntax.Name]) -> int:
        """What something of these types may be; without a type, anything."""
        joined, names = 0, [name.text for name in types]
        for name in names:
            mask = ANYTHING if name == ANY_TYPE else self.masks.get(name, UNKNOWN)
            if mask == UNKNOWN:
                return UNKNOWN
            joined |= mask
        return joined if names else ANYTHING

    def object_mask(self, name: str) -> int:
        """The type of an object; unknown if nobody declared it."""
        return self.mask(self.objects[name]) if name in self.objects else UNKNOWN

    def objects_of(self, types: Iterable[syntax.Name]) -> list[str]:
        """The objects that a variable of some types stands for, in their order."""
        mask = self.mask(types)
        return [
            name for name in self.objects if mask == ANYTHING or not self.object_mask(name) & ~mask
        ]

    def domains(self, declaration: syntax.Declaration) -> list[list[str]]:
        """The objects that each parameter of a predicate or function stands for."""
        return [self.objects_of(parameter.types) for parameter in declaration.parameters]

    @cached_property
    def role_mask(self) -> int | None:
        """The type of roles: what `whoseturn` takes. None if it takes no typed argument."""
        mover = self.predicates.get(MOVER)
        if mover is None or len(mover.parameters) != 1:
            return None
        mask = self.mask(mover.parameters[0].types)
        return None if mask in {ANYTHING, UNKNOWN} else mask

    @cached_property
    def roles(self) -> list[str]:
        """The roles that are declared so far, in their order."""
        mask = self.role_mask
        if mask is None:
            return []
        # An object of an unknown type may be meant to be a role.
        return [name for name, types in self.objects.items() if not self.mask(types) & ~mask]


def _first(declarations: Iterable[syntax.Declaration]) -> dict[str, syntax.Declaration]:
    found: dict[str, syntax.Declaration] = {}
    for declaration in declarations:
        found.setdefault(declaration.name.text, declaration)
    return found


def _first_types(names: Iterable[syntax.Typed]) -> dict[str, tuple[syntax.Name, ...]]:
    found: dict[str, tuple[syntax.Name, ...]] = {}
    for item in names:
        if not isinstance(item.term, syntax.Variable):
            found.setdefault(item.term.text, item.types)
    return found


def _supertypes(types: Iterable[syntax.Typed]) -> dict[str, list[str]]:
    """The types right above every type. One that is only named as such is a type as well."""
    found: dict[str, list[str]] = {}
    for item in types:
        if not isinstance(item.term, syntax.Variable):
            found.setdefault(item.term.text, []).extend(name.text for name in item.types)
    for parents in list(found.values()):
        for parent in parents:
            if parent != ANY_TYPE:
                found.setdefault(parent, [])
    return found


Primitive: TypeAlias = syntax.Add | syntax.Delete | syntax.Change | syntax.Observe
"""An effect without others in it."""


def changed_predicates(domain: syntax.Domain) -> frozenset[str]:
    """Names of the predicates that some effect adds or deletes."""
    return frozenset(
        effect.atom.name.text
        for effect in all_effects(domain)
        if isinstance(effect, syntax.Add | syntax.Delete)
    )


def changed_functions(domain: syntax.Domain) -> frozenset[str]:
    """Names of the functions that some effect gives another value."""
    return frozenset(
        effect.fluent.name.text
        for effect in all_effects(domain)
        if isinstance(effect, syntax.Change)
    )


def all_effects(domain: syntax.Domain) -> Iterator[Primitive]:
    """The primitive effects of all actions, in the order of the text."""
    for action in domain.actions:
        if action.effect is not None:
            yield from primitive_effects(action.effect)


def primitive_effects(effect: syntax.Effect) -> Iterator[Primitive]:
    """The primitive effects within an effect, in the order of the text."""
    work: list[syntax.Effect] = [effect]
    while work:
        item = work.pop()
        match item:
            case syntax.Effects(inner):
                work.extend(reversed(inner))
            case syntax.When(_, inner) | syntax.ForEach(_, inner):
                work.append(inner)
            case _:
                yield item


def idle_move(domain: syntax.Domain) -> str:
    """The move of a role whose turn it is not: `noop`, or the first of `noop-1`, … that is free.

    Only an action without parameters looks like it; one with parameters is a longer term.
    """
    taken = {action.name.text for action in domain.actions if not action.parameters}
    name, number = IDLE, 0
    while name in taken:
        number += 1
        name = f"{IDLE}-{number}"
    return name
