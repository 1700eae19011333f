"""What a player is sent in a match, and what its answers mean.

Of a step, a player is told its own move and what it saw, in the words of its dialect; the joint
move only in games that hide nothing. Percepts are sorted by their text: the numbers of a machine
may have been given in the order in which others met them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.core.findings import UsageError
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.play.ggp.manage.seats import ManagedGame, SeatAssignment
from fogspiel.play.ggp.messages import (
    Abort,
    Play,
    ProtocolDialect,
    Start,
    Stop,
    Told,
    nothing_told,
    told_of_step,
    write_message,
)
from fogspiel.play.ggp.term_text import MessageError, read_move, write_term
from fogspiel.play.referee import Fault, FaultKind, Step

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  #: Characters that no term holds


@dataclass(frozen=True, slots=True)
class MessageEncoder:
    """The messages to one player, in its dialect."""

    assignment: SeatAssignment
    dialect: ProtocolDialect

    def start(self) -> str:
        """The rules, its role and the clocks."""
        assignment, scrambling = self.assignment, self.assignment.scrambling
        return write_message(
            Start(
                match=assignment.match,
                role=scrambling.name(assignment.game.machine.roles[assignment.role]),
                rules=scrambling.rules,
                start_seconds=assignment.clocks.start_clock,
                play_seconds=assignment.clocks.play_clock,
            )
        )

    def play(self, last: Step | None) -> str:
        """The question for a move, after the last step if there was one."""
        return write_message(Play(match=self.assignment.match, told=self._told(last)))

    def stop(self, last: Step | None) -> str:
        """The message that the match is over."""
        return write_message(Stop(match=self.assignment.match, told=self._told(last)))

    def abort(self) -> str:
        """The message for a match that is given up."""
        return write_message(Abort(self.assignment.match))

    def _told(self, last: Step | None) -> Told:
        if last is None:
            return nothing_told(self.dialect)
        machine, role = self.assignment.game.machine, self.assignment.role
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
        return self.assignment.scrambling.term(term)

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
        try:
            meant = self.assignment.scrambling.back(answered)
        except MessageError:
            meant = answered  # a name that rules count up to, and do not write
        role, machine = self.assignment.role, self.assignment.game.machine
        for move in legal:
            if machine.move_term(role, move) == meant:
                return move
        return Fault(FaultKind.ILLEGAL_MOVE, write_term(answered))


def refuse_dialect(game: ManagedGame, dialect: ProtocolDialect, player: str) -> None:
    """Raise `UsageError` MAN001 where a dialect would tell too much, or nothing."""
    if game.hides and dialect is ProtocolDialect.GDL1:
        raise UsageError.of(
            "MAN001",
            f"{game.name} hides moves, which the dialect {dialect} would tell to {player}",
            fix="use the dialect gdl2 or gdl2_old, or a player that knows GDL-II",
        )
    if not game.hides and dialect is not ProtocolDialect.GDL1:
        raise UsageError.of(
            "MAN001",
            f"the rules of {game.name} do not say what players see, as {dialect} has to tell",
            fix="leave the dialect out, or use gdl1",
        )
