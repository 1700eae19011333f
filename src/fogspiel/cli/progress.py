"""A tournament while it runs: a bar and the leaders on a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fogspiel.cli.output import console, on_terminal
from fogspiel.core.units import FULL_GOAL

if TYPE_CHECKING:
    from fogspiel.play.tournament.results import MatchResult, PlayedMatch

MOST_LEADERS = 5
SHOWN_EVERY_SECONDS = 0.5
"""The leaders are looked up no more often: there may be a thousand players."""


class LiveProgress:
    """Is told of results, and shows how many there are and who has the best mean so far."""

    def __init__(self, name: str, total: int, earlier: Sequence[MatchResult]) -> None:
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

    def advance(self, played: Sequence[PlayedMatch]) -> None:
        """More results are in the journal."""
        if self._live is None:
            return
        self._means.add(match.result for match in played)
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
    """Of the shares of a full goal that players got."""

    def __init__(self) -> None:
        self._totals: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def add(self, results: Iterable[MatchResult]) -> None:
        for result in results:
            for player, goal in zip(result.players, result.goals, strict=False):  # failed: no goals
                share = goal / (FULL_GOAL * result.goal_scale)
                self._totals[player] = self._totals.get(player, 0.0) + share
                self._counts[player] = self._counts.get(player, 0) + 1

    def leaders(self) -> str:
        means = {player: total / self._counts[player] for player, total in self._totals.items()}
        best = sorted(means, key=lambda player: (-means[player], player))[:MOST_LEADERS]
        return "   ".join(f"{player} {means[player]:.3f}" for player in best)
