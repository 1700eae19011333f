"""The journal of a tournament: an SQLite database that loses nothing it has acknowledged.

A write-ahead log with full synchronisation: when `add` returns, its results are on the disk. They
are added in one transaction, so that each match is there whole or not at all, and once. Only one
process writes, under a lock that ends with it; others may read at any time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import decompress
from zlib import error as zlib_error

from fogspiel._version import __version__
from fogspiel.core.findings import LimitError, UsageError
from fogspiel.play.tournament.journal_schema import (
    APPLICATION_ID,
    SCHEMA,
    SCHEMA_VERSION,
    FileLock,
    insert,
    select,
)
from fogspiel.play.tournament.plan import GameRules, TournamentPlan, canonical_text
from fogspiel.play.tournament.schedule import MatchResult, PlayedMatch, Schedule, fingerprint

BUSY_SECONDS = 10.0  #: Time for which a reader, such as a backup, may hold up a writer
UNWRITABLE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
}
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class Journal:
    """An open journal. Made by `open_journal` and `read_journal`; closed by its `with` block."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: FileLock | None) -> None:
        self.path = path
        self._connection, self._lock = connection, lock
        self._games: dict[str, int] = {}
        self._players: dict[str, int] = {}

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file and of the lock on it."""
        self._connection.close()
        if self._lock is not None:
            self._lock.release()

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return str(self._one("SELECT name FROM tournament"))

    @property
    def matches(self) -> int:
        """The number of all matches, played or not."""
        return int(self._one("SELECT matches FROM tournament"))

    @property
    def plan_text(self) -> str:
        """The plan with the rules of its games, as JSON."""
        return str(self._one("SELECT plan FROM tournament"))

    @property
    def version(self) -> str:
        """The version of Fogspiel that began it."""
        return str(self._one("SELECT fogspiel FROM tournament"))

    @property
    def fingerprint(self) -> str:
        """The hash of its plan, rules and schedule: equal where the same was to be played."""
        return str(self._one("SELECT fingerprint FROM tournament"))

    def finished(self) -> set[int]:
        """The numbers of the matches whose results are here."""
        with explained(self.path):
            return {number for (number,) in self._connection.execute("SELECT number FROM results")}

    def results(self) -> list[MatchResult]:
        """All results, by number. Raises `UsageError` TOU008 where they are damaged."""
        try:
            with explained(self.path):
                return select(self._connection)
        except (ValueError, TypeError) as error:
            if isinstance(error, UsageError):
                raise
            raise no_journal(self.path, f"it is damaged: {error}") from None

    def record(self, number: int) -> str | None:
        """The record of a match as JSON lines, if records were kept."""
        with explained(self.path):
            row = self._connection.execute(
                "SELECT record FROM results WHERE number = ?", (number,)
            ).fetchone()
        if not row or row[0] is None:
            return None
        try:
            return decompress(row[0]).decode()
        except (zlib_error, ValueError, TypeError):
            raise no_journal(self.path, f"the record of match {number} is damaged") from None

    def add(self, played: Sequence[PlayedMatch]) -> None:
        """Keep results: all of them are on the disk when this returns, or none.

        Raises `LimitError` TOU010 where they cannot be written.
        """
        with explained(self.path), _transaction(self._connection):
            for match in played:
                insert(self._connection, match, self._games, self._players)

    def forget_failed(self, first: int = 0) -> int:
        """Remove the matches without goals from a number on, to be played again; their count."""
        failed = "FROM results WHERE failed IS NOT NULL AND number >= ?"
        with explained(self.path), _transaction(self._connection) as connection:
            seats = f"DELETE FROM seats WHERE number IN (SELECT number {failed})"
            connection.execute(seats, (first,))
            return connection.execute(f"DELETE {failed}", (first,)).rowcount

    def make_safe(self) -> None:
        """Let nothing that is committed be lost; not before it is known whose file this is."""
        with explained(self.path):
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")

    def begin(
        self, plan: TournamentPlan, games: Sequence[GameRules], matches: int, mark: str
    ) -> None:
        """Write down what is played, in one transaction: a journal is begun or is empty."""
        roles = [(game.name, json.dumps(game.roles)) for game in games]
        text = canonical_text(plan, games).encode("utf-8", "backslashreplace").decode()
        with _transaction(self._connection) as connection:
            for statement in SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.execute(
                "INSERT INTO tournament VALUES (1, ?, ?, ?, ?, ?)",
                (plan.name, text, mark, matches, __version__),
            )
            connection.executemany("INSERT INTO games (name, roles) VALUES (?, ?)", roles)
            names = [(player.name,) for player in plan.players]
            connection.executemany("INSERT INTO players (name) VALUES (?)", names)

    def take_up(self, mark: str) -> None:
        """Check that it is sound and this tournament's, and get ready to add results."""
        if self._one("PRAGMA quick_check(1)") != "ok":
            raise no_journal(self.path, "it is damaged")
        if self._one("SELECT fingerprint FROM tournament") != mark:
            raise other_plan(self.path)
        self._games = dict(self._connection.execute("SELECT name, id FROM games"))
        self._players = dict(self._connection.execute("SELECT name, id FROM players"))

    def is_begun(self) -> bool:
        """Whether there is anything in it. Raises `UsageError` TOU008 for a foreign database."""
        application = self._one("PRAGMA application_id")
        tables = self._one("SELECT count(*) FROM sqlite_master")
        if not application and not tables:
            return False
        if application != APPLICATION_ID:
            raise no_journal(self.path, "it is a database of something else")
        version = self._one("PRAGMA user_version")
        if version != SCHEMA_VERSION:
            raise no_journal(self.path, f"it has version {version} of the format")
        return True

    def _one(self, question: str) -> Any:
        with explained(self.path):
            row = self._connection.execute(question).fetchone()
        if row is None:
            raise no_journal(self.path, "what it should begin with is missing")
        return row[0]


def open_journal(
    path: Path,
    plan: TournamentPlan,
    games: Sequence[GameRules],
    schedule: Schedule,
    *,
    resume: bool,
    on_new: Callable[[], None] = lambda: None,
) -> Journal:
    """The journal of a tournament, to be written by this process alone.

    resume: go on with one that is there; without it, that is refused.
    on_new: called before a new one is begun; nothing is written if it raises.
    Raises `UsageError` TOU006 to TOU009, `LimitError` TOU010.
    """
    mark = fingerprint(canonical_text(plan, games), schedule.settled(()))
    journal = _connected(path)
    try:
        begun = journal.is_begun()
        if begun and not resume:
            raise UsageError.of(
                "TOU006",
                f"{path} exists already",
                fix="go on with it by --resume, write to another one by --journal, or remove it",
            )
        journal.make_safe()
        if not begun:
            on_new()
            with explained(path):
                journal.begin(plan, games, schedule.planned, mark)
        journal.take_up(mark)
    except BaseException:
        journal.close()
        raise
    return journal


def read_journal(path: Path) -> Journal:
    """A journal to look at, which another process may be writing meanwhile.

    Raises `UsageError` TOU008 for what is no journal.
    """
    if not path.is_file():
        raise no_journal(path, "there is no such file")
    journal = find_journal(path)
    if journal is None:
        raise no_journal(path, "it is empty")
    return journal


def find_journal(path: Path) -> Journal | None:
    """A journal to look at; None where there is none, or one in which nothing has begun.

    Raises `UsageError` TOU008 for something else.
    """
    if not path.exists():
        return None
    try:
        return _reading(path, "mode=ro")
    except LimitError:
        # SQLite writes beside the file even to read it. Where nobody can, no tournament is running.
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        return _reading(path, "mode=ro&immutable=1")


def _reading(path: Path, how: str) -> Journal | None:
    with explained(path):
        uri = f"{path.absolute().as_uri()}?{how}"
        journal = Journal(path, sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS), None)
    try:
        if journal.is_begun():
            return journal
    except BaseException:
        journal.close()
        raise
    journal.close()
    return None


def _connected(path: Path) -> Journal:
    lock = FileLock(path.with_name(f"{path.name}-lock"))
    try:
        taken = lock.take()
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from None
    if not taken:
        raise _in_use(path)
    try:
        with explained(path):
            connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)
    except BaseException:
        lock.release()
        raise
    return Journal(path, connection, lock)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Let the errors of SQLite say what they mean for a journal."""
    try:
        yield
    except sqlite3.Error as error:
        # The low byte is the kind of error, the others say more about it.
        kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if kind in UNWRITABLE:
            raise _unwritable(path, str(error)) from None
        if kind in BUSY:
            raise _in_use(path) from None
        raise no_journal(path, str(error)) from None


def no_journal(path: Path, why: str) -> UsageError:
    """The error TOU008, for what is no journal."""
    return UsageError.of(
        "TOU008",
        f"{path} is no journal of a tournament: {why}",
        fix="name another file with --journal, or restore this one",
    )


def _in_use(path: Path) -> UsageError:
    return UsageError.of(
        "TOU009",
        f"{path} is in use by another process",
        fix="wait until that tournament is over, or end it; then go on with --resume",
    )


def _unwritable(path: Path, why: str) -> LimitError:
    return LimitError.of(
        "TOU010",
        f"{path} cannot be written: {why}",
        fix="make room or allow writing there, then go on with --resume: what it holds is safe",
    )


def other_plan(path: Path) -> UsageError:
    """The error for a journal that does not belong to a plan."""
    return UsageError.of(
        "TOU007",
        f"{path} belongs to another plan, to other rules, or to another version's schedule",
        fix="undo what was changed in the plan or the rules, or begin anew with another --journal",
    )
