"""The objects of a game by type: what a variable can stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fogspiel.rules.pogddl.syntax import Name, Typed, Variable
from fogspiel.rules.pogddl.world import World


class ObjectRange(NamedTuple):
    """The objects that a variable ranges over, in the order of their declaration."""

    objects: tuple[str, ...]
    members: frozenset[str]


class Objects:
    """Ranges of types, each worked out once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._masks = {name: world.mask(types) for name, types in world.objects.items()}
        self._ranges: dict[int, ObjectRange] = {}

    def of_types(self, types: tuple[Name, ...]) -> ObjectRange:
        """The objects of a type, or of one of several; of none means all objects."""
        mask = self._world.mask(types)
        known = self._ranges.get(mask)
        if known is None:
            found = tuple(name for name, own in self._masks.items() if not own & ~mask)
            known = self._ranges[mask] = ObjectRange(found, frozenset(found))
        return known

    def ranges(self, variables: Sequence[Typed]) -> dict[str, ObjectRange]:
        """What the variables of a typed list range over."""
        return {
            item.term.name: self.of_types(item.types)
            for item in variables
            if isinstance(item.term, Variable)
        }
