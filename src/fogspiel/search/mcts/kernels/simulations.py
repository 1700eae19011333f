"""Simulations under way, and the orders that they follow.

`walk` goes on with all simulations by one order, which says where they begin, who learns, and how
many there may be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.kernels.words import NONE
from fogspiel.search.mcts.kernels.backup import ARM, OWNER, ROLE
from fogspiel.search.mcts.kernels.parts import step

FREE, GOES_ON, ASKS, LEAVES, STANDS = 0, 1, 2, 3, 4
"""What a simulation does: it is not begun; it goes on; it waits for the node that its joint move
leads to; it leaves the graph by that joint move; or it leaves it from the node where it stands."""
BY_NODE = -1
"""The entry of a role in `SearchOrder.columns` whose decisions are found by the node alone. Entries
from 0 on are columns of keys that simulations carry; from -2 on downwards, columns of rows of
nodes."""
MIXED, ADDED = 0, 1  #: Rules by which keys that simulations carry go on: in order, or without order

LONGEST = 256  #: Decisions of a simulation inside the tree; a longer one goes on at random

Words = NDArray[np.uint64]
Reals = NDArray[np.float64]
Indices = NDArray[np.int64]


class Simulations(NamedTuple):
    """Simulations under way."""

    states: NDArray[np.int8]  #: (n,) see `FREE`
    nodes: Indices  #: (n,) the node of each
    roots: NDArray[np.int32]  #: (n,) the root that each began in
    tags: Indices  #: (n,) the row of `SearchOrder.seats` for each
    outside: NDArray[np.bool_]  #: (n,) whether a decision was new: all moves are then drawn
    keys: Words  #: (n, carried) keys of what roles know
    picks: NDArray[np.int32]  #: (n, roles) the choice of each role, as a number among its moves
    joints: Words  #: (n,) the place of the child of that joint move, or its key
    lengths: Indices  #: (n,) decisions on the path
    idle: Indices  #: (n,) steps since the last of them
    trail: NDArray[np.int32]  #: (n, decisions, 3) see `backup.ARM`
    chances: Reals  #: (n, decisions, 2) probability of the move, and that without exploration
    learners: Indices  #: (n,) the role that learns, where only one does
    led: Indices  #: (n,) the path along which the simulation is led; NONE for none
    depths: Indices  #: (n,) steps made, where some are led
    leads: Reals
    """(n, 2) logarithm of how much less probable the led part is without leading, and 1 where the
    simulation has come to the target."""


class SearchOrder(NamedTuple):
    """An order to go on with simulations, and to begin some."""

    roots: Indices  #: (roots,) nodes in which simulations begin
    root_keys: Words  #: (roots, carried) what is known there
    tags: Indices  #: (roots,) rows of `seats`
    bounds: Reals  #: (roots,) cumulative weights; empty if roots take turns
    seats: NDArray[np.int8]  #: (tags, roles) LEARNS or DRAWN
    columns: Indices  #: (roles,) see `BY_NODE`
    combine: int  #: MIXED or ADDED
    turn: int  #: Simulations begun before
    most: int  #: Simulations to begin
    side_by_side: int  #: Simulations that may be under way
    most_steps: int  #: Steps after which none is begun: a look at the clock is due
    is_full: bool  #: Whether nothing may be added: joint moves that are new leave the graph
    plays_on: bool  #: Whether a simulation goes on through the graph where a decision was new
    observer: int
    strata: Reals
    """(roots, moves, 2) the simulations that came back through each move of the observer in each
    root, and the sum of their values; empty if roots are not told apart."""
    learning: (
        Indices  #: Roles that learn in turn, where only one learns in a simulation; else empty
    )
    paths: NDArray[np.int32]  #: (paths, steps, roles) moves along which simulations are led
    path_bounds: Reals  #: (paths,) cumulative weights
    led_share: float  #: The share of simulations that are led
    target: np.uint64  #: What the observer knows at the end of all paths
    log_total: float  #: Logarithm of the probability of all paths, if others draw their moves


def free_simulations(count: int, roles: int, carried: int) -> Simulations:
    """Room for simulations, none of which has begun."""
    return Simulations(
        states=np.full(count, FREE, np.int8),
        nodes=np.zeros(count, np.int64),
        roots=np.zeros(count, np.int32),
        tags=np.zeros(count, np.int64),
        outside=np.zeros(count, np.bool_),
        keys=np.zeros((count, carried), np.uint64),
        picks=np.zeros((count, roles), np.int32),
        joints=np.zeros(count, np.uint64),
        lengths=np.zeros(count, np.int64),
        idle=np.zeros(count, np.int64),
        trail=np.zeros((count, LONGEST + roles, 3), np.int32),
        chances=np.zeros((count, LONGEST + roles, 2)),
        learners=np.zeros(count, np.int64),
        led=np.full(count, NONE),
        depths=np.zeros(count, np.int64),
        leads=np.zeros((count, 2)),
    )


@step
def add_stratum(
    order: SearchOrder, trail: NDArray[np.int32], row: int, length: int, root: int, own: int,
    value: float,
) -> None:  # fmt: skip
    """Add the value of a simulation to those of its root and the observer's move there."""
    for at in range(min(length, order.seats.shape[1])):
        if trail[row, at, ROLE] == order.observer:
            arm = trail[row, at, ARM]
            if arm != NONE:
                pick = arm - trail[row, at, OWNER] - own
                order.strata[root, pick, 0] += 1.0
                order.strata[root, pick, 1] += value
            break


@step
def by_weight(bounds: Reals, uniform: float) -> int:
    """A row by its weight. bounds: (n,) cumulative weights"""
    sought = uniform * bounds[-1]
    low, high = 0, len(bounds) - 1
    while low < high:
        middle = (low + high) // 2
        if bounds[middle] > sought:
            high = middle
        else:
            low = middle + 1
    return low


@step
def drawn_pick(
    set_rows: Indices, bounds: Reals, move_set: int, count: np.int64, uniform: float
) -> np.int64:
    """A move drawn by its weight, as a number among those of its set."""
    first = set_rows[move_set, 1]
    if first == NONE:
        return np.int64(uniform * count)
    sought = uniform * bounds[first + count - 1]
    pick = np.int64(0)
    while pick < count - 1 and bounds[first + pick] <= sought:
        pick += 1
    return pick


@step
def pick_of(moves: NDArray[np.int32], first: np.int64, count: np.int64, move: np.int32) -> np.int64:
    """The number of a move among those of its set; the last where it is none of them."""
    pick = np.int64(0)
    while pick < count - 1 and moves[first + pick] != move:
        pick += 1
    return pick
