"""`sat`: the histories that fit as the models of a formula, for a solver that learns.

The machine is unrolled over the steps (`unrolled`), and clingo finds the models (`solver`). A
small information set is listed once and sampled exactly. Of a large one, random cells are listed
(`cells`): a sample then comes with weights, which make it unbiased.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogspiel.belief.base import PROBED, BeliefBase, CallClock, contradiction, needs_gates
from fogspiel.belief.protocol import BeliefRequest, Histories
from fogspiel.belief.sat.logic import ImpossibleError
from fogspiel.belief.sat.solver import Cells, HistoryCell, Solver, SolverStoppedError
from fogspiel.belief.sat.unrolled import Unrolled
from fogspiel.belief.verify import lexicographic, weighed
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import State

SMALL = 100_000
"""Information sets up to this size are listed as a whole, if that takes half of the time at most:
a cell can take as long to cut as ten thousand histories to list."""
SMALL_SHARE = 0.5
LISTING_SHARE = 0.75
"""Part of the time for listing: what was found must be played again, which takes its time too."""
COUNTED = 100_000  #: Information sets up to this size are counted
CELLS = 32  #: Cells that a sample is drawn from, at most
RULE_BYTES = 600  #: What a rule takes here and in the solver, about


class SatBelief(BeliefBase):
    """What a solver finds possible. Implements `Belief`."""

    method = "sat"

    def __init__(self, request: BeliefRequest) -> None:
        super().__init__(request)
        circuit = self.machine.circuit()
        if circuit is None:
            raise needs_gates(self.method)
        self._circuit = circuit
        self._whole: Histories | None = None
        self._begin()

    def advance(self, observation: Observation) -> None:
        """Unroll one more step, and make sure that something fits."""
        try:
            possible = self._add(observation) and self._solver.satisfiable(self.clock())
        except SolverStoppedError:
            raise self._gave_up() from None
        finally:
            # Whatever fails, the step was not made.
            self._stale = True
        if not possible:
            raise contradiction(len(self.observations) + 1)
        self._stale = False
        self.observations.append(observation)
        self._whole = None

    def sample(self, count: int, seed: int) -> Histories:
        """Histories from the posterior if the set is small, else from random cells by weight."""
        rng, clock = np.random.default_rng(seed), self.clock()
        whole = self._listed()
        if whole.complete:
            return whole.draw(count, rng)
        cells = self._cells(min(count, CELLS), rng, clock)
        joints = self._unrolled.joints(np.concatenate([cell.models for cell in cells]))
        found = weighed(self.machine, self.role, joints, complete=False)
        return _drawn(cells, found, count, rng)

    def enumerate(self, limit: int) -> Histories:
        """All histories, or those that the solver finds first."""
        if self._whole is not None and self._whole.complete and len(self._whole) <= limit:
            return self._whole
        return self._list(limit)

    def size(self) -> int | None:
        """The number of histories, by counting them; None where limits are reached before."""
        if self._whole is not None and self._whole.complete:
            return len(self._whole)
        self._refresh()
        return self._solver.count(min(COUNTED, self.limits.histories), self.clock())

    def probability(self, state: State) -> float:
        """The probability of a state: exact for small sets, otherwise estimated from a sample."""
        known = self._listed()
        if not known.complete:
            known = self.sample(PROBED, seed=0)
        return known.probability(state)

    def _begin(self) -> None:
        """An empty formula."""
        self._unrolled = Unrolled(self._circuit, self.role, self.machine.initial())
        self._solver = Solver()
        self._added = 0
        self._stale = False

    def _refresh(self) -> None:
        """Formulas cannot shrink: after a step that failed all others are unrolled anew."""
        if self._stale:
            self._begin()
            for observation in self.observations:
                self._add(observation)

    def _add(self, observation: Observation) -> bool:
        """Unroll a step; whether it is not plainly impossible."""
        self._refresh()
        logic = self._unrolled.logic
        if len(logic.rules) * RULE_BYTES > self.limits.bytes:
            raise SolverStoppedError
        try:
            self._unrolled.advance(observation)
        except ImpossibleError:
            return False
        self._solver.add(logic.rules[self._added :], logic.atoms, logic.known)
        self._added = len(logic.rules)
        return True

    def _listed(self) -> Histories:
        """The whole information set if it is small, otherwise some part of it."""
        if self._whole is None:
            self._whole = self._list(SMALL, SMALL_SHARE)
        return self._whole

    def _list(self, limit: int, share: float = LISTING_SHARE) -> Histories:
        """List some histories, or as many as time and memory allow."""
        self._refresh()
        limit = min(limit, self.limits.histories, self.limits.bytes // self._history_bytes())
        clock = self.clock()
        try:
            found = self._solver.models(limit + 1, self.clock(share))
        except SolverStoppedError:
            raise self._gave_up() from None
        complete = found.complete and len(found) <= limit
        joints = self._unrolled.joints(found.atoms[:limit])
        joints = joints[lexicographic(joints)]
        return weighed(self.machine, self.role, joints, complete=complete, clock=clock)

    def _cells(self, count: int, rng: np.random.Generator, clock: CallClock) -> list[HistoryCell]:
        """Some random cells, or as many as time allows."""
        self._refresh()
        logic = self._unrolled.logic
        # Its own solver: parities would stay in the other for good.
        solver = Solver()
        solver.add(logic.rules, logic.atoms, logic.known)
        source = Cells(logic, self._unrolled.hidden, solver, rng)
        found: list[HistoryCell] = []
        try:
            while len(found) < count:
                found.append(source.draw(clock))
        except SolverStoppedError:
            if not found:
                raise self._gave_up() from None
        return found

    def _history_bytes(self) -> int:
        """Memory for a history while it is found, sorted and played again."""
        moves = 4 * len(self.observations) * len(self.machine.roles)
        return 64 + 4 * len(self._unrolled.hidden) + 3 * moves + 3 * self.machine.initial().nbytes

    def _gave_up(self) -> LimitError:
        return self.gave_up(len(self.observations) + 1)


def _drawn(
    cells: Sequence[HistoryCell], found: Histories, count: int, rng: np.random.Generator
) -> Histories:
    """Draw as many histories of each cell, within it by weight.

    found: the histories of all cells, in order.
    """
    rows, weights = [], []
    first = 0
    largest = max(cell.log_factor for cell in cells)
    for cell, places in zip(cells, np.array_split(np.arange(count), len(cells)), strict=True):
        own = found.weights[first : first + len(cell.models)]
        # A cell counts as its histories weigh, times the number of cells that it stands for.
        total = own.sum() * 2.0 ** (cell.log_factor - largest)
        rows.append(first + rng.choice(len(own), size=len(places), p=own / own.sum()))
        weights.append(np.full(len(places), total / max(1, len(places))))
        first += len(own)
    scale = count / np.concatenate(weights).sum()
    return found.take(np.concatenate(rows), np.concatenate(weights) * scale)
