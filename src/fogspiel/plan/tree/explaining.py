"""A plan in words: its schemes in the order of play, and what others are taken to do.

The line that is told is the one that the planner expects: its own choices, and of the answers of
others the one that most of the belief allows (of several, the worst for us). At each answer all
that were thought of are listed; whatever else is played makes the planner plan again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fogspiel.core.terms import GroundTerm, format_term
from fogspiel.plan.task_network import Method
from fogspiel.plan.tree.nodes import DecisionTree, LeafReason, NodeKind, PlanNode
from fogspiel.plan.tree.plans import answers_at, decision_at, methods_between, where_it_ends


@dataclass(frozen=True, slots=True)
class OurMove:
    """A move of the plan, with the schemes that it serves."""

    agent: str
    operator: GroundTerm
    schemes: tuple[Method, ...]
    """From the broadest to the one that moves: those taken up since the last move."""
    value: float
    """What the plan is worth here."""


@dataclass(frozen=True, slots=True)
class ForeseenEvent:
    """A move of another agent, or a report, that the plan is ready for."""

    operator: GroundTerm
    schemes: tuple[Method, ...]
    share: float
    """Of the belief at this point: how much allows it."""
    value: float


@dataclass(frozen=True, slots=True)
class Answers:
    """What may come of others at one point; the first is the one that the line goes on with."""

    agent: str | None
    """None where something is reported."""
    answers: tuple[ForeseenEvent, ...]
    is_cut: bool
    """Whether some answers were not looked at, since they could not matter."""


@dataclass(frozen=True, slots=True)
class PlanEnd:
    """Where the line ends."""

    end: LeafReason
    tasks: tuple[GroundTerm, ...]
    value: float


Remark: TypeAlias = OurMove | Answers | PlanEnd


def explain(tree: DecisionTree) -> Iterator[Remark]:
    """What a plan does along the line that is expected, step by step."""
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
            following = _by_share(node)
            if not following:
                break
            yield _answers(node, following)
            node = following[0]
    yield PlanEnd(node.end or LeafReason.NO_METHOD, node.tasks, node.value)


def explanation(tree: DecisionTree) -> str:
    """The same as text, a line for each step."""
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
    """Those that people have a name or a word for; if there are none, the broadest."""
    return tuple(each for each in schemes if each.title or each.note) or schemes[:1]


def scheme_text(method: Method) -> str:
    """A scheme by its title, or else its name, with its note."""
    title = method.title or method.name
    return f"{title}: {method.note}" if method.note else title


def _answer_lines(remark: Answers) -> Iterator[str]:
    told = remark.agent is None
    for place, answer in enumerate(remark.answers):
        who = "  reported" if told else f"  {remark.agent} may play"
        by = "".join(f" ({scheme_text(each)})" for each in notable(answer.schemes))
        goes_on = ", with which this goes on" if place == 0 and len(remark.answers) > 1 else ""
        yield (
            f"{who}: {format_term(answer.operator)}{by}, "
            f"in {answer.share:.0%} of what is possible, worth {answer.value:.3f}{goes_on}"
        )
    if remark.is_cut:
        yield "  other answers cannot matter"


def _by_share(node: PlanNode) -> list[PlanNode]:
    """The nodes that may follow, the most believed first; of equals, the worst for us."""
    return sorted(answers_at(node), key=lambda after: (-after.mass, after.value))


def _answers(node: PlanNode, following: list[PlanNode]) -> Answers:
    return Answers(
        agent=None if node.kind is NodeKind.REPORT else node.situation.agent,
        answers=tuple(
            ForeseenEvent(
                operator=_operator(after),
                schemes=methods_between(node, after),
                share=after.mass / node.mass,
                value=after.value,
            )
            for after in following
        ),
        is_cut=node.is_cut,
    )


def _operator(node: PlanNode) -> GroundTerm:
    assert node.step is not None
    assert node.step.operator is not None
    return node.step.operator
