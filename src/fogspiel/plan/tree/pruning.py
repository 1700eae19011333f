"""Minimax with alpha-beta: a tree that is evaluated while it is built, without what cannot matter.

Source: Smith and Nau (1993), section 4.2, which names it; Knuth and Moore (1975) for the method.
Departures: report nodes are means, below which every child is needed exactly; a value of 1 needs no
further alternatives, since nothing is better.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from fogspiel.plan.situation import Situation
from fogspiel.plan.task_network import TaskNetwork
from fogspiel.plan.tree.applying import ExpansionTimeoutError
from fogspiel.plan.tree.criteria import Minimax
from fogspiel.plan.tree.evaluating import settle
from fogspiel.plan.tree.expanding import offspring, root_of
from fogspiel.plan.tree.nodes import LeafReason, NodeKind, PlanNode, Tasks, TreeLimits, kind_of

MAX_DEPTH = 300
"""Nodes from the root: the search is recursive, and Python's stack is not endless."""
LOWEST, HIGHEST = -1.0, 1.0
"""The first window. Values lie in [0, 1]: a sure win ends the search, a sure loss does not, so that
a plan knows what to do even then."""


@dataclass(slots=True)
class _Search:
    """A search, with the nodes made so far."""

    network: TaskNetwork
    limits: TreeLimits
    ends_at: float
    nodes: list[PlanNode] = field(default_factory=list)
    criterion: Minimax = field(default_factory=Minimax)

    @property
    def has_room(self) -> bool:
        """Whether another node may be made."""
        return len(self.nodes) < self.limits.nodes and time.monotonic() < self.ends_at


def build_pruned(
    situation: Situation, network: TaskNetwork, limits: TreeLimits, tasks: Tasks = ()
) -> list[PlanNode]:
    """The nodes of a minimax tree, evaluated, parents before children.

    The root's value is that of the whole tree if the limits suffice. Depth comes first, so when
    they do not, later alternatives are left unexpanded; those beside the last path are still made.
    """
    search = _Search(network, limits, time.monotonic() + limits.seconds)
    root = root_of(situation, tasks)
    search.nodes.append(root)
    try:
        _solve(search, root, 0, LOWEST, HIGHEST)
    except ExpansionTimeoutError:
        # Of a tree that was left in the middle of a node, nothing can be relied on.
        root = root_of(situation, tasks)
        settle(root, search.criterion)
        return [root]
    return search.nodes


def _solve(search: _Search, node: PlanNode, depth: int, alpha: float, beta: float) -> None:
    """Build what is under a node and give it its value, exact if it lies within the window."""
    if node.situation.is_over and not node.situation.reports:
        node.end = LeafReason.OVER
    elif depth < MAX_DEPTH and search.has_room:
        _grow(search, node, depth, alpha, beta)
    if node.is_cut and node.kind is NodeKind.EXTERNAL:
        # Worlds that no child holds may be held by those left out: they do not count.
        node.value = min(child.value for child in node.options)
    else:
        settle(node, search.criterion)


def _grow(search: _Search, node: PlanNode, depth: int, alpha: float, beta: float) -> None:
    """Make and solve the children of a node, until one shows that the node cannot matter."""
    kind = kind_of(node.situation)
    for child in offspring(node, search.network, search.limits, search.ends_at):
        node.children.append(child)
        search.nodes.append(child)
        window = (LOWEST, HIGHEST) if kind is NodeKind.REPORT else (alpha, beta)
        _solve(search, child, depth + 1, *window)
        if child.is_dead or kind is NodeKind.REPORT:
            continue
        if kind is NodeKind.DECISION:
            alpha = max(alpha, child.value)
        else:
            beta = min(beta, child.value)
        if alpha >= beta:
            node.is_cut = True
            break
    node.end = None if node.children else LeafReason.NO_METHOD
    node.kind = kind if node.children else NodeKind.LEAF
