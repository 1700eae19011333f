"""What the planner is told after a move splits its belief, without any method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.terms import GroundTerm
from fogspiel.plan.task_network import (
    Bindings,
    Mask,
    Method,
    MethodLiteral,
    Pattern,
    Situation,
    TaskNetwork,
    Weights,
    match,
)
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.criteria import criterion
from fogspiel.plan.tree.executing import Execution, Reason, explanation
from fogspiel.plan.tree.nodes import DecisionTree, NodeKind, Tasks, TreeLimits

CELLS = 4


@dataclass(frozen=True)
class Shots:
    """A ship lies in one of four cells; two shots, each told as a hit or a miss."""

    weights: Weights
    shot: tuple[int, ...] = ()
    awaiting: bool = False
    agent: str = "gunner"
    is_controlled: bool = True

    @property
    def reports(self) -> Sequence[GroundTerm]:
        return ("hit", "miss") if self.awaiting else ()

    @property
    def is_over(self) -> bool:
        return not self.awaiting and len(self.shot) == 2

    def solutions(self, atom: Pattern, bindings: Bindings) -> Iterable[Bindings]:
        for cell in range(CELLS):
            if cell not in self.shot:
                found = match(atom, ("free", str(cell)), bindings)
                if found is not None:
                    yield found

    def holds(self, atom: GroundTerm) -> Mask:
        return np.full(CELLS, int(str(atom[1])) not in self.shot)

    def assume(self, mask: Mask) -> Situation:
        return replace(self, weights=self.weights * mask)

    def perform(self, operator: GroundTerm) -> Situation:
        if operator in {"hit", "miss"}:
            hits = np.arange(CELLS) == self.shot[-1]
            told = hits if operator == "hit" else ~hits
            return replace(self, weights=self.weights * told, awaiting=False)
        return replace(self, shot=(*self.shot, int(str(operator[1]))), awaiting=True)

    def evaluate(self) -> NDArray[np.float64]:
        return np.array([float(cell in self.shot) for cell in range(CELLS)])


SHOOT = TaskNetwork(
    name="shoot",
    methods=(
        Method(
            name="shoot", task=None, when=(MethodLiteral(("free", "?c")),), operator=("shoot", "?c")
        ),
    ),
)
PAIR = TaskNetwork(
    name="pair",
    methods=(
        Method(name="both", task=None, when=(), expansion=(("fire", "me"), ("fire", "me"))),
        Method(
            name="fire",
            task=("fire", "?a"),
            when=(MethodLiteral(("free", "?c")),),
            operator=("shoot", "?c"),
        ),
    ),
)
START = Shots(np.array([0.1, 0.2, 0.3, 0.4]))


def test_two_shots_hit_the_two_likeliest_cells() -> None:
    tree = Planner(network=SHOOT).plan(START)
    assert tree.value == pytest.approx(0.7)
    assert tree.root.chosen is not None
    assert tree.root.chosen.kind is NodeKind.REPORT
    assert [child.mass for child in tree.root.chosen.children] == pytest.approx([0.3, 0.7])


@pytest.mark.parametrize("name", ["average", "minimax", "hurwicz:0.5", "savage"])
def test_reports_count_by_their_mass_under_every_criterion(name: str) -> None:
    assert Planner(network=SHOOT, criterion=criterion(name)).plan(START).value == pytest.approx(0.7)


def test_tasks_wait_while_something_is_reported() -> None:
    tree = Planner(network=PAIR).plan(START)
    reports = [node for node in tree.nodes if node.kind is NodeKind.REPORT]
    assert {node.tasks for node in reports} == {(("fire", "me"),), ()}
    assert tree.value == pytest.approx(0.7)


def test_execution_takes_reports_like_moves() -> None:
    execution = Execution(Planner(network=SHOOT).plan)
    situation: Situation = START
    for _ in range(2):
        decision = execution.next(situation)
        assert decision is not None
        situation = situation.perform(decision.operator).perform("miss")
        execution.observe("miss")
    assert execution.replannings == []
    assert situation.weights.tolist() == pytest.approx([0.1, 0.2, 0.0, 0.0])


def test_a_report_does_none_of_the_open_tasks() -> None:
    """Six nodes are the root, the scheme, and a shot at each cell: the report is not foreseen."""
    asked: list[Tasks] = []

    def make_plan(situation: Situation, tasks: Tasks) -> DecisionTree:
        asked.append(tasks)
        return Planner(network=PAIR, limits=TreeLimits(nodes=6)).plan(situation, tasks)

    execution = Execution(make_plan)
    first = execution.next(START)
    assert first is not None
    execution.observe("miss")
    assert execution.next(START.perform(first.operator).perform("miss")) is not None
    assert asked == [(), (("fire", "me"),)]
    assert [each.reason for each in execution.replannings] == [Reason.ENDED]


def test_a_report_that_was_impossible_makes_the_plan_end() -> None:
    execution = Execution(Planner(network=SHOOT).plan)
    execution.next(START)
    execution.observe("splash")
    assert [each.reason for each in execution.replannings] == [Reason.SURPRISE]


def test_an_explanation_tells_reports() -> None:
    text = explanation(Planner(network=SHOOT).plan(START))
    assert "reported: miss, in 70% of what is possible" in text
