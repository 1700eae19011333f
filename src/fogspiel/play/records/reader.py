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
    """Read a record from a file. Raises as `read_text` and `parse_record`."""
    return parse_record(read_text(path, max_bytes=max_bytes), path.name)


def read_text(path: Path, *, max_bytes: int = MOST_BYTES) -> str:
    """The text of a record's file.

    Raises `UsageError` MAT008 where it cannot be read, `LimitError` MAT010 where it is too long.
    """
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise LimitError.of(
                "MAT010",
                f"{path.name} is longer than {max_bytes:,} bytes",
                fix="a record of one match is much shorter; give its file alone",
            )
        return data.decode()
    except OSError as error:
        raise _no_record(path.name, f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _no_record(path.name, "it is no text in UTF-8") from None


def parse_record(text: str, name: str) -> MatchRecord:
    """Read a record from its text; `name` is what findings call it.

    Raises `UsageError` MAT008 for what is none, MAT009 for another version.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise _no_record(name, "it is empty")
    first = _Line(name, 1, lines[0])
    if first.kind != "match":
        first.refuse('the first line must say "line": "match"')
    heading = first.heading()
    start, end, steps = None, None, list[StepLine]()
    for number, line in enumerate(lines[1:], start=2):
        read = _Line(name, number, line)
        if end is not None:
            read.refuse("the match is over already")
        if read.kind == "start" and not steps and start is None:
            start = StartLine(seconds=read.seconds(heading), faults=read.faults(heading))
        elif read.kind == "step":
            steps.append(read.step(heading, len(steps) + 1))
        elif read.kind == "end":
            end = read.end(heading)
        else:
            read.refuse(f"a line of kind {read.kind!r} cannot stand here")
    return MatchRecord(heading=heading, start=start, steps=tuple(steps), end=end)


class _Line:
    """One line of a record. Every method raises `UsageError` MAT008 for what should not be there.

    Booleans are numbers to Python, so that types are compared exactly.
    """

    def __init__(self, name: str, number: int, text: str) -> None:
        self._name, self._number = name, number
        try:
            document = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            self.refuse(f"this is no JSON document: {' '.join(str(error).split())[:120]}")
        if not isinstance(document, dict):
            self.refuse("a line is a JSON object")
        self._table: Mapping[str, Any] = document
        self.kind = document.get("line")

    def heading(self) -> RecordHeading:
        version = self._table.get("version")
        self._expect(self._table.get("format") == FORMAT, f'it does not say "format": "{FORMAT}"')
        if version != VERSION:
            raise UsageError.of(
                "MAT009",
                f"{self._name} is a record of version {str(version)[:20]}; this program reads "
                f"{VERSION}",
                fix="use the version of Fogspiel that wrote it",
            )
        roles, players = self._texts(self._of("roles", list), "roles"), self._of("players", dict)
        chance, began = self._of("chance", str, None), self._of("began", str)
        scale, seed = self._of("goal_scale", int), self._of("seed", int)
        self._expect(roles and len(set(roles)) == len(roles), "`roles` must be different names")
        self._expect(
            sorted(players) == sorted(role for role in roles if role != chance),
            "`players` must name who plays each role but chance",
        )
        self._expect(all(type(own) is str for own in players.values()), "`players` must be names")
        self._expect(
            scale >= 1 and seed >= 0, "`goal_scale` must be positive, and `seed` not negative"
        )
        try:
            datetime.fromisoformat(began)
        except ValueError:
            self.refuse(f"`began` is no time in ISO form: {began[:40]!r}")
        return RecordHeading(
            match=self._of("match", str),
            game=self._of("game", str),
            rules=self._of("rules", str),
            roles=roles,
            chance=chance,
            players=players,
            seed=seed,
            clocks=self._clocks(),
            goal_scale=scale,
            began=began,
        )

    def step(self, heading: RecordHeading, expected: int) -> StepLine:
        self._expect(self._of("step", int) == expected, f"step {expected} should come here")
        moves, count = self._texts(self._of("moves", list), "moves"), len(heading.roles)
        self._expect(len(moves) == count, f"`moves` must have one for each of {count} roles")
        percepts = self._of("percepts", dict)
        self._expect(
            set(percepts) == set(heading.players),
            "`percepts` must have an entry for each role but chance",
        )
        return StepLine(
            number=expected,
            moves=moves,
            percepts={role: self._texts(seen, "percepts") for role, seen in percepts.items()},
            seconds=self.seconds(heading),
            faults=self.faults(heading),
            at=self._of("at", *NUMBER),
        )

    def end(self, heading: RecordHeading) -> EndLine:
        goals, aborted = self._of("goals", list, None), self._of("aborted", str, None)
        self._expect(
            (goals is None) != (aborted is None),
            "a match ends with `goals`, or is `aborted` for a reason",
        )
        self._expect(
            goals is None
            or (len(goals) == len(heading.roles) and all(type(goal) is int for goal in goals)),
            "`goals` must be a whole number for each role",
        )
        goals = None if goals is None else tuple(goals)
        return EndLine(goals=goals, aborted=aborted, at=self._of("at", *NUMBER))

    def seconds(self, heading: RecordHeading) -> Mapping[str, float]:
        seconds: Mapping[str, float] = self._of("seconds", dict)
        for role, spent in seconds.items():
            known = role in heading.players and type(spent) in NUMBER
            self._expect(known, "`seconds` must be numbers by role")
        return seconds

    def faults(self, heading: RecordHeading) -> Mapping[str, Fault]:
        faults = self._of("faults", dict)
        for role, fault in faults.items():
            known = type(fault) is dict and fault.get("kind") in list(FaultKind)
            self._expect(
                role in heading.players and known and type(fault.get("text")) is str,
                "`faults` must be a `kind` and a `text` by role",
            )
            self._texts(fault.get("trace", []), "trace")
        return {
            role: Fault(FaultKind(own["kind"]), own["text"], tuple(own.get("trace", ())))
            for role, own in faults.items()
        }

    def _clocks(self) -> MatchClocks:
        clocks = self._of("clocks", dict)
        keys = ("start_seconds", "turn_seconds", "simulations")
        for key in keys:
            value = clocks.get(key)
            self._expect(
                value is None or (type(value) in NUMBER and value > 0),
                f"`{key}` must be a positive number, or null",
            )
        return MatchClocks(**{key: clocks.get(key) for key in keys})

    def _texts(self, values: Any, key: str) -> tuple[str, ...]:
        is_list = type(values) is list and all(type(value) is str for value in values)
        self._expect(is_list, f"`{key}` must hold texts")
        return tuple(values)

    def _of(self, key: str, *kinds: type | None) -> Any:
        value = self._table.get(key)
        types = [type(None) if kind is None else kind for kind in kinds]
        names = " or ".join(kind.__name__ for kind in types)
        self._expect(
            key in self._table and type(value) in types, f"`{key}` is missing, or no {names}"
        )
        return value

    def _expect(self, fulfilled: object, what: str) -> None:
        if not fulfilled:
            self.refuse(what)

    def refuse(self, what: str) -> NoReturn:
        raise _no_record(self._name, f"line {self._number}: {what}")


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _no_record(name: str, what: str) -> UsageError:
    return UsageError.of(
        "MAT008",
        f"{name} is no record of a match: {what}",
        fix="give a file that `fogspiel match --record` or `fogspiel manage --record` wrote",
    )
