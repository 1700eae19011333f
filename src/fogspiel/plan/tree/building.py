"""Decision trees, grown from a situation by a network of methods.

Source: Smith and Nau (1993), section 4.1. They expand leaves in any order until none is left. Here
the number of nodes is limited, and the order matters.
"""

from __future__ import annotations

import heapq
import math
import time
from itertools import islice

from fogspiel.plan.situation import Situation
from fogspiel.plan.task_network import TaskNetwork
from fogspiel.plan.tree.applying import ExpansionTimeoutError
from fogspiel.plan.tree.expanding import offspring, root_of
from fogspiel.plan.tree.nodes import LeafReason, PlanNode, Tasks, TreeLimits, kind_of


def build(
    situation: Situation, network: TaskNetwork, limits: TreeLimits, tasks: Tasks = ()
) -> list[PlanNode]:
    """All nodes of a tree, parents before children; leaves that were not reached are unexpanded.

    Nodes are expanded by the number of moves that led to them; among equals the most probable come
    first, then those made first. So when the limit is reached, all lines are about equally far, and
    the static evaluation compares like with like. A node gets all of its children or none: with
    some of an opponent's answers left out it would look better than it is.
    """
    nodes = [root_of(situation, tasks)]
    frontier: list[tuple[int, float, int]] = [(0, -nodes[0].mass, 0)]
    ends_at = time.monotonic() + limits.seconds
    while frontier and time.monotonic() < ends_at:
        node = nodes[heapq.heappop(frontier)[2]]
        room = limits.nodes - len(nodes)
        if not grow(node, network, limits, room, ends_at):
            break
        for child in node.children:
            heapq.heappush(frontier, (child.moves, -child.mass, len(nodes)))
            nodes.append(child)
    return nodes


def grow(
    node: PlanNode, network: TaskNetwork, limits: TreeLimits, room: int, ends_at: float = math.inf
) -> bool:
    """Give a node its children and its kind, if there is room and time for all of them."""
    if node.situation.is_over and not node.situation.reports:
        node.end = LeafReason.OVER
        return True
    try:
        children = list(islice(offspring(node, network, limits, ends_at), room + 1))
    except ExpansionTimeoutError:
        return False
    if len(children) > room:
        return False
    if children:
        node.kind, node.end, node.children = kind_of(node.situation), None, children
    else:
        node.end = LeafReason.NO_METHOD
    return True
