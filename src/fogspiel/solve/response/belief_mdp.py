"""The exact best response to opponents whose behaviour depends on the state alone.

Opponents that play uniformly at random are the simplest example. Only the probabilities of states
matter to the role: two histories with the same probabilities are one. So the game of one player
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
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.kernels.words import folded
from fogspiel.core.limits import DEFAULT_MAX_BYTES, SizeLimits, too_large
from fogspiel.core.native import native
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.expander import ExpandedLayer, Expander, JointEdges
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, States
from fogspiel.machine.wrappers.fixed_opponents import Behaviour, FixedOpponents, uniform_policy

DEFAULT_MAX_ROWS = 20_000_000  #: Rows of beliefs, a state each, over all steps
CLOSE = 1e-9  #: Difference below which two values count as equal
ROW_BYTES = 120  #: Memory of a row while the beliefs of a step are compared
LISTED_BYTES = 3_000
"""Memory that takes as long to fill as listing a joint move of the others by itself."""

Numbers = NDArray[np.int64]  #: (n,)
Reals = NDArray[np.float64]  #: (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestAnswer:
    """The value of a best response, and of each first move."""

    value: float  #: The expected goal, divided by the scale of the machine
    beliefs: int  #: The number of different beliefs that can be reached, over all steps
    rows: int  #: The number of states in all of them together
    moves: Mapping[MoveId, float]  #: The value of each first move, followed by a best response

    @property
    def move(self) -> MoveId:
        """The first of the best moves, whatever rounding does to equals."""
        best = max(self.moves.values())
        return next(move for move, value in self.moves.items() if value >= best - CLOSE)


@dataclass(slots=True)
class _Beliefs:
    """The different beliefs of one step: probabilities of states, by belief, then state."""

    owners: Numbers  #: (rows,) the belief
    states: Numbers  #: (rows,)
    probabilities: Reals  #: (rows,) probabilities of states, which add up to 1 in a belief
    count: int


@dataclass(slots=True)
class _Step:
    """The transitions of beliefs in a step: a view is a belief, a move and an observation."""

    ended: Reals  #: (beliefs,) goals in states that end the game, weighted by their probability
    parents: Numbers  #: (views,) the belief before
    moves: Numbers  #: (views,) the role's move
    masses: Reals  #: (views,) the probability of the observation, given the move
    children: Numbers  #: (views,) the belief in the next step
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
    """A best response to opponents of known behaviour, by default uniform random play.

    start: the present belief: different states, and their probabilities; by default the initial
    state.
    max_bytes: memory of a step, in which all rows are held before equal ones are joined.
    progress: called after each step with the number of rows so far.
    Raises `LimitError` TRE001 beyond the limit.
    """
    alone = FixedOpponents(machine, role, behaviour)
    budget = SizeLimits(max_rows, max_bytes)
    expander = Expander(alone, budget)
    states, weights = start or (machine.initial()[None, :], np.ones(1))
    beliefs = _Beliefs(np.zeros(len(states), np.int64), np.arange(len(states)), weights, 1)
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
    value, moves = _values(steps)
    return BestAnswer(
        value=value / machine.goal_scale,
        beliefs=total,
        rows=budget.nodes,
        moves={MoveId(move): own / machine.goal_scale for move, own in moves.items()},
    )


def _step(
    alone: FixedOpponents, expander: Expander, states: States, beliefs: _Beliefs, budget: SizeLimits
) -> tuple[_Step, _Beliefs, States]:
    """The transitions of some beliefs, the different beliefs that follow, and their states."""
    over = alone.terminal_batch(states)
    goals = np.zeros(len(states))
    goals[over] = alone.goals_batch(states[over])[:, 0]
    ended = _sums(beliefs.owners, beliefs.probabilities * goals[beliefs.states], beliefs.count)
    going = ~over[beliefs.states]
    none = np.empty(0, np.int64)
    if not going.any():
        step = _Step(ended, none, none, np.empty(0), none, beliefs.count)
        return step, _Beliefs(none, none, np.empty(0), 0), states[:0]
    layer = expander.expand(states, expander.choices(states, ~over))
    rows = beliefs.owners[going], beliefs.states[going], beliefs.probabilities[going]
    total = int(np.diff(layer.edges.starts)[rows[1]].sum())
    budget.need_bytes(total * ROW_BYTES)
    views, after, masses = (
        np.empty((total, 2), np.uint64),
        np.empty(total, np.int64),
        np.empty(total),
    )
    _follow(layer.edges, rows, views, after, masses)
    return _told_apart(layer, views, after, masses, ended, beliefs.count)


@native
def _follow(
    edges: JointEdges,
    rows: tuple[Numbers, Numbers, Reals],
    views: NDArray[np.uint64],
    after: Numbers,
    masses: Reals,
) -> None:
    """Fill in the rows after a step.

    rows: the belief, the state and the probability of each row before.
    views: (n, 2) the belief before, and the observation. after: (n,) the state.
    masses: (n,) the probability.
    """
    owners, places, probabilities = rows
    at = 0
    for row in range(len(owners)):
        state = places[row]
        first, end = edges.starts[state], edges.starts[state + 1]
        each = (end - first) // edges.chance_counts[state]
        for edge in range(first, end):
            drawn = edges.lottery_starts[state] + (edge - first) // each
            views[at, 0] = owners[row]
            views[at, 1] = edges.observations[0, edge]
            after[at] = edges.successors[edge]
            masses[at] = probabilities[row] * edges.lotteries[drawn]
            at += 1


def _told_apart(
    layer: ExpandedLayer,
    views: NDArray[np.uint64],
    after: Numbers,
    masses: Reals,
    ended: Reals,
    count: int,
) -> tuple[_Step, _Beliefs, States]:
    """The transitions of a step, and the beliefs that follow, equal ones joined."""
    firsts, view = distinct_rows(views)
    # Rows by view, then state, with equal ones added up.
    keys, inverse = np.unique(view * len(layer.next_states) + after, return_inverse=True)
    weights = _sums(inverse, masses, len(keys))
    owners, states = keys // len(layer.next_states), keys % len(layer.next_states)
    totals = _sums(owners, weights, len(firsts))
    probabilities = weights / totals[owners]
    starts = np.searchsorted(owners, np.arange(len(firsts) + 1))
    hashes = _hashes(starts, states, rounded(probabilities))
    originals, children = distinct_rows(hashes)
    moves = layer.observation_tables[0][views[firsts, 1].astype(np.int64), 0].astype(np.int64) >> 1
    step = _Step(ended, views[firsts, 0].astype(np.int64), moves, totals, children, count)
    kept = np.zeros(len(firsts), np.bool_)
    kept[originals] = True
    rows = kept[owners]
    new = np.cumsum(kept) - 1
    following = _Beliefs(new[owners[rows]], states[rows], probabilities[rows], len(originals))
    return step, following, layer.next_states


@native
def _hashes(starts: Numbers, states: Numbers, probabilities: Numbers) -> NDArray[np.uint64]:
    """(beliefs, 2) two hashes of 64 bits of all rows of each, so that no two agree by chance."""
    hashes = np.empty((len(starts) - 1, 2), np.uint64)
    for belief in range(len(starts) - 1):
        one, other = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)
        for row in range(starts[belief], starts[belief + 1]):
            for word in (np.uint64(states[row]), np.uint64(probabilities[row])):
                one = folded(one, word)
                other = (other + word) * np.uint64(0xD6E8FEB86659FD93)
                other ^= other >> np.uint64(29)
        hashes[belief, 0], hashes[belief, 1] = one, other
    return hashes


def _values(steps: list[_Step]) -> tuple[float, dict[int, float]]:
    """The values of the first belief and of its moves, by backward induction over beliefs."""
    values, moves = np.empty(0), dict[int, float]()
    for step in reversed(steps):
        own = step.ended.copy()
        if len(step.parents):
            span = int(step.moves.max()) + 1
            choices, inverse = np.unique(step.parents * span + step.moves, return_inverse=True)
            means = _sums(inverse, step.masses * values[step.children], len(choices))
            parents = choices // span
            starts = np.flatnonzero(np.diff(parents, prepend=-1))
            own[parents[starts]] += np.maximum.reduceat(means, starts)
            if step is steps[0]:
                moves = dict(zip((choices % span).tolist(), means.tolist(), strict=True))
        values = own
    return float(values[0]), moves


def _sums(groups: Numbers, amounts: Reals, count: int) -> Reals:
    """(count,) the sum of the amounts of each group."""
    sums: Reals = np.bincount(groups, amounts, count).astype(np.float64)
    return sums
