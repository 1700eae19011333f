"""A study of nothing, for tests of how studies are run.

Its processes import this module, which is why it imports no study that computes something.
"""

from __future__ import annotations

import os
import time
from typing import Any

from fogspiel.lab.framework.study import Document, Settings, Study, settings_of

RUN: list[str] = []
"""Letters that were run, for tests in one process."""


def run(settings: Settings, seed: int, letter: str) -> list[Document]:
    """A record for each number."""
    RUN.append(letter)
    return [{"letter": letter, "number": n, "seed": seed} for n in range(settings["count"])]


def run_slowly(settings: Settings, seed: int, letter: str) -> list[Document]:
    """Ten minutes of all letters but one."""
    if letter != "c":
        time.sleep(600)
    return run(settings, seed, letter)


def run_deadly(settings: Settings, seed: int, letter: str) -> list[Document]:
    """Ends the process."""
    os._exit(9)


def table(records: Any) -> str:
    """A row for each record."""
    return "\n".join(f"| {record['letter']} | {record['number']} |" for record in records)


STUDY = Study(
    name="letters",
    what="Letters and numbers",
    source="Nobody (1900), table 1",
    settings={"letters": ("c", "a", "b"), "count": 3, "empty": ()},
    quick={"count": 1},
    cells=("letters",),
    run=run,
    table=table,
)
SETTINGS = settings_of(STUDY, {}, quick=True)
