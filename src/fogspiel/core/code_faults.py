"""Exceptions in the code of users, with the lines at which they were raised.

A user is shown its own code, not the modules of Fogspiel and of libraries that called it or that it
called, unless there is nothing else to show.
"""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path
from typing import NamedTuple

from fogspiel.core.source import Source, Span

SHOWN_FRAMES = 12  #: Lines of a traceback that are shown
FOGSPIEL = ("<", str(Path(__file__).parent.parent))
LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "platlib", "purelib"))
"""The folders of what is installed; a user's own package may be among it."""


class CodeFault(NamedTuple):
    """An exception in a user's code, with its place."""

    text: str  #: `ZeroDivisionError: division by zero`
    source: Source | None  #: The file, if it can be read
    span: Span | None  #: The line, or the part of it that is no Python


def fault_of(error: BaseException) -> CodeFault:
    """What a user should be told of an exception in their code: its text and its place.

    The place is the innermost line that is neither of this package nor of Python's libraries.
    """
    text = " ".join(traceback.format_exception_only(error)[-1].split())
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        first = (error.offset or 1) - 1
        same_line = error.end_lineno == error.lineno
        end = error.end_offset - 1 if same_line and error.end_offset else first + 1
        return _fault(text, error.filename, error.lineno, first, end)
    frames = _own_frames(error)
    if not frames:
        return CodeFault(text, None, None)
    last = frames[-1]
    first = (last.colno or 0) if last.end_lineno == last.lineno else 0
    return _fault(text, last.filename, last.lineno or 1, first, last.end_colno or first + 1)


def trace_of(error: BaseException) -> tuple[str, ...]:
    """The lines of a user's code that led to an exception, the innermost last, one text each.

    `bots.py:16 in choose: return 1 / 0`. Of an endless recursion, only the last ones.
    """
    place = fault_of(error)
    if isinstance(error, SyntaxError) and place.source is not None and place.span is not None:
        line, _ = place.source.position(place.span.start)
        return (f"{place.source.name}:{line}: {place.source.line_text(line).strip()}",)
    return tuple(
        f"{_shown_path(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}"
        for frame in _own_frames(error)[-SHOWN_FRAMES:]
    )


def _own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of an exception that are in a user's code, or at least not in this package."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.lineno and not frame.filename.startswith(FOGSPIEL)
    ]
    return [f for f in frames if not f.filename.startswith(LIBRARIES)] or frames


def _fault(text: str, file: str, line: int, first: int, last: int) -> CodeFault:
    """A fault at some columns of a line, as far as the file can be read."""
    try:
        rows = Path(file).read_text("utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        return CodeFault(text, None, None)
    if line > len(rows):
        return CodeFault(text, None, None)
    start = sum(map(len, rows[: line - 1]))
    end = start + len(rows[line - 1].rstrip())
    span = Span(min(start + first, end), max(start + first + 1, min(start + last, end)))
    return CodeFault(text, Source(_shown_path(file), "".join(rows)), span)


def _shown_path(file: str) -> str:
    """The path of a file, from the current folder where it lies below that."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
