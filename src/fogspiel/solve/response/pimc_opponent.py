"""A model of opponents that average over determinizations: perfect-information Monte Carlo.

Such a player averages, over the states of its information set, the values of its moves with perfect
information. Its decisions are computed here for all information sets at once, on the graph of
states with the observations of roles (`machine/wrappers/observation_multiset`): forwards, the
probability of each state under uniform random play; backwards, its value for every player with
perfect information; and then, for all states of an information set together, the values of moves.

Source: Edelkamp, Federholzner & Kissmann (2012), whose player searches so; Frank & Basin (1998),
Artificial Intelligence 100, for what such a player overlooks.
Departures: a search explores, the more so the fewer of its simulations come to a state, so that its
means are not those of best play; here all play uniformly at random with a probability that grows
with the number of steps from the decision (`SLIPS`). Two of its searches differ, so that moves of
similar value have similar probabilities (`SPREAD`). Both were fitted to 484 decisions of TIIGR in
latent tic-tac-toe, with 20,000 simulations each. Where moves are simultaneous, each player takes
the others for playing uniformly at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.limits import DEFAULT_MAX_BYTES, SizeLimits, too_large
from fogspiel.core.native import native
from fogspiel.core.terms import RoleId
from fogspiel.machine.expander import Expander, JointEdges
from fogspiel.machine.knowledge import Keys
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, States
from fogspiel.machine.wrappers.wrapper import ObservationMultiset

SLIPS = (0.4, 0.6, 0.8, 1.0)
"""Probabilities of uniform random play one step after a decision, two, three, and from there on."""
SPREAD = 0.015
"""The part of the range of goals by which a move must be worse to be 1/e times as probable."""
LEAST_PROBABILITY = 0.02
"""A move that is less probable is left out: what follows it would take as long as all else."""

Counts = NDArray[np.int32]  #: (n, players) legal moves; 0 where play does not go on
Reals = NDArray[np.float64]


@dataclass(slots=True)
class _Step:
    """The different states of a step, and their successors."""

    states: States
    masses: Reals  #: (n,) the probability of each under uniform random play
    ends: Reals  #: (n, players) goals where the game is over, else 0
    counts: Counts
    edges: JointEdges | None  #: None where nothing goes on
    going: NDArray[np.int64]  #: The states in which play goes on
    legal: list[NDArray[np.bool_]]  #: (going, moves) legality, for each player


class PimcOpponent:
    """The behaviour of such opponents, on the states of an `ObservationMultiset`."""

    def __init__(
        self,
        machine: ObservationMultiset,
        *,
        max_rows: int,
        max_bytes: int = DEFAULT_MAX_BYTES,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Compute all decisions.

        max_rows: states in which play goes on. progress: called with their number so far.
        Raises `LimitError` TRE001 where there are more.
        """
        self._machine = machine
        budget = SizeLimits(max_rows, max_bytes)
        # The memories of roles hold their observations already.
        expander = Expander(machine, budget, bare=True)
        self._players = expander.players
        steps = _forwards(machine, expander, budget, progress)
        self.rows = budget.nodes
        """The number of states in which play goes on."""
        ends = np.concatenate([step.ends[~step.counts.any(axis=1)] for step in steps])
        self._width = SPREAD * max(1.0, float(np.ptp(ends)))
        self._tables = self._decided(steps)

    def __call__(self, role: RoleId, states: States, legal: NDArray[np.bool_]) -> Reals:
        """(n, moves) probabilities; uniform for unknown memories."""
        keys, chosen = self._tables[role]
        found: Reals = legal / legal.sum(axis=1, keepdims=True)
        if len(keys):
            memories = self._machine.memories(states, role)
            places = np.minimum(np.searchsorted(keys, memories), len(keys) - 1)
            known = keys[places] == memories
            found[known] = chosen[places[known]]
        return found

    def _decided(self, steps: list[_Step]) -> dict[RoleId, tuple[Keys, Reals]]:
        """The memories of each role, ascending, and (n, moves) the probabilities of its moves."""
        found: dict[RoleId, list[tuple[Keys, Reals]]] = {role: [] for role in self._players}
        values = np.empty((0, len(SLIPS), len(self._players)))
        for step in reversed(steps):
            if step.edges is None:
                values = np.repeat(step.ends[:, None, :], len(SLIPS), axis=1)
                continue
            move_values, values = _judged(step, step.edges, values)
            for at, role in enumerate(self._players):
                found[role].append(self._choices(step, at, role, move_values[:, at]))
        return {role: _sorted(own) for role, own in found.items()}

    def _choices(self, step: _Step, at: int, role: RoleId, values: Reals) -> tuple[Keys, Reals]:
        """The memories of a role in a step where it has a choice, and its mixed actions.

        values: (n, moves) of states, in the order of their legal moves.
        """
        rows = np.flatnonzero(step.counts[:, at] > 1)
        memories = self._machine.memories(step.states[rows], role)
        keys, firsts, inverse = np.unique(memories, return_index=True, return_inverse=True)
        means = np.zeros((len(keys), values.shape[1]))
        _add_up(values, step.masses, rows, inverse, means)
        means /= np.bincount(inverse, step.masses[rows], len(keys))[:, None]
        legal = step.legal[at][np.searchsorted(step.going, rows[firsts])]
        spread = np.full(legal.shape, -np.inf)
        is_move = np.arange(values.shape[1]) < step.counts[rows[firsts], at, None]
        spread[legal] = means[is_move]
        spread -= spread.max(axis=1, keepdims=True, initial=-np.inf)
        chosen = np.exp(spread / self._width)
        chosen /= chosen.sum(axis=1, keepdims=True)
        chosen[chosen < LEAST_PROBABILITY] = 0.0
        return keys, chosen / chosen.sum(axis=1, keepdims=True)


def _forwards(
    machine: ObservationMultiset,
    expander: Expander,
    budget: SizeLimits,
    progress: Callable[[int], None] | None,
) -> list[_Step]:
    """All states, step by step, with their probabilities under uniform random play."""
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
    """(n, players, moves) values of moves, and (n, slips, players) values of states.

    after: the latter for the states of the next step.
    """
    players = step.counts.shape[1]
    decided = np.zeros((len(step.states), players, int(step.counts.max())))
    own = np.repeat(step.ends[:, None, :], len(SLIPS), axis=1)
    _judge(edges, step.counts, after, np.array(SLIPS), decided, own)
    return decided, own


@native
def _spread(edges: JointEdges, before: Reals, after: Reals) -> None:
    """Let all players choose uniformly at random, and chance by its weights."""
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
    """Fill in the values of moves if the others choose uniformly and all see what follows, and the
    values of states if all take their best move but for slips.

    A step later the next slip holds, and the last one to the end.
    after: (states of the next step, slips, players). decided: (n, players, moves) all 0 before.
    values: (n, slips, players) 0 before where play goes on.
    """
    players, last = counts.shape[1], len(slips) - 1
    own = np.zeros((len(slips), players, decided.shape[2]))
    best = np.zeros((len(slips), players), np.int64)
    for state in range(len(counts)):
        first, end = edges.starts[state], edges.starts[state + 1]
        if first == end:
            continue
        own[:] = 0.0
        _weigh(edges, counts, after, state, own)
        decided[state] = own[0]
        for slip in range(len(slips)):
            for player in range(players):
                best[slip, player] = np.argmax(own[slip, player, : counts[state, player]])
        each = (end - first) // edges.chance_counts[state]
        for edge in range(first, end):
            ahead = after[edges.successors[edge]]
            drawn = edges.lotteries[edges.lottery_starts[state] + (edge - first) // each]
            for place in range(len(slips)):
                then = min(place + 1, last)
                weight, rest = drawn, (edge - first) % each
                for player in range(players - 1, -1, -1):
                    count = counts[state, player]
                    if count == 1:
                        continue
                    taken = 1.0 - slips[place] if rest % count == best[then, player] else 0.0
                    weight *= taken + slips[place] / count
                    rest //= count
                for player in range(players):
                    values[state, place, player] += weight * ahead[then, player]


@native
def _weigh(edges: JointEdges, counts: Counts, after: Reals, state: int, values: Reals) -> None:
    """Add up the values of the moves of a state, if the others choose uniformly at random.

    values: (slips, players, moves) all 0 before.
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
            weight = drawn * count / each
            for slip in range(len(values)):
                values[slip, player, rest % count] += weight * ahead[slip, player]
            rest //= count


@native
def _add_up(
    values: Reals,
    masses: Reals,
    rows: NDArray[np.int64],
    groups: NDArray[np.int64],
    sums: Reals,
) -> None:
    """Add some rows of values to the groups that they belong to, weighted by their masses."""
    for i in range(len(rows)):
        for move in range(values.shape[1]):
            sums[groups[i], move] += values[rows[i], move] * masses[rows[i]]


def _sorted(found: list[tuple[Keys, Reals]]) -> tuple[Keys, Reals]:
    """All memories, ascending, with the mixed actions that belong to them."""
    if not found:
        return np.empty(0, np.uint64), np.empty((0, 0))
    keys = np.concatenate([memories for memories, _ in found])
    width = max(own.shape[1] for _, own in found)
    rows = np.zeros((len(keys), width))
    at = 0
    for _, own in found:
        rows[at : at + len(own), : own.shape[1]] = own
        at += len(own)
    order = np.argsort(keys)
    return keys[order], rows[order]
