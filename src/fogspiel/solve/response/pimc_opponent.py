"""What opponents do that search the states they hold possible as if everybody saw everything.

Such a player takes the mean over those states of what its moves are worth with nothing hidden. What
it would do is computed here for all that it may know, at once, on the graph of states that also
hold what roles remember (`machine/wrappers/observation_multiset`): forwards, how probable even
choice makes each state; backwards, what it is worth to everybody if all see it; and then, for all
states together that a role cannot tell apart, what its moves are worth to it.

Source: Edelkamp, Federholzner & Kissmann (2012), whose player searches so; Frank & Basin (1998),
Artificial Intelligence 100, for what such a player overlooks.
Departures: a search explores, the more so the fewer of its simulations come to a state, so that the
means of what it saw are not those of best play; here all choose evenly with a probability that
grows with the number of steps from the decision (`SLIPS`). Two of its searches differ, so that
moves about as good are about as probable (`SPREAD`). Both were fitted to what TIIGR did in 484
decisions in latent tic-tac-toe, with 20,000 simulations each. Where roles move at once, each takes
the others for choosing evenly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.ids import RoleId
from fogspiel.core.limits import DEFAULT_MAX_BYTES, SizeLimits, too_large
from fogspiel.core.native import native
from fogspiel.machine.expander import Expander, JointEdges
from fogspiel.machine.knowledge import Keys
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, States
from fogspiel.machine.wrappers.wrapper import ObservationMultiset

SLIPS = (0.4, 0.6, 0.8, 1.0)
"""How often all choose evenly one step after a decision, two, three, and from there to the end."""
SPREAD = 0.015
"""By how much of all that can be won a move must be worse to be 1/e as probable."""
LEAST_SHARE = 0.02
"""A move that is less probable is left out: what follows from it would take as long as all else."""

Counts = NDArray[np.int32]
"""(n, players) legal moves; 0 where play does not go on."""
Reals = NDArray[np.float64]


@dataclass(slots=True)
class _Step:
    """The different states of a step, and how they go on."""

    states: States
    masses: Reals
    """(n,) how probable even choice makes each."""
    ends: Reals
    """(n, players) goals where the game is over, else 0."""
    counts: Counts
    edges: JointEdges | None
    """None where nothing goes on."""
    going: NDArray[np.int64]
    """The states in which play goes on."""
    legal: list[NDArray[np.bool_]]
    """Of each player (going, moves)."""


class PimcOpponent:
    """Implements `Behaviour`, on the states of a remembering machine."""

    def __init__(
        self,
        machine: ObservationMultiset,
        *,
        max_rows: int,
        max_bytes: int = DEFAULT_MAX_BYTES,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """max_rows: states in which play goes on. progress: called with their number so far.

        Raises `LimitError` TRE001 where there are more.
        """
        self._machine = machine
        budget = SizeLimits(max_rows, max_bytes)
        # What roles see stands in their memories already.
        expander = Expander(machine, budget, bare=True)
        self._players = expander.players
        steps = _forwards(machine, expander, budget, progress)
        self.rows = budget.nodes
        """States in which play goes on."""
        ends = np.concatenate([step.ends[~step.counts.any(axis=1)] for step in steps])
        self._width = SPREAD * max(1.0, float(np.ptp(ends)))
        self._tables = self._decided(steps)

    def __call__(self, role: RoleId, states: States, legal: NDArray[np.bool_]) -> Reals:
        """(n, moves) probabilities; even ones where nothing is known."""
        keys, shares = self._tables[role]
        found: Reals = legal / legal.sum(axis=1, keepdims=True)
        if len(keys):
            memories = self._machine.memories(states, role)
            places = np.minimum(np.searchsorted(keys, memories), len(keys) - 1)
            known = keys[places] == memories
            found[known] = shares[places[known]]
        return found

    def _decided(self, steps: list[_Step]) -> dict[RoleId, tuple[Keys, Reals]]:
        """For each role all that it may know, ascending, and (n, moves) what it then does."""
        memories: dict[RoleId, list[Keys]] = {role: [] for role in self._players}
        shares: dict[RoleId, list[Reals]] = {role: [] for role in self._players}
        values = np.empty((0, len(SLIPS), len(self._players)))
        for step in reversed(steps):
            if step.edges is None:
                values = np.repeat(step.ends[:, None, :], len(SLIPS), axis=1)
                continue
            worth, values = _judged(step, step.edges, values)
            for at, role in enumerate(self._players):
                keys, chosen = self._choices(step, at, role, worth[:, at])
                memories[role].append(keys)
                shares[role].append(chosen)
        return {role: _sorted(memories[role], shares[role]) for role in self._players}

    def _choices(self, step: _Step, at: int, role: RoleId, worth: Reals) -> tuple[Keys, Reals]:
        """What a role may know in a step where it has a choice, and what it then does.

        worth: (n, moves) of states, in the order of their legal moves.
        """
        rows = np.flatnonzero(step.counts[:, at] > 1)
        memories = self._machine.memories(step.states[rows], role)
        keys, firsts, inverse = np.unique(memories, return_index=True, return_inverse=True)
        means = np.zeros((len(keys), worth.shape[1]))
        _add_up(worth, step.masses, rows, inverse, means)
        means /= np.bincount(inverse, step.masses[rows], len(keys))[:, None]
        legal = step.legal[at][np.searchsorted(step.going, rows[firsts])]
        spread = np.full(legal.shape, -np.inf)
        is_move = np.arange(worth.shape[1]) < step.counts[rows[firsts], at, None]
        spread[legal] = means[is_move]
        spread -= spread.max(axis=1, keepdims=True, initial=-np.inf)
        shares = np.exp(spread / self._width)
        shares /= shares.sum(axis=1, keepdims=True)
        shares[shares < LEAST_SHARE] = 0.0
        return keys, shares / shares.sum(axis=1, keepdims=True)


def _forwards(
    machine: ObservationMultiset,
    expander: Expander,
    budget: SizeLimits,
    progress: Callable[[int], None] | None,
) -> list[_Step]:
    """All states, step by step, with how probable even choice makes them."""
    players = list(expander.players)
    states, masses = machine.initial()[None, :], np.ones(1)
    steps: list[_Step] = []
    while len(states):
        if len(steps) > DEFAULT_MAX_STEPS:
            raise too_large(budget.max_nodes)
        over = machine.terminal_batch(states)
        budget.take_nodes(int((~over).sum()))
        ends = np.zeros((len(states), len(players)))
        ends[over] = machine.goals_batch(states[over])[:, players]
        counts = np.zeros(ends.shape, np.int32)
        step = _Step(states, masses, ends, counts, None, np.empty(0, np.int64), [])
        steps.append(step)
        if over.all():
            break
        choices = expander.choices(states, ~over)
        layer = expander.expand(states, choices)
        step.counts = np.ascontiguousarray(choices.counts[:, expander.has_chance :])
        step.edges = layer.edges
        step.going, step.legal = choices.rows, choices.legal[expander.has_chance :]
        masses = np.zeros(len(layer.next_states))
        _spread(layer.edges, step.masses, masses)
        states = layer.next_states
        if progress is not None:
            progress(budget.nodes)
    return steps


def _judged(step: _Step, edges: JointEdges, after: Reals) -> tuple[Reals, Reals]:
    """(n, players, moves) what moves are worth, and (n, slips, players) what states are.

    after: the latter for the states of the next step.
    """
    players = step.counts.shape[1]
    decided = np.zeros((len(step.states), players, int(step.counts.max())))
    own = np.repeat(step.ends[:, None, :], len(SLIPS), axis=1)
    _judge(edges, step.counts, after, np.array(SLIPS), decided, own)
    return decided, own


@native
def _spread(
    edges: JointEdges,
    before: Reals,
    after: Reals,
) -> None:
    """Let all choose evenly, and chance by its weights."""
    starts, successors, lotteries = edges.starts, edges.successors, edges.lotteries
    for state in range(len(before)):
        first, end = starts[state], starts[state + 1]
        each = (end - first) // edges.chance_counts[state] if end > first else 1
        for edge in range(first, end):
            drawn = lotteries[edges.lottery_starts[state] + (edge - first) // each]
            after[successors[edge]] += before[state] * drawn / each


@native
def _judge(
    edges: JointEdges, counts: Counts, after: Reals, slips: Reals, decided: Reals, values: Reals
) -> None:
    """Find what moves are worth if the others choose evenly and all see what follows, and what
    states are worth if all take their best move but for slips.

    A step further on the next slip holds, and the last one to the end.
    after: (states of the next step, slips, players). decided: (n, players, moves) all 0 before.
    values: (n, slips, players) 0 before where play goes on.
    """
    players, last = counts.shape[1], len(slips) - 1
    worth = np.zeros((len(slips), players, decided.shape[2]))
    best = np.zeros((len(slips), players), np.int64)
    for state in range(len(counts)):
        first, end = edges.starts[state], edges.starts[state + 1]
        if first == end:
            continue
        worth[:] = 0.0
        _weigh(edges, counts, after, state, worth)
        decided[state] = worth[0]
        for slip in range(len(slips)):
            for player in range(players):
                best[slip, player] = np.argmax(worth[slip, player, : counts[state, player]])
        each = (end - first) // edges.chance_counts[state]
        for edge in range(first, end):
            ahead = after[edges.successors[edge]]
            drawn = edges.lotteries[edges.lottery_starts[state] + (edge - first) // each]
            for place in range(len(slips)):
                then = min(place + 1, last)
                share, rest = drawn, (edge - first) % each
                for player in range(players - 1, -1, -1):
                    count = counts[state, player]
                    if count == 1:
                        continue
                    taken = 1.0 - slips[place] if rest % count == best[then, player] else 0.0
                    share *= taken + slips[place] / count
                    rest //= count
                for player in range(players):
                    values[state, place, player] += share * ahead[then, player]


@native
def _weigh(edges: JointEdges, counts: Counts, after: Reals, state: int, worth: Reals) -> None:
    """Add up what the moves of a state are worth, if the others choose evenly.

    worth: (slips, players, moves) all 0 before.
    """
    first, end = edges.starts[state], edges.starts[state + 1]
    each = (end - first) // edges.chance_counts[state]
    for edge in range(first, end):
        ahead = after[edges.successors[edge]]
        drawn = edges.lotteries[edges.lottery_starts[state] + (edge - first) // each]
        rest = (edge - first) % each
        for player in range(counts.shape[1] - 1, -1, -1):
            count = counts[state, player]
            if count == 1:
                continue
            share = drawn * count / each
            for slip in range(len(worth)):
                worth[slip, player, rest % count] += share * ahead[slip, player]
            rest //= count


@native
def _add_up(
    worth: Reals,
    masses: Reals,
    rows: NDArray[np.int64],
    groups: NDArray[np.int64],
    sums: Reals,
) -> None:
    """Add up some rows in the groups that they belong to, each by its mass."""
    for i in range(len(rows)):
        for move in range(worth.shape[1]):
            sums[groups[i], move] += worth[rows[i], move] * masses[rows[i]]


def _sorted(memories: list[Keys], shares: list[Reals]) -> tuple[Keys, Reals]:
    """All rows, by what is remembered."""
    if not memories:
        return np.empty(0, np.uint64), np.empty((0, 0))
    keys = np.concatenate(memories)
    width = max(own.shape[1] for own in shares)
    rows = np.zeros((len(keys), width))
    at = 0
    for own in shares:
        rows[at : at + len(own), : own.shape[1]] = own
        at += len(own)
    order = np.argsort(keys)
    return keys[order], rows[order]
