"""How derived predicates depend on each other, and in which order they are worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fogspiel.rules.graphs import components
from fogspiel.rules.pogddl.syntax import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Derived,
    Fluent,
    Imply,
    Name,
    Not,
    Or,
    Quantified,
)

DELTA = "new "
"""Before the name of a predicate: its facts that the last round found. No name has a blank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Predicates that depend on each other, or one alone."""

    predicates: tuple[str, ...]
    is_recursive: bool
    is_static: bool
    """Whether no effect can change what follows."""
    height: int
    """Steps over which it is derived from predicates that are not."""
    below: frozenset[str]
    """Derived predicates that it asks for, without its own."""


def strata(rules: Sequence[Derived], changed: frozenset[str]) -> list[Stratum]:
    """The strata, each after those that it depends on.

    changed: the predicates and functions that some effect touches.
    """
    asked: dict[str, set[str]] = {rule.head.name.text: set() for rule in rules}
    for rule in rules:
        asked[rule.head.name.text].update(names_in(rule.condition))
    numbers = components({name: sorted(asked[name] & asked.keys()) for name in asked})
    groups: dict[int, list[str]] = {}
    for name in asked:
        groups.setdefault(numbers[name], []).append(name)
    found: dict[str, Stratum] = {}
    for number in sorted(groups):  # Tarjan's order: what is asked for comes first
        own = groups[number]
        names = set[str]().union(*[asked[name] for name in own])
        below = frozenset((names & asked.keys()) - set(own))
        stratum = Stratum(
            predicates=tuple(own),
            is_recursive=bool(names & set(own)),
            is_static=not names & changed and all(found[name].is_static for name in below),
            height=1 + max((found[name].height for name in below), default=0),
            below=below,
        )
        found.update((name, stratum) for name in own)
    return list({id(stratum): stratum for stratum in found.values()}.values())


def variants(condition: Condition, predicates: Sequence[str]) -> list[Condition] | None:
    """A normal condition once for each place where it asks for one of the predicates.

    There it asks for the facts that are new. None if such a place is under a negation.
    """
    match condition:
        case Atom(name, arguments, span=span):
            new = Name(DELTA + name.text, span=name.span)
            return [Atom(new, arguments, span=span)] if name.text in predicates else []
        case And(parts):
            return _each_part(
                parts, predicates, lambda at, new: And((*parts[:at], new, *parts[at + 1 :]))
            )
        case Or(parts):
            # The other alternatives ask for nothing new, and were tried before.
            return _each_part(parts, predicates, lambda _, new: new)
        case Quantified(quantifier, variables, inner):
            return _each_part(
                (inner,), predicates, lambda _, new: Quantified(quantifier, variables, new)
            )
    return None if set(names_in(condition)) & set(predicates) else []


def _each_part(
    parts: Sequence[Condition],
    predicates: Sequence[str],
    whole: Callable[[int, Condition], Condition],
) -> list[Condition] | None:
    """The whole condition for each variant of a part."""
    found: list[Condition] = []
    for at, part in enumerate(parts):
        options = variants(part, predicates)
        if options is None:
            return None
        found += [whole(at, new) for new in options]
    return found


def names_in(condition: Condition) -> Iterator[str]:
    """The predicates and functions that a condition asks for."""
    work: list[Condition | Fluent | Arithmetic] = [condition]
    while work:
        match work.pop():
            case Atom(name) | Fluent(name):
                yield name.text
            case And(inner) | Or(inner):
                work.extend(inner)
            case Not(inner) | Quantified(_, _, inner):
                work.append(inner)
            case Imply(first, second):
                work += [first, second]
            case Comparison(_, left, right):
                work += [side for side in (left, right) if isinstance(side, Fluent | Arithmetic)]
            case Arithmetic(_, operands):
                work += [item for item in operands if isinstance(item, Fluent | Arithmetic)]
            case _:
                pass  # an equation asks for no name
