"""A player of this process in a managed match: it thinks in a thread of its own.

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
from fogspiel.core.terms import GroundTerm, MoveId, Observation
from fogspiel.machine.protocol import Machine
from fogspiel.play.ggp.manage.seats import SeatAssignment
from fogspiel.play.inline_player import fault_of
from fogspiel.play.referee import Answer, Fault, FaultKind, Step
from fogspiel.players.protocol import Agent, Seat


class Machines:
    """Machines of one game, made when needed and used again: making one takes a while."""

    def __init__(self, make: Callable[[], Machine]) -> None:
        self._make = make
        self._free: list[Machine] = []

    def take(self) -> Machine:
        """A machine that nobody uses. Appending and popping are safe between threads."""
        try:
            return self._free.pop()
        except IndexError:
            return self._make()

    def give_back(self, machine: Machine) -> None:
        """Let another player use a machine."""
        self._free.append(machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPlayer:
    """A participant of this process. Implements `Participant`."""

    name: str
    make: Callable[[], Agent]
    machines: Machines = field(repr=False)
    simulations: int | None = None
    """Simulations for a move, where the clock does not run out before."""

    @property
    def address(self) -> None:
        """No address: every role has a player of its own."""
        return

    def seated(self, assignment: SeatAssignment) -> SeatedLocalPlayer:
        """The player of one role in one match."""
        return SeatedLocalPlayer(self, assignment)


@dataclass(frozen=True, slots=True)
class _ObservedTerms:
    """What the player's role did and saw in a step, as terms."""

    move: GroundTerm
    percepts: tuple[GroundTerm, ...]


class SeatedLocalPlayer:
    """The player in its role. Implements `SeatedPlayer`."""

    def __init__(self, local: LocalPlayer, assignment: SeatAssignment) -> None:
        self._local, self._assignment, self._clocks = local, assignment, assignment.clocks
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"player {local.name}")
        self._player: Agent | None = None
        self._machine: Machine | None = None

    async def start(self) -> Answer:
        """Make the player and let it get ready."""
        began, budget = time.monotonic(), self._clocks.start_budget(self._local.simulations)
        _, fault = await self._done(lambda: self._started(budget), self._clocks.start_clock)
        return Answer(fault=fault, seconds=time.monotonic() - began)

    async def choose(self, last: Step | None, legal: Sequence[MoveId]) -> Answer:
        """Let the player take note of the last step and choose."""
        began, role, shared = time.monotonic(), self._assignment.role, self._assignment.game.machine
        seen, budget = self._as_terms(last), self._clocks.turn_budget(self._local.simulations)
        chosen, fault = await self._done(
            lambda: self._chosen(seen, budget), self._clocks.play_clock
        )
        move = next((own for own in legal if shared.move_term(role, own) == chosen), None)
        if move is None and fault is None:
            fault = Fault(FaultKind.ILLEGAL_MOVE, str(chosen))
        return Answer(move=move, fault=fault, seconds=time.monotonic() - began)

    async def stop(self, last: Step | None) -> Answer:
        """Let the player take note of the last step, and go."""
        seen = self._as_terms(last)
        await self._done(lambda: self._stopped(seen), self._clocks.play_clock)
        return await self.abort()

    async def abort(self) -> Answer:
        """Let the player go; its machine is free when the thread has finished what it is at."""
        self._thread.submit(self._freed)
        self._thread.shutdown(wait=False)
        return Answer()

    async def _done(
        self, work: Callable[[], GroundTerm | None], seconds: float
    ) -> tuple[GroundTerm | None, Fault | None]:
        """What comes of work in the thread, or why nothing does."""
        future = asyncio.get_running_loop().run_in_executor(self._thread, work)
        allowed = seconds + self._clocks.grace_seconds
        try:
            return await asyncio.wait_for(asyncio.shield(future), allowed), None
        except TimeoutError:
            # An exception of a player that was given up is nobody's concern any more.
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
            return None, Fault(FaultKind.TIMEOUT, f"no answer within {allowed:g} s")
        except Exception as error:  # whatever a player does is its own fault
            return None, fault_of(error)

    def _as_terms(self, last: Step | None) -> _ObservedTerms | None:
        if last is None:
            return None
        machine, role = self._assignment.game.machine, self._assignment.role
        seen = last.observation(role)
        percepts = tuple(machine.percept_term(role, percept) for percept in seen.percepts)
        return _ObservedTerms(machine.move_term(role, seen.move), percepts)

    # What follows runs in the thread.

    def _started(self, budget: Budget) -> None:
        self._machine = self._local.machines.take()
        player = self._local.make()
        player.start(Seat(self._machine, self._assignment.role, self._assignment.seed), budget)
        self._player = player

    def _chosen(self, seen: _ObservedTerms | None, budget: Budget) -> GroundTerm:
        player, machine = self._ready()
        self._observe(seen)
        return machine.move_term(self._assignment.role, player.choose(budget))

    def _stopped(self, seen: _ObservedTerms | None) -> None:
        player, _ = self._ready()
        self._observe(seen)
        player.stop()

    def _freed(self) -> None:
        if self._machine is not None:
            self._local.machines.give_back(self._machine)

    def _ready(self) -> tuple[Agent, Machine]:
        if self._player is None or self._machine is None:
            raise RuntimeError("the player did not get ready")
        return self._player, self._machine

    def _observe(self, seen: _ObservedTerms | None) -> None:
        if seen is None:
            return
        player, machine = self._ready()
        role = self._assignment.role
        percepts = [percept_of(machine, role, percept) for percept in seen.percepts]
        # The rules are the same, so that this machine knows what the other one saw.
        known = sorted(percept for percept in percepts if percept is not None)
        player.observe(Observation(machine.move_id(role, seen.move), tuple(known)))
