"""Plans of one player in a game of independent parts, found part by part.

Two ways, whose results are always tried in the whole game before they are believed:
- Parts that keep still while nothing is done in them, and that depend on no clock, are followed
  each by itself. Only the concepts that goals read matter in the end, so that ways through the
  parts are chosen such that together they reach the best goal in some number of steps. Choices that
  leave the same question to the other parts are one (`Simplifier`).
- Elsewhere the game is searched as if only some parts existed, and in all others any move were as
  good as waiting: those parts that one gate of the goals reads, small subsets first.

Source: Guenther, Schiffel & Thielscher (2009): plans of parts, joined by what goals ask of them.
Departures: lengths of plans are counted exactly rather than by waiting moves; a plan that meets the
end of the game too early is tried in other orders, and given up if none will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import FogspielError
from fogspiel.core.terms import RoleId
from fogspiel.machine.analysis.cofactors import FALSE, TRUE, Simplifier
from fogspiel.machine.analysis.independent_parts import CLOCK, WAITING, Parts, parts_of
from fogspiel.machine.protocol import Machine, State, States
from fogspiel.search.parts.graphs import PartGraph, at_clock, part_graph
from fogspiel.search.parts.subset_plans import SubsetPlan, Way, carried_out, plan_in_subset

MOST_STEPS = 128
MOST_QUESTIONS = 2_000  #: Different questions that some parts may leave to the others
FEW_STATES = 2_000
"""States of a subset of the parts that are looked at before all parts are joined."""
MOST_TRIED = 64  #: Plans that are tried in the whole game


def plan_by_parts(
    machine: Machine, role: RoleId, state: State, budget: Budget
) -> SubsetPlan | None:
    """A best plan from a state; None where parts are of no help.

    budget: simulations are states of parts.
    """
    parts = parts_of(machine)
    if parts is None or parts.count < 2 or len(machine.roles) != 1 or machine.terminal(state):
        return None
    quick = plan_in_subset(machine, parts, role, state, budget, FEW_STATES)
    if quick is not None:
        return quick
    try:
        joined = _Joined(machine, parts, role, state, budget).plan()
    except FogspielError:
        joined = None
    return joined or plan_in_subset(machine, parts, role, state, budget)


@dataclass(frozen=True, slots=True)
class _Choice:
    """One way to come to a question with so many steps."""

    before: tuple[int, ...]  #: The question before
    steps_before: int
    fate: int  #: The class that the part is led to
    steps: int


Table = dict[tuple[int, ...], dict[int, _Choice]]
"""The last choice that led to a question, by question and by the number of all steps."""
ByQuestion = dict[tuple[int, ...], NDArray[np.int64]]
Fates = dict[int, tuple[int, int]]  #: The class to which each part is led, and the number of steps


class _Joined:
    """Parts that are followed each by itself, and joined by the concepts that goals read."""

    def __init__(
        self, machine: Machine, parts: Parts, role: RoleId, state: State, budget: Budget
    ) -> None:
        self._machine, self._parts, self._role, self._state = machine, parts, role, state
        self._members = np.flatnonzero(parts.relevant).tolist()
        self._budget = budget
        self._graphs = {
            part: part_graph(machine, parts, part, state, (role,), budget)
            for part in self._members
            if self._fits(part)
        }
        sizes = sum(len(graph.states) for graph in self._graphs.values())
        self._clock = at_clock(machine, parts, state, min(MOST_STEPS, sizes))
        self._most = len(self._clock) - 1
        self._walks = {part: graph.walks(self._most) for part, graph in self._graphs.items()}
        self._simplifier = Simplifier(parts.circuit)
        asked = (*parts.goal_literals.tolist(), parts.circuit.terminal)
        self._asked = tuple(int(literal) for literal in asked)
        self._gates = [node for node in parts.asking if _mixes(parts.supports[node])]

    def _fits(self, part: int) -> bool:
        parts = self._parts
        return bool(parts.keeps[part] and parts.timeless[part] and parts.unscheduled[part])

    def plan(self) -> SubsetPlan | None:
        """The best plan, or None."""
        looped = {
            node
            for loop in self._parts.circuit.loops
            for node in (*range(loop.first, loop.end), *loop.variables.tolist())
        }
        if len(self._graphs) < len(self._members) or looped & set(self._gates):
            return None
        tables = self._tables()
        if tables is None:
            return None
        for tried, (goal, fates) in enumerate(self._best(tables)):
            if tried == MOST_TRIED or self._budget.is_over:
                break
            for order in _orders([self._way(part, *fate) for part, fate in fates.items()]):
                found = carried_out(
                    self._machine, self._parts, self._role, self._state, order, self._members
                )
                if found is not None and found.goal >= goal:
                    return found
        return None

    def _tables(self) -> list[Table] | None:
        """The questions left after each part, by numbers of steps; None for too many."""
        fixed: dict[tuple[int, ...], dict[int, int]] = {}
        first = self._question({})
        fixed[first] = {}
        tables: list[Table] = [{first: {0: _Choice((), 0, 0, 0)}}]
        for part in self._members:
            graph, table = self._graphs[part], Table()
            lengths = _lengths(graph, self._walks[part])
            for question, ways in tables[-1].items():
                for fate, own in enumerate(lengths):
                    values = {**fixed[question], **_values(graph, fate)}
                    after = self._question(values)
                    fixed.setdefault(after, values)
                    kept = table.setdefault(after, {})
                    for before in ways:
                        for steps in own:
                            if before + steps <= self._most:
                                choice = _Choice(question, before, fate, steps)
                                kept.setdefault(before + steps, choice)
                if len(table) > MOST_QUESTIONS or self._budget.is_over:
                    return None
            tables.append(table)
        return tables

    def _question(self, fixed: dict[int, int]) -> tuple[int, ...]:
        """Goals and the end of the game as functions of the parts that are not fixed yet."""
        values = self._simplifier.rebuilt(fixed, self._gates)
        return tuple(values[literal >> 1] ^ (literal & 1) for literal in self._asked)

    def _best(self, tables: list[Table]) -> Iterator[tuple[int, Fates]]:
        """Goals, and the fate and steps of each part: best goals first, then fewest steps."""
        found: list[tuple[int, int, Fates]] = []
        over, goals = self._outcomes(tables)
        # Where the game is over whatever was done in the parts, no plan goes on.
        forced = np.flatnonzero(np.logical_and.reduce(list(over.values())))
        last = int(forced[0]) if len(forced) else self._most
        waits = self._can_wait()
        for question, ways in tables[-1].items():
            for steps in (steps for steps in ways if steps <= last):
                until = last + 1 if waits else steps + 1
                later = np.flatnonzero(over[question][steps:until])
                if len(later):
                    waiting = {WAITING: (0, int(later[0]))} if later[0] else {}
                    fates = {**self._fates(tables, question, steps), **waiting}
                    end = steps + int(later[0])
                    found.append((-int(goals[question][end]), end, fates))
        found.sort(key=lambda entry: entry[:2])
        best = -found[0][0] if found else 0
        if best < self._parts.best_goals[self._role] and not len(forced):
            # Longer plans than were looked at might do better.
            return
        for goal, _, fates in found:
            if -goal == best:
                yield best, fates

    def _outcomes(self, tables: list[Table]) -> tuple[ByQuestion, ByQuestion]:
        """Whether the game is over after each number of steps, and the role's goal, by question."""
        over, goals = {}, {}
        for question, ways in tables[-1].items():
            # The question tells all but the clock, so that one way to it stands for all.
            ends = self._ends(self._fates(tables, question, next(iter(ways))))
            over[question] = self._machine.terminal_batch(ends).astype(np.int64)
            goals[question] = self._machine.goals_batch(ends)[:, self._role]
        return over, goals

    def _can_wait(self) -> bool:
        """Whether some moves are made outside the relevant parts."""
        outside = ~np.isin(self._parts.of_moves[self._role], self._members)
        return bool(outside.any())

    def _fates(self, tables: list[Table], question: tuple[int, ...], steps: int) -> Fates:
        fates: Fates = {}
        for number in range(len(self._members), 0, -1):
            choice = tables[number][question][steps]
            fates[self._members[number - 1]] = choice.fate, choice.steps
            question, steps = choice.before, choice.steps_before
        return fates

    def _ends(self, fates: Fates) -> States:
        """(steps, words) states with the fates of the parts, and the clock of each step."""
        state = self._state & ~self._parts.mask(CLOCK)
        for part, (fate, _) in fates.items():
            graph, own = self._graphs[part], self._parts.mask(part)
            some = int(np.flatnonzero(graph.classes == fate)[0])
            state = (state & ~own) | (graph.states[some] & own)
        return np.asarray(state | self._clock)

    def _way(self, part: int, fate: int, steps: int) -> Way:
        if part == WAITING:
            return (None,) * steps
        graph, walks = self._graphs[part], self._walks[part]
        ends = np.flatnonzero(walks[steps] & (graph.classes == fate))
        return tuple(graph.way(walks, int(ends[0]), steps))


def _mixes(support: int) -> bool:
    """Whether a node reads more than one part, or the clock."""
    return support & (support - 1) != 0


def _lengths(graph: PartGraph, walks: NDArray[np.bool_]) -> list[list[int]]:
    """The numbers of steps in which each class can be reached."""
    return [
        np.flatnonzero(walks[:, graph.classes == fate].any(axis=1)).tolist()
        for fate in range(len(graph.values))
    ]


def _values(graph: PartGraph, fate: int) -> dict[int, int]:
    held = graph.values[fate]
    return {
        int(literal) >> 1: TRUE if holds else FALSE
        for literal, holds in zip(graph.concepts, held, strict=True)
    }


def _orders(ways: Sequence[Way]) -> Iterator[Way]:
    """Orders in which ways through parts can be gone together."""
    yield tuple(move for way in ways for move in way)
    yield tuple(move for way in reversed(ways) for move in way)
    longest = max(map(len, ways), default=0)
    yield tuple(way[turn] for turn in range(longest) for way in ways if turn < len(way))
    heads = tuple(move for way in ways for move in way[:-1])
    yield heads + tuple(move for way in ways for move in way[-1:])
