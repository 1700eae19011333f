"""A player of this process at the manager's table: it thinks in a thread of its own.

A machine serves one thread at a time, so that each such player has a machine to itself. Between
machines, moves and percepts go as terms. A player cannot be stopped while it thinks: one that is
late is at fault, and what it is told next waits until it has finished.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from fogspiel.belief.positions import percept_of
from fogspiel.core.budget import Budget
from fogspiel.core.ids import MoveId
from fogspiel.core.observation import Observation
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.protocol import Machine
from fogspiel.play.answers import Answer, Fault, FaultKind
from fogspiel.play.ggp.manage.messages_out import SeatAssignment
from fogspiel.play.ggp.manage.party import Readiness, SeatedPlayer
from fogspiel.play.referee import Step
from fogspiel.players.protocol import Agent, Seat


class Machines:
    """Machines of one game, made when needed and used again: making one takes a while."""

    def __init__(self, make: Callable[[], Machine]) -> None:
        self._make = make
        self._free: list[Machine] = []

    def take(self) -> Machine:
        """One that nobody uses. Appending and popping are safe between threads."""
        try:
            return self._free.pop()
        except IndexError:
            return self._make()

    def give_back(self, machine: Machine) -> None:
        """Another player may use it now."""
        self._free.append(machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPlayer:
    """Who takes part from within this process."""

    name: str
    make: Callable[[], Agent]
    machines: Machines = field(repr=False)
    simulations: int | None = None
    """For a move, where the clock does not run out before."""

    def party(self, sitting: SeatAssignment) -> SeatedPlayer:
        """To play a role in one match."""
        return LocalParty(self, sitting)


class LocalParty:
    """The player in its role."""

    def __init__(self, local: LocalPlayer, sitting: SeatAssignment) -> None:
        self._local, self._sitting, self._clocks = local, sitting, sitting.clocks
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"player {local.name}")
        self._player: Agent | None = None
        self._machine: Machine | None = None

    async def start(self) -> Readiness:
        """Make the player and let it get ready."""
        began, budget = time.monotonic(), self._budget(self._clocks.start_seconds)
        _, fault = await self._done(lambda: self._started(budget), self._clocks.start_seconds)
        return Readiness(seconds=time.monotonic() - began, fault=fault)

    async def choose(self, last: Step | None, legal: Sequence[MoveId]) -> Answer:
        """Let the player take note of the last step and choose."""
        began, role = time.monotonic(), self._sitting.role
        told = self._as_terms(last)
        budget = self._budget(self._clocks.play_seconds)
        chosen, fault = await self._done(
            lambda: self._chosen(told, budget), self._clocks.play_seconds
        )
        seconds = time.monotonic() - began
        if chosen is not None:
            shared = self._sitting.game.machine
            for move in legal:
                if shared.move_term(role, move) == chosen:
                    return Answer(move=move, seconds=seconds)
            fault = Fault(FaultKind.ILLEGAL_MOVE, str(chosen))
        assert fault is not None
        return Answer(fault=fault, seconds=seconds)

    async def stop(self, last: Step | None) -> None:
        """Let the player take note of the last step, and go."""
        told = self._as_terms(last)
        await self._done(lambda: self._stopped(told), self._clocks.play_seconds)
        self._leave()

    async def abort(self) -> None:
        """Let the player go, when it has finished what it is at."""
        self._leave()

    def _leave(self) -> None:
        """The machine is free when the thread has come to an end of everything before."""
        self._thread.submit(self._freed)
        self._thread.shutdown(wait=False)

    def _budget(self, seconds: float) -> Budget:
        return Budget.of(seconds=seconds, simulations=self._local.simulations)

    async def _done(
        self, work: Callable[[], GroundTerm | None], seconds: float
    ) -> tuple[GroundTerm | None, Fault | None]:
        """What comes of work in the thread, or why nothing does."""
        future = asyncio.get_running_loop().run_in_executor(self._thread, work)
        allowed = seconds + self._clocks.grace_seconds
        try:
            return await asyncio.wait_for(asyncio.shield(future), allowed), None
        except TimeoutError:
            future.add_done_callback(_noted)
            return None, Fault(FaultKind.TIMEOUT, f"no answer within {allowed:g} s")
        except Exception as error:  # whatever a player does is its own fault
            return None, Fault(FaultKind.ERROR, f"{type(error).__name__}: {error}")

    # What follows runs in the thread.

    def _started(self, budget: Budget) -> None:
        self._machine = self._local.machines.take()
        player = self._local.make()
        player.start(Seat(self._machine, self._sitting.role, self._sitting.seed), budget)
        self._player = player

    def _chosen(self, told: _Told | None, budget: Budget) -> GroundTerm:
        player, machine = self._at_the_table()
        self._observe(told)
        return machine.move_term(self._sitting.role, player.choose(budget))

    def _stopped(self, told: _Told | None) -> None:
        player, _ = self._at_the_table()
        self._observe(told)
        player.stop()

    def _freed(self) -> None:
        if self._machine is not None:
            self._local.machines.give_back(self._machine)

    def _at_the_table(self) -> tuple[Agent, Machine]:
        if self._player is None or self._machine is None:
            raise RuntimeError("the player did not get ready")
        return self._player, self._machine

    def _observe(self, told: _Told | None) -> None:
        if told is None:
            return
        player, machine = self._at_the_table()
        role = self._sitting.role
        percepts = [percept_of(machine, role, percept) for percept in told.percepts]
        # The rules are the same, so what one machine sees the other knows.
        seen = sorted(percept for percept in percepts if percept is not None)
        player.observe(Observation(machine.move_id(role, told.move), tuple(seen)))

    def _as_terms(self, last: Step | None) -> _Told | None:
        if last is None:
            return None
        machine, role = self._sitting.game.machine, self._sitting.role
        seen = last.observation(role)
        percepts = tuple(machine.percept_term(role, percept) for percept in seen.percepts)
        return _Told(machine.move_term(role, seen.move), percepts)


@dataclass(frozen=True, slots=True)
class _Told:
    """A step as the player's role saw it."""

    move: GroundTerm
    percepts: tuple[GroundTerm, ...]


def _noted(future: asyncio.Future[GroundTerm | None]) -> None:
    """An exception of a player that was given up is nobody's concern any more."""
    if not future.cancelled():
        future.exception()
