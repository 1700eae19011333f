"""What play may change: the predicates and functions that some effect touches.

All others hold the same in every state, and are no part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from fogspiel.rules.pogddl.syntax import (
    Add,
    Change,
    Delete,
    Domain,
    Effect,
    Effects,
    ForEach,
    Observe,
    When,
)

Primitive: TypeAlias = Add | Delete | Change | Observe
"""An effect without others in it."""


def changed_predicates(domain: Domain) -> frozenset[str]:
    """Names of the predicates that some effect adds or deletes."""
    return frozenset(
        effect.atom.name.text for effect in all_effects(domain) if isinstance(effect, Add | Delete)
    )


def changed_functions(domain: Domain) -> frozenset[str]:
    """Names of the functions that some effect gives another value."""
    return frozenset(
        effect.fluent.name.text for effect in all_effects(domain) if isinstance(effect, Change)
    )


def all_effects(domain: Domain) -> Iterator[Primitive]:
    """The primitive effects of all actions, in the order of the text."""
    for action in domain.actions:
        if action.effect is not None:
            yield from primitive_effects(action.effect)


def primitive_effects(effect: Effect) -> Iterator[Primitive]:
    """The primitive effects within an effect, in the order of the text."""
    work: list[Effect] = [effect]
    while work:
        item = work.pop()
        match item:
            case Effects(inner):
                work.extend(reversed(inner))
            case When(_, inner) | ForEach(_, inner):
                work.append(inner)
            case _:
                yield item
