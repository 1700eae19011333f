"""What a player is sent in a match, and what its answers mean.

Of a step, a player is told its own move and what it saw, in the words of its dialect; the joint
move only in games that hide nothing. Percepts are sorted by their text: the numbers of a machine
may have been given in the order in which others met them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fogspiel.core.findings import UsageError
from fogspiel.core.ids import MoveId, RoleId
from fogspiel.core.terms import GroundTerm
from fogspiel.machine.protocol import Machine
from fogspiel.play.answers import Fault, FaultKind
from fogspiel.play.ggp.dialects import ProtocolDialect, nothing_told, told_of_step
from fogspiel.play.ggp.messages import Abort, Play, Start, Stop, Told, write_message
from fogspiel.play.ggp.scramble import Scrambling
from fogspiel.play.ggp.term_text import MessageError, read_move, write_term
from fogspiel.play.referee import Step

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Characters that no term holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedGame:
    """A game with the text that players are sent."""

    name: str
    rules: str = field(repr=False)
    """In GDL, prefix form."""
    machine: Machine = field(repr=False)
    """Of just this text."""
    hides: bool
    """Whether the rules say what each role sees; without, all see the joint move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchClocks:
    """What players are told, and how much later an answer still counts."""

    start_seconds: float = 30.0
    play_seconds: float = 10.0
    grace_seconds: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAssignment:
    """A role in a match, from where its player is told."""

    game: ManagedGame
    role: RoleId
    match: str
    """The name of the match, as this player hears it."""
    scrambling: Scrambling
    clocks: MatchClocks
    seed: int
    """For players of this process."""


@dataclass(frozen=True, slots=True)
class MessageEncoder:
    """The messages to one player, in its dialect."""

    sitting: SeatAssignment
    dialect: ProtocolDialect

    def start(self) -> str:
        """The rules, its role and the clocks."""
        sitting, scrambling = self.sitting, self.sitting.scrambling
        return write_message(
            Start(
                match=sitting.match,
                role=scrambling.name(sitting.game.machine.roles[sitting.role]),
                rules=scrambling.rules,
                start_seconds=sitting.clocks.start_seconds,
                play_seconds=sitting.clocks.play_seconds,
            )
        )

    def play(self, last: Step | None) -> str:
        """The question for a move, after the last step if there was one."""
        return write_message(Play(match=self.sitting.match, told=self._told(last)))

    def stop(self, last: Step | None) -> str:
        """The end."""
        return write_message(Stop(match=self.sitting.match, told=self._told(last)))

    def abort(self) -> str:
        """An end that the rules do not know."""
        return write_message(Abort(self.sitting.match))

    def _told(self, last: Step | None) -> Told:
        if last is None:
            return nothing_told(self.dialect)
        machine, role = self.sitting.game.machine, self.sitting.role
        seen = last.observation(role)
        percepts = [self._term(machine.percept_term(role, percept)) for percept in seen.percepts]
        joint = [
            self._term(machine.move_term(RoleId(mover), move))
            for mover, move in enumerate(last.joint)
            if self.dialect is ProtocolDialect.GDL1
        ]
        return told_of_step(
            self.dialect,
            turn=last.number,
            joint=joint,
            own=self._term(machine.move_term(role, seen.move)),
            percepts=sorted(percepts, key=write_term),
        )

    def _term(self, term: GroundTerm) -> GroundTerm:
        return self.sitting.scrambling.term(term)

    def read(self, body: bytes, legal: Sequence[MoveId]) -> MoveId | Fault:
        """The legal move that a player answered, whatever case it writes, or what is wrong.

        Other moves are not looked up: a machine may remember every term that it is asked about.
        """
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return Fault(FaultKind.PARSING_ERROR, ascii(body[:50]))
        if CONTROL.search(text):
            return Fault(FaultKind.PARSING_ERROR, ascii(text[:100]))
        try:
            answered = read_move(text)
        except MessageError as error:
            return Fault(FaultKind.PARSING_ERROR, error.findings[0].message)
        role, machine = self.sitting.role, self.sitting.game.machine
        meant = self._back(answered)
        for move in legal:
            if machine.move_term(role, move) == meant:
                return move
        return Fault(FaultKind.ILLEGAL_MOVE, write_term(answered))

    def _back(self, term: GroundTerm) -> GroundTerm:
        try:
            return self.sitting.scrambling.back(term)
        except MessageError:
            return term  # a name that rules count up to, and do not write


def refuse_dialect(game: ManagedGame, dialect: ProtocolDialect, player: str) -> None:
    """Raise `UsageError` MAN001 where a dialect would tell too much, or nothing."""
    if (dialect is ProtocolDialect.GDL1) == game.hides:
        raise _wrong_dialect(game, dialect, player)


def _wrong_dialect(game: ManagedGame, dialect: ProtocolDialect, player: str) -> UsageError:
    if game.hides:
        why = f"{game.name} hides moves, which the dialect {dialect} would tell to {player}"
        fix = "use the dialect gdl2 or gdl2_old, or a player that knows GDL-II"
    else:
        why = f"the rules of {game.name} do not say what players see, as {dialect} has to tell"
        fix = "leave the dialect out, or use gdl1"
    return UsageError.of("MAN001", why, fix=fix)
