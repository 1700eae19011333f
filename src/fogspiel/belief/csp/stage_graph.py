"""The stage graph of a history, and propagation through it to a fixpoint.

Source: Richards (2012), section 4.3. Stage 0 is the start; stage t holds the candidate joint moves
of step t and, for every fluent, whether it is true, false or unknown after it. Propagation is
figure 4.3: InitGraph, Propagate and Reevaluate. PlausibleActionInfo is `Ternary.examine`: what all
plausible candidates of a step agree on are its definite preconditions and effects; that nothing
else changes follows from the rules themselves.
Departures: stages are reevaluated in sweeps forwards and backwards, which need fewer visits than
any order; a graph grows step by step as play goes on; and conclusions from counting are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import CallClock, gave_up
from fogspiel.core.terms import Observation, RoleId
from fogspiel.machine.protocol import Joints, Machine, State, States
from fogspiel.machine.three_valued import UNKNOWN_MOVE, FluentBounds, Ternary, known, unknown

Marks = NDArray[np.bool_]
Moves = NDArray[np.int64]

MOST_CANDIDATES = 1 << 16  #: Joint moves of one step; beyond it each role is looked at alone first


class StageGraph:
    """What is known of one history, from the start to the last step."""

    def __init__(self, start: State) -> None:
        first = known(start[None, :])
        self.can_hold: States = first.can_hold
        """(stages + 1, words) the fluents that can be true."""
        self.can_fail: States = first.can_fail
        self.observations: list[Observation] = []
        self.joints: list[Joints] = []
        """(n, roles) the candidates of each step. Never written to."""
        self.plausible: list[Marks] = []
        """(n,) the plausible candidates of each step: nothing speaks against them. Replaced, never
        written to."""

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.observations)

    def copy(self) -> StageGraph:
        """A graph that can be narrowed without changing this one."""
        other = StageGraph.__new__(StageGraph)
        other.can_hold, other.can_fail = self.can_hold.copy(), self.can_fail.copy()
        other.observations, other.joints = self.observations, self.joints
        other.plausible = self.plausible.copy()
        return other

    def extended(self, observation: Observation) -> StageGraph:
        """A graph with one step more, of which nothing is known but what the role saw."""
        other = self.copy()
        nothing = unknown(self.can_hold.shape[1])
        other.can_hold = np.concatenate([self.can_hold, nothing.can_hold])
        other.can_fail = np.concatenate([self.can_fail, nothing.can_fail])
        other.observations = [*self.observations, observation]
        other.joints = self.joints.copy()
        return other

    def bounds(self, stage: int) -> FluentBounds:
        """The fluents that can be true and false after so many steps."""
        rows = slice(stage, stage + 1)
        return FluentBounds(self.can_hold[rows], self.can_fail[rows])

    def narrow(self, stage: int, can_hold: State, can_fail: State) -> bool:
        """Take away what is excluded; whether anything was."""
        hold, fail = self.can_hold[stage] & can_hold, self.can_fail[stage] & can_fail
        same = (hold == self.can_hold[stage]).all() and (fail == self.can_fail[stage]).all()
        self.can_hold[stage], self.can_fail[stage] = hold, fail
        return not same

    def candidates(self, step: int) -> Joints:
        """(n, roles) the plausible joint moves of a step, counted from 1."""
        return self.joints[step - 1][self.plausible[step - 1]]

    def counts(self) -> NDArray[np.int64]:
        """(steps,) the number of plausible joint moves of each step."""
        return np.array([int(marks.sum()) for marks in self.plausible], np.int64)

    @property
    def bytes(self) -> int:
        """Memory in use."""
        held = self.can_hold.nbytes + self.can_fail.nbytes
        return held + sum(joints.nbytes + len(joints) for joints in self.joints)


class NarrowsGraph(Protocol):
    """Conclusions across steps, which propagation step by step does not draw."""

    def narrow(self, graph: StageGraph) -> set[int] | None:
        """Exclude moves; the steps that changed, or None if nothing is possible."""


@dataclass(slots=True, eq=False)
class Propagator:
    """Draws conclusions for one role."""

    machine: Machine
    ternary: Ternary
    role: RoleId
    counting: NarrowsGraph | None = None
    """What counting across steps adds, for graphs narrower than the one it was made for."""

    def extended(
        self, graph: StageGraph, observation: Observation, redo: set[int], clock: CallClock
    ) -> StageGraph | None:
        """One step more (InitGraph), looked at alone; None if it cannot be.

        What it says of the stage before is noted there, and added to `redo`.
        """
        longer = graph.extended(observation)
        joints = self._candidates(longer, observation, clock)
        longer.joints.append(joints)
        longer.plausible.append(np.ones(len(joints), np.bool_))
        clock.check(len(longer))
        return longer if self._look(longer, len(longer), redo) else None

    def fixed(
        self, graph: StageGraph, step: int, candidate: int, clock: CallClock
    ) -> StageGraph | None:
        """The graph with one move settled (Propagate); None if that leads to a conflict."""
        narrower = graph.copy()
        marks = np.zeros(len(graph.joints[step - 1]), np.bool_)
        marks[candidate] = True
        narrower.plausible[step - 1] = marks
        return narrower if self.concluded(narrower, {step}, clock) else None

    def concluded(self, graph: StageGraph, redo: set[int], clock: CallClock) -> bool:
        """Look again and count until neither changes anything; whether the graph is consistent."""
        while self.reevaluate(graph, redo, clock):
            changed = self.counting.narrow(graph) if self.counting is not None else set()
            if changed is None:
                return False
            if not changed:
                return True
            redo |= changed
        return False

    def reevaluate(self, graph: StageGraph, redo: set[int], clock: CallClock) -> bool:
        """Look again at steps until nothing changes; whether the graph is still consistent."""
        forwards = True
        while redo:
            ahead = redo
            while ahead:
                step = min(ahead) if forwards else max(ahead)
                redo.discard(step)
                clock.check(len(graph))
                if not self._look(graph, step, redo):
                    return False
                ahead = {t for t in redo if (t > step if forwards else t < step)}
            forwards = not forwards
        return True

    def _look(self, graph: StageGraph, step: int, redo: set[int]) -> bool:
        """Find the plausible moves of a step again, and what they agree on."""
        live = np.flatnonzero(graph.plausible[step - 1])
        if not len(live):
            return False
        found = self.ternary.examine(
            graph.bounds(step - 1),
            graph.joints[step - 1][live],
            self.role,
            graph.observations[step - 1].percepts,
            graph.bounds(step),
        )
        if not found.plausible.any():
            return False
        if not found.plausible.all():
            marks = np.zeros(len(graph.joints[step - 1]), np.bool_)
            marks[live[found.plausible]] = True
            graph.plausible[step - 1] = marks
        for stage, bounds, neighbour in (
            (step - 1, found.before, step - 1),
            (step, found.after, step + 1),
        ):
            some = bounds[found.plausible]
            hold = np.bitwise_or.reduce(some.can_hold, axis=0)
            fail = np.bitwise_or.reduce(some.can_fail, axis=0)
            if graph.narrow(stage, hold, fail) and 1 <= neighbour <= len(graph):
                redo.add(neighbour)
        return True

    def _candidates(self, graph: StageGraph, observation: Observation, clock: CallClock) -> Joints:
        """Joint moves in which every role makes a move that can be legal."""
        before = graph.bounds(len(graph) - 1)
        options: list[Moves] = [
            np.flatnonzero(moves).astype(np.int64) for moves in self.ternary.possible_moves(before)
        ]
        options[self.role] = options[self.role][options[self.role] == observation.move]
        if _size(options) > MOST_CANDIDATES:
            options = [
                self._options_alone(graph, observation, RoleId(role), moves)
                for role, moves in enumerate(options)
            ]
        if _size(options) > MOST_CANDIDATES:
            raise gave_up(clock.method, len(graph), clock.limits)
        joints = np.array(list(product(*(moves.tolist() for moves in options))), np.int32)
        return joints.reshape(-1, len(self.machine.roles))

    def _options_alone(
        self, graph: StageGraph, observation: Observation, role: RoleId, moves: Moves
    ) -> Moves:
        """The moves of a role that are plausible whatever the others do."""
        joints = np.full((len(moves), len(self.machine.roles)), UNKNOWN_MOVE, np.int32)
        joints[:, self.role] = observation.move
        joints[:, role] = moves
        last = len(graph)
        found = self.ternary.examine(
            graph.bounds(last - 1), joints, self.role, observation.percepts, graph.bounds(last)
        )
        alone: Moves = moves[found.plausible]
        return alone


def _size(options: list[Moves]) -> int:
    return reduce(lambda total, moves: total * len(moves), options, 1)
