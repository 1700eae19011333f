"""The referee of a match: who may move how, what becomes of answers, and what each role observes.

There is no clock and no network here: whoever asks the players hands their answers in. Chance draws
by the seed. A move that did not come, or is not legal, is replaced by a legal one, drawn by the
seed, the step and the role: the same answers always make the same match.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from fogspiel.core.findings import Finding, PlayError
from fogspiel.core.terms import MoveId, Observation, PerceptId, RoleId, format_term
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Machine, State
from fogspiel.play.clocks import Timing

MOST_CHARACTERS = 200  #: Characters of a faulty answer that are kept: players may send anything
SUBSTITUTES = 1  #: Tells the draws of substitute moves from those of chance


class FaultKind(StrEnum):
    """Reason why a move was not the player's own."""

    TIMEOUT = "timeout"
    ILLEGAL_MOVE = "illegal_move"
    PARSING_ERROR = "parsing_error"
    CONNECTION_ERROR = "connection_error"
    ERROR = "error"  #: A player of this machine raised an exception, or its process ended


@dataclass(frozen=True, slots=True)
class Fault:
    """What was wrong with an answer."""

    kind: FaultKind  #: `timeout`, `illegal_move`, `parsing_error`, `connection_error` or `error`
    text: str = ""  #: What was answered, or what happened, shortened
    trace: tuple[str, ...] = ()
    """The lines of the player's own code that led to it, the innermost last, as far as known."""

    def __post_init__(self) -> None:
        """Cut what is too long to be kept."""
        if len(self.text) > MOST_CHARACTERS:
            object.__setattr__(self, "text", self.text[: MOST_CHARACTERS - 1] + "…")


class PlayerFaultError(PlayError):
    """A player's fault that was found out before the referee saw an answer."""

    def __init__(self, findings: Finding | Iterable[Finding], fault: Fault | None = None) -> None:
        super().__init__(findings)
        self.fault = fault or Fault(FaultKind.ERROR, self.findings[0].message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A move or a fault; neither where the player was only asked to get ready or to stop."""

    move: MoveId | None = None
    fault: Fault | None = None
    seconds: float = 0.0  #: Seconds from the question to the answer
    timing: Timing | None = None  #: Comparison with the player's clock, where it was measured

    def __post_init__(self) -> None:
        """Refuse an answer that is both."""
        if self.move is not None and self.fault is not None:
            raise ValueError("an answer is a move or a fault")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a match, made of the answers of all players."""

    number: int  #: Number of the step, from 1
    joint: tuple[MoveId, ...]  #: The joint move, substitutes included
    percepts: tuple[tuple[PerceptId, ...], ...]
    """The percepts of each role; none for chance, whom nobody tells."""
    faults: Mapping[RoleId, Fault]  #: The faults of players whose move was replaced
    seconds: Mapping[RoleId, float] = field(compare=False)
    """The time that each player took to answer; equal play need not take equal time."""

    def observation(self, role: RoleId) -> Observation:
        """Everything that a role may be told of the step."""
        return Observation(self.joint[role], self.percepts[role])


class Referee:
    """The true state of a match. `play` makes a step, until the match is `over`."""

    def __init__(self, machine: Machine, *, seed: int, max_steps: int = DEFAULT_MAX_STEPS) -> None:
        self.machine = machine
        self.steps = 0
        self._seed, self._max_steps = seed, max_steps
        self._chance = np.random.default_rng([seed, len(machine.roles)])
        self._state: State = machine.initial()
        self._legal: dict[RoleId, Sequence[MoveId]] = {}
        """Legal moves in this state, kept since it takes a while to find them."""

    @property
    def over(self) -> bool:
        """Whether the state is terminal."""
        return self.machine.terminal(self._state)

    @property
    def state(self) -> State:
        """The true state, which is for records and never for players."""
        return self._state

    def goals(self) -> tuple[int, ...]:
        """The goals of all roles in a terminal state, by the scale of the machine."""
        return self.machine.goals(self._state)

    def legal(self, role: RoleId) -> Sequence[MoveId]:
        """The legal moves of a role. Raises `PlayError` DYN002 where it has none."""
        known = self._legal.get(role)
        if known is None:
            known = self._legal[role] = self.machine.legal(self._state, role)
        if not known:
            raise PlayError.of(
                "DYN002",
                f"the match cannot go on: {self.machine.roles[role]} has no legal move",
                fix="give every role a move in every state that is not terminal, such as `noop`",
            )
        return known

    def check_can_go_on(self) -> None:
        """Check that a step can be made, before players are asked.

        Raises `PlayError` MAT002 for a match without end, DYN002 where a role cannot move.
        """
        if self.steps >= self._max_steps:
            raise PlayError.of(
                "MAT002",
                f"the match was not over after {self._max_steps:,} steps",
                fix="let the rules count steps and end the game",
            )
        for role in range(len(self.machine.roles)):
            self.legal(RoleId(role))

    def play(self, answers: Mapping[RoleId, Answer]) -> Step:
        """Make a step of the answers of all roles but chance.

        Raises `PlayError` MAT002 for a match without end, DYN002 where a role cannot move.
        """
        self.check_can_go_on()
        machine, joint, faults = self.machine, list[MoveId](), dict[RoleId, Fault]()
        for role in map(RoleId, range(len(machine.roles))):
            if role == machine.chance_role:
                joint.append(self._drawn(role))
                continue
            move, fault = self._judged(role, answers[role])
            joint.append(move)
            if fault is not None:
                faults[role] = fault
        state, roles = self._state, map(RoleId, range(len(machine.roles)))
        percepts = tuple(
            () if role == machine.chance_role else tuple(machine.percepts(state, joint, role))
            for role in roles
        )
        self._state = machine.step(state, joint)
        self._legal.clear()
        self.steps += 1
        return Step(
            number=self.steps,
            joint=tuple(joint),
            percepts=percepts,
            faults=faults,
            seconds={role: answer.seconds for role, answer in answers.items()},
        )

    def _drawn(self, chance: RoleId) -> MoveId:
        legal, weights = self.legal(chance), self.machine.chance_weights(self._state)
        order = self._by_text(chance, legal)
        weights = weights[order]
        return legal[order[int(self._chance.choice(len(legal), p=weights / weights.sum()))]]

    def _judged(self, role: RoleId, answer: Answer) -> tuple[MoveId, Fault | None]:
        """The move that counts, and why it is not the player's own."""
        legal = self.legal(role)
        if answer.move is not None:
            if answer.move in legal:
                return answer.move, None
            fault = Fault(FaultKind.ILLEGAL_MOVE, move_text(self.machine, role, answer.move))
        else:
            assert answer.fault is not None
            fault = answer.fault
        key = [self._seed, self.steps, int(role), SUBSTITUTES]
        drawn = int(np.random.default_rng(key).integers(len(legal)))
        return legal[self._by_text(role, legal)[drawn]], fault

    def _by_text(self, role: RoleId, legal: Sequence[MoveId]) -> Sequence[int]:
        """The places of moves in the order of their text, which is that of a compiled machine.

        Other machines number moves as they meet them, and other matches must not change this one.
        """
        places = range(len(legal))
        if self.machine.engine == "compiled":
            return list(places)
        terms = [self.machine.move_term(role, move) for move in legal]
        return sorted(places, key=lambda place: format_term(terms[place]))


def move_text(machine: Machine, role: RoleId, move: MoveId) -> str:
    """A move as faults show it, whether the rules know it or not."""
    if 0 <= move < machine.move_count(role):
        return format_term(machine.move_term(role, move))
    return f"move {move}, which the rules do not know"
