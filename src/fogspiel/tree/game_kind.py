"""The size of a game as part of its class: exact from its tree, or estimated without one.

Source: Knuth (1975), Estimating the efficiency of backtrack programs, Mathematics of Computation
29(129): along a random walk the product of the numbers of choices estimates, without bias, how many
nodes there are at each depth. Few walks meet the bushiest parts, so an estimate is often too low.
Departures: histories are counted one by one, where trees merge those that differ for nobody.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.machine.analysis.features import GameKind
from fogspiel.machine.analysis.random_walks import random_walks
from fogspiel.machine.protocol import Machine, States
from fogspiel.rules.efg.syntax import CHANCE
from fogspiel.tree.game_tree import GameTree

WALKS = 256
MAX_STEPS = 2_000  #: Steps of a walk; in games that need not end, walks would go on for ever
SECONDS = 5.0  #: A guard for slow machines; what was walked until then counts


def kind_of(tree: GameTree, seen: GameKind | None = None) -> GameKind:
    """The class of a game with its exact size.

    seen: what random walks showed; a tree alone does not tell simultaneous from hidden moves.
    """
    players = len(tree.players)
    chance = bool((tree.movers == CHANCE).any())
    return replace(
        seen or GameKind(players=players, chance=chance),
        chance=chance,
        payoff_sums=tuple(sorted({sum(row, Fraction(0)) for row in tree.exact_payoffs})),
        log10_nodes=math.log10(len(tree)),
        nodes=len(tree),
        leaves=len(tree.leaves),
        infosets=len(tree.infosets),
        sequences=tuple(tree.infosets.sequence_count(player) for player in range(1, players + 1)),
        depth=_depth(tree),
        perfect_information=int((tree.movers > CHANCE).sum()) == len(tree.infosets),
    )


def _depth(tree: GameTree) -> int:
    """Edges in the longest history: levels may be skipped, so they do not count."""
    depths = np.zeros(len(tree), np.int32)
    for first, end in pairwise(tree.level_starts.tolist()):
        edges = slice(tree.first_edges[first], tree.first_edges[end])
        before = np.repeat(depths[first:end], np.diff(tree.first_edges[first : end + 1]))
        np.maximum.at(depths, tree.targets[edges], before + 1)
    return int(depths.max())


def estimate_size(
    machine: Machine,
    seen: GameKind,
    *,
    walks: int = WALKS,
    seed: int = 0,
    budget: Budget | None = None,
) -> GameKind:
    """The class of a game with an estimate of its size, and the sums of payoffs that walks met.

    seen: what walks showed before, by `explore`.
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
    return replace(
        seen,
        walks=walks,
        ended=int(ended.sum()),
        log10_nodes=float(total - math.log(walks)) / math.log(10.0),
        mean_steps=float(steps.mean()),
        longest=int(steps.max()),
        payoff_sums=_sums(machine, last[ended]),
    )


def _noted(last: States, walks: NDArray[np.int64], states: States) -> States:
    """The last states of all walks, with those of some replaced; rows may have become longer."""
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
