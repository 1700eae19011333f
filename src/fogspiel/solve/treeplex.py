"""One player's side of a game: its infosets, its sequences, and the plans over them.

A treeplex is the set of all plans of a player (Hoda, Gilpin, Pena and Sandholm 2010, Mathematics
of Operations Research 35(2)). Infosets come so that earlier ones come first, and the sequences of
each stand side by side: a sweep upwards meets every sequence before those that go on from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.solve.result import Strategy
from fogspiel.tree.game_tree import Infosets

Plan = NDArray[np.float64]
"""(sequences of a player,) how probable its own actions make each; 1 for the empty one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Treeplex:
    """The infosets of one player, in the order of the tree, and how sequences lead to them."""

    player: int
    """From 1 on."""
    first_infoset: int
    """Of all infosets of the tree."""
    parents: NDArray[np.int32]
    """(own infosets,) the sequence before each."""
    firsts: NDArray[np.int32]
    """(own infosets,) the sequence that its first action makes; the others follow."""
    counts: NDArray[np.int32]
    """(own infosets,) of actions."""
    sequence_count: int

    def plan(self, strategy: Strategy) -> Plan:
        """How probable the player makes each of its sequences."""
        plan = np.empty(self.sequence_count)
        unfold_behaviour(self.parents, self.firsts, self.counts, self.behaviour(strategy), plan)
        return plan

    def behaviour(self, strategy: Strategy) -> NDArray[np.float64]:
        """(own sequences,) the probability of the last action of each; 1 for the empty one."""
        start = int(strategy.starts[self.first_infoset])
        own = strategy.probabilities[start : start + self.sequence_count - 1]
        return np.concatenate([[1.0], own])

    def best(self, values: NDArray[np.float64]) -> float:
        """The most that a plan can earn.

        values: (own sequences,) what each sequence earns by itself; overwritten by what it earns
        with the best continuation.
        """
        return float(best_value(self.parents, self.firsts, self.counts, values))


def treeplex(infosets: Infosets, player: int) -> Treeplex:
    """The side of a player, counted from 1."""
    own = slice(*infosets.starts[player - 1 : player + 1].tolist())
    return Treeplex(
        player=player,
        first_infoset=own.start,
        parents=infosets.parent_sequences[own],
        firsts=infosets.first_sequences[own],
        counts=infosets.action_counts[own],
        sequence_count=infosets.sequence_count(player),
    )


def joined(starts: NDArray[np.int64], behaviours: list[NDArray[np.float64]]) -> Strategy:
    """One strategy from what every player does, each with a 1 for its empty sequence in front."""
    own = [behaviour[1:] for behaviour in behaviours]
    return Strategy(starts=starts, probabilities=np.concatenate(own))


@native
def unfold_behaviour(
    parents: NDArray[np.int32],
    firsts: NDArray[np.int32],
    counts: NDArray[np.int32],
    behaviour: NDArray[np.float64],
    plan: NDArray[np.float64],
) -> None:
    """From what a player does at its infosets to how probable that makes its sequences."""
    plan[0] = 1.0
    for infoset in range(len(parents)):
        before = plan[parents[infoset]]
        first = firsts[infoset]
        for sequence in range(first, first + counts[infoset]):
            plan[sequence] = before * behaviour[sequence]


@native
def fold_plan(
    parents: NDArray[np.int32],
    firsts: NDArray[np.int32],
    counts: NDArray[np.int32],
    plan: NDArray[np.float64],
    behaviour: NDArray[np.float64],
) -> None:
    """The way back, for any multiple of a plan; uniform where the player itself never gets."""
    behaviour[0] = 1.0
    for infoset in range(len(parents)):
        first, count = firsts[infoset], counts[infoset]
        total = 0.0
        for sequence in range(first, first + count):
            total += plan[sequence]
        for sequence in range(first, first + count):
            behaviour[sequence] = plan[sequence] / total if total > 0.0 else 1.0 / count


@native
def best_value(
    parents: NDArray[np.int32],
    firsts: NDArray[np.int32],
    counts: NDArray[np.int32],
    values: NDArray[np.float64],
) -> float:
    """The most that a plan can earn; `values` then hold that of every sequence."""
    for infoset in range(len(parents) - 1, -1, -1):
        first = firsts[infoset]
        best = values[first]
        for sequence in range(first + 1, first + counts[infoset]):
            best = max(best, values[sequence])
        values[parents[infoset]] += best
    return float(values[0])


@native
def choose_best(
    firsts: NDArray[np.int32],
    counts: NDArray[np.int32],
    values: NDArray[np.float64],
    behaviour: NDArray[np.float64],
) -> None:
    """The first best action at each infoset, given values as `best_value` leaves them."""
    for infoset in range(len(firsts)):
        first = firsts[infoset]
        best = first
        for sequence in range(first, first + counts[infoset]):
            behaviour[sequence] = 0.0
            if values[sequence] > values[best]:
                best = sequence
        behaviour[best] = 1.0
