"""The loop of a match: all players are asked, the referee makes a step, and so on to the end.

`match_course` is the only loop of a match. It is a generator that yields questions and takes the
answers of all players, so that it needs to know nothing of threads, networks and clocks. It is
driven in two ways: `play_contenders` asks players of this process one after the other, and
`play_managed_match` asks players that may be anywhere, all at the same time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, TypeVar

from fogspiel.core.findings import PlayError
from fogspiel.core.terms import MoveId, RoleId
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, player_roles
from fogspiel.play.clocks import MakeBudget, OnTiming, Timing
from fogspiel.play.inline_player import Contender, InlinePlayer, OnFault
from fogspiel.play.referee import Answer, Fault, FaultKind, Referee, Step
from fogspiel.players.protocol import Agent, Seat

WARM_UP_STEPS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match that was played to its end."""

    steps: tuple[Step, ...]
    goals: tuple[int, ...]  #: The goal of every role, by the scale of the machine
    start_faults: Mapping[RoleId, Fault]
    """Faults of players who were not ready in time, or not at all."""
    timings: tuple[Timing, ...] = ()
    """Uses of clocks by players of this process, where clocks count seconds."""

    @property
    def joints(self) -> tuple[tuple[MoveId, ...], ...]:
        """The joint move of every step."""
        return tuple(step.joint for step in self.steps)

    def replaced(self, role: RoleId) -> int:
        """The number of moves of a role that gave way to legal ones."""
        return sum(role in step.faults for step in self.steps)

    def fault_counts(self, role: RoleId) -> dict[str, int]:
        """The faults of a role by their kind, getting ready included."""
        return dict(Counter(str(fault.kind) for fault in self._faults(role)))

    def first_fault(self, role: RoleId) -> Fault | None:
        """The first fault of a role, getting ready included; None if it made none."""
        return next(iter(self._faults(role)), None)

    def _faults(self, role: RoleId) -> list[Fault]:
        faults = [self.start_faults, *(step.faults for step in self.steps)]
        return [own[role] for own in faults if role in own]

    def late_seconds(self, role: RoleId) -> list[float]:
        """The delay of each choice of a role that came after its deadline."""
        over = (timing.over_seconds for timing in self.timings if timing.role == role)
        return [seconds for seconds in over if seconds > 0.0]


AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class SeatedPlayer(Protocol[AnswerT_co]):
    """A player in its role. It gives an `Answer` to each question, at once or to be awaited."""

    def start(self) -> AnswerT_co:
        """Get ready, within the start clock."""

    def choose(self, last: Step | None, legal: Sequence[MoveId]) -> AnswerT_co:
        """Take note of the last step, if there was one, and choose a move.

        legal: to understand the answer by; the player is not told.
        """

    def stop(self, last: Step | None) -> AnswerT_co:
        """Take note of the last step: the match is over."""

    def abort(self) -> AnswerT_co:
        """Let go of a match that does not go on."""


AsyncPlayer: TypeAlias = SeatedPlayer[Awaitable[Answer]]
"""A player that may be anywhere. It never raises because of what the player does."""


class MatchObserver(Protocol):
    """Is told what happens in a match, when it happens; `records.format.Recorder` is one."""

    def start(self, seconds: Mapping[RoleId, float], faults: Mapping[RoleId, Fault]) -> None:
        """Players are ready, or failed to be."""

    def step(self, step: Step) -> None:
        """A step was made."""

    def end(self, goals: tuple[int, ...]) -> None:
        """The match is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What all players are asked at the same time."""

    duty: Literal["start", "choose", "stop"]
    last: Step | None = None  #: The step before; None at the start
    legal: Mapping[RoleId, Sequence[MoveId]] = field(default_factory=dict)
    """The legal moves of each role that has to choose."""

    def put_to(self, role: RoleId, player: SeatedPlayer[AnswerT_co]) -> AnswerT_co:
        """The answer of one player, or what can be awaited for it."""
        if self.duty == "start":
            return player.start()
        if self.duty == "stop":
            return player.stop(self.last)
        return player.choose(self.last, self.legal[role])


Answers: TypeAlias = Mapping[RoleId, Answer]
MatchCourse: TypeAlias = Generator[Question, Answers | None, Match]


def match_course(referee: Referee, observer: MatchObserver | None = None) -> MatchCourse:
    """The questions of a match; whoever drives it sends the answers of all roles but chance.

    Raises `PlayError` MAT002 for a match without end, and DYN002 where the rules leave a role
    without a move: only the rules can end a match early, players cannot.
    """
    roles, steps = player_roles(referee.machine), list[Step]()
    answers = (yield Question(duty="start")) or {}
    timings = [own.timing for own in answers.values() if own.timing is not None]
    faults = {role: own.fault for role, own in answers.items() if own.fault is not None}
    if observer is not None:
        observer.start({role: own.seconds for role, own in answers.items()}, faults)
    last: Step | None = None
    while not referee.over:
        referee.check_can_go_on()
        legal = {role: referee.legal(role) for role in roles}
        answers = (yield Question(duty="choose", last=last, legal=legal)) or {}
        timings += [own.timing for own in answers.values() if own.timing is not None]
        last = referee.play(answers)
        steps.append(last)
        if observer is not None:
            observer.step(last)
    goals = referee.goals()
    if observer is not None:
        observer.end(goals)
    yield Question(duty="stop", last=last)
    return Match(steps=tuple(steps), goals=goals, start_faults=faults, timings=tuple(timings))


def advance(course: MatchCourse, answers: Answers | None = None) -> Question | Match:
    """The next question of a match, or the match when it is over."""
    try:
        return course.send(answers)
    except StopIteration as end:
        match: Match = end.value
        return match


def play_match(
    machine: Machine,
    players: Mapping[RoleId, Agent],
    *,
    start_budget: MakeBudget,
    turn_budget: MakeBudget,
    seed: int,
    max_steps: int = DEFAULT_MAX_STEPS,
    on_timing: OnTiming | None = None,
    recorder: MatchObserver | None = None,
    on_fault: OnFault = "raise",
    grace_seconds: float = 0.0,
) -> Match:
    """Let players play one match, all by the same clocks; by default, they are trusted.

    on_fault, grace_seconds: as `play_contenders` takes them.
    Raises what a trusted player raises, and `PlayError` as `play_contenders` does.
    """

    def contender(player: Agent) -> Contender:
        return Contender(make=lambda: player, start_budget=start_budget, turn_budget=turn_budget)

    return play_contenders(
        machine,
        {role: contender(player) for role, player in players.items()},
        seed=seed,
        on_fault=on_fault,
        grace_seconds=grace_seconds,
        max_steps=max_steps,
        on_timing=on_timing,
        recorder=recorder,
    )


def play_contenders(
    machine: Machine,
    contenders: Mapping[RoleId, Contender],
    *,
    seed: int,
    on_fault: OnFault,
    grace_seconds: float = 0.0,
    max_steps: int = DEFAULT_MAX_STEPS,
    on_timing: OnTiming | None = None,
    recorder: MatchObserver | None = None,
) -> Match:
    """Let players of this process play one match; chance draws by the seed.

    on_fault: "raise" trusts players: it waits for late ones and takes their moves, and raises what
    they raise. "replace" goes on whatever they do: a legal move is drawn where there is none.
    grace_seconds: by which a move may be late before it is replaced.
    on_timing: told of each use of a clock, right after it.
    recorder: writes down what happens, when it happens.
    Raises `PlayError` as `match_course` does, and MAT001 for an illegal move by a trusted player,
    unless the move is legal in another state that the player holds possible: the rules then do not
    let the role know its moves (DYN005), and the move is replaced.
    """
    players = {
        role: InlinePlayer(
            contender, Seat(machine, role, seed + int(role)), on_fault, grace_seconds, on_timing
        )
        for role, contender in contenders.items()
    }
    course = match_course(Referee(machine, seed=seed, max_steps=max_steps), recorder)
    try:
        asked = advance(course)
        while isinstance(asked, Question):
            answers = {role: asked.put_to(role, player) for role, player in players.items()}
            asked = advance(course, answers)
    except BaseException:
        for player in players.values():
            player.abort()
        raise
    return asked


async def play_managed_match(
    referee: Referee,
    players: Mapping[RoleId, AsyncPlayer],
    *,
    observer: MatchObserver | None = None,
) -> Match:
    """Let players play one match, one for each role that is not chance; all are asked at once.

    Raises `PlayError` as `match_course` does. Players are told where a match is given up.
    """
    course = match_course(referee, observer)
    asked = advance(course)
    try:
        while isinstance(asked, Question):
            answers = await asyncio.gather(
                *(asked.put_to(role, player) for role, player in players.items())
            )
            asked = advance(course, dict(zip(players, answers, strict=True)))
    except BaseException:
        if not isinstance(asked, Question) or asked.duty != "stop":
            # Nobody waits for what players say to this, and each has a second at most.
            await asyncio.gather(*(player.abort() for player in players.values()))
        raise
    return asked


def warm_up_referee(machine: Machine) -> None:
    """Play a few steps without players, so that no clock runs while kernels are built."""
    absent = Answer(fault=Fault(FaultKind.CONNECTION_ERROR))
    course = match_course(Referee(machine, seed=0, max_steps=WARM_UP_STEPS))
    with suppress(PlayError):  # it stops in the middle; true faults will come again
        asked = advance(course)
        while isinstance(asked, Question):
            asked = advance(course, dict.fromkeys(player_roles(machine), absent))
