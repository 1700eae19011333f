"""A tournament while it runs: a bar and the leaders on a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fogspiel.cli.output import console, on_terminal

if TYPE_CHECKING:
    from fogspiel.match.tournament.results import PlayedMatch
    from fogspiel.match.tournament.standings import Standings

LEADERS = 5
SHOWN_EVERY_SECONDS = 0.5
"""The leaders are looked up no more often: there may be a thousand players."""


class LiveStandings:
    """Counts results, and shows what they have come to so far."""

    def __init__(self, name: str, total: int, done: int, standings: Standings) -> None:
        self._name, self._total, self._done = name, total, done
        self._standings = standings
        self._live: Any = None
        self._began = time.monotonic()
        self._new = 0
        self._shown = 0.0

    def __enter__(self) -> LiveStandings:
        if on_terminal(stderr=True):
            self._show()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def advance(self, played: Sequence[PlayedMatch]) -> None:
        """More results are in the journal."""
        self._standings.add(match.result for match in played)
        if self._live is None:
            return
        self._new += len(played)
        rate = f"{self._new / (time.monotonic() - self._began):.3g} a second"
        self._bar.update(self._task, advance=len(played), rate=rate)
        if time.monotonic() - self._shown > SHOWN_EVERY_SECONDS:
            self._shown = time.monotonic()
            self._live.update(self._group(self._bar, self._leaders()))

    def _show(self) -> None:
        from rich.console import Group
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Left

        rate = TextColumn("{task.fields[rate]}")
        self._bar = Progress(
            TextColumn(self._name), BarColumn(), MofNCompleteColumn(), rate, Left(compact=True)
        )
        self._task = self._bar.add_task("matches", total=self._total, completed=self._done, rate="")
        self._group = Group
        self._live = Live(
            Group(self._bar, self._leaders()), console=console(stderr=True), transient=True
        )
        self._live.start()

    def _leaders(self) -> str:
        rows = [row for row in self._standings.table() if row.mean_goal is not None][:LEADERS]
        return "  ".join(f"{row.player} {row.mean_goal:.1f}" for row in rows)
