"""Strategies, their values, the solutions that solvers return, and the progress towards them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.budget import Clock
from fogspiel.core.findings import UsageError
from fogspiel.core.limits import refuse_count, refuse_negative, refuse_seconds
from fogspiel.tree.game_tree import GameTree, Infosets

GROWTH = 5  #: Points come after a fifth more iterations each: a curve on a logarithmic scale
FIRST_WORK = 1_000_000  #: Multiplications before the first point, about a millisecond
NEVER = 1 << 62  #: An iteration that no solver reaches
PATIENCE_SECONDS = 1.0  #: Time between two reports to an observer, who may stop the solver then


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a convergence curve."""

    iteration: int  #: Iterations so far
    seconds: float  #: Time so far
    exploitability: float  #: What is left to gain, as the strategy of that moment is


OnPoint = Callable[[Point], bool]
"""An observer of an anytime solver, called at every point; True stops the solver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveLimits:
    """Limits of a solver, which stops at the first that it reaches; at least one is given."""

    iterations: int | None = None
    seconds: float | None = None
    target: float | None = None  #: Exploitability, in the units of the tree

    def __post_init__(self) -> None:
        """Raise `ValueError` for no limit at all, and for limits out of range."""
        if self.iterations is None and self.seconds is None and self.target is None:
            raise ValueError("give at least one limit: iterations, seconds or target")
        refuse_count("iterations", self.iterations)
        refuse_seconds("seconds", self.seconds)
        refuse_negative("target", self.target)


class ProgressMeter:
    """The points of one run, and the decision when it ends.

    Points that are due come at iterations that depend on nothing but the game. The clock may add
    others in between; only a limit of seconds or the observer can end a run there.
    """

    def __init__(
        self,
        limits: SolveLimits,
        on_point: OnPoint | None,
        *,
        work: int,
        evaluation: int = 0,
        clock: Clock = time.perf_counter,
    ) -> None:
        """Start the clock. work, evaluation: multiplications of an iteration, and of a point."""
        self._limits, self._on_point, self._clock = limits, on_point, clock
        self._began = clock()
        # A point may cost much more than an iteration: it then takes no more time than the rest.
        self._least = max(1, evaluation // max(1, work))
        self._last = NEVER if limits.iterations is None else limits.iterations
        self._due = min(self._last, max(self._least, FIRST_WORK // max(1, work)))
        self._pause = 0
        self._resumed = self._began
        self._worked, self._evaluated, self._pace = 0.0, 0.0, 0.0
        self.curve: list[Point] = []

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return self._clock() - self._began

    def next_pause(self) -> int:
        """The iteration at which the solver has to evaluate next, at least one further."""
        self._pause = self._due
        if self._limits.seconds is not None or self._on_point is not None:
            self._pause = min(self._due, self._done + max(1, int(self._pace * self._left)))
        self._resumed = self._clock()
        return self._pause

    @property
    def _done(self) -> int:
        return self.curve[-1].iteration if self.curve else 0

    @property
    def _left(self) -> float:
        """Time up to the next pause."""
        patience = max(PATIENCE_SECONDS, self._evaluated)
        if self._limits.seconds is None:
            return patience
        return min(patience, self._limits.seconds - self.seconds - self._evaluated)

    def evaluating(self) -> None:
        """Note that the iterations are done and their evaluation begins."""
        now = self._clock()
        self._worked, self._resumed = now - self._resumed, now

    def stops(self, iteration: int, exploitability: float) -> bool:
        """Record a point, and return whether it is the last."""
        limits = self._limits
        # By the last iterations alone: the first may have had to wait for kernels.
        self._pace = (iteration - self._done) / max(self._worked, 1e-6)
        self._evaluated = self._clock() - self._resumed
        point = Point(iteration=iteration, seconds=self.seconds, exploitability=exploitability)
        self.curve.append(point)
        # Short of the pause, the solver itself came to an evaluation at a fixed iteration.
        fixed = iteration >= self._due or iteration < self._pause
        if iteration >= self._due:
            self._due = min(self._last, iteration + max(self._least, iteration // GROWTH))
        stopped = self._on_point is not None and self._on_point(point)
        return (
            stopped
            or iteration >= self._last
            or (fixed and limits.target is not None and exploitability <= limits.target)
            or (limits.seconds is not None and point.seconds >= limits.seconds)
        )


TOLERANCE = 1e-6
"""The largest difference from 1 that the probabilities of a decision may add up to."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strategy:
    """A behaviour strategy of all players: probabilities of the actions of each decision.

    Decisions are the infosets of a tree. On a state graph they are pairs of a state and a player,
    numbered state · players + player - 1, with players counted from 1.
    """

    starts: NDArray[np.int64]
    """(decisions + 1,) the actions of decision i are starts[i]:starts[i + 1]."""
    probabilities: NDArray[np.float64]  #: (actions,)

    def at(self, decision: int) -> NDArray[np.float64]:
        """(actions,) the probabilities of the actions of a decision."""
        return self.probabilities[self.starts[decision] : self.starts[decision + 1]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyValue:
    """The values of a strategy, and of the best response of each player to it."""

    values: tuple[float, ...]  #: The value for each player if all follow the strategy
    best_values: tuple[float, ...]
    """The value of each player's best response while the others follow the strategy."""

    @property
    def exploitability(self) -> float:
        """The mean over the players of what each could gain alone."""
        gains = [best - own for best, own in zip(self.best_values, self.values, strict=True)]
        return sum(gains) / len(gains)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """The claim of a solver, with enough to check it and to repeat it."""

    strategy: Strategy
    values: tuple[float, ...]  #: The value for each player if all follow the strategy
    exploitability: float
    """The mean over the players of what each could gain alone (half of nash_conv for two)."""
    best_values: tuple[float, ...] | None = None
    """The value of each player's best response, from methods that compute them."""
    method: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    iterations: int = 1
    seconds: float
    curve: tuple[Point, ...] = field(default=(), repr=False)
    exact_values: tuple[Fraction, ...] | None = None
    """The same values as fractions, from methods that compute with them."""
    exact_probabilities: tuple[Fraction, ...] | None = field(default=None, repr=False)
    """(actions,) the same strategy as fractions."""
    state_values: NDArray[np.float64] | None = field(default=None, repr=False)
    """(states, players) the value from each state of a graph on, from methods that solve states."""

    @classmethod
    def of(
        cls,
        strategy: Strategy,
        found: StrategyValue,
        method: str,
        *,
        seconds: float,
        parameters: Mapping[str, object] | None = None,
        iterations: int = 1,
        curve: tuple[Point, ...] = (),
    ) -> Self:
        """The solution that a strategy is, given its value."""
        return cls(
            strategy=strategy,
            values=found.values,
            exploitability=found.exploitability,
            best_values=found.best_values,
            method=method,
            parameters=parameters or {},
            iterations=iterations,
            seconds=seconds,
            curve=curve,
        )

    def exactly_at(self, decision: int) -> tuple[Fraction, ...] | None:
        """(actions,) the probabilities of a decision as fractions, where they are known."""
        if self.exact_probabilities is None:
            return None
        starts = self.strategy.starts
        return self.exact_probabilities[starts[decision] : starts[decision + 1]]


def action_starts(infosets: Infosets) -> NDArray[np.int64]:
    """(infosets + 1,) the offset of the actions of each infoset in a strategy."""
    starts = np.zeros(len(infosets) + 1, np.int64)
    np.cumsum(infosets.action_counts, out=starts[1:])
    return starts


def uniform(tree: GameTree) -> Strategy:
    """The strategy that chooses all actions of an infoset with equal probability."""
    counts = tree.infosets.action_counts
    return Strategy(
        starts=action_starts(tree.infosets),
        probabilities=np.repeat(1.0 / counts, counts),
    )


def average_of(starts: NDArray[np.int64], sums: NDArray[np.float64]) -> Strategy:
    """The strategy in proportion to sums of behaviour; uniform at decisions whose sums are 0."""
    counts = np.diff(starts)
    totals = np.repeat(np.add.reduceat(sums, starts[:-1]) if len(counts) else sums, counts)
    even = np.repeat(1.0 / counts, counts)
    probabilities = np.divide(sums, totals, out=even, where=totals > 0.0)
    return Strategy(starts=starts, probabilities=probabilities)


def checked(tree: GameTree, strategy: Strategy) -> Strategy:
    """The strategy itself. Raises `UsageError` SOL001 if it is not one for the tree."""
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
        "give each action of each infoset a probability, 1 in all at every infoset",
    )
