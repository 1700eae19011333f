"""The best answer to opponents whose behaviour depends on the state alone, exactly.

Opponents that choose evenly are the plainest of them. All that matters to the role is how probable
each state is: two pasts that lead to the same probabilities are one. So the game of one player
becomes a graph of beliefs, step by step, far smaller than its tree, and from the last step back
every belief takes its best move. This is the finite-horizon solution of a POMDP by its reachable
beliefs (Kaelbling, Littman & Cassandra 1998, Artificial Intelligence 101).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.protocol import rounded
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.kernels.distinct_rows import distinct_rows
from fogspiel.core.kernels.hashing import folded
from fogspiel.core.limits import DEFAULT_MAX_BYTES, SizeLimits, too_large
from fogspiel.core.native import native
from fogspiel.machine.expander import ExpandedLayer, Expander
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, States
from fogspiel.machine.wrappers.fixed_opponents import Behaviour, FixedOpponents, uniform_policy

DEFAULT_MAX_ROWS = 20_000_000
"""States of beliefs, over all steps."""
CLOSE = 1e-9
"""Values that differ by less are the same."""
ROW_BYTES = 120
"""While the beliefs of a step are told apart."""
LISTED_BYTES = 3_000
"""For a joint move of the others that is listed by itself: it takes as long as so much."""

Numbers = NDArray[np.int64]
"""(n,)"""
Reals = NDArray[np.float64]
"""(n,)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestAnswer:
    """What a role gets at best."""

    value: float
    """Goals, divided by the scale of the machine."""
    beliefs: int
    """Different beliefs that can come up, over all steps."""
    rows: int
    """States in all of them together."""
    moves: Mapping[MoveId, float]
    """What each first move is worth, if the role goes on as well as it can."""

    @property
    def move(self) -> MoveId:
        """The first of the best, whatever rounding says about equals."""
        best = max(self.moves.values())
        return next(move for move, worth in self.moves.items() if worth >= best - CLOSE)


@dataclass(slots=True)
class _Beliefs:
    """Different beliefs of one step: probabilities of states, by belief, then state."""

    owners: Numbers
    """(rows,) the belief."""
    states: Numbers
    """(rows,)"""
    shares: Reals
    """(rows,) those of a belief add up to 1."""
    count: int


@dataclass(slots=True)
class _Step:
    """How the beliefs of a step go on."""

    ended: Reals
    """(beliefs,) what is won in states that end the game, by their probability."""
    parents: Numbers
    """(views,) the belief, where the role made a move and saw something."""
    moves: Numbers
    """(views,) the move."""
    masses: Reals
    """(views,) how probable it is to see this, given the move."""
    children: Numbers
    """(views,) the belief in the next step."""
    count: int


def solve_belief_mdp(
    machine: Machine,
    role: RoleId,
    behaviour: Behaviour = uniform_policy,
    *,
    start: tuple[States, Reals] | None = None,
    max_rows: int = DEFAULT_MAX_ROWS,
    max_bytes: int = DEFAULT_MAX_BYTES,
    progress: Callable[[int], None] | None = None,
) -> BestAnswer:
    """What a role can get against opponents that behave in a known way, evenly if not said.

    start: what it holds possible now: different states, and their probabilities; by default the
    beginning of play.
    max_bytes: that a step may take; all rows that follow are held before equal ones are joined.
    progress: called after each step with the number of rows so far.
    Raises `LimitError` TRE001 beyond the limit.
    """
    alone = FixedOpponents(machine, role, behaviour)
    budget = SizeLimits(max_rows, max_bytes)
    expander = Expander(alone, budget)
    states, shares = start or (machine.initial()[None, :], np.ones(1))
    beliefs = _Beliefs(np.zeros(len(states), np.int64), np.arange(len(states)), shares, 1)
    steps: list[_Step] = []
    total = 0
    while beliefs.count:
        if len(steps) > DEFAULT_MAX_STEPS:
            raise too_large(max_rows)
        budget.take_nodes(len(beliefs.owners))
        total += beliefs.count
        budget.need_bytes(LISTED_BYTES * alone.lotteries(states))
        step, beliefs, states = _step(alone, expander, states, beliefs, budget)
        steps.append(step)
        if progress is not None:
            progress(budget.nodes)
    value, worth = _values(steps)
    return BestAnswer(
        value=value / machine.goal_scale,
        beliefs=total,
        rows=budget.nodes,
        moves={MoveId(move): own / machine.goal_scale for move, own in worth.items()},
    )


def _step(
    alone: FixedOpponents, expander: Expander, states: States, beliefs: _Beliefs, budget: SizeLimits
) -> tuple[_Step, _Beliefs, States]:
    """How beliefs go on, the different beliefs that follow, and their states."""
    over = alone.terminal_batch(states)
    goals = np.zeros(len(states))
    goals[over] = alone.goals_batch(states[over])[:, 0]
    ended = _sums(beliefs.owners, beliefs.shares * goals[beliefs.states], beliefs.count)
    going = ~over[beliefs.states]
    owners, places = beliefs.owners[going], beliefs.states[going]
    shares = beliefs.shares[going]
    none = np.empty(0, np.int64)
    if not len(owners):
        step = _Step(ended, none, none, np.empty(0), none, beliefs.count)
        return step, _Beliefs(none, none, np.empty(0), 0), states[:0]
    layer = expander.expand(states, expander.choices(states, ~over))
    views, after, masses = _followed(layer, owners, places, shares, budget)
    return _told_apart(layer, views, after, masses, ended, beliefs.count)


def _followed(
    layer: ExpandedLayer, owners: Numbers, places: Numbers, shares: Reals, budget: SizeLimits
) -> tuple[NDArray[np.uint64], Numbers, Reals]:
    """Rows after the step: (n, 2) belief before and observation, the state, and the probability."""
    edges = layer.edges
    counts = np.diff(edges.starts)[places]
    budget.need_bytes(int(counts.sum()) * ROW_BYTES)
    total = int(counts.sum())
    views, after, masses = (
        np.empty((total, 2), np.uint64),
        np.empty(total, np.int64),
        np.empty(total),
    )
    _follow(
        owners, places, shares, edges.starts, edges.chance_counts, edges.lotteries,
        edges.lottery_starts, edges.successors, edges.observations[0], views, after, masses,
    )  # fmt: skip
    return views, after, masses


@native
def _follow(
    owners: Numbers,
    places: Numbers,
    shares: Reals,
    starts: Numbers,
    chance_counts: NDArray[np.int32],
    lotteries: Reals,
    lottery_starts: Numbers,
    successors: NDArray[np.int32],
    observations: NDArray[np.int32],
    views: NDArray[np.uint64],
    after: Numbers,
    masses: Reals,
) -> None:
    at = 0
    for row in range(len(owners)):
        state = places[row]
        first, end = starts[state], starts[state + 1]
        each = (end - first) // chance_counts[state]
        for edge in range(first, end):
            drawn = lottery_starts[state] + (edge - first) // each
            views[at, 0] = owners[row]
            views[at, 1] = observations[edge]
            after[at] = successors[edge]
            masses[at] = shares[row] * lotteries[drawn]
            at += 1


def _told_apart(
    layer: ExpandedLayer,
    views: NDArray[np.uint64],
    after: Numbers,
    masses: Reals,
    ended: Reals,
    count: int,
) -> tuple[_Step, _Beliefs, States]:
    """Make beliefs of what follows, equal ones one."""
    firsts, view = distinct_rows(views)
    # Rows by view, then state, with equal ones added up.
    keys, inverse = np.unique(view * len(layer.next_states) + after, return_inverse=True)
    weights = _sums(inverse, masses, len(keys))
    owners, states = keys // len(layer.next_states), keys % len(layer.next_states)
    totals = _sums(owners, weights, len(firsts))
    shares = weights / totals[owners]
    starts = np.searchsorted(owners, np.arange(len(firsts) + 1))
    hashes = _hashes(starts, states, rounded(shares))
    originals, children = distinct_rows(hashes)
    moves = layer.observation_tables[0][views[firsts, 1].astype(np.int64), 0].astype(np.int64) >> 1
    step = _Step(ended, views[firsts, 0].astype(np.int64), moves, totals, children, count)
    kept = np.zeros(len(firsts), np.bool_)
    kept[originals] = True
    rows = kept[owners]
    new = np.cumsum(kept) - 1
    following = _Beliefs(new[owners[rows]], states[rows], shares[rows], len(originals))
    return step, following, layer.next_states


@native
def _hashes(starts: Numbers, states: Numbers, shares: Numbers) -> NDArray[np.uint64]:
    """(beliefs, 2) of all rows of each: two hashes of 64 bits, so that no two meet by chance."""
    hashes = np.empty((len(starts) - 1, 2), np.uint64)
    for belief in range(len(starts) - 1):
        one, other = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)
        for row in range(starts[belief], starts[belief + 1]):
            for word in (np.uint64(states[row]), np.uint64(shares[row])):
                one = folded(one, word)
                other = (other + word) * np.uint64(0xD6E8FEB86659FD93)
                other ^= other >> np.uint64(29)
        hashes[belief, 0], hashes[belief, 1] = one, other
    return hashes


def _values(steps: list[_Step]) -> tuple[float, dict[int, float]]:
    """What the first belief and its moves are worth.

    Each belief takes its best move, from the last step backwards.
    """
    values, moves = np.empty(0), dict[int, float]()
    for step in reversed(steps):
        own = step.ended.copy()
        if len(step.parents):
            span = int(step.moves.max()) + 1
            choices, inverse = np.unique(step.parents * span + step.moves, return_inverse=True)
            worth = _sums(inverse, step.masses * values[step.children], len(choices))
            parents = choices // span
            starts = np.flatnonzero(np.diff(parents, prepend=-1))
            own[parents[starts]] += np.maximum.reduceat(worth, starts)
            if step is steps[0]:
                moves = dict(zip((choices % span).tolist(), worth.tolist(), strict=True))
        values = own
    return float(values[0]), moves


def _sums(groups: Numbers, amounts: Reals, count: int) -> Reals:
    """(count,) of the amounts of each group."""
    sums: Reals = np.bincount(groups, amounts, count).astype(np.float64)
    return sums
