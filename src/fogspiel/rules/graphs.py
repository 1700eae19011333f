"""Graphs: cycles, reachable nodes and partitions; and how the relations of clauses depend."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from fogspiel.rules.clauses import Clause, Signature

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


def reachable(start: Iterable[N], edges: Mapping[N, Iterable[N]]) -> set[N]:
    """The nodes that can be reached from some nodes, and these."""
    found = set(start)
    work = list(found)
    while work:
        fresh = set(edges.get(work.pop(), ())) - found
        found |= fresh
        work.extend(fresh)
    return found


def dependencies(clauses: Iterable[Clause]) -> dict[Signature, set[Signature]]:
    """The relations that the clauses of each relation ask for."""
    graph: dict[Signature, set[Signature]] = defaultdict(set)
    for clause in clauses:
        graph[clause.head.signature].update(literal.signature for literal in clause.literals)
    return graph


def needed_for(clauses: Iterable[Clause], goals: Iterable[Signature]) -> set[Signature]:
    """The relations that the goals depend on, and the goals."""
    return reachable(goals, dependencies(clauses))


def reaching(clauses: Iterable[Clause], goals: Iterable[Signature]) -> set[Signature]:
    """The relations that depend on one of the goals, and the goals."""
    askers: dict[Signature, set[Signature]] = defaultdict(set)
    for head, asked in dependencies(clauses).items():
        for signature in asked:
            askers[signature].add(head)
    return reachable(goals, askers)


class UnionFind(Generic[N]):
    """A partition of nodes, of which any two can be joined (Galler & Fischer 1964)."""

    def __init__(self) -> None:
        self.parent: dict[N, N] = {}

    def root(self, node: N) -> N:
        """The node that stands for all nodes joined with this one."""
        path = []
        while (parent := self.parent.setdefault(node, node)) != node:
            path.append(node)
            node = parent
        for passed in path:
            self.parent[passed] = node
        return node

    def join(self, first: N, second: N) -> None:
        """Put two nodes together. The root of the second then stands for both."""
        self.parent[self.root(first)] = self.root(second)
