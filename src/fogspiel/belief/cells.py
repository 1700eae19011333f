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

from fogspiel.belief.logic import FALSE, TRUE, Logic
from fogspiel.belief.solver import OutOfTimeError, Solver
from fogspiel.belief.unrolled import Hidden

CELL = 400
"""Histories that a cell may have at most."""
PARITIES = 96
"""Different ways to cut in two, made for each sample."""
WIDTH = 3
"""Choices that a parity is over."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Some histories, and how many times as many they stand for."""

    models: list[list[int]]
    log_factor: float
    """To base 2."""


@dataclass(frozen=True, slots=True)
class Parity:
    """Whether an odd number of choices fell into their halves."""

    literal: int
    halves: tuple[frozenset[int], ...]

    def holds(self, model: Sequence[int]) -> bool:
        """Whether it is odd in a model."""
        return sum(not half.isdisjoint(model) for half in self.halves) % 2 == 1


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
        self._parities = [_parity(extra, choices, rng) for _ in range(PARITIES)]
        solver.add(extra.rules, extra.atoms, extra.known)
        self._depth = 0
        """Parities to begin with: about as many as the last cell took."""

    def draw(self, deadline: float, largest: int = CELL) -> Cell:
        """A cell, independent of others. Raises `OutOfTimeError`."""
        order = self._rng.permutation(len(self._parities))
        model = self._solver.models(1, deadline).atoms[0]
        sides: list[int] = []
        log_factor = 0.0
        for used, place in enumerate(order):
            if used >= self._depth:
                found = self._solver.models(largest, deadline, sides)
                if found.complete:
                    # A cell much smaller than need be could have done with fewer cuts.
                    small = len(found.atoms) < largest // 8 and used == self._depth
                    self._depth = max(0, used - 1 if small else used)
                    return Cell(sorted(found.atoms), log_factor)
            parity = self._parities[place]
            side = parity.literal if parity.holds(model) else -parity.literal
            other = self._solver.models(1, deadline, [*sides, -side]).atoms
            if other:
                log_factor += 1.0
                if self._rng.random() < 0.5:
                    side, model = -side, other[0]
            sides.append(side)
        raise OutOfTimeError


def _parity(logic: Logic, choices: Sequence[Sequence[int]], rng: np.random.Generator) -> Parity:
    """Over some choices, of each of which a random half of the moves counts."""
    picked = rng.choice(len(choices), size=min(WIDTH, len(choices)), replace=False)
    literal, halves = FALSE, []
    for place in picked:
        atoms = rng.permutation(choices[place])
        half = [int(atom) for atom in atoms[: max(1, len(atoms) // 2)]]
        literal = logic.differ(literal, logic.either(half))
        halves.append(frozenset(half))
    return Parity(literal, tuple(halves))
