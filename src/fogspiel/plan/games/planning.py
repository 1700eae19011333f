"""Plans within a budget: how many worlds, how large a tree, how many playouts from each leaf.

Simulations are playouts. A budget of them is shared out so that the same budget gives the same
plan: the tree gets so many nodes that each leaf can be played out some times in every world, and
what is left over goes to more playouts. A clock is shared out by what a first evaluation takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Machine, States
from fogspiel.plan.games.model import GameModel, systematic
from fogspiel.plan.games.situation import GameSituation
from fogspiel.plan.protocol import Situation, Weights
from fogspiel.plan.task_network import Method, MethodLiteral, TaskNetwork
from fogspiel.plan.tree.building import build
from fogspiel.plan.tree.criteria import BELIEF_WEIGHTED, Criterion, solve_tree
from fogspiel.plan.tree.nodes import (
    TIGNUM_NODES,
    DecisionTree,
    LeafReason,
    NodeKind,
    PlanNode,
    Tasks,
    TreeLimits,
)

WORLDS = 256
LEAF_PLAYOUTS = 64  #: Playouts from each leaf that a tree must leave room for
FIRST_PLAYOUTS = 16  #: Playouts whose time decides how a clock is shared out
MOST_PLAYOUTS = 4_096  #: Playouts from one leaf, after which more change little
FEWEST_NODES = 8
FEWEST_WORLDS = 4
FEWEST_TIMED_NODES = 64  #: Nodes that a clock must leave room for, with fewer worlds if need be
LEGAL_COST = 3.0  #: The time of a node, in times that finding its legal moves takes
GROWTH = (1, 4, 16, 64)  #: Factors by which a tree grows that is too small for all first moves
BUILD_SHARE = 0.35  #: The part of a clock for building a tree; evaluating it takes about as long
EVALUATION_SHARE = 0.35

ANY_MOVE = TaskNetwork(
    name="any_move",
    methods=(
        Method(
            name="any",
            task=None,
            title="Any move",
            note="Every legal move, where nothing is known about the game.",
            when=(MethodLiteral(("can", "?move")),),
            operator="?move",
        ),
    ),
    draws_others=True,
)
"""The network that fits any game: its rules alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerSettings:
    """Settings of a planner of games."""

    criterion: Criterion = BELIEF_WEIGHTED
    nodes: int = TIGNUM_NODES
    worlds: int = WORLDS


@dataclass(slots=True)
class GamePlanner:
    """Makes plans for one role, each within a budget."""

    machine: Machine
    role: RoleId
    network: TaskNetwork
    settings: PlannerSettings

    def situation(
        self, states: States, weights: NDArray[np.float64], *, seed: int, budget: Budget
    ) -> GameSituation:
        """The situation of an information set.

        states: (n, words) states of the information set, all different; weights: (n,) the belief.
        """
        model = GameModel(
            self.machine,
            self.role,
            seed,
            facts=self.network.facts,
            draws_others=self.network.draws_others,
            budget=budget,
        )
        worlds = self._worlds(states, budget)
        chosen, belief = worlds_of(states, weights, worlds, np.random.default_rng(seed))
        return GameSituation(model, chosen, belief)

    def _worlds(self, states: States, budget: Budget) -> int:
        """The number of worlds that there is time for: large rules make each world slow."""
        worlds = self.settings.worlds
        if budget.deadline is None:
            return worlds
        rows = np.repeat(states[:1], worlds, axis=0)
        left, began = max(0.0, budget.seconds_left), budget.clock()
        for role in range(len(self.machine.roles)):
            self.machine.legal_batch(rows, RoleId(role))
        needed = LEGAL_COST * FEWEST_TIMED_NODES * (budget.clock() - began)
        fitting = BUILD_SHARE * left / max(needed, 1e-9)
        return max(FEWEST_WORLDS, min(worlds, int(worlds * fitting)))

    def plan(self, situation: Situation, tasks: Tasks = ()) -> DecisionTree:
        """The solved tree of a situation, by the network."""
        return self.plan_by(self.network, situation, tasks)

    def plan_by(
        self, network: TaskNetwork, situation: Situation, tasks: Tasks = ()
    ) -> DecisionTree:
        """The solved tree of a situation, by another network.

        Raises `LimitError` PLN018 where the clock is over before there is one.
        """
        assert isinstance(situation, GameSituation)
        limit = self._nodes(situation)
        for factor in GROWTH:
            nodes = self._built(network, situation, tasks, limit * factor)
            if _has_first_moves(nodes):
                break
        leaves = sum(node.kind is NodeKind.LEAF for node in nodes)
        situation.model.playouts = self._playouts(situation, leaves)
        return solve_tree(nodes, self.settings.criterion)

    def _built(
        self, network: TaskNetwork, situation: GameSituation, tasks: Tasks, limit: int
    ) -> list[PlanNode]:
        seconds = max(0.0, situation.model.budget.part(BUILD_SHARE).seconds_left)
        return build(situation, network, TreeLimits(nodes=limit, seconds=seconds), tasks)

    def _nodes(self, situation: GameSituation) -> int:
        """The number of nodes that leaves some playouts for each leaf."""
        budget, most = situation.model.budget, self.settings.nodes
        if budget.simulations is not None:
            most = min(most, max(FEWEST_NODES, budget.simulations // LEAF_PLAYOUTS))
        if budget.deadline is not None:
            fitting = EVALUATION_SHARE * max(0.0, budget.seconds_left)
            most = min(most, max(FEWEST_NODES, int(fitting / _leaf_seconds(situation))))
        return most

    def _playouts(self, situation: GameSituation, leaves: int) -> int:
        """The number of playouts from each leaf."""
        model = situation.model
        budget, most = model.budget, MOST_PLAYOUTS
        if budget.simulations is not None:
            most = min(most, max(1, budget.simulations // leaves))
        if budget.deadline is not None:
            fitting = EVALUATION_SHARE * max(0.0, budget.seconds_left) / leaves
            most = min(most, max(1, int(fitting / max(model.playout_seconds, 1e-9))))
        return most


def _has_first_moves(nodes: Sequence[PlanNode]) -> bool:
    """Whether all possible first moves were expanded. Without that there is no plan."""
    return all(node.end is not LeafReason.UNEXPANDED for node in nodes if node.moves == 0)


def _leaf_seconds(situation: GameSituation) -> float:
    """The time of some playouts from a leaf."""
    model = situation.model
    began = model.budget.clock()
    model.playouts = FIRST_PLAYOUTS
    model.values(situation.states, situation.weights, 0)
    return max(model.budget.clock() - began, 1e-6)


def worlds_of(
    states: States, weights: NDArray[np.float64], count: int, rng: np.random.Generator
) -> tuple[States, Weights]:
    """Worlds that represent a belief, `count` at most.

    states: (n, words) all different; weights: (n,) the belief in each, up to a factor.
    If they are few they are all there, with their weights, and as often as there is room: what is
    hidden and still to come may differ in each copy. If they are many, some are drawn: each state
    as often as its probability says, up to rounding, and all count the same.
    """
    belief = weights / weights.sum()
    copies = count // len(states)
    if copies:
        rows = np.tile(np.arange(len(states)), copies)
        return states[rows], belief[rows] / copies
    return states[systematic(belief, count, rng)], np.full(count, 1.0 / count)
