"""What follows a node: one child for each applicable instance of a method, or for each report.

Source: Smith and Nau (1993), section 4.1. A decomposable method puts its tasks before the rest, an
operator method makes its move.
Departures: instances of a method that differ only in variables nobody uses later are one child; a
method that repeats itself without a move is an error rather than a tree without end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.situation import Situation
from fogspiel.plan.task_network import TaskNetwork, is_variable, substitute
from fogspiel.plan.tree.applying import Instance, instances
from fogspiel.plan.tree.nodes import NodeKind, PlanNode, PlanStep, Tasks, TreeLimits, kind_of


def root_of(situation: Situation, tasks: Tasks = ()) -> PlanNode:
    """The root of a tree; it has no tasks, unless an earlier plan broke off amid some."""
    return PlanNode(situation, tasks, None, None, float(situation.weights.sum()), 0)


def offspring(
    node: PlanNode, network: TaskNetwork, limits: TreeLimits, ends_at: float = math.inf
) -> Iterator[PlanNode]:
    """The children of a node, made one by one: in order of methods, then of their solutions."""
    if kind_of(node.situation) is NodeKind.REPORT:
        yield from _reported(node)
        return
    task = node.tasks[0] if node.tasks else None
    seen: set[tuple[str, GroundTerm, bytes | None]] = set()
    found = instances(network, task, node.situation, most=limits.ways, ends_at=ends_at)
    for instance in found:
        outcome = _outcome(instance)
        worlds = None if instance.mask is None else instance.mask.tobytes()
        key = instance.method.name, outcome, worlds
        if key in seen:
            continue
        seen.add(key)
        child = _child(node, instance, outcome)
        if child.mass > 0.0:
            if child.is_decomposition:
                _refuse_endless(child, network, limits)
            yield child


def _reported(node: PlanNode) -> Iterator[PlanNode]:
    for report in node.situation.reports:
        after = node.situation.perform(report)
        mass = float(after.weights.sum())
        if mass > 0.0:
            yield PlanNode(
                after, node.tasks, node, PlanStep(None, {}, report), mass, node.moves + 1
            )


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
    """The chain of methods from the first node to its repetition."""
    chain: list[PlanNode] = []
    node = child
    while node is not first:
        chain.append(node)
        assert node.parent is not None
        node = node.parent
    methods = [last.step.method for last in reversed(chain) if last.step and last.step.method]
    task = format_term(first.tasks[0]) if first.tasks else "nil"
    shown = [method.name for method in methods[:8]] + ["…"] * (len(methods) > 8)
    return PlayError.of(
        "PLN021",
        f"the task {task} is split without end and without a move: " + " > ".join(shown),
        fix="let one of these methods make a move, or ask for something that ends it",
        source=network.source,
        span=None if network.source is None else methods[0].span,
    )
