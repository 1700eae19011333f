"""The values of a tree's nodes, from the leaves up.

Source: Smith and Nau (1993), section 4.2.
Departures: a dead end, where tasks were taken on for which there is no method, is worth its static
evaluation but is no choice for anybody while there is another (see `PlanNode.options`): a scheme
that does not say what to play cannot be followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.plan.tree.criteria import Criterion, expectation, told
from fogspiel.plan.tree.nodes import LeafReason, NodeKind, PlanNode


def evaluate(nodes: Sequence[PlanNode], criterion: Criterion) -> None:
    """Give each node its value, and each decision node its choice. Parents come before children."""
    for node in reversed(nodes):
        settle(node, criterion)


def settle(node: PlanNode, criterion: Criterion) -> None:
    """The value of a node whose children have theirs."""
    node.is_dead = is_dead(node)
    if node.kind is NodeKind.LEAF or node.is_dead:
        node.value = expectation(node.situation, node.situation.evaluate())
    elif node.kind is NodeKind.REPORT:
        node.value = told(node)
    elif node.kind is NodeKind.EXTERNAL:
        node.value = criterion.external(node)
    else:
        node.chosen = criterion.choose(node)
        node.value = node.chosen.value


def is_dead(node: PlanNode) -> bool:
    """Whether tasks were taken on since the last move, and all ways to do them end without one."""
    if not node.is_decomposition:
        return False
    if node.kind is NodeKind.LEAF:
        return node.end is LeafReason.NO_METHOD
    return all(child.is_dead for child in node.children)
