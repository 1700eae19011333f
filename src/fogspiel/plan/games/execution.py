"""Plan execution in a match: the steps of the match translated to moves and reports.

`Execution` takes each move and each report that its tree has. A player is told of steps: its own
move, and the percepts of its role.
Departure from `Execution`: where others were assumed to move at random, their drawn moves promise
nothing. A step without a choice of ours that the plan saw in one way only does not end the plan if
it came another way: the next move need only be possible.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from fogspiel.core.budget import Budget
from fogspiel.core.terms import GroundTerm
from fogspiel.plan.games.model import report
from fogspiel.plan.games.situation import GameSituation
from fogspiel.plan.tree.executing import Execution, MakePlan
from fogspiel.plan.tree.nodes import NodeKind, PlanDecision, PlanNode, answers_at


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
