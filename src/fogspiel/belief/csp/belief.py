"""`csp`: information sets by constraint satisfaction over a stage graph.

Source: M. D. Richards, Reasoning and decisions in partially observable games (PhD thesis, Illinois
2012), section 4.3. The variables are the joint moves of all other roles, one a step; what the role
did and saw constrains them. `advance` adds a stage. Some states that fit are carried along as
witnesses. As long as one lives there is no contradiction, and propagation can wait until histories
are asked for; when all have died, the graph is brought to its fixpoint and new ones are searched
for, so that a contradiction shows at the step that brings it.

Histories are then found in one of three orders: `constrained` or `random` settle steps as in figure
4.2, one history at a time with propagation after each choice, and start again or go back after a
conflict. `forward` settles them in the order of play, many histories at a time (see `forward`);
where nothing comes through it hands over to `constrained` with backtracking. The weights of a
sample remove its bias, except after backtracking, where they only come close (see
`SettlingSearch`): such a sample is not marked as unbiased.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import BeliefBase, CallClock, contradiction, needs_gates
from fogspiel.belief.csp.demands import Counting, demands_of, nothing_demanded, survey_of
from fogspiel.belief.csp.forward import (
    AfterConflict,
    DrawnHistories,
    Forward,
    SettledHistory,
    SettlingSearch,
    StepChoice,
)
from fogspiel.belief.csp.stage_graph import Propagator, StageGraph
from fogspiel.belief.protocol import BeliefRequest, Histories
from fogspiel.belief.transitions import proportions
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import State, States
from fogspiel.machine.three_valued import OffersTernary

FIRST_LANES = 128  #: Histories that are tried at a time, at least; more after rounds without any
MOST_LANES = 4096
TRIES = 16  #: Rounds in the order of play without any history before another order is tried
WITNESSES = 512
"""States that are carried along. Fewer of them all die more often, and to find new ones takes
longer than to carry them."""
SEARCH_SHARE = 0.25  #: Part of the time of `advance` that may go into the search for witnesses


class CspBelief(BeliefBase):
    """Constraint satisfaction. Implements `Belief`."""

    method = "csp"

    def __init__(
        self,
        request: BeliefRequest,
        *,
        step_choice: StepChoice = "forward",
        after_conflict: AfterConflict = "restart",
    ) -> None:
        super().__init__(request)
        machine = self.machine
        if not isinstance(machine, OffersTernary):
            raise needs_gates(self.method)
        if step_choice == "forward" and after_conflict == "backtrack":
            raise ValueError("in the order of play conflicts start again; got 'backtrack'")
        self.step_choice = step_choice
        self.after_conflict = after_conflict
        self._propagator = Propagator(machine, machine.ternary(), self.role)
        self._graph = StageGraph(machine.initial())
        self._redo: set[int] = set()
        """Steps that must be looked at again before the graph is at its fixpoint."""
        self._forward: Forward | None = None
        self._witnesses = machine.initial()[None, :]
        self._size: int | None = 1

    def advance(self, observation: Observation) -> None:
        """Add a stage, and make sure that something fits."""
        clock, redo = self.clock(), self._redo.copy()
        graph = self._propagator.extended(self._graph, observation, redo, clock)
        if graph is None:
            raise contradiction(len(self._graph) + 1)
        if graph.bytes > self.limits.bytes:
            raise self.gave_up(len(graph))
        witnesses = self._carried(graph)
        if not len(witnesses):
            if not self._propagator.reevaluate(graph, redo, clock):
                raise contradiction(len(graph))
            witnesses = self._searched(graph)
        self._graph, self._redo, self._witnesses = graph, redo, witnesses
        self._forward, self._size = None, None
        self.observations = graph.observations

    @property
    def graph(self) -> StageGraph:
        """The stage graph at its fixpoint."""
        return self._fixpoint(self.clock())

    def sample(self, count: int, seed: int) -> Histories:
        """Histories drawn at random, with the weights that remove the bias."""
        rng, clock = np.random.default_rng(seed), self.clock()
        count = min(count, self.limits.histories)
        step_choice, after_conflict = self.step_choice, self.after_conflict
        draws = self._joined([])
        if step_choice == "forward":
            draws = self._descents(count, rng, clock)
            step_choice, after_conflict = "constrained", "backtrack"
        came_through = len(draws) > 0
        if not came_through:
            draws = self._settled(count, rng, clock, step_choice, after_conflict)
        if not len(draws):
            raise self.gave_up(len(self._graph))
        return Histories(
            joints=draws.joints[:count],
            states=draws.states[:count],
            weights=proportions(draws.logs[:count]),
            complete=False,
            unbiased=came_through or after_conflict == "restart",
        )

    def witness(self) -> State | None:
        """The first of the witnesses that live."""
        return self._witnesses[0] if len(self._witnesses) else None

    def enumerate(self, limit: int) -> Histories:
        """All possible histories, or as many as the limits allow."""
        clock, limit = self.clock(), min(limit, self.limits.histories)
        if self.step_choice == "forward":
            found = self._forwards(clock).enumerate(limit, clock)
        else:
            found = self._enumerated(limit, clock)
        if found.complete:
            if not len(found):
                raise contradiction(self._first_impossible())
            self._size = len(found)
        return found

    def size(self) -> int | None:
        """The number of histories, once all were enumerated."""
        return self._size

    def _fixpoint(self, clock: CallClock) -> StageGraph:
        """The graph after all conclusions, also those from counting."""
        if self._forward is None:
            graph, redo = self._graph.copy(), self._redo.copy()
            if not self._propagator.reevaluate(graph, redo, clock):
                raise contradiction(self._first_impossible())
            survey = survey_of(graph, self._propagator.ternary)
            self._propagator.counting = Counting(graph, survey)
            if not self._propagator.concluded(graph, redo, clock):
                raise contradiction(self._first_impossible())
            self._graph, self._redo = graph, redo
            self._forward = Forward(self.machine, self.role, graph, demands_of(survey), self.limits)
        return self._graph

    def _searched(self, graph: StageGraph) -> States:
        """New witnesses; none where the time did not suffice to find any."""
        found = self._forward_of(graph).enumerate(WITNESSES, self.clock(SEARCH_SHARE))
        if found.complete and not len(found):
            raise contradiction(len(graph))
        return found.states

    def _carried(self, graph: StageGraph) -> States:
        """The witnesses one step on: some of the states that they lead to."""
        demands = nothing_demanded(len(graph))
        forward = Forward(self.machine, self.role, graph, demands, self.limits)
        states = forward.steps_from(self._witnesses, len(graph)).states
        some = np.linspace(0, len(states), min(len(states), WITNESSES), endpoint=False)
        return states[some.astype(np.int64)]

    def _forwards(self, clock: CallClock) -> Forward:
        self._fixpoint(clock)
        assert self._forward is not None
        return self._forward

    def _forward_of(self, graph: StageGraph) -> Forward:
        demands = demands_of(survey_of(graph, self._propagator.ternary))
        return Forward(self.machine, self.role, graph, demands, self.limits)

    def _descents(self, count: int, rng: np.random.Generator, clock: CallClock) -> DrawnHistories:
        """Rounds in the order of play, until there are enough or the time is used up."""
        forward = self._forwards(clock)
        parts: list[DrawnHistories] = []
        found = fruitless = 0
        lanes = min(max(FIRST_LANES, count), MOST_LANES)
        while found < count and fruitless < TRIES and not clock.over:
            try:
                parts.append(forward.descend(lanes, rng, clock))
            except LimitError:
                break
            found += len(parts[-1])
            if len(parts[-1]):
                fruitless = 0
            else:
                fruitless += 1
                lanes = min(4 * lanes, MOST_LANES)
        return self._joined(parts)

    def _settled(
        self,
        count: int,
        rng: np.random.Generator,
        clock: CallClock,
        step_choice: StepChoice,
        after_conflict: AfterConflict,
    ) -> DrawnHistories:
        """Histories by settling steps one by one."""
        found: list[SettledHistory] = []
        graph = self._fixpoint(clock)
        try:
            while len(found) < count:
                search = SettlingSearch(self._propagator, step_choice, clock, rng, len(graph))
                if after_conflict == "restart":
                    settled = search.attempt(graph)
                else:
                    settled = next(search.all(graph), None)
                    if settled is None:
                        raise contradiction(self._first_impossible())
                found += [settled] if settled is not None else []
                clock.check(len(graph))
        except LimitError:
            pass  # what was found until then stays valid
        return self._played(found, graph)

    def _enumerated(self, limit: int, clock: CallClock) -> Histories:
        graph = self._fixpoint(clock)
        rng = np.random.default_rng(0)
        search = SettlingSearch(self._propagator, self.step_choice, clock, rng, len(graph))
        found: list[SettledHistory] = []
        complete = True
        try:
            for settled in search.all(graph):
                if len(found) == limit:
                    complete = False
                    break
                found.append(SettledHistory(settled.joints, 0.0))
        except LimitError:
            complete = False
        draws = self._played(found, graph)
        return Histories(
            joints=draws.joints,
            states=draws.states,
            weights=proportions(draws.logs),
            complete=complete,
        )

    def _played(self, found: Sequence[SettledHistory], graph: StageGraph) -> DrawnHistories:
        """Histories played again: where they lead and how probable they are.

        Propagation is sound but not complete; what does not fit after all is dropped here.
        """
        roles = len(self.machine.roles)
        joints: NDArray[np.int32] = np.zeros((len(found), len(graph), roles), np.int32)
        for row, settled in enumerate(found):
            joints[row] = settled.joints
        logs = -np.array([settled.log_proposal for settled in found])
        rows = np.arange(len(found))
        states = np.repeat(self.machine.initial()[None, :], len(found), axis=0)
        demands = nothing_demanded(len(graph))
        forward = Forward(self.machine, self.role, graph, demands, self.limits)
        for step in range(1, len(graph) + 1):
            children = forward.steps_from(states, step)
            same = (children.joints == joints[rows, step - 1][children.parents]).all(axis=1)
            kept = children.parents[same]
            with np.errstate(divide="ignore"):
                logs[rows[kept]] += np.log(children.shares[same])
            order = np.argsort(kept, kind="stable")
            rows, states = rows[kept[order]], children.states[same][order]
        return DrawnHistories(joints[rows], states, logs[rows])

    def _joined(self, parts: Sequence[DrawnHistories]) -> DrawnHistories:
        parts = parts or [self._played([], self._graph)]
        return DrawnHistories(
            np.concatenate([part.joints for part in parts]),
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.logs for part in parts]),
        )

    def _first_impossible(self) -> int:
        """The first step after which nothing fits, where propagation alone did not show it."""
        graph = StageGraph(self.machine.initial())
        for observation in self.observations:
            redo: set[int] = set()
            longer = self._propagator.extended(graph, observation, redo, self.clock())
            if longer is None or not self._propagator.reevaluate(longer, redo, self.clock()):
                return len(graph) + 1
            graph = longer
            found = self._forward_of(graph).enumerate(1, self.clock())
            if found.complete and not len(found):
                return len(graph)
        return len(graph)
