"""Running a study part by part, in one process or several, so that nothing done is lost.

After each part a callback gets the document so far; a later run takes up what it holds. The order
of the records is that of the parts, whichever ended first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.processes import run_each
from fogspiel.lab.benchmarks.processes import machine_facts
from fogspiel.lab.framework.study import Cell, Document, Settings, Study


def run_study(
    study: Study,
    *,
    settings: Settings,
    seed: int,
    jobs: int = 1,
    earlier: Document | None = None,
    on_part: Callable[[Document], None] = lambda _: None,
) -> Document:
    """Run the cells that are not done yet, and give the document.

    earlier: the document of a run that was interrupted, as `document_to_resume` reads it.
    on_part: gets the document after each part.
    """
    began = time.perf_counter()
    cells = study.parts(settings)
    finished = _finished(earlier) if earlier else {}
    spent = earlier["seconds"] if earlier else 0.0
    facts = machine_facts()

    def document() -> Document:
        done = {part: finished[part] for part in cells if part in finished}
        return {
            "study": study.name,
            "title": study.what,
            "source": study.source,
            "settings": dict(settings),
            "seed": seed,
            "machine": facts,
            "seconds": spent + time.perf_counter() - began,
            "parts": len(cells),
            "finished": {part: len(records) for part, records in done.items()},
            "records": [record for records in done.values() for record in records],
        }

    missing = [(part, cell) for part, cell in cells.items() if part not in finished]
    died = LimitError.of(
        "LAB003",
        "a process of the study died, most likely for want of memory",
        fix="go on with --resume and fewer --jobs",
    )
    work = partial(_run_cell, study.run, settings, seed)
    for (part, _), found in run_each(work, missing, jobs=jobs, died=died):
        finished[part] = found
        on_part(document())
    return document()


def _run_cell(
    run: Callable[..., Document | list[Document]],
    settings: Settings,
    seed: int,
    named: tuple[str, Cell],
) -> list[Document]:
    found = run(settings, seed, *named[1])
    return [found] if isinstance(found, dict) else found


def document_to_resume(path: Path, study: Study, settings: Settings, seed: int) -> Document | None:
    """The document of an earlier run; None if there is none.

    Raises `UsageError` LAB002 for one that was made otherwise than this run would.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        document = json.loads(text)
        made = (document["study"], document["settings"], document["seed"])
        lengths = sum(document["finished"].values())
        sound = lengths == len(document["records"]) and float(document["seconds"]) >= 0.0
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _not_resumable(path, "is no document of a study") from None
    # As JSON, since tuples come back as lists.
    if made != (study.name, json.loads(json.dumps(dict(settings))), seed):
        raise _not_resumable(path, "was made with other settings or another seed")
    if not sound:
        raise _not_resumable(path, "does not hold the records that it names")
    resumed: Document = document
    return resumed


def _finished(document: Document) -> dict[str, list[Document]]:
    """Records by part."""
    finished: dict[str, list[Document]] = {}
    first = 0
    for part, count in document["finished"].items():
        finished[part] = document["records"][first : first + count]
        first += count
    return finished


def _not_resumable(path: Path, what: str) -> UsageError:
    return UsageError.of(
        "LAB002",
        f"{path} {what}",
        fix="run without --resume, or write to another folder with --out",
    )
