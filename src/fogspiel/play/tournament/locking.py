"""One process at a time: a lock that ends with the process that holds it, however that dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


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
