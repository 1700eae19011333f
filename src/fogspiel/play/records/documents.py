"""Matches for other programs: as one plain document, and in the form of ggp-base.

`ggp_document` writes the match, replayed, in the form that ggp-base keeps matches in, which viewers
and archives of others read: states are lists of fluents in one text each, errors have a row for the
start and one for each step, times are milliseconds since 1970. Departures from ggp-base's class
`Match`: `gameMetaURL` names the game where it has no address, goals that are no whole numbers are
rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any

from fogspiel.core.terms import GroundTerm
from fogspiel.machine.protocol import Machine
from fogspiel.play.records.format import MatchRecord, StepLine, heading_document
from fogspiel.play.records.replay import replay
from fogspiel.play.referee import FaultKind


def record_document(record: MatchRecord, role: str | None = None) -> dict[str, Any]:
    """A record as one document.

    role: leaves out what this role did not see, the seed that tells what chance does included.
    """
    end, heading = record.end, heading_document(record.heading)
    if role is not None:
        del heading["seed"]
    return {
        **heading,
        "as": role,
        "replayed": True,
        "steps": [_step(record, line, role) for line in record.steps],
        "completed": end is not None and end.goals is not None,
        "aborted": None if end is None else end.aborted,
        "goals": _goals(record, role),
    }


def _step(record: MatchRecord, line: StepLine, role: str | None) -> dict[str, Any]:
    moves = dict(zip(record.heading.roles, line.moves, strict=True))
    if role is not None:
        percepts = list(line.percepts[role])
        return {"step": line.number, "move": moves[role], "percepts": percepts}
    return {
        "step": line.number,
        "moves": moves,
        "percepts": {name: list(percepts) for name, percepts in line.percepts.items()},
        "seconds": dict(line.seconds),
        "faults": {name: {"kind": f.kind, "text": f.text} for name, f in line.faults.items()},
        "at": line.at,
    }


def _goals(record: MatchRecord, role: str | None) -> dict[str, float] | None:
    """Goals by role. From one role's view only its own: the others' may be hidden from it."""
    if record.end is None or record.end.goals is None:
        return None
    scale = record.heading.goal_scale
    pairs = zip(record.heading.roles, record.end.goals, strict=True)
    return {name: goal / scale for name, goal in pairs if role in (None, name)}


CODES = {
    FaultKind.TIMEOUT: "TO",
    FaultKind.CONNECTION_ERROR: "CE",
    FaultKind.ERROR: "CE",
    FaultKind.PARSING_ERROR: "IL",
    FaultKind.ILLEGAL_MOVE: "IL",
}
TOKEN_LETTERS = 32


def ggp_document(record: MatchRecord, machine: Machine, *, game_url: str | None = None) -> Any:
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
