"""When solvers that go on getting better report, and when they stop."""

from __future__ import annotations

import time
from dataclasses import dataclass

from fogspiel.solve.result import OnPoint, Point

GROWTH = 5
"""Points come after a fifth more iterations each: a curve on a logarithmic scale."""
FIRST_WORK = 1_000_000
"""Sums of products before the first point, about a millisecond."""
NEVER = 1 << 62
"""An iteration that no solver reaches."""
PATIENCE_SECONDS = 1.0
"""Whoever watches is told about as often, and may stop the solver then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveLimits:
    """A solver stops at the first that it reaches. At least one must be given."""

    iterations: int | None = None
    seconds: float | None = None
    target: float | None = None
    """Exploitability, in the units of the tree."""

    def __post_init__(self) -> None:
        """Refuse limits that are none."""
        if self.iterations is None and self.seconds is None and self.target is None:
            raise ValueError("give at least one limit: iterations, seconds or target")
        if self.iterations is not None and self.iterations < 1:
            raise ValueError(f"iterations must be at least 1; got {self.iterations}")
        if self.seconds is not None and not self.seconds > 0.0:
            raise ValueError(f"seconds must be more than 0; got {self.seconds}")
        if self.target is not None and not self.target >= 0.0:
            raise ValueError(f"target must be at least 0; got {self.target}")


class ProgressMeter:
    """The points of one run.

    Points that are due come at iterations that depend on nothing but the game. The clock may add
    others in between; only limits of seconds and whoever watches can end a run there.
    """

    def __init__(
        self, limits: SolveLimits, on_point: OnPoint | None, *, work: int, evaluation: int = 0
    ) -> None:
        """work, evaluation: what an iteration and a point cost, in sums of products."""
        self._limits, self._on_point = limits, on_point
        self._began = time.perf_counter()
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
        """Since the start."""
        return time.perf_counter() - self._began

    def next_pause(self) -> int:
        """The iteration to go on to, at least one more."""
        self._pause = self._due
        if self._limits.seconds is not None or self._on_point is not None:
            self._pause = min(self._due, self._done + max(1, int(self._pace * self._left)))
        self._resumed = time.perf_counter()
        return self._pause

    @property
    def _done(self) -> int:
        return self.curve[-1].iteration if self.curve else 0

    @property
    def _left(self) -> float:
        """Seconds up to the next pause."""
        patience = max(PATIENCE_SECONDS, self._evaluated)
        if self._limits.seconds is None:
            return patience
        return min(patience, self._limits.seconds - self.seconds - self._evaluated)

    def evaluating(self) -> None:
        """Tell that the iterations are done and their evaluation begins."""
        now = time.perf_counter()
        self._worked, self._resumed = now - self._resumed, now

    def stops(self, iteration: int, exploitability: float) -> bool:
        """Note a point, and say whether it is the last."""
        limits = self._limits
        # By the last iterations alone: the first may have had to wait for kernels.
        self._pace = (iteration - self._done) / max(self._worked, 1e-6)
        self._evaluated = time.perf_counter() - self._resumed
        point = Point(iteration=iteration, seconds=self.seconds, exploitability=exploitability)
        self.curve.append(point)
        # Short of the pause, the solver itself came to an evaluation at a fixed iteration.
        fixed = iteration >= self._due or iteration < self._pause
        if iteration >= self._due:
            self._due = min(self._last, iteration + max(self._least, iteration // GROWTH))
        told = self._on_point is not None and self._on_point(point)
        return (
            told
            or iteration >= self._last
            or (fixed and limits.target is not None and exploitability <= limits.target)
            or (limits.seconds is not None and point.seconds >= limits.seconds)
        )
