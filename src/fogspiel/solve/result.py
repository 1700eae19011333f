"""What every solver takes and gives: a strategy, what it is worth, and how that was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.findings import UsageError
from fogspiel.tree.game_tree import GameTree, Infosets

TOLERANCE = 1e-6
"""How far the probabilities of an infoset may be from adding up to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strategy:
    """How every player behaves: probabilities of the actions at each infoset of a tree."""

    starts: NDArray[np.int64]
    """(infosets + 1,) the actions of infoset i are starts[i]:starts[i + 1]."""
    probabilities: NDArray[np.float64]
    """(actions,)"""

    def at(self, infoset: int) -> NDArray[np.float64]:
        """(actions of the infoset,)"""
        return self.probabilities[self.starts[infoset] : self.starts[infoset + 1]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """How far a solver has come."""

    iteration: int
    seconds: float
    exploitability: float


OnPoint = Callable[[Point], bool]
"""Called now and then by solvers that go on getting better; True lets them stop."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SolveResult:
    """What a solver claims, with enough to check it and to repeat it."""

    strategy: Strategy
    values: tuple[float, ...]
    """What each player gets if all follow the strategy."""
    exploitability: float
    """The mean over the players of what each could gain alone (half of nash_conv for two)."""
    method: str
    parameters: Mapping[str, object]
    iterations: int
    seconds: float
    curve: tuple[Point, ...] = field(default=(), repr=False)


def action_starts(infosets: Infosets) -> NDArray[np.int64]:
    """(infosets + 1,) where the actions of each infoset begin."""
    return np.concatenate([[0], np.cumsum(infosets.action_counts, dtype=np.int64)])


def uniform(tree: GameTree) -> Strategy:
    """Every action as probable as the others."""
    counts = tree.infosets.action_counts
    return Strategy(
        starts=action_starts(tree.infosets),
        probabilities=np.repeat(1.0 / counts, counts),
    )


def checked(tree: GameTree, strategy: Strategy) -> Strategy:
    """The strategy itself. Raises `UsageError` SOL001 if it is none for the tree."""
    starts, probabilities = strategy.starts, strategy.probabilities
    expected = action_starts(tree.infosets)
    if not np.array_equal(starts, expected) or len(probabilities) != expected[-1]:
        raise _no_strategy("it has not the infosets and actions of this game")
    if not np.isfinite(probabilities).all() or (probabilities < -TOLERANCE).any():
        raise _no_strategy("some probability is negative or no number")
    if not len(tree.infosets):
        return strategy
    totals = np.add.reduceat(probabilities, starts[:-1])
    wrong = np.flatnonzero(np.abs(totals - 1.0) > TOLERANCE)
    if len(wrong):
        name = tree.infosets.names.infoset(int(wrong[0]))
        raise _no_strategy(f"at {name!r} the sum is {totals[wrong[0]]:.6g}, not 1")
    return strategy


def _no_strategy(what: str) -> UsageError:
    return UsageError.of(
        "SOL001",
        f"this is no strategy for the game: {what}",
        fix="give each action of each infoset a probability, 1 in all at every infoset",
    )
