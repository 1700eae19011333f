"""Counting across steps: moves that leave too little room for what must still change.

Propagation looks at one step at a time. If four cards were bid, and a hand was dealt in four
steps, each step alone could have dealt any card; only all of them together say that it was one of
the four. A group is a set of fluents that are known at some stage, must all be different by later
ones, and the steps between. Where the moves of these steps can change just as many fluents as must
change, a move that changes fewer is not plausible. A departure from Richards (2012), whose stage
graph does not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogspiel.belief.csp.demands import Indices, Survey
from fogspiel.belief.csp.stages import StageGraph

MOST_GROUPS = 32
"""Those with the least room are kept."""


@dataclass(frozen=True, slots=True)
class FluentGroup:
    """Fluents that must change within some steps."""

    needed: int
    """How many changes the steps must bring at least, beyond those that every move brings."""
    steps: tuple[int, ...]
    """Steps in which moves differ in how many they can bring."""
    changes: tuple[Indices, ...]
    """(candidates,) of each of these steps, how many each move can bring."""

    @property
    def room(self) -> int:
        """How many changes more than needed the moves could bring at best."""
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
