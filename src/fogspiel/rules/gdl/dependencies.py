"""Dependencies between relations: cycles, and what reaches what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeAlias, TypeVar

from fogspiel.rules.clauses import Clause, Literal

Signature: TypeAlias = tuple[str, int]
"""Name and arity of a relation."""

N = TypeVar("N", bound=Hashable)


def components(graph: Mapping[N, Iterable[N]]) -> dict[N, int]:
    """Strongly connected components by Tarjan (1972), with a stack of our own."""
    number: dict[N, int] = {}
    low: dict[N, int] = {}
    component: dict[N, int] = {}
    path: list[N] = []
    found = 0
    for root in graph:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        path.append(root)
        work = [(root, iter(graph[root]))]
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in number:
                    number[successor] = low[successor] = len(number)
                    path.append(successor)
                    work.append((successor, iter(graph.get(successor, ()))))
                    break
                if successor not in component:
                    low[node] = min(low[node], number[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == number[node]:
                    while node not in component:
                        component[path.pop()] = found
                    found += 1
    return component


def reaching(clauses: list[Clause], goals: set[Signature]) -> set[Signature]:
    """The relations that depend on one of the goals, and the goals."""
    askers: dict[Signature, set[Signature]] = defaultdict(set)
    for clause in clauses:
        for condition in clause.body:
            if isinstance(condition, Literal):
                askers[condition.signature].add(clause.head.signature)
    return _closure(goals, askers)


def needed_for(clauses: list[Clause], goals: set[Signature]) -> set[Signature]:
    """The relations that the goals depend on, and the goals."""
    asked: dict[Signature, set[Signature]] = defaultdict(set)
    for clause in clauses:
        for condition in clause.body:
            if isinstance(condition, Literal):
                asked[clause.head.signature].add(condition.signature)
    return _closure(goals, asked)


def _closure(start: set[Signature], edges: Mapping[Signature, set[Signature]]) -> set[Signature]:
    found = set(start)
    work = list(start)
    while work:
        fresh = edges.get(work.pop(), set()) - found
        found |= fresh
        work.extend(fresh)
    return found
