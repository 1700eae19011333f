"""Features of states, each with mean 0 and standard deviation 1 in random play.

Mobility and focus count moves. In games of turns only one role has a choice: a count is compared
with the mean where the same roles have one, so that being on turn is no merit by itself. Features
are fitted to samples, states of random play with the mean goals of playouts from them. These are
drawn once for a machine, with a seed of their own, so that all players of a game have the same
evaluations, and the same seed gives the same moves.

Sources: mobility and focus as in Genesereth & Thielscher (2014), General Game Playing, section
7.2 (heuristic search), and Clune (2007); goal proximity: see `machine.analysis.circuit_values`;
weights of fluents: Sharma, Kobti & Goodwin (2008), who learn them from playouts by temporal
differences. Departures: counts are logarithms; proximity is that of the role less the mean of the
others; weights of fluents are a ridge regression.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import PlayError
from fogspiel.core.kernels.rows import widened
from fogspiel.machine.analysis.circuit_values import fuzzy_goals
from fogspiel.machine.analysis.random_walks import random_walks
from fogspiel.machine.memo import once_per_machine
from fogspiel.machine.protocol import Machine, States, player_roles

WALKS = 128
MAX_STEPS = 400  #: Steps of a walk
STATES = 2_048
PLAYOUTS = 8  #: Playouts from each state
SEED = 71
FITTED_SHARE = 0.75  #: Share of the states for fitting; the others validate the fit
PENALTIES = (3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0)
"""Penalties of the ridge regression, of which the best is taken."""
LEAST_SPREAD = 1e-9

Measure = Callable[[States], NDArray[np.float64]]  #: A feature of states, (n, roles)


class Samples:
    """Non-terminal states in random order."""

    def __init__(self, machine: Machine, states: States) -> None:
        # Kept as long as the machine is, which must not be for ever because of this.
        self._machine = ref(machine)
        self.states = states
        """(n, words)"""

    @cached_property
    def outcomes(self) -> NDArray[np.float64]:
        """Mean goals of playouts from each state, (n, roles). Not all features need them."""
        machine = self._machine()
        assert machine is not None, "who asks for samples has the machine"
        if not len(self.states):
            return np.zeros((0, len(machine.roles)))
        played = machine.playouts(self.states, seed=SEED, count=PLAYOUTS)
        means: NDArray[np.float64] = played.goal_sums / played.counts[:, None]
        return means

    @property
    def fitted(self) -> int:
        """The number of states, counted from the first, for fitting."""
        return max(1, int(FITTED_SHARE * len(self.states)))


@once_per_machine
def samples_of(machine: Machine) -> Samples:
    """States drawn from random walks; none where the game ends before it begins."""
    rng = np.random.default_rng(SEED)
    met = []
    for number, step in enumerate(random_walks(machine, WALKS, rng)):
        met.append(step.states)
        if number == MAX_STEPS:
            break
    words = max((rows.shape[1] for rows in met), default=1)
    none = np.zeros((0, words), np.uint64)
    states = np.concatenate([none, *(widened(rows, words) for rows in met)])
    return Samples(machine, np.ascontiguousarray(states[rng.permutation(len(states))[:STATES]]))


def constant_sum(machine: Machine) -> float | None:
    """The sum of all players' goals, where it is the same in all random play."""
    sums = samples_of(machine).outcomes[:, player_roles(machine)].sum(axis=1)
    return float(sums[0]) if len(sums) and bool((sums == sums[0]).all()) else None


class Mobility:
    """Numbers of moves, standardised over states where the same roles have a choice."""

    def __init__(self, machine: Machine, samples: Samples) -> None:
        self._machine = machine
        self._usual: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        counts, choosing = self._counted(samples.states)
        for who in np.unique(choosing):
            own = counts[choosing == who]
            self._usual[int(who)] = own.mean(axis=0), np.maximum(own.std(axis=0), LEAST_SPREAD)

    def __call__(self, states: States) -> NDArray[np.float64]:
        """(n, roles)"""
        counts, choosing = self._counted(states)
        found = np.zeros_like(counts)
        for who in np.unique(choosing):
            # Where roles choose that never did in random play, there is no mean.
            if int(who) in self._usual:
                mean, spread = self._usual[int(who)]
                rows = choosing == who
                found[rows] = (counts[rows] - mean) / spread
        return found

    def _counted(self, states: States) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Logarithms of the numbers of moves, none for chance; who has a choice, as bits."""
        machine = self._machine
        counts = np.zeros((len(states), len(machine.roles)))
        choosing = np.zeros(len(states), np.int64)
        for role in player_roles(machine):
            legal = machine.legal_batch(states, role).sum(axis=1)
            counts[:, role] = np.log(np.maximum(legal, 1))
            choosing |= (legal > 1).astype(np.int64) << role
        return counts, choosing


def mobility(machine: Machine, samples: Samples) -> Measure:
    """Own moves against those of the others."""
    moves = Mobility(machine, samples)
    return lambda states: _against_others(machine, moves(states))


def focus(machine: Machine, samples: Samples) -> Measure:
    """Few moves of the others. Without others, few moves of its own."""
    moves = Mobility(machine, samples)

    def measure(states: States) -> NDArray[np.float64]:
        counts = moves(states)
        if len(player_roles(machine)) == 1:
            return -counts
        return _against_others(machine, counts) - counts

    return measure


def proximity(machine: Machine, samples: Samples) -> Measure:
    """Proximity of own goals, compared with those of the others.

    Raises `PlayError` SEA001 where the machine has no gates.
    """
    near = fuzzy_goals(machine)
    if near is None:
        raise PlayError.of(
            "SEA001",
            "goals cannot be evaluated by fuzzy logic: the game has no gates",
            fix="play it on the compiled machine, or choose another evaluation",
        )
    return _standard(lambda states: _against_others(machine, near(states)), samples)


class Fluents:
    """Weights of fluents whose sum best predicts the goals of random play."""

    def __init__(self, machine: Machine, samples: Samples) -> None:
        self._machine = machine
        fitted, outcomes = samples.fitted, samples.outcomes
        bits = self._bits(samples.states)
        self._varied = np.flatnonzero((bits != bits[:1]).any(axis=0))
        bits = bits[:, self._varied]
        self._centre = bits[:fitted].mean(axis=0) if len(bits) else np.zeros(bits.shape[1])
        self.base = outcomes[:fitted].mean(axis=0) if len(bits) else outcomes.sum(axis=0)
        """The mean goals, (roles,)."""
        shifted = bits - self._centre
        # Of all penalties, the one that predicts best the states that were not fitted.
        fits = _ridge(shifted[:fitted], outcomes[:fitted] - self.base)
        rest = outcomes[fitted:] - self.base
        left = [((rest - shifted[fitted:] @ fit) ** 2).sum() for fit in fits]
        self.weights = fits[int(np.argmin(left))]
        """(fluents that vary, roles)"""

    def __call__(self, states: States) -> NDArray[np.float64]:
        """(n, roles) expected goals."""
        # A state may be written with fewer words than the samples had: fluents beyond do not hold.
        bits, last = self._bits(states), int(self._varied.max(initial=-1))
        bits = np.pad(bits, ((0, 0), (0, max(0, last + 1 - bits.shape[1]))))
        shifted = bits[:, self._varied] - self._centre
        found: NDArray[np.float64] = self.base + shifted @ self.weights
        return found

    def _bits(self, states: States) -> NDArray[np.float32]:
        """(n, fluents) 0 or 1."""
        rows = np.ascontiguousarray(self._machine.fluent_rows(states))
        bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
        return bits.astype(np.float32)


def fluents(machine: Machine, samples: Samples) -> Measure:
    """Expected goals by the weights of fluents, as a measure like the others."""
    return _standard(Fluents(machine, samples), samples)


def _ridge(bits: NDArray[np.float32], outcomes: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """(fluents, roles) weights for each penalty, by one decomposition of the smaller product."""
    wide = bits.astype(np.float64)
    if wide.shape[0] < wide.shape[1]:
        squares, vectors = np.linalg.eigh(wide @ wide.T)
        turned = vectors.T @ outcomes
        return [wide.T @ (vectors @ (turned / (squares + p)[:, None])) for p in PENALTIES]
    squares, vectors = np.linalg.eigh(wide.T @ wide)
    turned = vectors.T @ (wide.T @ outcomes)
    return [vectors @ (turned / (squares + p)[:, None]) for p in PENALTIES]


def _standard(measure: Measure, samples: Samples) -> Measure:
    """The measure with mean 0 and standard deviation 1 in random play."""
    found = measure(samples.states) if len(samples.states) else np.zeros_like(samples.outcomes)
    mean = found.mean(axis=0) if len(found) else 0.0
    spread = np.maximum(found.std(axis=0), LEAST_SPREAD) if len(found) else 1.0
    return lambda states: (measure(states) - mean) / spread


def _against_others(machine: Machine, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, roles) each player's value less the mean of the other players'; chance has 0."""
    players = player_roles(machine)
    others = max(len(players) - 1, 1)
    found = np.zeros_like(values)
    for role in players:
        rest = [other for other in players if other != role]
        found[:, role] = values[:, role] - values[:, rest].sum(axis=1) / others
    return found
