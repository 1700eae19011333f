"""Random parts of a set of histories that is too large to be listed, each small enough to be.

Source: Chakraborty, Meel & Vardi, "A Scalable and Nearly Uniform Generator of SAT Witnesses"
(CAV 2013), for cutting a set of models by random parities into cells that are then enumerated.
Departures: a parity is over few choices, as it must be for solvers that do not eliminate; of each
parity a side is drawn only where both have models, and a cell bears the inverse of its
probability. So every cell counts as much as the histories it stands for, however uneven the
parities are: the sum over a cell, times its factor, is an unbiased estimate of the sum over all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.sat.logic import FALSE, TRUE, Logic
from fogspiel.belief.sat.solver import Solver, SolverStoppedError
from fogspiel.belief.sat.unrolled import Hidden

CELL = 400
"""Histories that a cell may have at most."""
PAIRS = 96
"""Parities over two choices, made for each sample."""
LAST_PAIRS = 12
"""How many cuts should be by pairs. They are more even than cuts of one choice, but dearer."""
ROUGH = 10
"""Moves of a choice below which half of them may be far from half of the histories."""


@dataclass(frozen=True, slots=True)
class HistoryCell:
    """Some histories, and how many times as many they stand for."""

    models: NDArray[np.int32]
    """(histories, hidden choices) as the solver tells them."""
    log_factor: float
    """To base 2."""


@dataclass(frozen=True, slots=True)
class Parity:
    """Whether an odd number of choices fell into their halves."""

    literal: int
    halves: tuple[frozenset[int], ...]

    def holds(self, model: NDArray[np.int32]) -> bool:
        """Whether it is odd in a model, given by the atoms of choices that hold."""
        chosen = model.tolist()
        return sum(not half.isdisjoint(chosen) for half in self.halves) % 2 == 1


class Cells:
    """A source of cells. The solver must have the rules of the histories, and gets more."""

    def __init__(
        self, logic: Logic, hidden: Sequence[Hidden], solver: Solver, rng: np.random.Generator
    ) -> None:
        self._rng = rng
        self._solver = solver
        extra = logic.fork()
        open_atoms = [
            [atom for atom in choice.atoms if logic.value(atom) not in {TRUE, FALSE}]
            for choice in hidden
        ]
        choices = [atoms for atoms in open_atoms if atoms]
        self._singles = [
            _parity(extra, [atoms], rng)
            for atoms in choices
            for _ in range(max(0, int(np.log2(len(atoms) / ROUGH))))
        ]
        # Where nothing is open there is one history, and nothing to cut.
        pairs = PAIRS if choices else 0
        self._pairs = [_parity(extra, _some(choices, rng), rng) for _ in range(pairs)]
        solver.add(extra.rules, extra.atoms, extra.known)
        self._depth: int | None = None
        """Parities to begin with: about as many as the last cell took."""

    def draw(self, deadline: float) -> HistoryCell:
        """A cell, independent of others. Raises `SolverStoppedError`."""
        model = self._solver.models(1, deadline).atoms[0]
        sides: list[int] = []
        log_factor = 0.0
        least = self._depth or 0
        for used, parity in enumerate([*self._order(), None]):
            if used >= least or parity is None:
                found = self._solver.models(CELL + 1, deadline, sides)
                if found.complete and len(found) <= CELL:
                    # A cell much smaller than need be could have done with fewer cuts.
                    small = len(found) < CELL // 8 and used == least
                    self._depth = max(0, used - 1 if small else used)
                    # Sorted, because the order in which a solver finds them tells its past.
                    return HistoryCell(np.unique(found.atoms, axis=0), log_factor)
            if parity is None:
                break
            side = parity.literal if parity.holds(model) else -parity.literal
            wanted = parity.literal if self._rng.random() < 0.5 else -parity.literal
            other = self._solver.models(1, deadline, [*sides, -side]).atoms
            if len(other):
                log_factor += 1.0
                if wanted != side:
                    side, model = wanted, other[0]
            sides.append(side)
        raise SolverStoppedError

    def _order(self) -> list[Parity]:
        """Parities for a cell, at random: first of single choices, then pairs."""
        singles = len(self._singles)
        if self._depth is not None:
            singles = min(singles, max(0, self._depth - LAST_PAIRS))
        first = self._rng.permutation(len(self._singles))[:singles]
        then = self._rng.permutation(len(self._pairs))
        return [self._singles[k] for k in first] + [self._pairs[k] for k in then]


def _some(choices: Sequence[list[int]], rng: np.random.Generator) -> list[list[int]]:
    """Two choices, or the only one."""
    picked = rng.choice(len(choices), size=min(2, len(choices)), replace=False)
    return [choices[place] for place in picked]


def _parity(logic: Logic, choices: Sequence[list[int]], rng: np.random.Generator) -> Parity:
    """Over some choices, of each of which a random half of the moves counts."""
    literal, halves = FALSE, []
    for choice in choices:
        atoms = rng.permutation(choice)
        half = [int(atom) for atom in atoms[: max(1, len(atoms) // 2)]]
        literal = logic.differ(literal, logic.either(half))
        halves.append(frozenset(half))
    return Parity(literal, tuple(halves))
