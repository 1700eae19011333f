"""How large the tree of a game is likely to be, without building it.

Source: Knuth (1975), Estimating the efficiency of backtrack programs, Mathematics of Computation
29(129): along a random walk the product of the numbers of choices estimates, without bias, how many
nodes there are at each depth. Few walks meet the bushiest parts, so an estimate is often too low.
Departures: histories are counted one by one, where trees merge those that differ for nobody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.machine.analysis.random_walks import random_walks
from fogspiel.machine.protocol import Machine, States

WALKS = 256
MAX_STEPS = 2_000
"""Of a walk; games that need not end would be walked through for ever."""
SECONDS = 5.0
"""A guard for machines that are slow; what was walked until then counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledSize:
    """What random walks say about a tree."""

    walks: int
    ended: int
    """Walks that came to an end of the game in time."""
    log10_nodes: float
    """The estimate, as a logarithm: chess passes what floating point holds."""
    mean_steps: float
    longest: int
    payoff_sums: tuple[Fraction, ...]
    """Different sums of all players' payoffs that were met at ends, rising."""


def sample_size(
    machine: Machine, *, walks: int = WALKS, seed: int = 0, budget: Budget | None = None
) -> SampledSize:
    """Estimate the number of nodes, and note what all players get together at the ends.

    budget: after which walks stop where they are; some seconds from now if not given.
    """
    rng = np.random.default_rng(seed)
    if machine.engine == "reference":
        walks = min(walks, 8)
    budget = budget or Budget.of(seconds=SECONDS)
    weights, nodes = np.zeros(walks), np.full(walks, -np.inf)
    steps = np.zeros(walks, np.int64)
    last = np.repeat(machine.initial()[None, :], walks, axis=0)
    for step in random_walks(machine, walks, rng):
        rows = step.walks
        for mask in step.legal:
            counts = mask.sum(axis=1)
            found = np.where(counts > 1, weights[rows], -np.inf)
            nodes[rows] = np.logaddexp(nodes[rows], found)
            weights[rows] += np.log(counts)
        steps[rows] += 1
        last = _noted(last, rows, step.successors)
        if budget.is_over or int(steps[rows[0]]) == MAX_STEPS:
            break
    ended = machine.terminal_batch(last)
    total = np.logaddexp.reduce(np.logaddexp(nodes, weights))
    return SampledSize(
        walks=walks,
        ended=int(ended.sum()),
        log10_nodes=float(total - math.log(walks)) / math.log(10.0),
        mean_steps=float(steps.mean()),
        longest=int(steps.max()),
        payoff_sums=_sums(machine, last[ended]),
    )


def _noted(last: States, walks: NDArray[np.int64], states: States) -> States:
    """The states with those of some walks replaced; rows may have become longer."""
    if states.shape[1] > last.shape[1]:
        last = np.pad(last, ((0, 0), (0, states.shape[1] - last.shape[1])))
    last[walks, : states.shape[1]] = states
    return last


def _sums(machine: Machine, ends: States) -> tuple[Fraction, ...]:
    if not len(ends):
        return ()
    goals = machine.goals_batch(ends)
    players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
    totals = np.unique(goals[:, players].sum(axis=1)).tolist()
    return tuple(Fraction(total, machine.goal_scale) for total in totals)
