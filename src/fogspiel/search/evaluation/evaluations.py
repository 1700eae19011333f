"""Evaluations by name: the expected goals of states.

`learned` combines all of them: a linear regression of the goals of random play on their values. An
evaluation that does not predict these has no weight in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.registry import Entry, Registry
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.evaluation.features import (
    Fluents,
    Measure,
    Samples,
    fluents,
    focus,
    mobility,
    proximity,
    samples_of,
)
from fogspiel.search.evaluation.value_scale import value_scale

SURE = 3.0  #: Standard errors that a correlation must be away from 0 to count


class Evaluation(Protocol):
    """Estimates the goals of states."""

    def __call__(self, states: States) -> NDArray[np.float64]:
        """(n, roles) expected goals, by the scale of the machine; true ones in terminal states."""


@dataclass(frozen=True, slots=True)
class FeatureWeight:
    """The weight of a feature in `learned`."""

    measure: str
    correlations: tuple[float, ...]
    """Correlation of the feature with the goals of each role, in states not used for fitting."""
    weights: tuple[float, ...]
    """Goals of each role for one standard deviation; 0 where the correlation is not significant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationEntry(Entry):
    """An evaluation that can be named."""

    measure: Callable[[Machine, Samples], Measure] | None
    """Makes its feature; None for `learned`, which combines all others."""


LEARNED = "learned"
EVALUATIONS = Registry(
    "evaluation",
    "SEA002",
    (
        EvaluationEntry(
            name="mobility", what="many own legal moves, few of the other roles", measure=mobility
        ),
        EvaluationEntry(name="focus", what="few legal moves of the other roles", measure=focus),
        EvaluationEntry(
            name="fuzzy", what="degree to which the goal conditions hold", measure=proximity
        ),
        EvaluationEntry(
            name="fluents",
            what="linear function of the fluents, fitted to random playouts",
            measure=fluents,
        ),
        EvaluationEntry(
            name=LEARNED,
            what="combination of all others, fitted to random playouts",
            measure=None,
        ),
    ),
)


@once_per_machine
def evaluation(machine: Machine, name: str) -> Evaluation:
    """An evaluation by name, made once for a machine: that takes walks and playouts.

    Raises `UsageError` SEA002 for an unknown name, `PlayError` SEA001 for `fuzzy` without gates.
    """
    entry = EVALUATIONS.find(name)
    samples = samples_of(machine)
    if entry.measure is None:
        return Learned(machine, samples)
    if entry.measure is fluents:
        return Bounded(machine, Fluents(machine, samples))
    return Bounded(machine, _as_goals(machine, entry.measure(machine, samples)))


def _as_goals(machine: Machine, measure: Measure) -> Measure:
    """A feature as goals: its mean lies in the middle, two standard deviations near the ends."""
    scale = value_scale(machine)
    return lambda states: scale.low + scale.spread * (0.5 + 0.5 * np.tanh(measure(states) / 2.0))


class Bounded:
    """Expected goals within the range of the game's goals."""

    def __init__(self, machine: Machine, goals: Measure) -> None:
        self._machine, self._goals = machine, goals
        scale = value_scale(machine)
        self._low, self._high = scale.low, scale.low + scale.spread

    def __call__(self, states: States) -> NDArray[np.float64]:
        """(n, roles)"""
        found = np.clip(self._goals(states), self._low, self._high)
        ended = self._machine.terminal_batch(states)
        if ended.any():
            found[ended] = self._machine.goals_batch(np.ascontiguousarray(states[ended]))
        return found


class Learned(Bounded):
    """A linear combination of all features."""

    def __init__(self, machine: Machine, samples: Samples) -> None:
        self._measures = _measures_of(machine, samples)
        fitted = samples.fitted
        outcomes = samples.outcomes[fitted:]
        columns = [measure(samples.states[fitted:]) for measure in self._measures.values()]
        self._base = outcomes.mean(axis=0) if len(outcomes) else samples.outcomes.mean(axis=0)
        self._factors = np.zeros((len(columns), len(machine.roles)))
        self._correlations = np.zeros_like(self._factors)
        for role in range(len(machine.roles)):
            own = np.stack([column[:, role] for column in columns], axis=1)
            found = _regression(own, outcomes[:, role] - self._base[role])
            self._correlations[:, role], self._factors[:, role] = found.T
        super().__init__(machine, self._joined)

    @property
    def weights(self) -> tuple[FeatureWeight, ...]:
        """The weight of each feature."""
        return tuple(
            FeatureWeight(name, tuple(map(float, correlations)), tuple(map(float, factors)))
            for name, correlations, factors in zip(
                self._measures, self._correlations, self._factors, strict=True
            )
        )

    def _joined(self, states: States) -> NDArray[np.float64]:
        found = np.repeat(self._base[None, :], len(states), axis=0)
        for measure, factors in zip(self._measures.values(), self._factors, strict=True):
            if factors.any():
                found += factors * measure(states)
        return found


def _measures_of(machine: Machine, samples: Samples) -> dict[str, Measure]:
    """All features that the machine allows."""
    found = {}
    for entry in EVALUATIONS.values():
        if entry.measure is None:
            continue
        try:
            found[entry.name] = entry.measure(machine, samples)
        except PlayError:
            continue
    return found


def _regression(columns: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations, and weights of features that significantly predict what others leave.

    columns: (n, features). rest: (n,) outcomes less their mean. Returns: (features, 2)
    """
    count = len(columns)
    found = np.zeros((columns.shape[1], 2))
    if count < 2 or rest.std() == 0.0:
        return found
    shifted = columns - columns.mean(axis=0)
    taken: list[int] = []
    left = rest
    while True:
        # One after the other, so that no feature is taken that repeats those before it.
        correlations = _correlations(shifted, left)
        if not taken:
            found[:, 0] = correlations
        correlations[taken] = 0.0
        best = int(np.abs(correlations).argmax())
        if abs(correlations[best]) <= SURE / np.sqrt(count):
            return found
        taken.append(best)
        own = shifted[:, taken]
        found[taken, 1] = np.linalg.lstsq(own, rest, rcond=None)[0]
        left = rest - own @ found[taken, 1]


def _correlations(shifted: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations of features with the rest, (features,); 0 for those that do not vary."""
    spreads = shifted.std(axis=0) * rest.std()
    products = shifted.T @ rest / len(rest)
    found: NDArray[np.float64] = np.where(spreads > 0.0, products / np.maximum(spreads, 1e-12), 0.0)
    return found
