"""A small belief of one role, as a quick thinker would have it, and what its moves look worth.

Kept apart from `ExactBelief` because it must answer for many pasts at once, and only needs the last
layer of each: layers are kept by past, and thinned to a few states.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogspiel.belief.models.evaluation import StateEvaluation, values_of_moves
from fogspiel.belief.particles.populations import resample
from fogspiel.belief.successors import Reals
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.layers import merged
from fogspiel.machine.protocol import Layer, Machine, States

STATES = 64
"""States that the role holds possible at a time."""
STEPS = 20_000
"""Steps that it looks at to find the next ones."""


class LocalView:
    """What one role holds possible after any past of its own, others choosing evenly."""

    def __init__(self, machine: Machine, role: RoleId) -> None:
        self.machine = machine
        self.role = role
        start = machine.initial()[None, :]
        first = Layer(states=start, counts=np.ones(1), weights=np.ones(1))
        self._layers: dict[tuple[Observation, ...], Layer | None] = {(): first}

    def values(
        self, past: Sequence[Observation], evaluation: StateEvaluation
    ) -> dict[MoveId, float]:
        """The mean value of each move; empty where nothing is held possible.

        V(a) = sum over the information set of P(h) phi(S(h a)), algorithm 5.1, lines 4 to 8.
        """
        layer = self._layer(tuple(past))
        sums: dict[MoveId, float] = {}
        if layer is None:
            return sums
        for state, weight in zip(layer.states, layer.weights, strict=True):
            if self.machine.terminal(state):
                continue
            values = values_of_moves(self.machine, state, self.role, evaluation)
            for move, value in values.items():
                sums[move] = sums.get(move, 0.0) + float(weight) * float(value[self.role])
        return sums

    def _layer(self, past: tuple[Observation, ...]) -> Layer | None:
        """The states held possible; None where thinning has lost them all."""
        if past not in self._layers:
            before = self._layer(past[:-1])
            self._layers[past] = self._after(before, past[-1]) if before else None
        return self._layers[past]

    def _after(self, before: Layer, observation: Observation) -> Layer | None:
        try:
            found = self.machine.continuations(before.states, self.role, observation, limit=STEPS)
        except LimitError:
            return None
        if not len(found.parents):
            return None
        layer, _ = merged(before, found)
        return _few(layer.states, layer.weights)


def _few(states: States, weights: Reals) -> Layer:
    rows, kept = resample(weights, STATES, np.random.default_rng(0))
    return Layer(states=states[rows], counts=np.ones(len(rows)), weights=kept / kept.sum())
