"""The wire between a match and the process of a player: documents of JSON, one a line.

Nothing that a player's process sends is believed: a line is read up to a length and a moment, and
may be anything. Moves and percepts are terms, since machines may number them otherwise.
"""

from __future__ import annotations

import json
import socket
import time
from typing import Any, TypeAlias

from fogspiel.core.terms import MAX_TERM_DEPTH, GroundTerm

Document: TypeAlias = dict[str, Any]

MOST_BYTES = 1 << 20
PORTION = 1 << 16


class NonsenseError(Exception):
    """What came is no document."""


class Wire:
    """One end of a wire."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._heard = bytearray()

    def send(self, document: Document) -> None:
        """Send a document. Raises `OSError` where nobody takes it within a moment."""
        self._end.settimeout(1.0)
        self._end.sendall(json.dumps(document, separators=(",", ":")).encode() + b"\n")

    def receive(self, until: float | None = None) -> Document:
        """The next document. until: a moment on the monotonic clock; None waits for ever.

        Raises `TimeoutError`, `EOFError` where the other end is gone, and `NonsenseError`.
        """
        while (end := self._heard.find(b"\n")) < 0:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0.0:
                raise TimeoutError
            self._end.settimeout(left)
            try:
                portion = self._end.recv(PORTION)
            except ConnectionError:
                raise EOFError from None
            if not portion:
                raise EOFError
            self._heard += portion
            if len(self._heard) > MOST_BYTES:
                raise NonsenseError(f"more than {MOST_BYTES:,} bytes in one line")
        line = bytes(self._heard[:end])
        del self._heard[: end + 1]
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            raise NonsenseError(repr(line[:60])) from None
        if not isinstance(document, dict):
            raise NonsenseError(repr(line[:60]))
        return document

    def close(self) -> None:
        """Let go of the wire."""
        self._end.close()


def term_of_plain(plain: object, depth: int = 0) -> GroundTerm:
    """The term that a wire carried as names in lists. Raises `NonsenseError` for anything else."""
    if isinstance(plain, str):
        return plain
    if not isinstance(plain, list) or not plain or depth > MAX_TERM_DEPTH:
        raise NonsenseError(f"no term: {str(plain)[:60]}")
    return tuple(term_of_plain(part, depth + 1) for part in plain)
