"""Seats of a managed match: who plays which role, what each player is sent, what its answers mean.

Names of matches are digests of what tells a match from all others, seeds among it: a player that
could find the seed of its match by trying could compute what chance will do.

Of a step, a player is told its own move and what it saw, in the words of its dialect; the joint
move only in games that hide nothing. Percepts are sorted by their text: the numbers of a machine
may have been given in the order in which others met them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fogspiel.core.findings import UsageError
from fogspiel.core.terms import GroundTerm, MoveId, RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import MatchClocks
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
from fogspiel.play.ggp.term_text import MessageError, Scrambling, read_move, write_term
from fogspiel.play.loop import AsyncPlayer
from fogspiel.play.referee import Fault, FaultKind, Step

DIGEST_CHARACTERS = 12
MANAGER_GRACE_SECONDS = 1.0
"""Seconds by which an answer may be late: the network takes its time too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedGame:
    """A game with the text that players are sent."""

    name: str
    rules: str = field(repr=False)  #: The rules in GDL, in prefix form
    machine: Machine = field(repr=False)  #: The machine of just this text
    hides: bool  #: Whether the rules say what each role sees; otherwise all see the joint move


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAssignment:
    """A role in a match, with everything that its player is told."""

    game: ManagedGame
    role: RoleId
    match: str  #: The name of the match, as this player hears it
    scrambling: Scrambling
    clocks: MatchClocks
    seed: int  #: The seed of a player of this process


class Participant(Protocol):
    """A participant of matches, one after the other or several at once."""

    @property
    def name(self) -> str:
        """The name in results."""

    @property
    def address(self) -> str | None:
        """The address at which several roles may be played; None for players of this process."""

    def seated(self, assignment: SeatAssignment) -> AsyncPlayer:
        """The player of one role in one match."""


def seat_participants(
    game: ManagedGame,
    participants: Mapping[RoleId, Participant],
    *,
    match: str,
    scrambling: Scrambling,
    clocks: MatchClocks,
    seed: int,
) -> dict[RoleId, AsyncPlayer]:
    """The players of one match. Who plays two roles hears of two matches, to tell them apart."""
    heard = Counter[str | None]()
    players: dict[RoleId, AsyncPlayer] = {}
    for role, participant in participants.items():
        address = participant.address
        heard[address] += 1
        again = address is not None and heard[address] > 1
        assignment = SeatAssignment(
            game=game,
            role=role,
            match=f"{match}.{heard[address]}" if again else match,
            scrambling=scrambling,
            clocks=clocks,
            seed=seed + int(role),
        )
        players[role] = participant.seated(assignment)
    return players


def match_name(game: str, *key: object) -> str:
    """The name of a match, which protocols and files can hold. key: what no other match shares."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", game).strip("_") or "game"
    return f"{plain}.{digest_of('name', *key)[:DIGEST_CHARACTERS]}"


def digest_of(*key: object) -> str:
    """A digest in hexadecimal that players may see: it does not lead back to the key."""
    text = "\n".join(map(str, key))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


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
