"""Decision trees as text, with a line for each node."""

from __future__ import annotations

from fogspiel.core.terms import format_term
from fogspiel.plan.tree.nodes import DecisionTree, NodeKind, PlanNode


def draw(tree: DecisionTree) -> str:
    """All nodes in depth, indented; `*` marks what the plan chooses.

    A line gives the method that led to the node, with its move or the tasks that are now to be
    done, the kind of the node, its part of the belief at the root, and its value.
    """
    lines: list[str] = []
    waiting = [(tree.root, 0)]
    while waiting:
        node, depth = waiting.pop()
        chosen = node.parent is not None and node.parent.chosen is node
        lines.append(f"{'  ' * depth}{'* ' if chosen else ''}{_line(node, tree.root.mass)}")
        waiting += [(child, depth + 1) for child in reversed(node.children)]
    return "\n".join(lines) + "\n"


def _line(node: PlanNode, total: float) -> str:
    who = node.kind.value
    if node.kind in {NodeKind.DECISION, NodeKind.EXTERNAL}:
        who += f" of {node.situation.agent}"
    elif node.end is not None:
        who += f", {node.end.value}"
    return f"{_reached(node)}[{who}; {node.mass / total:.3f}; {node.value:.3f}]"


def _reached(node: PlanNode) -> str:
    step = node.step
    if step is None:
        return ""
    if step.method is None:
        assert step.operator is not None
        return f"report {format_term(step.operator)} "
    if step.operator is not None:
        return f"{step.method.name} {format_term(step.operator)} "
    tasks = " ".join(map(format_term, node.tasks)) or "nothing"
    return f"{step.method.name} -> {tasks} "
