"""The finesse of Smith and Nau (1993), with the drawing of its tree that a test compares with.

Run as a program this writes the drawing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tree_drawing import draw

from fogspiel.lab.tignum.finesse import NETWORK, finesse_problem
from fogspiel.plan.task_network import TaskNetwork
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.nodes import DecisionTree, NodeKind, PlanDecision, answers_at, decision_at

GOLDEN = Path(__file__).with_name("finesse_tree.txt")


def network_without(*names: str) -> TaskNetwork:
    """The same network without some schemes."""
    methods = tuple(method for method in NETWORK.methods if method.name not in names)
    return TaskNetwork(name="part", methods=methods)


def finesse_drawing() -> str:
    """The whole tree as text."""
    return draw(Planner(network=NETWORK).plan(finesse_problem().start()))


def policy(tree: DecisionTree) -> Iterator[PlanDecision]:
    """Every move of the plan, whatever others do, in the order of play."""
    waiting = [tree.root]
    while waiting:
        node = waiting.pop(0)
        if node.kind is NodeKind.DECISION:
            decision = decision_at(node)
            if decision is not None:
                yield decision
                waiting.append(decision.after)
        elif node.kind is not NodeKind.LEAF:
            waiting += answers_at(node)


if __name__ == "__main__":
    GOLDEN.write_text(finesse_drawing(), encoding="utf-8")
