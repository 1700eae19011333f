"""How good moves look to someone who looks one step ahead.

Source: Richards (2012), section 5.3, algorithm 5.1 (SDPOG) with random playouts as the heuristic
evaluation function, as in his experiments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import MoveId, RoleId
from fogspiel.machine.protocol import Machine, State, States

PLAYOUTS = 16
BEST_WITHIN = 1e-9
"""Moves whose values differ by less, relative to the largest, are equally good."""


class StateEvaluation(Protocol):
    """What a state is worth, by a rule of thumb."""

    def __call__(self, machine: Machine, states: States) -> NDArray[np.float64]:
        """(n, roles) an estimate of the goals of all roles."""


class PlayoutValue:
    """Mean goals of random playouts."""

    def __init__(self, count: int = PLAYOUTS, seed: int = 0) -> None:
        self.count = count
        self.seed = seed

    def __call__(self, machine: Machine, states: States) -> NDArray[np.float64]:
        """(n, roles) means; of terminal states, the goals themselves."""
        values = machine.goals_batch(states).astype(np.float64)
        going = np.flatnonzero(~machine.terminal_batch(states))
        if len(going):
            played = machine.playouts(states[going], seed=self.seed, count=self.count)
            values[going] = played.goal_sums / np.maximum(played.counts, 1)[:, None]
        return values


def values_of_moves(
    machine: Machine, state: State, role: RoleId, evaluation: StateEvaluation
) -> dict[MoveId, NDArray[np.float64]]:
    """(roles,) for each move of a role: the mean value of where it leads.

    Others choose evenly, chance by its weights.
    """
    expansion = machine.expand(state)
    values = evaluation(machine, expansion.states)
    weights = np.ones(len(values))
    for other in map(RoleId, range(len(machine.roles))):
        if other == role:
            continue
        moves = machine.legal(state, other)
        even = np.full(len(moves), 1.0 / len(moves))
        shares = machine.chance_weights(state) if other == machine.chance_role else even
        weights *= shares[np.searchsorted(moves, expansion.joints[:, other])]
    made = expansion.joints[:, role]
    return {
        move: (weights[made == move, None] * values[made == move]).sum(axis=0)
        for move in machine.legal(state, role)
    }


def best(values: Mapping[MoveId, float], slip: float) -> dict[MoveId, float]:
    """A distribution on the moves of the largest value; a part `slip` of it on all, evenly."""
    top = max(values.values())
    margin = BEST_WITHIN * max(1.0, abs(top))
    chosen = [move for move, value in values.items() if value >= top - margin]
    shares = dict.fromkeys(values, slip / len(values))
    for move in chosen:
        shares[move] += (1.0 - slip) / len(chosen)
    return shares
