"""Files are finished, and free of the places they were written at."""

from __future__ import annotations

import re
from pathlib import Path

from sources import REPOSITORY, tracked_files

TEXTS = (".py", ".md", ".toml", ".gdl", ".cff", ".json", ".css", ".svg", "")

# Split, so that this file does not find itself.
PLACES = re.compile(r"/wo" r"rk/|/ro" r"ot/|/ho" r"me/\w")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")


def name(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    """All lines of the project that a pattern matches: `file:line: text`."""
    return [
        f"{name(path)}:{number}: {line}"
        for path in tracked_files(*TEXTS)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_there_are_files_to_look_at() -> None:
    names = {name(path) for path in tracked_files(*TEXTS)}
    assert {"README.md", "Makefile", ".ci/run", "src/fogspiel/__init__.py"} <= names


def test_no_file_names_a_place_on_some_machine() -> None:
    assert lines_matching(PLACES) == []


def test_no_file_is_unfinished() -> None:
    assert lines_matching(UNFINISHED) == []
