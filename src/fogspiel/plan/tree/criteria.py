"""Values of a decision tree, from the leaves up, by an external-agent criterion.

Source: Smith and Nau (1993), section 4.2 and footnote 5; the classic criteria after French (1986),
"Decision Theory". A criterion gives the value of a node at which another agent moves, from those of
its children, each given that play comes there. Several children may hold a world in common: the
agent can then choose between them.
Departures: worlds in which no method says what the agent does count by their static evaluation, at
the node itself. A dead end, where tasks were taken on for which there is no method, has its static
evaluation as value but is no choice for anybody while there is another (see `PlanNode.options`): a
scheme that does not say what to play cannot be followed. Savage's criterion also chooses at
decision nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.plan.task_network import Situation
from fogspiel.plan.tree.nodes import DecisionTree, LeafReason, NodeKind, PlanNode

CRITERIA = ("belief", "average", "minimax", "hurwicz:ALPHA", "savage")


def best(node: PlanNode) -> PlanNode:
    """The child of the highest value, the first of several."""
    return max(node.options, key=lambda child: child.value)


@dataclass(frozen=True, slots=True)
class Criterion:
    """A rule that values the answers of other agents. Children have their values already."""

    name: str
    external: Callable[[PlanNode], float]  #: The value of an external-agent node
    choose: Callable[[PlanNode], PlanNode] = best
    """The child that the planner goes to from a decision node."""


def solve_tree(nodes: Sequence[PlanNode], criterion: Criterion) -> DecisionTree:
    """The tree of some nodes, each with its value, each decision node with its choice.

    nodes: parents before children.
    """
    for node in reversed(nodes):
        node.is_dead = _is_dead(node)
        if node.kind is NodeKind.LEAF or node.is_dead:
            node.value = _expectation(node.situation, node.situation.evaluate())
        elif node.kind is NodeKind.REPORT:
            node.value = _mean_by_mass(node.children)
        elif node.kind is NodeKind.EXTERNAL:
            node.value = criterion.external(node)
        else:
            node.chosen = criterion.choose(node)
            node.value = node.chosen.value
    return DecisionTree(root=nodes[0], nodes=tuple(nodes), criterion=criterion.name)


def criterion(name: str) -> Criterion:
    """The criterion of a name. Raises `UsageError` PLN022."""
    word, _, argument = name.partition(":")
    plain = {
        "belief": BELIEF_WEIGHTED,
        "average": Criterion("average", average),
        "minimax": Criterion("minimax", partial(hurwicz, 0.0)),
        "savage": Criterion("savage", belief_weighted, least_regret),
    }
    if not argument and word in plain:
        return plain[word]
    try:
        alpha = float(argument)
    except ValueError:
        alpha = np.nan
    if word == "hurwicz" and 0.0 <= alpha <= 1.0:
        return Criterion(f"hurwicz:{alpha:g}", partial(hurwicz, alpha))
    raise UsageError.of(
        "PLN022",
        f"there is no criterion {name!r}",
        fix=f"use one of {', '.join(CRITERIA)}, where ALPHA is a number from 0 to 1",
    )


def belief_weighted(node: PlanNode) -> float:
    """The agent's best answer in each world; worlds weighted by the belief in them.

    This is the paper's "weighted average, using p, of the utility values resulting from the best
    move the opponents could make". The agent is assumed to know the world.
    """
    return _expectation(node.situation, _worst_answers(node))


BELIEF_WEIGHTED = Criterion("belief", belief_weighted)


def average(node: PlanNode) -> float:
    """The mean against an agent who plays like chance: in each world all answers are as likely."""
    total = np.zeros(node.situation.weights.shape)
    count = np.zeros(node.situation.weights.shape)
    for child in node.options:
        holds = child.situation.weights > 0.0
        total[holds] += child.value
        count[holds] += 1.0
    open_ = (count == 0.0) & (node.situation.weights > 0.0)
    if open_.any():
        total[open_] = node.situation.evaluate()[open_]
    return _expectation(node.situation, total / np.maximum(count, 1.0))


def hurwicz(alpha: float, node: PlanNode) -> float:
    """Hurwicz's criterion: alpha times the highest and 1 - alpha times the lowest value.

    alpha: optimism. With 0 it is Wald's criterion, minimax: the worst answer counts, however
    improbable that the agent has it.
    """
    values = [child.value for child in node.options]
    covered = np.zeros(node.situation.weights.shape, dtype=np.bool_)
    for child in node.options:
        covered |= child.situation.weights > 0.0
    left = node.situation.weights * ~covered
    if (total := float(left.sum())) > 0.0:
        values.append(float(left @ node.situation.evaluate()) / total)
    return alpha * max(values) + (1.0 - alpha) * min(values)


def least_regret(node: PlanNode) -> PlanNode:
    """The child by Savage's minimax regret, over the worlds that are consistent at a node.

    Regret is defined on two levels: acts, and states of the world that decide what an act comes to.
    Here the acts are the children of a decision node, and what an act comes to in a world is the
    worst answer that the next agent has in that world (for a leaf: the world's evaluation). The
    planner takes the act whose largest regret is smallest; of several, the one of highest value.
    Departures: regret compares acts and is no utility, so it is not handed up the tree: a position
    lost whatever one does has no regret, and would look perfect from above. External-agent nodes
    have the value that `belief` gives them, and a decision node that of its chosen child.
    """
    acts = node.options
    if len(acts) == 1:
        return acts[0]
    table = np.array([_consequences(act) for act in acts])
    known = node.situation.weights > 0.0
    regrets = (table.max(axis=0) - table)[:, known].max(axis=1)
    # Rounding must not decide between acts that are the same.
    least = regrets.min() + 1e-12
    near = [act for act, regret in zip(acts, regrets, strict=True) if regret <= least]
    return max(near, key=lambda act: act.value)


def _consequences(node: PlanNode) -> NDArray[np.float64]:
    """(worlds,) values of what a node comes to in each world."""
    while node.kind is NodeKind.DECISION and node.chosen is not None:
        node = node.chosen
    if node.kind is NodeKind.LEAF or node.is_dead:
        return node.situation.evaluate()
    if node.kind is NodeKind.EXTERNAL:
        return _worst_answers(node)
    values = np.zeros(node.situation.weights.shape)
    for child in node.children:
        values[child.situation.weights > 0.0] = child.value
    return values


def _worst_answers(node: PlanNode) -> NDArray[np.float64]:
    """(worlds,) values of the answer that is worst for the planner in each world.

    In a world that no answer holds it is the static evaluation; where the world is no longer
    consistent it does not matter.
    """
    lowest = np.full(node.situation.weights.shape, np.inf)
    for child in node.options:
        np.minimum(lowest, child.value, out=lowest, where=child.situation.weights > 0.0)
    open_ = np.isinf(lowest)
    if (node.situation.weights[open_] > 0.0).any():
        lowest[open_] = node.situation.evaluate()[open_]
    else:
        lowest[open_] = 0.0
    return lowest


def _expectation(situation: Situation, values: NDArray[np.float64]) -> float:
    """The mean of values of worlds, weighted by the belief in them. values: (worlds,)."""
    weights = situation.weights
    consistent = weights > 0.0
    return float(weights[consistent] @ values[consistent] / weights.sum())


def _mean_by_mass(children: Sequence[PlanNode]) -> float:
    """The value of a report node: reports split the worlds, so they count by their mass."""
    return sum(child.mass * child.value for child in children) / sum(
        child.mass for child in children
    )


def _is_dead(node: PlanNode) -> bool:
    """Whether tasks were taken on since the last move, and all ways to do them end without one."""
    if not node.is_decomposition:
        return False
    if node.kind is NodeKind.LEAF:
        return node.end is LeafReason.NO_METHOD
    return all(child.is_dead for child in node.children)
