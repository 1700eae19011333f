"""Plans in words.

The plan is told along the line that the planner expects: its own choices, and of the answers of
others the most probable (of several, the worst for the planner). All answers that the tree has are
listed; whatever else is played makes the planner plan again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.task_network import Method
from fogspiel.plan.tree.nodes import (
    DecisionTree,
    LeafReason,
    NodeKind,
    PlanNode,
    answers_at,
    decision_at,
    methods_between,
    where_it_ends,
)


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
