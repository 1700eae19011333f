"""Plans of games: made within a budget, and carried out in a match.

Simulations are playouts. A budget of them is shared out so that the same budget gives the same
plan: the tree gets so many nodes that each leaf can be played out some times in every world, and
what is left over goes to more playouts. A clock is shared out by what a first evaluation takes.

`Execution` takes each move and each report that its tree has. A player is told of steps: its own
move, and the percepts of its role, which `PlanExecution` translates.
Departure from `Execution`: where others were assumed to move at random, their drawn moves promise
nothing. A step without a choice of ours that the plan saw in one way only does not end the plan if
it came another way: the next move need only be possible.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import GroundTerm, RoleId
from fogspiel.machine.protocol import Machine, States
from fogspiel.plan.games.model import GameModel, report, systematic
from fogspiel.plan.games.situation import GameSituation
from fogspiel.plan.task_network import Method, MethodLiteral, Situation, TaskNetwork, Weights
from fogspiel.plan.tree.building import build
from fogspiel.plan.tree.criteria import BELIEF_WEIGHTED, Criterion, solve_tree
from fogspiel.plan.tree.executing import Execution, MakePlan
from fogspiel.plan.tree.nodes import (
    TIGNUM_NODES,
    DecisionTree,
    LeafReason,
    NodeKind,
    PlanDecision,
    PlanNode,
    Tasks,
    TreeLimits,
    answers_at,
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


@dataclass(slots=True)
class PlanExecution:
    """A plan on its way through a match."""

    make_plan: MakePlan
    execution: Execution = field(init=False)
    _at: PlanNode | None = None  #: The node of the tree that play is at, as far as that is known

    def __post_init__(self) -> None:
        """No plan so far."""
        self.execution = Execution(self.make_plan)

    def next(self, situation: GameSituation) -> PlanDecision | None:
        """The role's move, by the current plan or by a new one; None if no method applies."""
        decision = self.execution.next(situation)
        self._at = None if decision is None else decision.after
        if decision is not None:
            # Its clock was for planning; what is seen later must be compared with it all the same.
            after = decision.after.situation
            assert isinstance(after, GameSituation)
            after.model.budget = Budget(simulations=1)
        return decision

    def drop(self, detail: str) -> None:
        """Give up the plan."""
        self.execution.drop(detail)
        self._at = None

    def observe(self, percepts: tuple[GroundTerm, ...], *, is_choice: bool) -> None:
        """Take note of the percepts of a step, and whether the role had a choice there."""
        node = self._at
        # At a leaf the plan is over, and `Execution` finds that out itself: it then goes on with
        # the tasks that are open there.
        while node is not None and node.kind is NodeKind.EXTERNAL:
            node = self._after_others(node, percepts)
        if node is None or node.kind is NodeKind.LEAF:
            return
        children = {child.operator: child for child in answers_at(node)}
        reported = _among(percepts, children)
        if reported is None and len(children) == 1 and not is_choice:
            (reported,) = children
        self.execution.observe(reported or report(percepts, ends=False))
        self._at = None if reported is None else children[reported]

    def _after_others(self, node: PlanNode, percepts: tuple[GroundTerm, ...]) -> PlanNode | None:
        """The node after a move of another role, which is known by the percepts."""
        for child in answers_at(node):
            situation = child.situation
            assert isinstance(situation, GameSituation)
            if _leads_to(situation, percepts):
                self.execution.observe(child.operator)
                self._at = child
                return child
        self.drop("another role left the plan")
        return None


def _among(percepts: tuple[GroundTerm, ...], reports: Container[GroundTerm]) -> GroundTerm | None:
    """The report of some percepts; the role may not know yet whether play is over."""
    both = (report(percepts, ends=ends) for ends in (False, True))
    return next((reported for reported in both if reported in reports), None)


def _leads_to(situation: GameSituation, percepts: tuple[GroundTerm, ...]) -> bool:
    """Whether some percepts may come next, perhaps after moves of further roles."""
    if situation.reports:
        return _among(percepts, situation.reports) is not None
    if situation.is_controlled or situation.is_over:
        return False
    moves = (found["?move"] for found in situation.solutions(("can", "?move"), {}))
    return any(_leads_to(situation.perform(move), percepts) for move in moves)
