"""A move for the case that the player has none: while its game is still being compiled, or after it
broke down.

The rules are taken as they are, without compiling them, and the first legal move of what the role
holds possible is the answer. That may be slow too, so it runs in a thread, only where it is needed.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.core.budget import Budget
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.messages import Told
from fogspiel.play.ggp.serve.observations import Load, LoadEngine, Playable
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

LONG_AGO = 0.0
"""A deadline that has passed: a turn is then taken note of, and no more."""


@dataclass(frozen=True, slots=True)
class Past:
    """What we were told and asked so far."""

    told: Told
    answered: GroundTerm | None
    """Before we were told."""


class FallbackMove:
    """Follows one match without compiling its rules."""

    def __init__(self, load: Load, rules: str, role: str) -> None:
        self._load, self._rules, self._role = load, rules, role
        self._desk: PlayerProcess | None = None
        self._followed = 0
        self._lock = threading.Lock()

    def begin(self, past: Sequence[Past], deadline: float) -> asyncio.Future[GroundTerm | None]:
        """Look for a legal move after all that happened; None comes where there is none.

        past: the turn that is asked about is the last.
        """
        loop = asyncio.get_running_loop()
        found: asyncio.Future[GroundTerm | None] = loop.create_future()

        def settle(move: GroundTerm | None) -> None:
            if not found.done():
                found.set_result(move)

        def run() -> None:
            with self._lock:
                move = self._move(past, deadline)
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, move)

        # A daemon, since the process must be able to end while rules are hard to reason about.
        threading.Thread(target=run, name="reserve", daemon=True).start()
        return found

    def _move(self, past: Sequence[Past], deadline: float) -> GroundTerm | None:
        if time.monotonic() >= deadline:
            return None
        desk = self._seated(deadline)
        for step in past[self._followed : -1]:
            self._told(desk, step, LONG_AGO)
        move = self._told(desk, past[-1], deadline)
        self._followed = len(past)
        return move

    def _seated(self, deadline: float) -> PlayerProcess:
        if self._desk is None:
            first = Entrant("first", FirstPlayer)
            desk = PlayerProcess(ProcessSettings(entrant=first, load=self._uncompiled))
            budget = Budget(deadline=deadline)
            task = Begin(rules=self._rules, role=self._role, seed=0, budget=budget)
            _first_move(desk, task)
            self._desk = desk
        return self._desk

    def _told(self, desk: PlayerProcess, step: Past, deadline: float) -> GroundTerm | None:
        budget = Budget(deadline=deadline)
        return _first_move(desk, TurnTask(told=step.told, answered=step.answered, budget=budget))

    def _uncompiled(self, rules: str, engine: LoadEngine) -> Playable:
        return self._load(rules, "reference")


def _first_move(desk: PlayerProcess, task: Task) -> GroundTerm | None:
    """Work on a task up to the first legal move."""
    for report in desk.reports(task):
        if isinstance(report, Fallback):
            return report.move
    return None
