"""Environments of variables during the evaluation of a rule, and their ranges.

All variables and constants of a rule have a slot of their own in a list, so that a tuple of terms
is picked out of it at once, and inner variables are distinct from outer ones of the same name.
A variable ranges over the objects of its type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from fogspiel.core.source import Source
from fogspiel.rules.pogddl.syntax import Name, Term, Typed, Variable
from fogspiel.rules.pogddl.world import World

Environment: TypeAlias = list[str]  #: The values of the slots of a frame
Arguments: TypeAlias = tuple[str, ...]
Picker: TypeAlias = Callable[[Environment], Arguments]


class Frame:
    """The slots of one rule."""

    def __init__(self) -> None:
        self._template: list[str] = []
        self._constants: dict[str, int] = {}

    def variable(self) -> int:
        """A new slot."""
        self._template.append("")
        return len(self._template) - 1

    def constant(self, text: str) -> int:
        """The slot of an object, which always has its value."""
        slot = self._constants.get(text)
        if slot is None:
            slot = self._constants[text] = self.variable()
            self._template[slot] = text
        return slot

    def fresh(self) -> Environment:
        """An environment in which no variable has a value."""
        return self._template.copy()


@dataclass(frozen=True, slots=True)
class VariableScope:
    """The variables in scope at some place of a rule."""

    frame: Frame
    source: Source  #: The text of the rule, for errors in play
    slots: Mapping[str, int]

    @classmethod
    def empty(cls, source: Source) -> VariableScope:
        """The scope of a new rule."""
        return cls(Frame(), source, {})

    def slot(self, term: Term) -> int:
        """The slot with the value of a term."""
        if isinstance(term, Name):
            return self.frame.constant(term.text)
        return self.slots[term.name]

    def inside(self, variables: Sequence[Typed]) -> VariableScope:
        """The scope within a quantifier or a list of parameters."""
        fresh = {
            item.term.name: self.frame.variable()
            for item in variables
            if isinstance(item.term, Variable)
        }
        return VariableScope(self.frame, self.source, {**self.slots, **fresh})

    def picker(self, terms: Sequence[Term]) -> Picker:
        """The function that picks the values of some terms."""
        return picker([self.slot(term) for term in terms])


def picker(slots: Sequence[int]) -> Picker:
    """The function that picks the values of some slots."""
    if not slots:
        return lambda _: ()
    if len(slots) == 1:
        only = slots[0]
        return lambda environment: (environment[only],)
    return itemgetter(*slots)


class ObjectRange(NamedTuple):
    """The objects that a variable ranges over, in the order of their declaration."""

    objects: tuple[str, ...]
    members: frozenset[str]


class Objects:
    """Ranges of types, each computed once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._masks = {name: world.mask(types) for name, types in world.objects.items()}
        self._ranges: dict[int, ObjectRange] = {}

    def of_types(self, types: tuple[Name, ...]) -> ObjectRange:
        """The objects of any of some types; all objects if no type is given."""
        mask = self._world.mask(types)
        known = self._ranges.get(mask)
        if known is None:
            found = tuple(name for name, own in self._masks.items() if not own & ~mask)
            known = self._ranges[mask] = ObjectRange(found, frozenset(found))
        return known

    def ranges(self, variables: Sequence[Typed]) -> dict[str, ObjectRange]:
        """Ranges of the variables of a typed list."""
        return {
            item.term.name: self.of_types(item.types)
            for item in variables
            if isinstance(item.term, Variable)
        }
