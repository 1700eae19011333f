"""Settling steps one by one, with propagation after each: the search of the thesis.

Source: Richards (2012), figure 4.2, CSP-InfosetSample. The next step to settle is drawn at random
(line 7) or the most constrained one (footnote 3); a conflict starts the search again, as in the
figure, or leads back to the last choice. Iterating over all moves at line 9 gives all histories
(footnote 2).
Departures: a step with a single plausible move is settled by propagation and never chosen. Where
steps are drawn at random, the order is drawn before the search; the probability of a history given
the order is then known.

A sample is proposed with probability (product of 1 / plausible moves over the choices made); its
own probability over that is the weight that removes the bias, exactly where conflicts start the
search again. With backtracking, moves found impossible are no longer counted among the plausible
ones, which is close, but how many of those not tried are impossible as well remains unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import CallClock
from fogspiel.belief.csp.stage_graph import Propagator, StageGraph

StepChoice: TypeAlias = Literal["forward", "random", "constrained"]
"""`forward`: in the order of play, many histories at a time."""
AfterConflict: TypeAlias = Literal["restart", "backtrack"]


@dataclass(frozen=True, slots=True)
class SettledHistory:
    """A history in which every step has but one plausible move."""

    joints: NDArray[np.int32]  #: (steps, roles)
    log_proposal: float  #: Logarithm of the probability with which it was proposed


class SettlingSearch:
    """One search: an order of steps and a source of randomness."""

    def __init__(
        self,
        propagator: Propagator,
        step_choice: StepChoice,
        clock: CallClock,
        rng: np.random.Generator,
        steps: int,
    ) -> None:
        self._propagator = propagator
        self._clock = clock
        self._rng = rng
        shuffled = step_choice == "random"
        self._ranks = rng.permutation(steps) if shuffled else np.zeros(steps, np.int64)

    def attempt(self, graph: StageGraph) -> SettledHistory | None:
        """Settle all steps at random; None on a conflict."""
        log_proposal = 0.0
        while (step := self._next_step(graph)) is not None:
            moves = np.flatnonzero(graph.plausible[step - 1])
            move = int(self._rng.choice(moves))
            log_proposal -= float(np.log(len(moves)))
            narrower = self._propagator.fixed(graph, step, move, self._clock)
            if narrower is None:
                return None
            graph = narrower
        return SettledHistory(_history(graph), log_proposal)

    def all(self, graph: StageGraph, log_proposal: float = 0.0) -> Iterator[SettledHistory]:
        """Every history, in random order; the first is what backtracking finds."""
        step = self._next_step(graph)
        if step is None:
            yield SettledHistory(_history(graph), log_proposal)
            return
        moves = self._rng.permutation(np.flatnonzero(graph.plausible[step - 1]))
        for tried, move in enumerate(moves):
            narrower = self._propagator.fixed(graph, step, int(move), self._clock)
            if narrower is not None:
                chance = float(np.log(len(moves) - tried))
                yield from self.all(narrower, log_proposal - chance)

    def _next_step(self, graph: StageGraph) -> int | None:
        """The step to settle next, counted from 1; None if all are settled."""
        counts = graph.counts()
        open_steps = np.flatnonzero(counts > 1)
        if not len(open_steps):
            return None
        if self._ranks.any():
            return int(open_steps[np.argmin(self._ranks[open_steps])]) + 1
        return int(open_steps[np.argmin(counts[open_steps])]) + 1


def _history(graph: StageGraph) -> NDArray[np.int32]:
    joints = [graph.candidates(step)[0] for step in range(1, len(graph) + 1)]
    return np.array(joints, np.int32)
