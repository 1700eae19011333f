"""Plan execution: a plan is followed until it ends or somebody leaves it, then made anew.

Source: Smith and Nau (1993), section 4.2.
Departures: a new plan goes on with the tasks that were open where the old one was not worked out
any further, if that gives a move, and begins without tasks otherwise. Of several schemes by which
others may have made the same move, the one that more of the belief allows is assumed.

In words, a plan is told along the line that the planner expects: its own choices, and of the
answers of others the most probable (of several, the worst for the planner). All answers that the
tree has are listed; whatever else is played makes the planner plan again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.task_network import Method, Situation
from fogspiel.plan.tree.nodes import (
    DecisionTree,
    LeafReason,
    NodeKind,
    PlanDecision,
    PlanNode,
    Tasks,
    answers_at,
    decision_at,
    ends_at,
    methods_between,
    where_it_ends,
)

MakePlan: TypeAlias = Callable[[Situation, Tasks], DecisionTree]
"""`Planner.plan`, or anything that gives solved trees."""


class Reason(StrEnum):
    """The reason why a plan was given up."""

    ENDED = "the plan ended"
    SURPRISE = "another agent left the plan"
    IMPOSSIBLE = "the planned move cannot be made"
    DROPPED = "it was dropped"


@dataclass(frozen=True, slots=True)
class Replanning:
    """One occasion on which a plan was given up."""

    move: int  #: The number of moves and reports of anybody before it
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class _Open:
    """An unexpanded leaf of a plan, with the tasks that were still to be done there."""

    situation: Situation
    tasks: Tasks

    def after(self, operator: GroundTerm) -> _Open | None:
        """The open tasks after a move of others, which counts as their task, or after a report."""
        following = self.situation.perform(operator)
        left = self.tasks if self.situation.reports else self.tasks[1:]
        return _Open(following, left) if left and following.weights.any() else None


@dataclass(slots=True)
class Execution:
    """A plan that is being followed, with the history of those before it."""

    make_plan: MakePlan
    tree: DecisionTree | None = None  #: The plan that is followed now
    replannings: list[Replanning] = field(default_factory=list)
    moves: int = 0
    _node: PlanNode | None = None
    """The node of the tree that play is at; None where there is no plan."""
    _open: _Open | None = None  #: The tasks with which the next plan goes on

    def begin(self, situation: Situation) -> None:
        """Make a plan now, also where another agent is to move."""
        self.tree = self.make_plan(situation, ())
        self._node, self._open = self.tree.root, None

    def next(self, situation: Situation) -> PlanDecision | None:
        """The planner's move, by the plan or by a new one; None if no method applies.

        The move counts as made. `situation` is what is known now; its worlds need not be those that
        the plan was made with.
        """
        decision = self._planned(situation)
        if decision is None:
            decision = self._replanned(situation)
        if decision is not None:
            self._node = decision.after
        self.moves += 1
        return decision

    def observe(self, operator: GroundTerm) -> None:
        """Take note of a move of another agent, or of a report."""
        node = self._node
        if self._open is not None:
            self._open = self._open.after(operator)
        if node is not None:
            known = [child for child in answers_at(node) if child.operator == operator]
            if known:
                self._node = max(known, key=lambda child: child.mass)
            else:
                self._lose(node, operator)
        self.moves += 1

    def drop(self, detail: str) -> None:
        """Give up the plan for an outside reason, such as a move made without it."""
        self._open = None
        if self._node is not None:
            self._leave(Reason.DROPPED, detail)

    def _lose(self, node: PlanNode, operator: GroundTerm) -> None:
        """Give up a plan in which a move of others or a report does not occur."""
        ends = sorted(ends_at(node), key=lambda leaf: -leaf.mass)
        if not ends:
            self._leave(Reason.SURPRISE, f"{format_term(operator)} was not foreseen")
            return
        self._leave(Reason.ENDED, _ending(ends[0]))
        unexpanded = (leaf for leaf in ends if leaf.end is LeafReason.UNEXPANDED)
        continued = (_Open(leaf.situation, leaf.tasks).after(operator) for leaf in unexpanded)
        self._open = next(filter(None, continued), None)

    def _planned(self, situation: Situation) -> PlanDecision | None:
        """The move of the plan that is followed, if there is one that can be made."""
        node = self._node
        if node is None:
            return None
        decision = decision_at(node)
        if decision is None:
            self._stop_at(where_it_ends(node))
        elif (
            node.situation.agent != situation.agent
            or not situation.perform(decision.operator).weights.any()
        ):
            move = format_term(decision.operator)
            self._leave(Reason.IMPOSSIBLE, f"{move} is not possible for {situation.agent}")
            return None
        return decision

    def _stop_at(self, leaf: PlanNode) -> None:
        """Give up a plan that has no move."""
        if leaf.kind is not NodeKind.LEAF:
            self._leave(Reason.SURPRISE, f"{leaf.situation.agent} did not move")
            return
        self._leave(Reason.ENDED, _ending(leaf))
        if leaf.end is LeafReason.UNEXPANDED:
            self._open = _Open(leaf.situation, leaf.tasks)

    def _replanned(self, situation: Situation) -> PlanDecision | None:
        """The first move of a new plan."""
        starts = ((),) if self._open is None else (self._open.tasks, ())
        self._open = None
        for tasks in starts:
            self.tree = self.make_plan(situation, tasks)
            decision = decision_at(self.tree.root)
            if decision is not None:
                return decision
        return None

    def _leave(self, reason: Reason, detail: str) -> None:
        self.replannings.append(Replanning(self.moves, reason, detail))
        self._node = None


def _ending(leaf: PlanNode) -> str:
    """The reason why a plan ends at a leaf, in words."""
    assert leaf.end is not None
    if not leaf.tasks:
        return leaf.end.value
    return f"{leaf.end.value}, with {format_term(leaf.tasks[0])} to be done"


@dataclass(frozen=True, slots=True)
class OurMove:
    """A move of the plan, with the schemes that it serves."""

    agent: str
    operator: GroundTerm
    schemes: tuple[Method, ...]
    """The methods applied since the last move, from the broadest to the one that moves."""
    value: float  #: The value of the plan here


@dataclass(frozen=True, slots=True)
class ForeseenEvent:
    """A move of another agent, or a report, that the plan is ready for."""

    operator: GroundTerm
    schemes: tuple[Method, ...]
    probability: float  #: The part of the belief at this point that allows it
    value: float


@dataclass(frozen=True, slots=True)
class Answers:
    """Moves of another agent, or reports, at one point; the line goes on with the first."""

    agent: str | None  #: None where something is reported
    answers: tuple[ForeseenEvent, ...]


@dataclass(frozen=True, slots=True)
class PlanEnd:
    """The end of the line."""

    end: LeafReason
    tasks: tuple[GroundTerm, ...]
    value: float


Remark: TypeAlias = OurMove | Answers | PlanEnd


def explain(tree: DecisionTree) -> Iterator[Remark]:
    """The steps of a plan along the line that is expected."""
    node = tree.root
    while node.kind is not NodeKind.LEAF:
        if node.kind is NodeKind.DECISION:
            decision = decision_at(node)
            if decision is None:
                node = where_it_ends(node)
                continue
            yield OurMove(
                node.situation.agent, decision.operator, decision.schemes, decision.after.value
            )
            node = decision.after
        else:
            # The most probable first; of equals, the worst for the planner.
            following = sorted(answers_at(node), key=lambda after: (-after.mass, after.value))
            if not following:
                break
            yield _answers(node, following)
            node = following[0]
    yield PlanEnd(node.end or LeafReason.NO_METHOD, node.tasks, node.value)


def explanation(tree: DecisionTree) -> str:
    """A plan in words, a line for each step."""
    lines = [f"The plan is worth {tree.value:.3f}; {len(tree.nodes)} nodes were looked at."]
    for remark in explain(tree):
        if isinstance(remark, OurMove):
            lines += map(scheme_text, notable(remark.schemes))
            lines.append(f"  {remark.agent}: {format_term(remark.operator)}")
        elif isinstance(remark, Answers):
            lines += _answer_lines(remark)
        else:
            left = ", ".join(map(format_term, remark.tasks))
            still = f", with {left} to be done" if left else ""
            lines.append(f"Then {remark.end.value}{still}: worth {remark.value:.3f}.")
    return "\n".join(lines)


def notable(schemes: tuple[Method, ...]) -> tuple[Method, ...]:
    """The methods that have a title or a note; if none has, the broadest."""
    return tuple(each for each in schemes if each.title or each.note) or schemes[:1]


def scheme_text(method: Method) -> str:
    """A scheme by its title, or else its name, with its note."""
    title = method.title or method.name
    return f"{title}: {method.note}" if method.note else title


def _answer_lines(remark: Answers) -> Iterator[str]:
    is_report = remark.agent is None
    for place, answer in enumerate(remark.answers):
        who = "  reported" if is_report else f"  {remark.agent} may play"
        by = "".join(f" ({scheme_text(each)})" for each in notable(answer.schemes))
        goes_on = ", with which this goes on" if place == 0 and len(remark.answers) > 1 else ""
        yield (
            f"{who}: {format_term(answer.operator)}{by}, "
            f"in {answer.probability:.0%} of what is possible, worth {answer.value:.3f}{goes_on}"
        )


def _answers(node: PlanNode, following: list[PlanNode]) -> Answers:
    return Answers(
        agent=None if node.kind is NodeKind.REPORT else node.situation.agent,
        answers=tuple(
            ForeseenEvent(
                operator=after.operator,
                schemes=methods_between(node, after),
                probability=after.mass / node.mass,
                value=after.value,
            )
            for after in following
        ),
    )
