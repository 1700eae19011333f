"""Bounds on belief states from the underlying MDP: the values of a fully informed role.

The role knows less than the state, so that the value of a belief is at most the mean of its states'
values to a fully informed player, and at least the mean of their values under the worst moves. All
other roles play uniformly at random, as part of chance.

Source: for the bound from above, Littman, Cassandra & Kaelbling (1995), ICML, and Hauskrecht
(2000), JAIR 13, section 4.1 (the MDP approximation).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import LimitError, PlayError
from fogspiel.core.kernels.rows import distinct_rows, stacked
from fogspiel.core.limits import DEFAULT_MAX_BYTES
from fogspiel.core.limits import SizeLimits as Limits
from fogspiel.core.terms import RoleId
from fogspiel.machine.expander import Expander
from fogspiel.machine.memo import Attempts
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, States
from fogspiel.machine.wrappers.fixed_opponents import FixedOpponents

MOST_EDGES = 1_000_000  #: Joint moves of all states together; more take too much time
EDGES_A_SECOND = 1_000_000
"""Joint moves followed in a second where a state has one word: a third of what was measured on
mastermind."""
LEAST_EDGES = 1_000
"""Joint moves that a step counts for at least: a game without end has few states, again and
again."""
CLOCK_SHARE = 0.3  #: Share of the time before the first move

Numbers = NDArray[np.int64]  #: (n,)
Reals = NDArray[np.float64]  #: (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLayer:
    """The different states that play can reach in some number of steps, and their successors."""

    states: States
    over: NDArray[np.bool_]  #: (states,) whether the game ends there
    best: Reals
    """(states,) the expected goal of a fully informed role that plays as well as it can."""
    worst: Reals  #: (states,) the same of one that plays as badly as it can
    starts: Numbers  #: (states + 1,) the edges of a state
    moves: Numbers  #: (edges,) moves of the role
    probabilities: Reals  #: (edges,) probabilities of the others' moves
    observations: NDArray[np.int32]  #: (edges,) numbers of what the role did and saw
    successors: NDArray[np.int32]  #: (edges,) states of the next step

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


def _built(machine: Machine, role: RoleId, most: int) -> list[StateLayer] | None:
    alone = FixedOpponents(machine, role)
    expander = Expander(alone, Limits(most, DEFAULT_MAX_BYTES))
    states, total = machine.initial()[None, :], 0
    layers: list[StateLayer] = []
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
        seen = edges.observations[0]
        layers.append(
            StateLayer(
                states=states,
                over=over,
                best=goals,
                worst=goals.copy(),
                starts=edges.starts,
                moves=layer.observation_tables[0][:, 0].astype(np.int64)[seen] >> 1,
                probabilities=_probabilities(
                    edges.starts, edges.chance_counts, edges.lotteries, edges.lottery_starts
                ),
                observations=seen,
                successors=edges.successors,
            )
        )
        states = layer.next_states
    for here, after in reversed(list(pairwise(layers))):
        _back_up(here, after)
    return layers


def _probabilities(
    starts: Numbers, counts: NDArray[np.int32], lotteries: Reals, lottery_starts: Numbers
) -> Reals:
    """(edges,) probabilities of the others' moves, which change slowest."""
    sizes = np.diff(starts)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    each = sizes // np.maximum(counts, 1)
    drawn = (np.arange(len(owners)) - starts[owners]) // np.maximum(each, 1)[owners]
    probabilities: Reals = lotteries[lottery_starts[owners] + drawn]
    return probabilities


def _back_up(here: StateLayer, after: StateLayer) -> None:
    """Fill in the values of states from those of the next step."""
    if not len(here.moves):
        return
    span = int(here.moves.max()) + 1
    owners = np.repeat(np.arange(len(here.states)), np.diff(here.starts))
    options, inverse = np.unique(owners * span + here.moves, return_inverse=True)
    states = options // span
    firsts = np.flatnonzero(np.diff(states, prepend=-1))
    for own, later, pick in (
        (here.best, after.best, np.maximum),
        (here.worst, after.worst, np.minimum),
    ):
        means = np.bincount(inverse, here.probabilities * later[here.successors])
        own[states[firsts]] = pick.reduceat(means, firsts)
