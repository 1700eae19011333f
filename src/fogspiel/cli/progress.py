"""Progress on a terminal: of counted work, of a solver, of a tournament. Nothing elsewhere."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fogspiel.cli.output import busy, console, on_terminal

if TYPE_CHECKING:
    from typing import Self

    from fogspiel.api.matches.tournament_results import TournamentMatch
    from fogspiel.api.solution import Point
    from fogspiel.api.solving import Stage

_Case = TypeVar("_Case")
_Result = TypeVar("_Result")

MOST_LEADERS = 5
KERNELS_SHOWN_EVERY_SECONDS = 5.0
SHOWN_EVERY_SECONDS = 0.5
"""The leaders are looked up no more often: there may be a thousand players."""


class KernelNotice(logging.Handler):
    """Says on standard error what is logged when native kernels are built: this takes a while."""

    @classmethod
    def install(cls) -> None:
        """Say it from now on, if a person watches."""
        log = logging.getLogger("fogspiel.core.native")
        if on_terminal(stderr=True) and not log.handlers:
            log.setLevel(logging.DEBUG)
            log.addHandler(cls())

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message, and now and then how far it is. Implements `logging.Handler`."""
        now = time.monotonic()
        if record.levelno >= logging.INFO:
            self._said = now
            click.echo(f"{record.getMessage()} …", err=True)
        elif now - self._said >= KERNELS_SHOWN_EVERY_SECONDS:
            self._said = now
            click.echo(f"  {record.getMessage()} …", err=True)

    _said = -math.inf  #: The moment of the last message


class ProgressBar:
    """A bar for so many pieces of work."""

    def __init__(self, description: str, total: float) -> None:
        self._bar: Any = None
        self._description, self._total = description, total

    def __enter__(self) -> Self:
        if on_terminal(stderr=True):
            self._start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _start(self, *columns: Any, **fields: Any) -> None:
        """columns: of rich, instead of the usual ones; fields: that they show."""
        from rich.progress import Progress

        self._bar = Progress(*columns, console=console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self._description, total=self._total, **fields)

    def advance(self, amount: int = 1) -> None:
        """Move the bar on."""
        if self._bar is not None:
            self._bar.advance(self._task, amount)

    def over(self, cases: Iterable[_Case], work: Callable[[_Case], _Result]) -> list[_Result]:
        """Do the work of some cases, with a step of the bar after each."""
        found = []
        for case in cases:
            found.append(work(case))
            self.advance()
        return found


class ConvergenceBar(ProgressBar):
    """Exploitability on its way down, on a logarithmic scale, or the time that is used up."""

    def __init__(self, *, target: float | None, seconds: float | None, gain_scale: float) -> None:
        """target: exploitability in the unit that is shown, of which 1 is `gain_scale` goals."""
        super().__init__("solving", 1.0)
        self._target, self._seconds, self._scale = target, seconds, gain_scale
        self._first: float | None = None

    def _start(self, *columns: Any, **fields: Any) -> None:
        from rich.progress import BarColumn, TextColumn

        description, said = "{task.description}", "{task.fields[said]}"
        super()._start(TextColumn(description), BarColumn(), TextColumn(said), said="")

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
        """The part of the way that is done, from 0 to 1: the nearer of the two ends counts."""
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


class Stages:
    """Shows one stage of an analysis after the other: a line, or a bar where steps are counted."""

    def __init__(self) -> None:
        self._shown = ExitStack()
        self._bar: ProgressBar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()

    def begin(self, stage: Stage) -> None:
        """Show a stage that begins."""
        self._end()
        if stage.iterates:
            bar = ConvergenceBar(target=stage.target, seconds=stage.seconds, gain_scale=1.0)
            self._bar = self._shown.enter_context(bar)
        elif stage.steps is not None:
            self._bar = self._shown.enter_context(ProgressBar(stage.text, stage.steps))
        else:
            self._shown.enter_context(busy(f"{stage.text} …"))

    def point(self, point: Point) -> bool:
        """Show how far a solver has come. It never asks the solver to stop."""
        return isinstance(self._bar, ConvergenceBar) and self._bar.show(point)

    def step(self) -> None:
        """Count one more step of a stage whose steps are counted."""
        if self._bar is not None:
            self._bar.advance()

    def _end(self) -> None:
        self._bar = None
        self._shown.close()


class LiveProgress:
    """A bar for the matches of a tournament, and the players with the best means so far."""

    def __init__(self, name: str, total: int, earlier: Sequence[TournamentMatch]) -> None:
        self._name, self._total, self._done = name, total, len(earlier)
        self._means = _Means()
        self._means.add(earlier)
        self._live: Any = None
        self._began = self._shown = time.monotonic()
        self._new = 0

    def __enter__(self) -> LiveProgress:
        if on_terminal(stderr=True):
            self._show()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def advance(self, played: Sequence[TournamentMatch]) -> None:
        """Count results that were written to the journal."""
        if self._live is None:
            return
        self._means.add(played)
        now = time.monotonic()
        if not self._new:
            self._began = now  # what came before was loading
        rate = f"{self._new / (now - self._began):.3g} a second" if self._new else ""
        self._new += len(played)
        self._bar.update(self._task, advance=len(played), rate=rate)
        if now - self._shown > SHOWN_EVERY_SECONDS:
            self._shown = now
            self._live.update(self._group(self._bar, self._means.leaders()))

    def _show(self) -> None:
        from rich.console import Group
        from rich.live import Live
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(compact=True),
        )
        self._task = self._bar.add_task(
            self._name, total=self._total, completed=self._done, rate=""
        )
        self._group = Group
        shown = Group(self._bar, self._means.leaders())
        self._live = Live(shown, console=console(stderr=True), transient=True)
        self._live.start()


class _Means:
    """Mean shares of a full goal, by player."""

    def __init__(self) -> None:
        self._totals: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def add(self, matches: Iterable[TournamentMatch]) -> None:
        for match in matches:
            for role, share in match.shares.items():
                player = match.players[role]
                self._totals[player] = self._totals.get(player, 0.0) + share
                self._counts[player] = self._counts.get(player, 0) + 1

    def leaders(self) -> str:
        means = {player: total / self._counts[player] for player, total in self._totals.items()}
        best = sorted(means, key=lambda player: (-means[player], player))[:MOST_LEADERS]
        return "   ".join(f"{player} {means[player]:.3f}" for player in best)
