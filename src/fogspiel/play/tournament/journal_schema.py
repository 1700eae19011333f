"""The database of a journal: its tables, the rows that results are kept as, and a lock on the file.

The lock ends with the process that holds it, however that dies.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from fogspiel.play.tournament.schedule import MatchResult, PlayedMatch

APPLICATION_ID = 0x466F6754  #: The letters FogT, in the header of the file
SCHEMA_VERSION = 1
SCHEMA = (
    """CREATE TABLE tournament (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        name TEXT NOT NULL,
        plan TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        matches INTEGER NOT NULL,
        fogspiel TEXT NOT NULL
    )""",
    "CREATE TABLE games (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, roles TEXT NOT NULL)",
    "CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    """CREATE TABLE results (
        number INTEGER PRIMARY KEY,
        game INTEGER NOT NULL REFERENCES games (id),
        seed INTEGER NOT NULL,
        goal_scale INTEGER NOT NULL,
        steps INTEGER NOT NULL,
        seconds REAL NOT NULL,
        failed TEXT,
        record BLOB
    )""",
    """CREATE TABLE seats (
        number INTEGER NOT NULL REFERENCES results (number),
        seat INTEGER NOT NULL,
        player INTEGER NOT NULL REFERENCES players (id),
        goal INTEGER,
        faults TEXT NOT NULL,
        thinking_seconds REAL,
        slowest_seconds REAL,
        PRIMARY KEY (number, seat)
    ) WITHOUT ROWID""",
)
SELECT_SEATS = """
    SELECT r.number, g.name, g.roles, r.seed, r.goal_scale, r.steps, r.seconds, r.failed,
           p.name, s.goal, s.faults
    FROM results r
    JOIN games g ON g.id = r.game
    JOIN seats s ON s.number = r.number
    JOIN players p ON p.id = s.player
    ORDER BY r.number, s.seat
"""


def insert(
    connection: sqlite3.Connection,
    played: PlayedMatch,
    games: Mapping[str, int],
    players: Mapping[str, int],
) -> None:
    """Add a result with its seats. games, players: their ids by name."""
    result = played.result
    connection.execute(
        "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            result.number,
            games[result.game],
            result.seed,
            result.goal_scale,
            result.steps,
            result.seconds,
            result.failed,
            played.record,
        ),
    )
    for seat, name in enumerate(result.players):
        thinking = played.thinking[seat] if played.thinking else None
        connection.execute(
            "INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                result.number,
                seat,
                players[name],
                result.goals[seat] if result.goals else None,
                json.dumps(dict(result.faults[seat]), sort_keys=True),
                thinking.seconds if thinking else None,
                thinking.slowest_seconds if thinking else None,
            ),
        )


def select(connection: sqlite3.Connection) -> list[MatchResult]:
    """All results, by number. Raises `ValueError` for rows that are no result."""
    rows = connection.execute(SELECT_SEATS)
    return [_result(list(seats)) for _, seats in groupby(rows, key=lambda row: int(row[0]))]


def _result(seats: list[tuple[Any, ...]]) -> MatchResult:
    number, game, roles, seed, goal_scale, steps, seconds, failed = seats[0][:8]
    names, goals = tuple(json.loads(roles)), tuple(seat[9] for seat in seats)
    faults = tuple(json.loads(seat[10]) for seat in seats)
    is_whole = len(names) == len(seats) and all(isinstance(own, dict) for own in faults)
    if not is_whole or (failed is None and not all(isinstance(goal, int) for goal in goals)):
        raise ValueError(f"match {number} is not whole")
    return MatchResult(
        number=number,
        game=game,
        roles=names,
        players=tuple(seat[8] for seat in seats),
        seed=seed,
        goals=() if failed is not None else goals,
        goal_scale=goal_scale,
        steps=steps,
        faults=faults,
        seconds=seconds,
        failed=failed,
    )


class FileLock:
    """An exclusive lock on a file of its own, which is removed when the lock is let go."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> bool:
        """Whether nobody else holds it. Raises `OSError` where the file cannot be made."""
        while True:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                return False
            if self._is_still(file):
                self._file = file
                return True
            # The last holder removed the file after we had opened it: this is a lock on nothing.
            os.close(file)

    def release(self) -> None:
        """Let it go. The file goes first, while nobody else can have it."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None

    def _is_still(self, file: int) -> bool:
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(os.fstat(file), there)
