"""A move for the case that the player has none: while its game is still being compiled, or after it
broke down.

The rules are taken as they are, without compiling them, and the answer is the first legal move in
the states that the role holds possible. That may be slow too, so it runs in a thread, and only
where it is needed.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from fogspiel.core.budget import Budget
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.serve.observations import Load
from fogspiel.play.ggp.serve.player_process import (
    Begin,
    Fallback,
    PlayerProcess,
    ProcessSettings,
    Task,
    TurnTask,
)
from fogspiel.play.series import Entrant
from fogspiel.players.simple import FirstPlayer

OVER = Budget(deadline=0.0)
"""A deadline that has passed: a turn is then taken note of, and no more."""


class FallbackMove:
    """Follows one match without compiling its rules."""

    def __init__(self, load: Load, rules: str, role: str) -> None:
        self._load, self._rules, self._role = load, rules, role
        self._player: PlayerProcess | None = None
        self._followed = 0
        self._lock = threading.Lock()

    def begin(
        self, turns: Sequence[TurnTask], deadline: float
    ) -> asyncio.Future[GroundTerm | None]:
        """Look for a legal move after all that happened; None comes where there is none.

        turns: the one that is asked about is the last.
        """
        loop = asyncio.get_running_loop()
        found: asyncio.Future[GroundTerm | None] = loop.create_future()

        def settle(move: GroundTerm | None) -> None:
            if not found.done():
                found.set_result(move)

        def run() -> None:
            with self._lock:
                move = self._move(turns, deadline)
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, move)

        # A daemon, since the process must be able to end while rules are hard to reason about.
        threading.Thread(target=run, name="fallback", daemon=True).start()
        return found

    def _move(self, turns: Sequence[TurnTask], deadline: float) -> GroundTerm | None:
        if time.monotonic() >= deadline:
            return None
        budget = Budget(deadline=deadline)
        if self._player is None:
            first = Entrant("first", FirstPlayer)
            player = PlayerProcess(
                ProcessSettings(entrant=first, load=lambda rules, _: self._load(rules, "reference"))
            )
            _first_move(player, Begin(rules=self._rules, role=self._role, seed=0, budget=budget))
            self._player = player
        for turn in turns[self._followed : -1]:
            _first_move(self._player, replace(turn, budget=OVER))
        move = _first_move(self._player, replace(turns[-1], budget=budget))
        self._followed = len(turns)
        return move


def _first_move(player: PlayerProcess, task: Task) -> GroundTerm | None:
    """Work on a task up to the first legal move."""
    for report in player.reports(task):
        if isinstance(report, Fallback):
            return report.move
    return None
