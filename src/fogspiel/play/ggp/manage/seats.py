"""Seats of a managed match: who plays which role, and what each player hears of the match.

Names of matches are digests of what tells a match from all others, seeds among it: a player that
could find the seed of its match by trying could compute what chance will do.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.scramble import Scrambling
from fogspiel.play.loop import AsyncPlayer

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
