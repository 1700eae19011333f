"""Reading records, which may come from anywhere: every line is checked before it is believed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.records.format import (
    FORMAT,
    VERSION,
    EndLine,
    MatchRecord,
    RecordHeading,
    StartLine,
    StepLine,
)
from fogspiel.play.referee import Fault, FaultKind

MOST_BYTES = 256 << 20
NUMBER = (int, float)


def read_record(path: Path, *, max_bytes: int = MOST_BYTES) -> MatchRecord:
    """A record from a file.

    Raises `UsageError` MAT008 for what is none, MAT009 for another version, and `LimitError` MAT010
    for one that is too long.
    """
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise _no_record(path.name, f"it cannot be read: {error.strerror}") from None
    if len(data) > max_bytes:
        raise LimitError.of(
            "MAT010",
            f"{path.name} is longer than {max_bytes:,} bytes",
            fix="a record of one match is much shorter; give its file alone",
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise _no_record(path.name, "it is no text in UTF-8") from None
    return parse_record(text, path.name)


def parse_record(text: str, name: str) -> MatchRecord:
    """A record from its text; `name` is what findings call it."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise _no_record(name, "it is empty")
    heading = _Line(name, 1, lines[0], "match").heading()
    start, end, steps = None, None, list[StepLine]()
    for number, line in enumerate(lines[1:], start=2):
        read = _Line(name, number, line)
        if end is not None:
            read.refuse("the match is over already")
        if read.kind == "start" and not steps and start is None:
            start = read.start(heading)
        elif read.kind == "step":
            steps.append(read.step(heading, len(steps) + 1))
        elif read.kind == "end":
            end = read.end(heading)
        else:
            read.refuse(f"a line of kind {read.kind!r} cannot stand here")
    return MatchRecord(heading=heading, start=start, steps=tuple(steps), end=end)


class _Line:
    """One line, and what it must hold."""

    def __init__(self, name: str, number: int, text: str, wanted: str | None = None) -> None:
        self._name, self._number = name, number
        try:
            document = json.loads(text, parse_constant=self._constant)
        except (ValueError, RecursionError) as error:
            self.refuse(f"this is no JSON document: {' '.join(str(error).split())[:120]}")
        if not isinstance(document, dict):
            self.refuse("a line is a JSON object")
        self._table: Mapping[str, Any] = document
        self.kind = document.get("line")
        if wanted is not None and self.kind != wanted:
            self.refuse(f'the first line must say "line": "{wanted}"')

    def heading(self) -> RecordHeading:
        if self._table.get("format") != FORMAT:
            self.refuse(f'it does not say "format": "{FORMAT}"')
        if self._table.get("version") != VERSION:
            raise _other_version(self._name, self._table.get("version"))
        roles = self._texts("roles")
        chance = self._of("chance", (str, type(None)))
        players = self._of("players", (dict,))
        playing = [role for role in roles if role != chance]
        if len(set(roles)) != len(roles) or not roles:
            self.refuse("`roles` must be different names")
        if sorted(players) != sorted(playing):
            self.refuse("`players` must name who plays each role but chance")
        if not all(isinstance(player, str) for player in players.values()):
            self.refuse("`players` must be names")
        if self._of("goal_scale", (int,)) < 1 or self._of("seed", (int,)) < 0:
            self.refuse("`goal_scale` must be positive, and `seed` not negative")
        return RecordHeading(
            match=self._of("match", (str,)),
            game=self._of("game", (str,)),
            rules=self._of("rules", (str,)),
            roles=roles,
            chance=chance,
            players=players,
            seed=self._of("seed", (int,)),
            clocks=self._clocks(),
            goal_scale=self._of("goal_scale", (int,)),
            began=self._moment("began"),
        )

    def start(self, heading: RecordHeading) -> StartLine:
        return StartLine(seconds=self._seconds(heading), faults=self._faults(heading))

    def step(self, heading: RecordHeading, expected: int) -> StepLine:
        if self._of("step", (int,)) != expected:
            self.refuse(f"step {expected} should come here")
        moves = self._texts("moves")
        if len(moves) != len(heading.roles):
            self.refuse(f"`moves` must have one for each of {len(heading.roles)} roles")
        percepts = self._of("percepts", (dict,))
        if set(percepts) != set(heading.players):
            self.refuse("`percepts` must have an entry for each role but chance")
        return StepLine(
            number=expected,
            moves=moves,
            percepts={role: self._list(seen, "percepts") for role, seen in percepts.items()},
            seconds=self._seconds(heading),
            faults=self._faults(heading),
            at=self._of("at", NUMBER),
        )

    def end(self, heading: RecordHeading) -> EndLine:
        goals = self._of("goals", (list, type(None)))
        aborted = self._of("aborted", (str, type(None)))
        if (goals is None) == (aborted is None):
            self.refuse("a match ends with `goals`, or is `aborted` for a reason")
        if goals is not None and (
            len(goals) != len(heading.roles) or not all(type(goal) is int for goal in goals)
        ):
            self.refuse("`goals` must be a whole number for each role")
        return EndLine(
            goals=None if goals is None else tuple(goals),
            aborted=aborted,
            at=self._of("at", NUMBER),
        )

    def _clocks(self) -> MatchClocks:
        clocks = self._of("clocks", (dict,))
        for key in ("start_seconds", "turn_seconds", "simulations"):
            value = clocks.get(key)
            if value is not None and (type(value) not in NUMBER or value <= 0):
                self.refuse(f"`{key}` must be a positive number, or null")
        return MatchClocks(
            start_seconds=clocks.get("start_seconds"),
            turn_seconds=clocks.get("turn_seconds"),
            simulations=clocks.get("simulations"),
        )

    def _seconds(self, heading: RecordHeading) -> Mapping[str, float]:
        seconds: Mapping[str, float] = self._of("seconds", (dict,))
        for role, spent in seconds.items():
            if role not in heading.players or type(spent) not in NUMBER:
                self.refuse("`seconds` must be numbers by role")
        return seconds

    def _faults(self, heading: RecordHeading) -> Mapping[str, Fault]:
        return {
            role: self._fault(heading, role, fault)
            for role, fault in self._of("faults", (dict,)).items()
        }

    def _fault(self, heading: RecordHeading, role: str, fault: Any) -> Fault:
        known = isinstance(fault, dict) and fault.get("kind") in list(FaultKind)
        if role not in heading.players or not known or not isinstance(fault.get("text"), str):
            self.refuse("`faults` must be a `kind` and a `text` by role")
        return Fault(FaultKind(fault["kind"]), fault["text"])

    def _moment(self, key: str) -> str:
        text: str = self._of(key, (str,))
        try:
            datetime.fromisoformat(text)
        except ValueError:
            self.refuse(f"`{key}` is no time in ISO form: {text[:40]!r}")
        return text

    def _texts(self, key: str) -> tuple[str, ...]:
        return self._list(self._of(key, (list,)), key)

    def _list(self, values: Any, key: str) -> tuple[str, ...]:
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            self.refuse(f"`{key}` must hold texts")
        return tuple(values)

    def _of(self, key: str, kinds: tuple[type, ...]) -> Any:
        value = self._table.get(key)
        # True and False are numbers to Python.
        if key not in self._table or type(value) not in kinds:
            self.refuse(f"`{key}` is missing, or no {' or '.join(kind.__name__ for kind in kinds)}")
        return value

    def _constant(self, word: str) -> NoReturn:
        raise ValueError(f"{word} is no number")

    def refuse(self, what: str) -> NoReturn:
        raise _no_record(self._name, f"line {self._number}: {what}")


def _no_record(name: str, what: str) -> UsageError:
    return UsageError.of(
        "MAT008",
        f"{name} is no record of a match: {what}",
        fix="give a file that `fogspiel match --record` or `fogspiel manage --record` wrote",
    )


def _other_version(name: str, version: Any) -> UsageError:
    return UsageError.of(
        "MAT009",
        f"{name} is a record of version {str(version)[:20]}; this program reads {VERSION}",
        fix="use the version of Fogspiel that wrote it",
    )
