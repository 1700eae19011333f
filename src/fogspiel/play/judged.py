"""A match between players of this process that goes on whatever they do.

`turns` trusts its players, and ends at the first fault. Here a move that is late, illegal or never
made is replaced by the referee, and the fault is kept. A player cannot be stopped from outside
while it thinks: a late one is waited for, and its move does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.ids import RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine
from fogspiel.play.answers import Answer, Fault, FaultKind
from fogspiel.play.loop import MakeBudget
from fogspiel.play.records.format import Recorder
from fogspiel.play.referee import Referee, Step
from fogspiel.players.protocol import Agent, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """Who plays a role, and by which clocks."""

    make: Callable[[], Agent]
    start_budget: MakeBudget
    turn_budget: MakeBudget


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMatch:
    """What happened."""

    steps: tuple[Step, ...]
    goals: tuple[int, ...]
    """Of every role, by the scale of the machine."""
    start_faults: Mapping[RoleId, Fault]
    """Of those who were not ready in time, or not at all."""

    def fault_counts(self, role: RoleId) -> dict[str, int]:
        """How often a role was at fault, by the kind of fault; getting ready counts too."""
        faults = [step.faults[role] for step in self.steps if role in step.faults]
        if role in self.start_faults:
            faults.insert(0, self.start_faults[role])
        counts: dict[str, int] = {}
        for fault in faults:
            counts[str(fault.kind)] = counts.get(str(fault.kind), 0) + 1
        return counts


def play_judged_match(
    machine: Machine,
    contenders: Mapping[RoleId, Contender],
    *,
    seed: int,
    grace_seconds: float,
    recorder: Recorder | None = None,
    max_steps: int = DEFAULT_MAX_STEPS,
) -> JudgedMatch:
    """Let players play one match; chance draws by the seed.

    grace_seconds: that a player may be late without being at fault.
    Raises `PlayError` MAT002 for a match without end, and DYN002 where the rules leave a role
    without a move: only the rules can end a match early, players cannot.
    """
    referee = Referee(machine, seed=seed, max_steps=max_steps)
    chairs = {
        role: _Chair(contender, Seat(machine, role, seed + int(role)), grace_seconds)
        for role, contender in contenders.items()
    }
    try:
        match = _played(referee, chairs, recorder)
    except PlayError as error:
        if recorder is not None:
            recorder.abort(error.findings[0].message)
        raise
    finally:
        for chair in chairs.values():
            chair.stop()
    if recorder is not None:
        recorder.end(match.goals)
    return match


def _played(
    referee: Referee, chairs: Mapping[RoleId, _Chair], recorder: Recorder | None
) -> JudgedMatch:
    seconds = {role: chair.start() for role, chair in chairs.items()}
    faults = {role: chair.start_fault for role, chair in chairs.items() if chair.start_fault}
    if recorder is not None:
        recorder.start(seconds, faults)
    steps: list[Step] = []
    while not referee.over:
        referee.check_can_go_on()
        step = referee.play({role: chair.answer() for role, chair in chairs.items()})
        for role, chair in chairs.items():
            chair.unseen = step.observation(role)
        if recorder is not None:
            recorder.step(step)
        steps.append(step)
    return JudgedMatch(steps=tuple(steps), goals=referee.goals(), start_faults=faults)


class _Chair:
    """A player in its role, whose exceptions and delays become faults."""

    def __init__(self, contender: Contender, seat: Seat, grace_seconds: float) -> None:
        self._contender, self._seat, self._grace_seconds = contender, seat, grace_seconds
        self._player: Agent | None = None
        """None while, or for ever if, it is not ready."""
        self.start_fault: Fault | None = None
        self.unseen: Observation | None = None
        """What happened in the last step, told on the player's own clock."""

    def start(self) -> float:
        """Let the player get ready; the seconds that it took."""
        began, budget = time.monotonic(), self._contender.start_budget()
        try:
            player = self._contender.make()
            player.start(self._seat, budget)
            self._player, self.start_fault = player, self._lateness(budget)
        except Exception as error:  # whatever a player does is its own fault
            self.start_fault = _raised(error)
        return time.monotonic() - began

    def answer(self) -> Answer:
        """The player's move, or what was wrong instead. It is asked again after a fault."""
        began = time.monotonic()
        if self._player is None:
            assert self.start_fault is not None
            return Answer(fault=self.start_fault)
        budget = self._contender.turn_budget()
        try:
            self._tell(self._player)
            move = self._player.choose(budget)
        except Exception as error:
            return Answer(fault=_raised(error), seconds=time.monotonic() - began)
        seconds, late = time.monotonic() - began, self._lateness(budget)
        if late is not None:
            return Answer(fault=late, seconds=seconds)
        return Answer(move=move, seconds=seconds)

    def stop(self) -> None:
        if self._player is None:
            return
        try:
            self._tell(self._player)
            self._player.stop()
        except Exception:
            # The goals are known by now: there is nothing left that a fault could change.
            self._player = None

    def _tell(self, player: Agent) -> None:
        seen, self.unseen = self.unseen, None
        if seen is not None:
            player.observe(seen)

    def _lateness(self, budget: Budget) -> Fault | None:
        over = -budget.seconds_left
        if over <= self._grace_seconds:
            return None
        return Fault(FaultKind.TIMEOUT, f"{over:.3f} s late")


def _raised(error: Exception) -> Fault:
    return Fault(FaultKind.ERROR, f"{type(error).__name__}: {' '.join(str(error).split())}")
