"""Folders and files of caches that nobody but the user could have made.

What a cache holds is trusted: machine code is run, and gates are read without checks. A folder
therefore counts only if the user owns it, nobody else may write to it, and nobody else could have
put another one in its place; where there is none, programs go without. Files are written under a
name that nobody can foresee and then moved to their place: readers never see a part of one, whoever
else writes and whatever is killed.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

OWN_FOLDER, OWN_FILE = 0o700, 0o600  #: Modes: nobody but the owner may do anything
PART = ".part"  #: The names of files that are being written end with it
ABANDONED_SECONDS = 3_600.0  #: Age at which such a file was left behind by a process that ended
# Not every system has these. Opening a pipe would otherwise wait until somebody writes to it.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
READ = os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | getattr(os, "O_BINARY", 0)


def cache_places(kind: str, chosen: str | None) -> Iterator[Path]:
    """Folders for a cache of some kind, best first. They need not exist.

    chosen: what the user wishes.
    """
    if chosen:
        yield Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        yield Path(base) / "fogspiel" / kind
    if home := os.environ.get("HOME"):
        yield Path(home) / ".cache" / "fogspiel" / kind
    user = getattr(os, "geteuid", lambda: 0)()
    try:
        yield Path(tempfile.gettempdir()) / f"fogspiel-{kind}-{user}"
    except OSError:  # no temporary folder at all
        return


def make_private(folder: Path) -> bool:
    """Make a folder for the user alone, unless it exists; returns whether it can be trusted."""
    try:
        for path in (*reversed(folder.parents), folder):
            if not path.exists():
                path.mkdir(OWN_FOLDER, exist_ok=True)  # another process may be quicker
        return _is_private(folder) and _nobody_can_exchange(folder)
    except OSError:
        return False


def _is_private(folder: Path) -> bool:
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and _is_own(status)


def _is_own(status: os.stat_result) -> bool:
    """Whether the user owns a file or folder, and nobody else may write to it."""
    if not hasattr(os, "geteuid"):
        return True  # there, the user's folders are closed to others by other means
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _nobody_can_exchange(folder: Path) -> bool:
    """Whether all folders above belong to the user or to the administrator, and are not open to
    everybody; in one with the sticky bit, such as `/tmp`, only owners may exchange anything."""
    if not hasattr(os, "geteuid"):
        return True
    trusted = {os.geteuid(), 0, Path("/").stat().st_uid}
    for path in {*folder.absolute().parents, *folder.resolve().parents}:
        status = path.lstat()
        is_open = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
        if status.st_uid not in trusted or (is_open and not stat.S_ISLNK(status.st_mode)):
            return False
    return True


def read_private(path: Path, most_bytes: int) -> bytes | None:
    """The content of a file that only the user could have written; None where there is no such
    file, or a larger one."""
    try:
        descriptor = os.open(path, READ)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or not _is_own(status):
                return None
            return file.read() if status.st_size <= most_bytes else None
    except OSError:
        return None


def write_private(path: Path, content: bytes) -> None:
    """Write a file that appears at its place when it is complete. Raises `OSError`."""
    part = path.with_name(f".{path.name}-{secrets.token_hex(8)}{PART}")
    descriptor = os.open(part, WRITE, OWN_FILE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True)
class PrivateStore:
    """Contents by key in a private folder, of which those not used for longest are dropped.

    It never fails: what cannot be read is not there, and what cannot be written is not kept.
    """

    folder: Path
    suffix: str  #: The names of its files end with it; others in the folder are left alone
    most_bytes: int  #: Size of all entries together
    most_entries: int
    most_of_one: int  #: Bytes of the largest content that is kept

    def get(self, key: str) -> bytes | None:
        """The content under a key, which counts as used now."""
        path = self._path(key)
        content = read_private(path, self.most_of_one)
        if content is not None:
            with suppress(OSError):  # read-only, or dropped meanwhile
                os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep a content under a key, and drop what is too much then."""
        if len(content) > self.most_of_one:
            return
        try:
            write_private(self._path(key), content)
            self._drop()
        except OSError:
            return

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{self.suffix}"

    def _drop(self) -> None:
        """Remove what passes the limits, used longest ago first, and parts that were abandoned."""
        entries: list[tuple[float, int, str]] = []
        with os.scandir(self.folder) as files:
            for file in files:
                if not file.is_file(follow_symlinks=False):
                    continue
                status = file.stat(follow_symlinks=False)
                if file.name.endswith(self.suffix):
                    entries.append((status.st_mtime, status.st_size, file.path))
                elif file.name.endswith(PART) and time.time() > status.st_mtime + ABANDONED_SECONDS:
                    Path(file.path).unlink(missing_ok=True)
        excess = sum(size for _, size, _ in entries) - self.most_bytes
        surplus = len(entries) - self.most_entries
        for _, size, path in sorted(entries):
            if excess <= 0 and surplus <= 0:
                return
            Path(path).unlink(missing_ok=True)
            excess -= size
            surplus -= 1
