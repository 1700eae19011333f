"""External-agent criteria: what a node is worth at which another agent moves.

Source: Smith and Nau (1993), section 4.2 and footnote 5; the classic criteria after French (1986),
"Decision Theory". A criterion takes a node and its children, whose values are known, each given
that play comes there. Several children may hold a world in common: the agent can then choose
between them.
Departures: worlds in which no method says what the agent does count by their static evaluation, at
the node itself. Dead ends (see `PlanNode.options`) are no answers. Savage's criterion also needs a
say at decision nodes, so a criterion chooses there as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.plan.situation import Situation
from fogspiel.plan.tree.nodes import NodeKind, PlanNode

CRITERIA = ("belief", "average", "minimax", "hurwicz:ALPHA", "savage")


class Criterion(Protocol):
    """How answers of other agents are counted."""

    @property
    def name(self) -> str:
        """What `criterion` knows it by."""

    def external(self, node: PlanNode) -> float:
        """The value of an external-agent node whose children have theirs."""

    def choose(self, node: PlanNode) -> PlanNode:
        """The child that the planner goes to from a decision node."""


def criterion(name: str) -> Criterion:
    """The criterion of a name."""
    word, _, argument = name.partition(":")
    plain: dict[str, Criterion] = {
        "belief": BeliefWeighted(),
        "average": Average(),
        "minimax": Minimax(),
        "savage": Savage(),
    }
    if not argument and word in plain:
        return plain[word]
    try:
        alpha = float(argument)
    except ValueError:
        alpha = np.nan
    if word == "hurwicz" and 0.0 <= alpha <= 1.0:
        return Hurwicz(alpha)
    raise UsageError.of(
        "PLN022",
        f"there is no criterion {name!r}",
        fix=f"use one of {', '.join(CRITERIA)}, where ALPHA is a number from 0 to 1",
    )


def expectation(situation: Situation, values: NDArray[np.float64]) -> float:
    """e*: values of worlds, weighted by the belief in them. values: (worlds,)."""
    weights = situation.weights
    consistent = weights > 0.0
    return float(weights[consistent] @ values[consistent] / weights.sum())


def best(node: PlanNode) -> PlanNode:
    """The child of the highest value, the first of several."""
    return max(node.options, key=lambda child: child.value)


def answers(node: PlanNode) -> NDArray[np.float64]:
    """(worlds,) the value of the answer that is worst for us, in each world.

    In a world that no answer holds, and for one that no longer is consistent, the static
    evaluation.
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


def rest(node: PlanNode) -> float | None:
    """The static evaluation of the worlds that no answer holds; None if there are none."""
    covered = np.zeros(node.situation.weights.shape, dtype=np.bool_)
    for child in node.options:
        covered |= child.situation.weights > 0.0
    left = node.situation.weights * ~covered
    total = float(left.sum())
    return float(left @ node.situation.evaluate()) / total if total > 0.0 else None


def outcomes(node: PlanNode) -> list[float]:
    """The values of all that may follow, with that of the worlds no answer holds."""
    left = rest(node)
    return [child.value for child in node.options] + ([] if left is None else [left])


def told(node: PlanNode) -> float:
    """The value of a report node: reports split the worlds, so they count by their mass."""
    return sum(child.mass * child.value for child in node.children) / sum(
        child.mass for child in node.children
    )


@dataclass(frozen=True, slots=True)
class BeliefWeighted:
    """In each world the agent's best answer there; worlds weighted by the belief in them.

    This is the paper's "weighted average, using p, of the utility values resulting from the best
    move the opponents could make". The agent is taken to know the world.
    """

    name: str = "belief"

    def external(self, node: PlanNode) -> float:
        """The mean over worlds of the lowest value among the answers that hold the world."""
        return expectation(node.situation, answers(node))

    def choose(self, node: PlanNode) -> PlanNode:
        """The best child."""
        return best(node)


@dataclass(frozen=True, slots=True)
class Average:
    """An agent who plays like chance: in each world, any of the answers there is as likely."""

    name: str = "average"

    def external(self, node: PlanNode) -> float:
        """Children weighted by mass; a world that several hold is shared equally by them."""
        total = np.zeros(node.situation.weights.shape)
        count = np.zeros(node.situation.weights.shape)
        for child in node.options:
            holds = child.situation.weights > 0.0
            total[holds] += child.value
            count[holds] += 1.0
        open_ = (count == 0.0) & (node.situation.weights > 0.0)
        if open_.any():
            total[open_] = node.situation.evaluate()[open_]
        return expectation(node.situation, total / np.maximum(count, 1.0))

    def choose(self, node: PlanNode) -> PlanNode:
        """The best child."""
        return best(node)


@dataclass(frozen=True, slots=True)
class Minimax:
    """Wald's criterion: the worst answer counts, however improbable that the agent has it."""

    name: str = "minimax"

    def external(self, node: PlanNode) -> float:
        """The lowest value."""
        return min(outcomes(node))

    def choose(self, node: PlanNode) -> PlanNode:
        """The best child."""
        return best(node)


@dataclass(frozen=True, slots=True)
class Hurwicz:
    """A mixture of the best and the worst answer: alpha is the optimism, 0 is Wald's criterion."""

    alpha: float

    @property
    def name(self) -> str:
        """With its parameter."""
        return f"hurwicz:{self.alpha:g}"

    def external(self, node: PlanNode) -> float:
        """alpha times the highest and 1 - alpha times the lowest value."""
        values = outcomes(node)
        return self.alpha * max(values) + (1.0 - self.alpha) * min(values)

    def choose(self, node: PlanNode) -> PlanNode:
        """The best child."""
        return best(node)


@dataclass(frozen=True, slots=True)
class Savage:
    """Savage's minimax regret, at each decision node over the worlds that are consistent there.

    Regret is defined on two levels: acts, and states of the world that decide what an act comes to.
    Here the acts are the children of a decision node, and what an act comes to in a world is the
    worst answer that the next agent has in that world (for a leaf: the world's evaluation). The
    planner takes the act whose largest regret is smallest; of several, the one worth most.
    Departures: regret compares acts and is no utility, so it is not handed up the tree: a position
    lost whatever one does has no regret, and would look perfect from above. External-agent nodes
    are worth what `belief` says, and a decision node is worth what its chosen child is.
    """

    name: str = "savage"

    def external(self, node: PlanNode) -> float:
        """As `belief` does."""
        return expectation(node.situation, answers(node))

    def choose(self, node: PlanNode) -> PlanNode:
        """The child of least regret."""
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
    """(worlds,) what a node comes to in each world."""
    while node.kind is NodeKind.DECISION and node.chosen is not None:
        node = node.chosen
    if node.kind is NodeKind.LEAF or node.is_dead:
        return node.situation.evaluate()
    if node.kind is NodeKind.EXTERNAL:
        return answers(node)
    values = np.zeros(node.situation.weights.shape)
    for child in node.children:
        values[child.situation.weights > 0.0] = child.value
    return values
