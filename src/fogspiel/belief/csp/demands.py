"""What later stages demand of earlier steps: fluents that must change by some step.

Propagation looks at one step at a time and cannot count. If ten cards must all be dealt in ten
deals, no single deal shows that any other card is one too many. So for every fluent that is known
at some stage and not before, it is found which moves could bring it there. That gives two things:

- a bound: where more fluents are still to be changed than the steps until then can change, a state
  leads nowhere;
- odds: if one of n steps must do it, a guess is that each does it with probability 1/n.

Counting across steps also excludes moves. If four cards were bid, and a hand was dealt in four
steps, each step alone could have dealt any card; only all of them together say that it was one of
the four. A group is a set of fluents that are known at some stage, must all be different by later
ones, and the steps between. Where the moves of these steps can change just as many fluents as must
change, a move that changes fewer is not plausible.
A departure from Richards (2012), whose stage graph does not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.csp.stage_graph import Marks, StageGraph
from fogspiel.machine.protocol import State, States
from fogspiel.machine.three_valued import FluentBounds, Ternary

MOST_GROUPS = 32  #: Groups of fluents that are counted: those with the least room
MOST_LANES = 1 << 19
"""Pairs of a fluent and a move that are tried out; beyond it nothing is demanded."""

Reals = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Fluents that are to change in a step or later."""

    fluents: Indices  #: (k,)
    values: Marks  #: (k,) what they are to become
    odds: Reals  #: (k,) 1 / steps that could do it, this one among them


@dataclass(frozen=True, slots=True)
class Bound:
    """A state is impossible if more than `most` of some fluents have not changed yet."""

    to_hold: State
    to_fail: State
    most: int

    def allows(self, states: States) -> Marks:
        """(n,) whether each state may still lead on."""
        left = (~states & self.to_hold) | (states & self.to_fail)
        counts = np.unpackbits(left.view(np.uint8), axis=1).sum(axis=1)
        fine: Marks = counts <= self.most
        return fine


@dataclass(frozen=True, slots=True)
class Demands:
    """The demands on all steps."""

    wanted: tuple[Wanted, ...]  #: Fluents that each step, or a later one, is to change
    bounds: tuple[tuple[Bound, ...], ...]  #: Bounds on the state after each step


@dataclass(frozen=True, slots=True)
class Survey:
    """The moves that could change what must change."""

    table: Deadlines
    active: tuple[Indices, ...]
    """Fluents that each step, or a later one, may have to change, by deadline."""
    flips: tuple[Marks, ...]
    """(candidates, k) whether each plausible move of a step can change each of its fluents."""


def survey_of(graph: StageGraph, ternary: Ternary) -> Survey:
    """Look at all steps of a graph; nothing is active where that would be too much."""
    steps = range(1, len(graph) + 1)
    table = Deadlines(graph)
    active = [table.active(step) for step in steps]
    lanes = sum(len(a) * int(n) for a, n in zip(active, graph.counts(), strict=True))
    if lanes > MOST_LANES:
        active = [fluents[:0] for fluents in active]
    flips = [_flips(graph, ternary, step, active[step - 1], table) for step in steps]
    return Survey(table, tuple(active), tuple(flips))


def demands_of(survey: Survey) -> Demands:
    """The demands of a stage graph."""
    table, active, flips = survey.table, survey.active, survey.flips
    steps = len(active)
    able = np.zeros((steps + 2, table.values.shape[1]), np.int64)
    for step in range(steps, 0, -1):
        fluents = active[step - 1]
        able[step, fluents] = flips[step - 1].any(axis=0)
        later = table.when[step, fluents] > step
        able[step, fluents] += np.where(later, able[step + 1, fluents], 0)
    wanted = [
        _wanted(active[step - 1], flips[step - 1], able[step], table.values[step])
        for step in range(1, steps + 1)
    ]
    capacity = _capacity(survey)
    bounds = [_bounds(step, survey, able, capacity) for step in range(1, steps + 1)]
    return Demands(tuple(wanted), tuple(bounds))


def nothing_demanded(steps: int) -> Demands:
    """Demands of a graph that asks nothing of any step."""
    nothing = Wanted(np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0))
    return Demands((nothing,) * steps, ((),) * steps)


class Deadlines:
    """The next stage at which each fluent is known, from each stage on, and its value there."""

    def __init__(self, graph: StageGraph) -> None:
        can_hold, can_fail = _bits(graph.can_hold), _bits(graph.can_fail)
        self.known = can_hold != can_fail
        """(stages + 1, bits)"""
        self.holds = can_hold & ~can_fail
        self.never = len(graph) + 1
        self.when = np.full((self.never + 1, can_hold.shape[1]), self.never, np.int64)
        self.values = np.zeros((self.never + 1, can_hold.shape[1]), np.bool_)
        for stage in range(len(graph), -1, -1):
            self.when[stage] = np.where(self.known[stage], stage, self.when[stage + 1])
            later = self.values[stage + 1]
            self.values[stage] = np.where(self.known[stage], self.holds[stage], later)

    def active(self, step: int) -> Indices:
        """(k,) the fluents that this step or a later one may have to change, by deadline."""
        before = self.known[step - 1]
        done = before & (self.holds[step - 1] == self.values[step])
        settled = before & self.known[step]
        fluents = np.flatnonzero((self.when[step] < self.never) & ~done & ~settled)
        return fluents[np.argsort(self.when[step, fluents], kind="stable")].astype(np.int64)


def _flips(
    graph: StageGraph, ternary: Ternary, step: int, fluents: Indices, table: Deadlines
) -> Marks:
    """(candidates, k) whether a move can give a fluent the value wanted where it has the other."""
    joints = graph.candidates(step)
    if not len(fluents):
        return np.zeros((len(joints), 0), np.bool_)
    start = graph.bounds(step - 1)
    hold = np.repeat(start.can_hold, len(fluents), axis=0)
    fail = np.repeat(start.can_fail, len(fluents), axis=0)
    rows, words = np.arange(len(fluents)), fluents // 64
    bits = np.uint64(1) << (fluents % 64).astype(np.uint64)
    to_hold = table.values[step, fluents]
    hold[rows, words] = np.where(to_hold, hold[rows, words] & ~bits, hold[rows, words] | bits)
    fail[rows, words] = np.where(to_hold, fail[rows, words] | bits, fail[rows, words] & ~bits)
    each = np.repeat(rows, len(joints))
    after = ternary.effects(
        FluentBounds(hold[each], fail[each]), np.tile(joints, (len(fluents), 1))
    )
    reached = np.where(to_hold[each], after.can_hold[np.arange(len(each)), words[each]],
                       after.can_fail[np.arange(len(each)), words[each]])  # fmt: skip
    able: Marks = ((reached & bits[each]) != 0).reshape(len(fluents), len(joints)).T
    return able


def _wanted(fluents: Indices, flips: Marks, able: Indices, values: Marks) -> Wanted:
    some, all_ = flips.any(axis=0), flips.all(axis=0)
    # Where every move may do it, or there is but one, moves are not told apart.
    chosen = fluents[some & ~all_]
    return Wanted(chosen, values[chosen], 1.0 / np.maximum(able[chosen], 1))


def _capacity(survey: Survey) -> Indices:
    """[t, b]: how many fluents with deadlines up to b the steps after t can change."""
    table = survey.table
    size = table.never + 1
    most = np.zeros((size, size), np.int64)
    for step, (fluents, marks) in enumerate(zip(survey.active, survey.flips, strict=True), 1):
        if len(fluents):
            counts = np.cumsum(marks, axis=1).max(axis=0)
            upto = np.searchsorted(table.when[step, fluents], np.arange(size), side="right")
            most[step] = np.where(upto > 0, counts[np.maximum(upto, 1) - 1], 0)
    after = np.zeros((size, size), np.int64)
    for stage in range(size - 2, -1, -1):
        after[stage] = after[stage + 1] + most[stage + 1]
    return after


def _bounds(step: int, survey: Survey, able: Indices, capacity: Indices) -> tuple[Bound, ...]:
    """The bounds on the state after a step that some state could break."""
    if step == len(survey.active):
        return ()
    table, fluents = survey.table, survey.active[step]
    deadlines = table.when[step + 1, fluents]
    values = table.values[step + 1, fluents]
    bounds = []
    stuck = able[step + 1, fluents] == 0
    if stuck.any():
        bounds.append(_bound(fluents[stuck], values[stuck], 0, table))
    for deadline in np.unique(deadlines):
        upto = deadlines <= deadline
        most = int(capacity[step, deadline])
        if most < upto.sum():
            bounds.append(_bound(fluents[upto], values[upto], most, table))
    return tuple(bounds)


def _bound(fluents: Indices, values: Marks, most: int, table: Deadlines) -> Bound:
    bits = np.zeros((2, table.values.shape[1]), np.uint8)
    bits[np.where(values, 0, 1), fluents] = 1
    to_hold, to_fail = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    return Bound(to_hold, to_fail, most)


def _bits(rows: States) -> Marks:
    return np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little").astype(np.bool_)


@dataclass(frozen=True, slots=True)
class FluentGroup:
    """Fluents that must change within some steps."""

    needed: int  #: Changes that the steps must bring at least, beyond those that every move brings
    steps: tuple[int, ...]  #: Steps in which moves differ in how many they can bring
    changes: tuple[Indices, ...]
    """(candidates,) the number of changes that each move of these steps can bring."""

    @property
    def room(self) -> int:
        """Changes beyond those needed that the moves could bring at best."""
        return sum(int(changes.max()) for changes in self.changes) - self.needed

    def narrow(self, graph: StageGraph, changed: set[int]) -> bool:
        """Exclude moves that leave too little room; False if any moves would."""
        plausible = [graph.plausible[step - 1] for step in self.steps]
        best = [int(c[p].max()) for c, p in zip(self.changes, plausible, strict=True)]
        room = sum(best) - self.needed
        if room < 0:
            return False
        for step, changes, marks, most in zip(
            self.steps, self.changes, plausible, best, strict=True
        ):
            left = marks & (changes >= most - room)
            if not np.array_equal(left, marks):
                graph.plausible[step - 1] = left
                changed.add(step)
        return True


class Counting:
    """All groups of a stage graph. They hold for every graph that is narrower."""

    def __init__(self, graph: StageGraph, survey: Survey) -> None:
        groups = [
            group
            for start in _starts(survey)
            for deadline in np.unique(survey.table.when[start + 1, survey.active[start]])
            if (group := _group(graph, survey, start, int(deadline))) is not None
        ]
        self._groups = sorted(groups, key=lambda group: group.room)[:MOST_GROUPS]

    def narrow(self, graph: StageGraph) -> set[int] | None:
        """Exclude moves; the steps that changed, or None if nothing can fit."""
        changed: set[int] = set()
        if all(group.narrow(graph, changed) for group in self._groups):
            return changed
        return None


def _starts(survey: Survey) -> list[int]:
    """Stages at which some fluent that must change is known and in the next no longer."""
    starts = []
    for stage, fluents in enumerate(survey.active):
        if survey.table.known[stage, fluents].any():
            starts.append(stage)
    return starts


def _group(graph: StageGraph, survey: Survey, start: int, deadline: int) -> FluentGroup | None:
    """The fluents known after `start` steps that must have changed by a deadline."""
    table = survey.table
    first = survey.active[start]
    chosen = first[table.known[start, first] & (table.when[start + 1, first] <= deadline)]
    needed = len(chosen)
    steps: list[int] = []
    counts: list[Indices] = []
    for step in range(start + 1, deadline + 1):
        own = np.isin(survey.active[step - 1], chosen)
        changes = survey.flips[step - 1][:, own].sum(axis=1)
        if changes.min() == changes.max():
            needed -= int(changes[0])
            continue
        everywhere = np.zeros(len(graph.joints[step - 1]), np.int64)
        everywhere[graph.plausible[step - 1]] = changes
        steps.append(step)
        counts.append(everywhere)
    if not steps or needed <= 0:
        return None
    return FluentGroup(needed, tuple(steps), tuple(counts))
