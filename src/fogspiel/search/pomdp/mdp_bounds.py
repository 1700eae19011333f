"""All states of a small game, step by step, for one role: what it would get if it saw everything.

What the role can know is less than the state, so that no belief is worth more than its states are
to one who sees them, nor less than what the worst moves bring there: bounds for a search among
beliefs. All other roles choose evenly, as chance does.

Source: for the bound from above, Littman, Cassandra & Kaelbling (1995), ICML, and Hauskrecht
(2000), JAIR 13, section 4.1 (the MDP approximation).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.ids import RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows, stacked
from fogspiel.core.limits import DEFAULT_MAX_BYTES
from fogspiel.core.limits import SizeLimits as Limits
from fogspiel.machine.expander import Expander
from fogspiel.machine.memo import Attempts
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, States
from fogspiel.machine.wrappers.fixed_opponents import FixedOpponents

MOST_EDGES = 1_000_000
"""Joint moves of all states together; more are not worth the time."""
EDGES_A_SECOND = 1_000_000
"""That are followed where a state has one word: a third of what was measured on mastermind."""
LEAST_EDGES = 1_000
"""That a step counts for at least: a game without end has few states, again and again."""
CLOCK_SHARE = 0.3
"""Of the time before the first move, which the states may take."""

Numbers = NDArray[np.int64]
"""(n,)"""
Reals = NDArray[np.float64]
"""(n,)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLayer:
    """The different states in which play can be after some number of steps, and how they go on."""

    states: States
    over: NDArray[np.bool_]
    """(states,) whether the game ends there."""
    best: Reals
    """(states,) what the role gets if it sees everything and plays as well as it can."""
    worst: Reals
    """(states,) the same, playing as badly as it can."""
    starts: Numbers
    """(states + 1,) the edges of a state."""
    moves: Numbers
    """(edges,) what the role does."""
    shares: Reals
    """(edges,) how probable it is that the others do what they do there."""
    sights: NDArray[np.int32]
    """(edges,) equal where the role did and saw the same."""
    successors: NDArray[np.int32]
    """(edges,) states of the next step."""

    def places(self, states: States) -> Numbers:
        """(n,) the numbers of some of its states."""
        firsts, numbers = distinct_rows(stacked([self.states, states]))
        # Its own states are all different and come first, so that they keep their places.
        assert len(firsts) == len(self.states)
        return numbers[len(self.states) :]


_KNOWN: Attempts[list[StateLayer]] = Attempts()


def state_layers(machine: Machine, role: RoleId, budget: Budget) -> list[StateLayer] | None:
    """The states of each step from the start; None where they are too many, or time too short.

    They depend on the rules alone, and are kept as long as the machine is.
    """
    most = MOST_EDGES
    if budget.deadline is not None:
        pace = EDGES_A_SECOND / len(machine.initial())
        most = min(most, int(budget.seconds_left * CLOCK_SHARE * pace))
    return _KNOWN.find(machine, most, lambda: _built(machine, role, most), key=role)


@dataclass(frozen=True, slots=True)
class _Open:
    """A step before its values are known."""

    states: States
    over: NDArray[np.bool_]
    goals: Reals
    starts: Numbers
    moves: Numbers
    shares: Reals
    sights: NDArray[np.int32]
    successors: NDArray[np.int32]


def _built(machine: Machine, role: RoleId, most: int) -> list[StateLayer] | None:
    alone = FixedOpponents(machine, role)
    expander = Expander(alone, Limits(most, DEFAULT_MAX_BYTES))
    states, total = machine.initial()[None, :], 0
    layers: list[_Open] = []
    while len(states):
        over = alone.terminal_batch(states)
        try:
            choices = expander.choices(states, ~over)
        except PlayError:
            # Somewhere a role has no move: faulty rules, which need not concern this match.
            return None
        made = choices.counts.prod(axis=1, dtype=np.float64).sum()
        total += int(min(max(made, LEAST_EDGES), 2.0 * most))
        if total > most or len(layers) > DEFAULT_MAX_STEPS:
            return None
        try:
            layer = expander.expand(states, choices)
        except LimitError:
            return None
        edges = layer.edges
        goals = np.zeros(len(states))
        goals[over] = alone.goals_batch(states[over])[:, 0]
        sights = edges.sights[0]
        layers.append(
            _Open(
                states,
                over,
                goals,
                edges.starts,
                layer.sight_tables[0][:, 0].astype(np.int64)[sights] >> 1,
                _shares(edges.starts, edges.chance_counts, edges.lotteries, edges.lottery_starts),
                sights,
                edges.successors,
            )
        )
        states = layer.next_states
    return _valued(layers)


def _shares(
    starts: Numbers, counts: NDArray[np.int32], lotteries: Reals, lottery_starts: Numbers
) -> Reals:
    """(edges,) the probability of what the others do; their moves change slowest."""
    sizes = np.diff(starts)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    each = sizes // np.maximum(counts, 1)
    drawn = (np.arange(len(owners)) - starts[owners]) // np.maximum(each, 1)[owners]
    shares: Reals = lotteries[lottery_starts[owners] + drawn]
    return shares


def _valued(layers: list[_Open]) -> list[StateLayer]:
    """From the last step backwards."""
    steps: list[StateLayer] = []
    best = worst = np.empty(0)
    for layer in reversed(layers):
        own_best, own_worst = layer.goals.copy(), layer.goals.copy()
        if len(layer.moves):
            span = int(layer.moves.max()) + 1
            owners = np.repeat(np.arange(len(layer.states)), np.diff(layer.starts))
            options, inverse = np.unique(owners * span + layer.moves, return_inverse=True)
            states = options // span
            firsts = np.flatnonzero(np.diff(states, prepend=-1))
            for own, after, pick in (
                (own_best, best, np.maximum),
                (own_worst, worst, np.minimum),
            ):
                brought = np.bincount(inverse, layer.shares * after[layer.successors])
                own[states[firsts]] = pick.reduceat(brought, firsts)
        best, worst = own_best, own_worst
        steps.append(
            StateLayer(
                states=layer.states,
                over=layer.over,
                best=best,
                worst=worst,
                starts=layer.starts,
                moves=layer.moves,
                shares=layer.shares,
                sights=layer.sights,
                successors=layer.successors,
            )
        )
    return steps[::-1]
