"""What stands at the places of flat predicates: sorts of names, which become types of objects.

Places that share a variable hold names of one sort, found by union-find. A name that stands at
places of two sorts becomes two objects: nothing in the rules can ever compare them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from fogspiel.rules.clauses import Var
from fogspiel.rules.graphs import UnionFind
from fogspiel.rules.translate.to_pogddl.flat import FlatClause, FlatKey, FlatLiteral, FlatTerm
from fogspiel.rules.translate.to_pogddl.term_shapes import LEAF

ROLE_KEY = FlatKey("role", (LEAF,))
OF_ROLES = frozenset({"legal", "does", "sees", "goal"})
"""Relations of two arguments whose first is a role."""
SAME_PLACES = {"init": "true", "next": "true", "legal": "does"}


class Place(NamedTuple):
    """An argument of a predicate."""

    key: FlatKey
    position: int


class Occurrence(NamedTuple):
    """A variable of the clause of that number."""

    clause: int
    variable: Var


Node: TypeAlias = Place | Occurrence

ROLES = Place(ROLE_KEY, 0)


@dataclass(slots=True)
class SortPartition:
    """A partition of all places, and the names that stand at them."""

    names: dict[Place, list[str]]
    """The names of each sort, by the place that stands for it, in the order of the rules."""
    variables: list[dict[Var, Place]]  #: The sort of every variable of every clause
    _roots: dict[Place, Place]

    def of(self, key: FlatKey, index: int) -> Place:
        """The sort of an argument."""
        place = canonical(key, index)
        return self._roots.get(place, place)


def sorts_of(clauses: Iterable[FlatClause], roles: Iterable[str]) -> SortPartition:
    """The sorts of some clauses."""
    partition = _Partition()
    for role in roles:
        partition.written.append((ROLES, role))
    scopes: list[dict[Var, None]] = []
    for number, clause in enumerate(clauses):
        scopes.append({})
        for literal in (clause.head, *clause.body):
            if isinstance(literal, FlatLiteral):
                _walk_literal(partition, literal, number, scopes[-1])
            else:
                for first, second in literal.pairs:
                    _walk_pair(partition, first, second, number)
    names: dict[Place, dict[str, None]] = defaultdict(dict)
    for node, name in partition.written:
        names[partition.sort(node)][name] = None
    return SortPartition(
        names={place: list(found) for place, found in names.items()},
        variables=[
            {v: partition.sort(Occurrence(number, v)) for v in scope}
            for number, scope in enumerate(scopes)
        ],
        _roots={n: partition.sort(n) for n in list(partition.parent) if isinstance(n, Place)},
    )


def canonical(key: FlatKey, index: int) -> Place:
    """One place for what is one thing: fluents now and next, moves that are legal and done."""
    if key.relation in OF_ROLES and index == 0 and len(key.shapes) == 2:
        return ROLES
    relation = SAME_PLACES.get(key.relation, key.relation)
    return Place(FlatKey(relation, key.shapes), index)


def same_things(first: FlatKey, second: FlatKey) -> bool:
    """Whether two predicates speak of one kind of fluent or move, or are the same."""
    relations = [SAME_PLACES.get(key.relation, key.relation) for key in (first, second)]
    return first.shapes == second.shapes and relations[0] == relations[1]


def _walk_literal(
    partition: _Partition, literal: FlatLiteral, number: int, scope: dict[Var, None]
) -> None:
    for index, term in enumerate(literal.arguments):
        place = canonical(literal.key, index)
        partition.parent.setdefault(place, place)
        if isinstance(term, Var):
            scope[term] = None
            partition.join(Occurrence(number, term), place)
        else:
            partition.written.append((place, term))


def _walk_pair(partition: _Partition, first: FlatTerm, second: FlatTerm, number: int) -> None:
    if isinstance(first, str):
        first, second = second, first
    assert isinstance(first, Var)  # two different names always differ
    if isinstance(second, Var):
        partition.join(Occurrence(number, first), Occurrence(number, second))
    else:
        partition.written.append((Occurrence(number, first), second))


class _Partition(UnionFind[Node]):
    def __init__(self) -> None:
        super().__init__()
        self.written: list[tuple[Node, str]] = []

    def join(self, first: Node, second: Node) -> None:
        # A place rather than a variable stands for its sort.
        if isinstance(self.root(first), Place):
            first, second = second, first
        super().join(first, second)

    def sort(self, node: Node) -> Place:
        """The place that stands for a sort: every variable stands at some place."""
        root = self.root(node)
        assert isinstance(root, Place)
        return root
