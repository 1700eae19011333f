"""A match as a loop of turns: every role chooses, chance draws, and each is told what it saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from fogspiel.core.budget import Budget
from fogspiel.core.findings import PlayError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.observation import Observation
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine
from fogspiel.play.answers import Answer
from fogspiel.play.lateness import START, OnTiming, Timing
from fogspiel.play.records.format import Recorder
from fogspiel.play.referee import Referee, Step
from fogspiel.players.protocol import Agent, KnowsMoves, Seat

MakeBudget = Callable[[], Budget]
"""A fresh budget for a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What happened."""

    joints: tuple[tuple[MoveId, ...], ...]
    goals: tuple[int, ...]
    """Of every role, by the scale of the machine."""
    timings: tuple[Timing, ...]
    """How players kept to their clocks; none where these count simulations alone."""
    replaced: Mapping[RoleId, int]
    """Moves of players that turned out not to be legal, where the rules do not let them know."""


def play_match(
    machine: Machine,
    players: Mapping[RoleId, Agent],
    *,
    start_budget: MakeBudget,
    turn_budget: MakeBudget,
    seed: int,
    max_steps: int = DEFAULT_MAX_STEPS,
    on_timing: OnTiming | None = None,
    recorder: Recorder | None = None,
) -> Match:
    """Let players play one match; chance draws by the seed.

    on_timing: told how a player kept to its clock, right after it did or did not.
    recorder: writes down what happens, when it happens.
    A move that the player held legal, since it is so in another state that it holds possible, is
    replaced by the referee: the rules do not let the role know its moves (DYN005).
    Raises `PlayError` MAT001 for any other move that is not legal, MAT002 for a match without end,
    and DYN002 where the rules leave a role without a move.
    """
    referee = Referee(machine, seed=seed, max_steps=max_steps)
    table = _Table(machine, players, turn_budget, on_timing)
    table.start(seed, start_budget)
    if recorder is not None:
        recorder.start(table.start_seconds)
    joints, replaced = list[tuple[MoveId, ...]](), dict.fromkeys(players, 0)
    while not referee.over:
        referee.check_can_go_on()
        answers = {role: table.answer(role) for role in players}
        step = referee.play(answers)
        for role in step.faults:
            if not table.held_legal(role, answers[role]):
                raise _illegal(machine, step, role)
            replaced[role] += 1
        table.note(step)
        joints.append(step.joint)
        if recorder is not None:
            recorder.step(step)
    table.stop()
    if recorder is not None:
        recorder.end(referee.goals())
    return Match(
        joints=tuple(joints),
        goals=referee.goals(),
        timings=tuple(table.timings),
        replaced=replaced,
    )


class _Table:
    """Players around a game. Each is told what it saw when it is asked again, on its own clock."""

    def __init__(
        self,
        machine: Machine,
        players: Mapping[RoleId, Agent],
        turn_budget: MakeBudget,
        on_timing: OnTiming | None,
    ) -> None:
        self._machine, self._players = machine, players
        self._turn_budget, self._on_timing = turn_budget, on_timing
        self._unseen: dict[RoleId, Observation] = {}
        """What happened in the last step, to those who were not told yet."""
        self._step = START
        self.timings: list[Timing] = []
        self.start_seconds: dict[RoleId, float] = {}

    def start(self, seed: int, start_budget: MakeBudget) -> None:
        for role, player in self._players.items():
            budget, began = start_budget(), monotonic()
            allowed = budget.seconds_left
            player.start(Seat(self._machine, role, seed + int(role)), budget)
            self.start_seconds[role] = monotonic() - began
            self._time(role, allowed, budget)
        self._step += 1

    def note(self, step: Step) -> None:
        """A step was made."""
        for role in self._players:
            self._unseen[role] = step.observation(role)
        self._step += 1

    def stop(self) -> None:
        for role, player in self._players.items():
            self._tell(role)
            player.stop()

    def answer(self, role: RoleId) -> Answer:
        """What a player chooses, once it has been told of the last step."""
        budget, began = self._turn_budget(), monotonic()
        allowed = budget.seconds_left
        self._tell(role)
        move = self._players[role].choose(budget)
        self._time(role, allowed, budget)
        return Answer(move=move, seconds=monotonic() - began)

    def held_legal(self, role: RoleId, answer: Answer) -> bool:
        """Whether a player counted its choice among its moves, as far as it can know them."""
        player = self._players[role]
        return isinstance(player, KnowsMoves) and answer.move in player.legal_moves(
            self._turn_budget()
        )

    def _tell(self, role: RoleId) -> None:
        seen = self._unseen.pop(role, None)
        if seen is not None:
            self._players[role].observe(seen)

    def _time(self, role: RoleId, allowed: float, budget: Budget) -> None:
        if budget.deadline is None:
            return
        timing = Timing(
            role=role,
            step=self._step,
            allowed_seconds=allowed,
            over_seconds=-budget.seconds_left,
        )
        self.timings.append(timing)
        if self._on_timing is not None:
            self._on_timing(timing)


def roles_to_play(machine: Machine) -> Sequence[RoleId]:
    """All roles but chance."""
    return [RoleId(role) for role in range(len(machine.roles)) if role != machine.chance_role]


def _illegal(machine: Machine, step: Step, role: RoleId) -> PlayError:
    chosen = step.faults[role].text
    return PlayError.of(
        "MAT001",
        f"in step {step.number}, the player of {machine.roles[role]} chose {chosen}, "
        "which is not among its legal moves",
        fix="this is a fault of the player; let another one play the role",
    )
