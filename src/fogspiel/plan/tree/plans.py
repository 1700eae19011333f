"""Plans: the moves that a solved tree prescribes.

Source: Smith and Nau (1993), section 4.2: at each decision node the plan goes to the child of the
highest value. Splitting a task is no move, so between two moves the plan may pass several nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fogspiel.core.terms import GroundTerm
from fogspiel.plan.task_network import Method
from fogspiel.plan.tree.nodes import NodeKind, PlanNode


@dataclass(frozen=True, slots=True)
class PlanDecision:
    """One move of a plan."""

    node: PlanNode  #: The node at which it is made
    after: PlanNode  #: The node that it leads to

    @property
    def operator(self) -> GroundTerm:
        """The move."""
        return self.after.operator

    @property
    def schemes(self) -> tuple[Method, ...]:
        """The methods that were applied on the way, from the broadest to the one that moves."""
        return methods_between(self.node, self.after)


def decision_at(node: PlanNode) -> PlanDecision | None:
    """The move of the plan at a node; None where the plan ends."""
    after: PlanNode | None = node
    while after is not None and after.kind is NodeKind.DECISION:
        after = after.chosen
        if after is not None and not after.is_decomposition:
            return PlanDecision(node, after)
    return None


def answers_at(node: PlanNode) -> Iterator[PlanNode]:
    """All nodes that the next move or report of others may lead to, as far as the tree has them."""
    for child in node.options:
        if not child.is_decomposition:
            yield child
        elif child.kind is not NodeKind.LEAF:
            yield from answers_at(child)


def ends_at(node: PlanNode) -> Iterator[PlanNode]:
    """Leaves at which a tree ends before the next move: the node itself, or tasks split from it."""
    if node.kind is NodeKind.LEAF:
        yield node
    for child in node.options:
        if child.is_decomposition and not child.is_dead:
            yield from ends_at(child)


def where_it_ends(node: PlanNode) -> PlanNode:
    """The leaf at which a plan ends that has no move at a node."""
    while node.chosen is not None:
        node = node.chosen
    return node


def methods_between(first: PlanNode, last: PlanNode) -> tuple[Method, ...]:
    """The methods that lead from a node to one below it."""
    found: list[Method] = []
    node = last
    while node is not first:
        assert node.step is not None
        assert node.parent is not None
        if node.step.method is not None:
            found.append(node.step.method)
        node = node.parent
    return tuple(reversed(found))
