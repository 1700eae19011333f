"""Decision trees, grown from a situation by a network of methods.

Source: Smith and Nau (1993), section 4.1. A node has one child for each applicable instance of a
method, or for each report. A decomposable method puts its tasks before the rest, an operator method
makes its move. They expand leaves in any order until none is left.
Departures: the number of nodes is limited, so the order matters. Instances of a method that differ
only in variables nobody uses later are one child. A method that repeats itself without a move is an
error rather than a tree without end.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.task_network import Situation, TaskNetwork, is_variable, substitute
from fogspiel.plan.tree.applying import ExpansionTimeoutError, Instance, instances
from fogspiel.plan.tree.criteria import BELIEF_WEIGHTED, Criterion, solve_tree
from fogspiel.plan.tree.nodes import (
    DecisionTree,
    LeafReason,
    PlanNode,
    PlanStep,
    Tasks,
    TreeLimits,
    kind_of,
    methods_between,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """A network of methods with the settings by which it makes plans."""

    network: TaskNetwork
    criterion: Criterion = BELIEF_WEIGHTED
    limits: TreeLimits = field(default_factory=TreeLimits)

    def plan(self, situation: Situation, tasks: Tasks = ()) -> DecisionTree:
        """The solved tree of a situation."""
        nodes = build(situation, self.network, self.limits, tasks)
        return solve_tree(nodes, self.criterion)


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


def root_of(situation: Situation, tasks: Tasks = ()) -> PlanNode:
    """The root of a tree; its tasks are those amid which an earlier plan broke off."""
    return PlanNode(situation, tasks, None, None, float(situation.weights.sum()), 0)


def offspring(
    node: PlanNode, network: TaskNetwork, limits: TreeLimits, ends_at: float = math.inf
) -> Iterator[PlanNode]:
    """The children of a node, made one by one: in order of methods, then of their solutions."""
    if node.situation.reports:
        for report in node.situation.reports:
            after = node.situation.perform(report)
            mass = float(after.weights.sum())
            if mass > 0.0:
                step = PlanStep(None, {}, report)
                yield PlanNode(after, node.tasks, node, step, mass, node.moves + 1)
        return
    task = node.tasks[0] if node.tasks else None
    seen: set[tuple[str, GroundTerm, bytes | None]] = set()
    found = instances(network, task, node.situation, most=limits.ways, ends_at=ends_at)
    for instance in found:
        outcome = _outcome(instance)
        worlds = None if instance.mask is None else instance.mask.tobytes()
        key = instance.method.name, outcome, worlds
        if key not in seen:
            seen.add(key)
            child = _child(node, instance, outcome)
            if child.mass > 0.0:
                _refuse_endless(child, network, limits)
                yield child


def _outcome(instance: Instance) -> GroundTerm:
    """The move of an instance, or the tasks that it puts in the place of one."""
    method, bindings = instance.method, instance.bindings
    if method.operator is not None:
        outcome = substitute(method.operator, bindings)
    else:
        outcome = tuple(substitute(task, bindings) for task in method.expansion)
    assert _is_ground(outcome), f"{method.name} leaves a variable in {outcome}"
    return outcome


def _child(node: PlanNode, instance: Instance, outcome: GroundTerm) -> PlanNode:
    """The node that an instance produces: what it asks for is assumed, then it is carried out."""
    situation = node.situation
    if instance.mask is not None:
        situation = situation.assume(instance.mask)
    if instance.method.operator is not None:
        situation = situation.perform(outcome)
        step = PlanStep(instance.method, instance.bindings, outcome)
        mass = float(situation.weights.sum())
        return PlanNode(situation, node.tasks[1:], node, step, mass, node.moves + 1)
    assert isinstance(outcome, tuple)
    step = PlanStep(instance.method, instance.bindings, None)
    mass = node.mass if instance.mask is None else float(situation.weights.sum())
    return PlanNode(situation, outcome + node.tasks[1:], node, step, mass, node.moves)


def _is_ground(term: GroundTerm) -> bool:
    return not is_variable(term) if isinstance(term, str) else all(map(_is_ground, term))


def _refuse_endless(child: PlanNode, network: TaskNetwork, limits: TreeLimits) -> None:
    """Refuse a task that comes back to itself without a move.

    If the same task is on top again in the same situation, and nothing below it was touched, then
    the methods that led here lead here again. Tasks that grow on the way never are the same; they
    are counted.
    """
    lowest = len(child.tasks)
    count = 1
    node = child
    while node.is_decomposition:
        assert node.parent is not None
        node = node.parent
        lowest = min(lowest, len(node.tasks))
        same = node.situation is child.situation and node.tasks[:1] == child.tasks[:1]
        if (same and lowest == len(node.tasks)) or count > limits.decompositions:
            raise _endless(child, node, network)
        count += 1


def _endless(child: PlanNode, first: PlanNode, network: TaskNetwork) -> PlayError:
    """The error that names the methods from the first node to its repetition."""
    methods = methods_between(first, child)
    task = format_term(first.tasks[0]) if first.tasks else "nil"
    shown = [method.name for method in methods[:8]] + ["…"] * (len(methods) > 8)
    return PlayError.of(
        "PLN021",
        f"the task {task} is split without end and without a move: " + " > ".join(shown),
        fix="let one of these methods make a move, or ask for something that ends it",
        source=network.source,
        span=None if network.source is None else methods[0].span,
    )
