"""A bar that fills as a solver comes closer to its target; nothing where nobody watches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fogspiel.cli.output import console, on_terminal

if TYPE_CHECKING:
    from fogspiel.solve.result import Point


class ConvergenceBar:
    """Exploitability on its way down, on a logarithmic scale, or the time that is used up."""

    def __init__(self, *, target: float | None, seconds: float | None, gain_scale: float) -> None:
        """target: exploitability in the unit that is shown, of which 1 is `gain_scale` goals."""
        self._target, self._seconds, self._scale = target, seconds, gain_scale
        self._bar: Any = None
        self._first: float | None = None

    def __enter__(self) -> ConvergenceBar:
        if on_terminal(stderr=True):
            from rich.progress import BarColumn, Progress, TextColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[said]}"),
            )
            self._bar = Progress(*columns, console=console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("solving", total=1.0, said="")
        return self

    def show(self, point: Point) -> bool:
        """Take note of a point. Implements `OnPoint`, and never asks to stop."""
        if self._bar is not None:
            reached = point.exploitability / self._scale
            said = (
                f"exploitability {reached:.3g} after {point.iteration:,} iterations, "
                f"{point.seconds:.1f} s"
            )
            self._bar.update(self._task, completed=self.share(point), said=said)
        return False

    def share(self, point: Point) -> float:
        """How much of the way is done, from 0 to 1: the nearer of the two ends counts."""
        shares = [0.0]
        if self._seconds is not None:
            shares.append(point.seconds / self._seconds)
        reached = max(point.exploitability / self._scale, 1e-300)
        if self._first is None:
            self._first = reached
        if self._target is not None and self._target > 0.0 and self._first > self._target:
            whole = math.log(self._first / self._target)
            shares.append(math.log(self._first / reached) / whole)
        return min(1.0, max(shares))

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
