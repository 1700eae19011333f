"""Progress of anytime solvers: the points that they report, and the limits at which they stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from fogspiel.core.budget import Clock

GROWTH = 5  #: Points come after a fifth more iterations each: a curve on a logarithmic scale
FIRST_WORK = 1_000_000  #: Multiplications before the first point, about a millisecond
NEVER = 1 << 62  #: An iteration that no solver reaches
PATIENCE_SECONDS = 1.0  #: Time between two reports to an observer, who may stop the solver then


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a convergence curve."""

    iteration: int
    seconds: float
    exploitability: float


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
        if self.iterations is not None and self.iterations < 1:
            raise ValueError(f"iterations must be at least 1; got {self.iterations}")
        if self.seconds is not None and not self.seconds > 0.0:
            raise ValueError(f"seconds must be more than 0; got {self.seconds}")
        if self.target is not None and not self.target >= 0.0:
            raise ValueError(f"target must be at least 0; got {self.target}")


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
