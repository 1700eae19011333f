"""A record in the form that ggp-base keeps matches in, which viewers and archives of others read.

Fields by ggp-base's class `Match`: states are lists of fluents in one text each, errors have a row
for the start and one for each step, times are milliseconds since 1970. Departures: `gameMetaURL`
names the game where it has no address, goals that are no whole numbers are rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any

from fogspiel.core.terms import GroundTerm
from fogspiel.machine.protocol import Machine
from fogspiel.play.records.format import MatchRecord, StepLine
from fogspiel.play.records.replay import replay
from fogspiel.play.referee import FaultKind

CODES = {
    FaultKind.TIMEOUT: "TO",
    FaultKind.CONNECTION_ERROR: "CE",
    FaultKind.ERROR: "CE",
    FaultKind.PARSING_ERROR: "IL",
    FaultKind.ILLEGAL_MOVE: "IL",
}
TOKEN_LETTERS = 32


def match_document(record: MatchRecord, machine: Machine, *, game_url: str | None = None) -> Any:
    """The match as ggp-base writes it. Replays it, since records do not keep states.

    Raises `PlayError` MAT012 where the record and the rules disagree.
    """
    heading, steps, end = record.heading, record.steps, record.end
    roles = heading.roles
    states = [machine.initial(), *(made.after for made in replay(record, machine))]
    began = round(1000 * datetime.fromisoformat(heading.began).timestamp())
    times = [began, *(began + round(1000 * line.at) for line in steps)]
    token = sha256(f"{heading.match} {heading.began}".encode()).hexdigest()
    document = {
        "matchId": heading.match,
        "randomToken": token[:TOKEN_LETTERS],
        "startTime": began,
        "gameMetaURL": game_url or heading.game,
        "isCompleted": end is not None and end.goals is not None,
        "isAborted": end is not None and end.aborted is not None,
        "states": [_list(map(_symbols, machine.fluent_terms(state))) for state in states],
        "moves": [[_spaced(move) for move in line.moves] for line in steps],
        "stateTimes": times,
        "errors": [[""] * len(roles), *([_error(line, role) for role in roles] for line in steps)],
        "previewClock": -1,
        "startClock": round(heading.clocks.start_seconds or 0),
        "playClock": round(heading.clocks.turn_seconds or 0),
        "playerNamesFromHost": [heading.players.get(role, role) for role in roles],
        "scrambled": False,
    }
    if end is not None and end.goals is not None:
        document["goalValues"] = [round(goal / heading.goal_scale) for goal in end.goals]
    return document


def _error(line: StepLine, role: str) -> str:
    fault = line.faults.get(role)
    if fault is None:
        return ""
    code = CODES[fault.kind]
    return f"{code} {fault.text}" if code == "IL" else code


def _symbols(term: GroundTerm) -> str:
    return term if isinstance(term, str) else _list(map(_symbols, term))


def _spaced(text: str) -> str:
    """A term as ggp-base sets it, with spaces around parentheses."""
    return " ".join(text.replace("(", " ( ").replace(")", " ) ").split())


def _list(parts: Iterator[str]) -> str:
    return f"( {' '.join(parts)} )"
