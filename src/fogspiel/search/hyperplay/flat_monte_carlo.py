"""Moves tried in every model of a bag: what HyperPlay does with the states it holds possible.

Source: Schofield, Cerexhe & Thielscher (2012), "HyperPlay: a solution to general game playing with
imperfect information", section 4: in each model a move is worth what a player that sees everything
gets, here by playouts, and models count by their probability.
Departures: all moves are tried in the same models, which takes the luck of the draw out of their
differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.machine.analysis.random_walks import random_joints
from fogspiel.machine.protocol import Machine, States
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation

Reals = NDArray[np.float64]

LARGEST_ROUND = 1 << 12
"""Playouts between two looks at the clock."""


def flat_monte_carlo(
    machine: Machine,
    role: RoleId,
    moves: Sequence[MoveId],
    bag: tuple[States, Reals],
    budget: Budget,
    seed: int,
    ending: LeafEvaluation = RANDOM_PLAYOUTS,
) -> Reals:
    """(moves,) mean goals of a role for each of its moves.

    bag: states, and how probable each is. A playout is a simulation of the budget; each move has
    at least one.
    """
    states, weights = bag
    rng = np.random.default_rng(seed)
    sums, models = np.zeros(len(moves)), 0
    left = 1 << 62 if budget.simulations is None else budget.simulations // len(moves)
    size = 1
    while models == 0 or (models < left and size > 0):
        began = budget.clock()
        count = max(1, min(size, left - models))
        rows = rng.choice(len(states), count, p=weights / weights.sum())
        goals = play_out_moves(machine, role, moves, states[rows], rng, ending, budget)
        sums += goals.sum(axis=0)
        models += count
        size = min(2 * size, max(1, LARGEST_ROUND // len(moves)))
        size = min(size, budget.fitting(count, budget.clock() - began))
    return sums / models


def play_out_moves(
    machine: Machine,
    role: RoleId,
    moves: Sequence[MoveId],
    states: States,
    rng: np.random.Generator,
    ending: LeafEvaluation = RANDOM_PLAYOUTS,
    budget: Budget | None = None,
) -> Reals:
    """(n, moves) goals of a role after each of its moves in each state, by one playout.

    budget: how much time there is for them.
    """
    starts = np.repeat(states, len(moves), axis=0)
    joints = random_joints(machine, starts, rng)
    joints[:, role] = np.tile(np.array(moves, np.int32), len(states))
    ends = machine.step_batch(starts, joints)
    goals = ended_goals(machine, ends, rng, ending, budget)
    return goals[:, role].reshape(len(states), len(moves))


def ended_goals(
    machine: Machine,
    states: States,
    rng: np.random.Generator,
    ending: LeafEvaluation = RANDOM_PLAYOUTS,
    budget: Budget | None = None,
) -> Reals:
    """(n, roles) goals of random play from states, some of which may be ends themselves."""
    goals = np.zeros((len(states), len(machine.roles)))
    over = machine.terminal_batch(states)
    goals[over] = machine.goals_batch(states[over])
    if not over.all():
        goals[~over] = ending.ends(machine)(states[~over], int(rng.integers(1 << 62)), budget)
    return goals
