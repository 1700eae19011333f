"""One match as the server plays it: an answer to every question, before its clock ends.

In the best case the answer is what the player chose. Where it is not back in time, it is the legal
move that its process found before it began to think. Where there is none either, because the rules
are still being compiled or the process broke down, `FallbackMove` looks for one: it takes the rules
as they are, and answers with the first legal move in the states that the role holds possible. That
may be slow too, so it runs in a thread, and only where it is needed. And where even that takes too
long, it is a move that was legal before: a manager may take it.

A player stops some time before the end of its clock, and learns from how late it came before. Three
things lie between the moment at which it should stop and the one at which its manager has the
answer: the player comes late, as its last batch of simulations took longer than thought; the answer
takes time to be written; and the network takes time, which we cannot measure and allow a fixed part
for. What was measured is remembered as a maximum that fades, so that one bad turn does not cost
time for ever.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fogspiel.core.budget import Budget
from fogspiel.core.terms import GroundTerm
from fogspiel.play.ggp.messages import Start, Told
from fogspiel.play.ggp.serve.observations import LetterCase, Load
from fogspiel.play.ggp.serve.player_process import (
    Begin,
    Chosen,
    EndTask,
    Failed,
    Fallback,
    PlayerProcess,
    ProcessSettings,
    Task,
    TurnTask,
)
from fogspiel.play.ggp.serve.process_pool import Job, Process
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


NETWORK_SECONDS = 0.05  #: Time that a question and its answer take on their way
FIRST_LATE_SECONDS, FIRST_ANSWERING_SECONDS = 0.15, 0.05
"""Delays before anything was measured. Together with the network: a quarter of a second."""
FADING = 0.9  #: Part of a maximum that is left after each turn
EARLY_SECONDS = 0.1  #: A player that used its time comes back later than this before its deadline
CAUTION = 1.5  #: Factor of the greatest delay
MOST_SHARE = 0.4  #: Part of a clock that the margin may take
FALLBACK_SHARE = 0.4
"""Part of a clock after which a legal move is looked for, if the process has not found any."""
START_EARLY_SECONDS, START_EARLY_SHARE = 1.0, 0.1
"""Time before the end of the start clock at which START is answered, come what may."""
PATIENCE_CLOCKS, PATIENCE_SECONDS = 3, 30.0
"""Clocks and seconds without a word, after which nobody will go on with a match."""
NOTHING = "noop"  #: The name that most rules give to a move that does nothing

Tell = Callable[[str], object]  #: Takes a line about something that happened


@dataclass(slots=True)
class Margin:
    """The time before the end of a clock at which a player stops, by the delays so far."""

    late_seconds: float = FIRST_LATE_SECONDS  #: Delay of the player after its deadline
    answering_seconds: float = FIRST_ANSWERING_SECONDS  #: Time from the move to the reply

    def note_choice(self, late_seconds: float) -> None:
        """Take note of a player's delay, negative if it came back before its deadline.

        Where it had nothing to think about and came back early, that teaches nothing.
        """
        if late_seconds >= -EARLY_SECONDS:
            self.late_seconds = max(0.0, late_seconds, FADING * self.late_seconds)

    def note_answer(self, seconds: float) -> None:
        """Take note of the time from a player's return to the reply."""
        self.answering_seconds = max(0.0, seconds, FADING * self.answering_seconds)

    def for_player(self, clock_seconds: float) -> float:
        """Seconds before the end of the clock at which a player must stop."""
        wanted = CAUTION * self.late_seconds + self.answering_seconds + NETWORK_SECONDS
        return min(wanted, MOST_SHARE * clock_seconds)

    def for_answer(self, clock_seconds: float) -> float:
        """Seconds before the end of the clock at which a reply must be sent, whatever it is."""
        return min(self.answering_seconds + NETWORK_SECONDS, MOST_SHARE / 2 * clock_seconds)

    def for_readiness(self, clock_seconds: float) -> float:
        """Seconds before the end of the start clock at which START is answered, come what may.

        Managers give moves a second of grace, but not START: nothing is lost by being early.
        """
        early = min(START_EARLY_SECONDS, START_EARLY_SHARE * clock_seconds)
        return max(early, self.for_answer(clock_seconds))

    def for_getting_ready(self, clock_seconds: float) -> float:
        """Seconds before the end of the start clock at which a player must stop.

        It must be back before START is answered: the first question may follow at once.
        """
        wanted = CAUTION * self.late_seconds + self.for_readiness(clock_seconds)
        return min(wanted, MOST_SHARE * clock_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Settings that all matches of a server share."""

    load: Load
    tell: Tell
    margin: Margin
    simulations: int | None = None  #: Simulations for each move, instead of the clock
    seed: int = 0


class HostedMatch:
    """A match and the process that plays it."""

    def __init__(
        self, start: Start, process: Process, settings: ServerSettings, began: float
    ) -> None:
        self.start, self.process = start, process
        self._settings, self._margin = settings, settings.margin
        self._fallback = FallbackMove(settings.load, start.rules, start.role)
        self._turns: list[TurnTask] = []
        self._answered: GroundTerm | None = None
        self._heard_of = began
        self.is_over = False
        """Whether nobody needs an answer any more, though one may still be waited for."""
        clock = start.start_seconds
        budget = self._budget(began + clock - self._margin.for_getting_ready(clock))
        self._begin = process.ask(
            Begin(rules=start.rules, role=start.role, seed=settings.seed, budget=budget)
        )
        self._ready_at = began + clock - self._margin.for_readiness(clock)

    @property
    def has_begun(self) -> bool:
        """Whether a move was asked for."""
        return bool(self._turns)

    @property
    def forgotten_at(self) -> float:
        """The moment after which nobody will go on with the match."""
        clock = self.start.play_seconds if self.has_begun else self.start.start_seconds
        return self._heard_of + PATIENCE_CLOCKS * clock + PATIENCE_SECONDS

    async def failure(self) -> str | None:
        """Wait until the player is ready, or its clock ends; why it cannot play, if so."""
        await asyncio.wait([self._begin.done], timeout=_seconds_until(self._ready_at))
        if self._begin.done.done():
            outcome = self._begin.done.result()
            return outcome.why if isinstance(outcome, Failed) else None
        self._settings.tell(f"{self.start.match}: not ready in time, and ready all the same")
        return None

    async def play(self, told: Told, began: float) -> GroundTerm:
        """The answer to a question that came at a moment."""
        clock = self.start.play_seconds
        self._heard_of = began
        # A process that is still at an earlier task may be so for ever.
        fallback_at = began if self.process.is_busy else began + FALLBACK_SHARE * clock
        budget = self._budget(began + clock - self._margin.for_player(clock))
        self._turns.append(TurnTask(told=told, answered=self._answered, budget=budget))
        job = self.process.ask(self._turns[-1])
        last = began + clock - self._margin.for_answer(clock)
        self._answered = await self._answer(job, fallback_at, last)
        return self._answered

    async def stop(self, told: Told) -> None:
        """Tell the player of the end. One that still thinks is not waited for."""
        if not self.process.is_busy:
            job = self.process.ask(EndTask(told=told, answered=self._answered))
            await asyncio.wait([job.done], timeout=1.0)

    def _budget(self, deadline: float) -> Budget:
        """The player's budget; by simulations alone where they are set, so that seeds repeat."""
        if self._settings.simulations is not None:
            return Budget(simulations=self._settings.simulations)
        return Budget(deadline=deadline)

    async def _answer(self, job: Job, fallback_at: float, last: float) -> GroundTerm:
        """What the player chose, or the next best; at the last moment at the latest."""
        either: list[asyncio.Future[Any]] = [job.done, job.legal]
        timeout = _seconds_until(min(fallback_at, last))
        await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        fallback = None
        if not job.legal.done() and not self.is_over:
            fallback = self._fallback.begin(tuple(self._turns), last)
        await asyncio.wait([job.done], timeout=_seconds_until(last))
        why = "no move in time"
        if job.done.done():
            outcome = job.done.result()
            if isinstance(outcome, Chosen):
                self._margin.note_choice(outcome.late_seconds)
                self._margin.note_answer(time.monotonic() - outcome.at)
                return outcome.move
            assert isinstance(outcome, Failed)
            why = outcome.why
        said = f"{self.start.match}: {why}"
        if job.legal.done():
            self._settings.tell(f"{said}; a legal one instead")
            return job.legal.result()
        if fallback is not None:
            await asyncio.wait([fallback], timeout=_seconds_until(last))
            move = fallback.result() if fallback.done() else None
            if move is not None:
                self._settings.tell(f"{said}; a legal one of the reserve instead")
                return move
        self._settings.tell(f"{said}; a guess instead")
        return self._answered or LetterCase(self.start.rules).heard(NOTHING)


def _seconds_until(moment: float) -> float:
    return max(0.0, moment - time.monotonic())
