"""When solvers that go on getting better report, and when they stop."""

from __future__ import annotations

import time
from dataclasses import dataclass

from fogspiel.solve.results import OnPoint, Point

GROWTH = 5
"""Points come after a fifth more iterations each: a curve on a logarithmic scale."""
FIRST_WORK = 1_000_000
"""Sums of products before the first point, about a millisecond."""
NEVER = 1 << 62
"""An iteration that no solver reaches."""
PATIENCE_SECONDS = 0.25
"""With a limit of seconds a point comes at least about as often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
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


class Progress:
    """The points of one run."""

    def __init__(self, limits: Limits, on_point: OnPoint | None, *, work: int) -> None:
        """work: what an iteration costs, in sums of products."""
        self._limits, self._on_point = limits, on_point
        self._began = time.perf_counter()
        self._first = max(1, FIRST_WORK // max(1, work))
        self._last = NEVER if limits.iterations is None else limits.iterations
        self.curve: list[Point] = []

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self._began

    def next_pause(self) -> int:
        """The iteration to go on to. The clock has a say only if seconds are limited."""
        done = self.curve[-1].iteration if self.curve else 0
        step = max(1, done // GROWTH) if done else self._first
        if self._limits.seconds is not None:
            step = min(step, self._in_time(done, self._limits.seconds))
        return min(done + step, self._last)

    def _in_time(self, done: int, limit: float) -> int:
        """As many iterations as seem to fit, by those that were done; one at first."""
        if not done:
            return 1
        seconds = max(self.seconds, 1e-6)
        return max(1, int(done * min(PATIENCE_SECONDS, limit - seconds) / seconds))

    def stops(self, iteration: int, exploitability: float) -> bool:
        """Note a point, and say whether it is the last."""
        limits = self._limits
        point = Point(iteration=iteration, seconds=self.seconds, exploitability=exploitability)
        self.curve.append(point)
        told = self._on_point is not None and self._on_point(point)
        return (
            told
            or iteration >= self._last
            or (limits.target is not None and exploitability <= limits.target)
            or (limits.seconds is not None and point.seconds >= limits.seconds)
        )
