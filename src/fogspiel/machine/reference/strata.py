"""Which relations depend on each other, and that none depends on its own negation."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

from fogspiel.core.findings import Finding, RulesError
from fogspiel.core.source import Source
from fogspiel.lang.clauses import Clause, Literal

Node = TypeVar("Node", bound=Hashable)


def strong_components(edges: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """Nodes that reach each other, callees before callers. Tarjan (1972), with our own stack."""
    order: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_nodes: dict[Node, None] = {}
    components: list[list[Node]] = []
    for root in edges:
        if root in order:
            continue
        path: list[tuple[Node, Iterator[Node]]] = []
        entered: Node | None = root
        while entered is not None or path:
            if entered is not None:
                order[entered] = low[entered] = len(order)
                open_nodes[entered] = None
                path.append((entered, iter(edges[entered])))
                entered = None
            node, successors = path[-1]
            for successor in successors:
                if successor not in order:
                    entered = successor
                    break
                if successor in open_nodes:
                    low[node] = min(low[node], order[successor])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    components.append(_popped(open_nodes, node))
    return components


def _popped(open_nodes: dict[Node, None], last: Node) -> list[Node]:
    members = []
    while True:
        member, _ = open_nodes.popitem()
        members.append(member)
        if member == last:
            return members


def check_stratified(
    rules: Mapping[tuple[str, int], Sequence[Clause]],
    components: Mapping[tuple[str, int], int],
    source: Source,
) -> None:
    """Raise for every clause with a negated literal that leads back to the clause's relation."""
    findings = [
        Finding(
            code="MCH004",
            message=f"`{signature[0]}` depends on its own negation through `{c.predicate}`",
            fix="break the cycle: a relation may be negated only once it is fully defined",
            source=source,
            span=clause.span,
        )
        for signature, component in components.items()
        for clause in rules[signature]
        for c in clause.body
        if isinstance(c, Literal) and c.negated and components.get(c.signature) == component
    ]
    if findings:
        raise RulesError(findings)
