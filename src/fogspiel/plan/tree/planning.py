"""From a situation and a network of methods to a solved tree, in one call.

Source: Smith and Nau (1993), section 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fogspiel.plan.situation import Situation
from fogspiel.plan.task_network import TaskNetwork
from fogspiel.plan.tree.building import build
from fogspiel.plan.tree.criteria import BeliefWeighted, Criterion, Minimax
from fogspiel.plan.tree.evaluating import evaluate
from fogspiel.plan.tree.nodes import DecisionTree, PlanNode, Tasks, TreeLimits
from fogspiel.plan.tree.pruning import build_pruned


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """What a plan is made with, whatever the situation."""

    network: TaskNetwork
    criterion: Criterion = field(default_factory=BeliefWeighted)
    limits: TreeLimits = field(default_factory=TreeLimits)
    prune: bool = True
    """Whether minimax leaves out what cannot matter; other criteria need every node."""

    def plan(self, situation: Situation, tasks: Tasks = ()) -> DecisionTree:
        """The solved tree of a situation.

        Alpha-beta goes into depth. If the limits do not let it finish, its tree is lopsided, and
        one that is equally far everywhere is built instead. Each may then take half of the time.
        """
        limits = self.limits
        if self.prune and isinstance(self.criterion, Minimax):
            limits = replace(limits, seconds=limits.seconds / 2)
            tree = self._tree(build_pruned(situation, self.network, limits, tasks))
            if tree.is_complete:
                return tree
        nodes = build(situation, self.network, limits, tasks)
        evaluate(nodes, self.criterion)
        return self._tree(nodes)

    def _tree(self, nodes: list[PlanNode]) -> DecisionTree:
        return DecisionTree(root=nodes[0], nodes=tuple(nodes), criterion=self.criterion.name)
