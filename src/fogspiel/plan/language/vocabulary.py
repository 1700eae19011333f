"""The vocabulary of a game: relations that methods may use, and the arguments these take.

A relation names for each of its arguments a kind of thing: `(true FLUENT)` takes one of kind
`fluent`, and a kind lists the names that it has. So a slip in `(true (cel ?x ?y))` is found
when the file is read, and not when a method never applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fogspiel.core.terms import GroundTerm
from fogspiel.plan.task_network import Pattern

OPERATOR = "operator"  #: The kind of the argument of `(do …)`
ANY = ""  #: The kind of arguments that are not checked
ANYTHING = "_"  #: The word that matches anything, where a game has one

Names = Mapping[str, frozenset[int]]
"""Names with their possible numbers of arguments; 0 for a word alone."""


@dataclass(frozen=True, slots=True)
class GameVocabulary:
    """The words of one game."""

    relations: Mapping[tuple[str, int], tuple[str, ...]]
    """The kinds of arguments of each relation, by its name and how many there are."""
    kinds: Mapping[str, Names] = field(default_factory=dict)
    """The names of each kind; a kind that is not listed may be anything."""

    def with_relations(self, stated: Iterable[Pattern]) -> GameVocabulary:
        """The same and the relations of some facts, with arguments of any kind."""
        more = {head(fact): (ANY,) * head(fact)[1] for fact in stated}
        return GameVocabulary(relations={**more, **self.relations}, kinds=self.kinds)

    def arities(self, relation: str) -> list[int]:
        """The numbers of arguments that a relation may have, ascending."""
        return sorted(arity for name, arity in self.relations if name == relation)


@dataclass(frozen=True, slots=True)
class Stranger:
    """A word that the game does not know, or not with so many arguments."""

    name: str
    arity: int
    kind: str  #: The kind that is expected there; `relation` for the first word of a condition
    known: tuple[str, ...]  #: Names that could stand there
    arities: tuple[int, ...]
    """The numbers of arguments that the name may have; none if it is not known at all."""


def names_of(terms: Iterable[GroundTerm]) -> Names:
    """The names that terms start with."""
    found: dict[str, set[int]] = {}
    for term in terms:
        name, arity = head(term)
        found.setdefault(name, set()).add(arity)
    return {name: frozenset(found[name]) for name in sorted(found)}


def head(term: Pattern) -> tuple[str, int]:
    """The name of a term, and its number of arguments."""
    if isinstance(term, str):
        return term, 0
    assert isinstance(term[0], str)
    return term[0], len(term) - 1


def stranger_in_atom(atom: Pattern, vocabulary: GameVocabulary) -> Stranger | None:
    """The first word of a condition that the game does not know; None if all are known."""
    name, arity = head(atom)
    kinds = vocabulary.relations.get((name, arity))
    if kinds is None:
        known = tuple(sorted({relation for relation, _ in vocabulary.relations}))
        return Stranger(name, arity, "relation", known, tuple(vocabulary.arities(name)))
    arguments = () if isinstance(atom, str) else atom[1:]
    for kind, argument in zip(kinds, arguments, strict=True):
        stranger = stranger_in_term(argument, kind, vocabulary)
        if stranger is not None:
            return stranger
    return None


def stranger_in_term(term: Pattern, kind: str, vocabulary: GameVocabulary) -> Stranger | None:
    """The word of a term that its kind does not have, if any; a variable may be anything."""
    names = vocabulary.kinds.get(kind)
    name, arity = head(term)
    if names is None or name[:1] == "?" or name == ANYTHING or arity in names.get(name, ()):
        return None
    return Stranger(name, arity, kind, tuple(names), tuple(sorted(names.get(name, ()))))
