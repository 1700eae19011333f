"""Nodes of a decision tree, and the plans that solved trees prescribe.

Source: Smith and Nau (1993), sections 4.1 and 4.2: at each decision node the plan goes to the child
of the highest value. Splitting a task is no move, so between two moves a plan may pass several
nodes.
Departures: besides decision nodes, external-agent nodes and leaves there are report nodes, where
a report tells the planner the result of a move (see `Situation.reports`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm
from fogspiel.plan.task_network import Bindings, Method, Situation

Tasks: TypeAlias = tuple[GroundTerm, ...]  #: Tasks still to be done, in order

TIGNUM_NODES = 1_301  #: The largest tree that Smith and Nau saw (section 5)


class NodeKind(StrEnum):
    """The one who decides what follows a node."""

    DECISION = "decision"
    EXTERNAL = "external"
    REPORT = "report"
    LEAF = "leaf"


class LeafReason(StrEnum):
    """The reason why nothing follows a leaf."""

    OVER = "the game is over"
    NO_METHOD = "no method applies"
    UNEXPANDED = "not looked at any further"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLimits:
    """Limits on a tree. The same limits give the same tree unless time runs out."""

    nodes: int = 10 * TIGNUM_NODES
    decompositions: int = 100
    """Decompositions in a row, without a move: more than these are taken for an endless loop."""
    ways: int = 1_000_000  #: Variable bindings that may be tried at one node: a second or two
    seconds: float = math.inf

    def __post_init__(self) -> None:
        """Refuse limits within which there is no tree."""
        if min(self.nodes, self.decompositions, self.ways) < 1:
            raise ValueError(f"limits must be at least 1; got {self}")


@dataclass(frozen=True, slots=True)
class PlanStep:
    """The step to a node: an instantiated method, or a report."""

    method: Method | None  #: None for a report
    bindings: Bindings
    operator: GroundTerm | None  #: The move of an operator method, or what is reported


@dataclass(slots=True, eq=False)
class PlanNode:
    """One node. Building fills in what follows, evaluation the value and the choice."""

    situation: Situation = field(repr=False)
    tasks: Tasks
    parent: PlanNode | None = field(repr=False)
    step: PlanStep | None
    mass: float  #: The part of the belief at the root that may come here: the sum of the weights
    moves: int  #: Moves and reports since the root
    kind: NodeKind = NodeKind.LEAF
    end: LeafReason | None = LeafReason.UNEXPANDED  #: Why it is a leaf; None if it is none
    children: list[PlanNode] = field(default_factory=list, repr=False)
    is_dead: bool = False
    """Whether tasks were taken on, since the last move, for which there is no method."""
    value: float = math.nan  #: The utility for the planner in [0, 1], given that play comes here
    chosen: PlanNode | None = field(default=None, repr=False)
    """The child that the plan leads to, at a decision node."""

    @property
    def options(self) -> list[PlanNode]:
        """The children that matter: those with a move to follow, or all if there are none."""
        return [child for child in self.children if not child.is_dead] or self.children

    @property
    def operator(self) -> GroundTerm:
        """The move or report that led to it."""
        assert self.step is not None
        assert self.step.operator is not None
        return self.step.operator

    @property
    def is_decomposition(self) -> bool:
        """Whether it was reached by splitting a task, without a move."""
        return self.step is not None and self.step.operator is None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionTree:
    """A tree that has been built and evaluated."""

    root: PlanNode
    nodes: tuple[PlanNode, ...] = field(repr=False)  #: All nodes, parents before children
    criterion: str

    @property
    def value(self) -> float:
        """The value of the plan."""
        return self.root.value

    @property
    def is_complete(self) -> bool:
        """Whether every line was followed to where no method applies or the game is over."""
        return all(node.end is not LeafReason.UNEXPANDED for node in self.nodes)

    def leaves(self) -> Iterator[PlanNode]:
        """The leaves, in the order in which they were made."""
        return (node for node in self.nodes if node.kind is NodeKind.LEAF)


def kind_of(situation: Situation) -> NodeKind:
    """The kind of an inner node, by its situation."""
    if situation.reports:
        return NodeKind.REPORT
    return NodeKind.DECISION if situation.is_controlled else NodeKind.EXTERNAL


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
