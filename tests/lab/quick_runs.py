"""Quick runs of studies, and a small game for those that play large ones."""

from __future__ import annotations

import re
from pathlib import Path

from fogspiel.games.library import resolve
from fogspiel.lab.framework.runner import run_study
from fogspiel.lab.framework.study import Document, Study, settings_of, write


def quick_run(study: Study, *, seed: int = 0, **changes: object) -> Document:
    """The document of a run with quick settings, some of which are changed."""
    return run_study(study, settings=settings_of(study, changes, quick=True), seed=seed)


def quick_records(study: Study, *, seed: int = 0, **changes: object) -> list[Document]:
    """The records of such a run."""
    records: list[Document] = quick_run(study, seed=seed, **changes)["records"]
    return records


def written_page(study: Study, document: Document, folder: Path) -> str:
    """The page that is written beside the document."""
    return write(study, document, folder)[1].read_text(encoding="utf-8")


def small_game_of_three(folder: Path) -> str:
    """`smallest` with numbers up to 3 and three steps: three players move at the same time."""
    rules = re.sub(r"\(number (?:[4-9]|10)\)\n", "", resolve("smallest").text)
    path = folder / "smallest.gdl"
    path.write_text(rules.replace("(true (step 25))", "(true (step 3))"), encoding="utf-8")
    return str(path)
