"""Running a study part by part, in one process or several, so that nothing done is lost.

After each part a callback gets the document so far; a later run takes up what it holds. The order
of the records is that of the parts, whichever ended first.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from pathlib import Path

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.processes import help_quietly
from fogspiel.lab.benchmarks.processes import machine_facts
from fogspiel.lab.framework.study import Document, Settings, Study

Finished = dict[str, list[Document]]
"""Records by part."""


def run_study(
    study: Study,
    *,
    settings: Settings,
    seed: int,
    jobs: int = 1,
    earlier: Document | None = None,
    on_part: Callable[[Document], None] = lambda _: None,
) -> Document:
    """Run what is not done yet; the document.

    earlier: the document of a run that was interrupted, as `document_to_resume` reads it.
    on_part: gets the document after each part.
    """
    began = time.perf_counter()
    parts = list(study.parts(settings))
    finished = _finished(earlier) if earlier else {}
    spent = earlier["seconds"] if earlier else 0.0
    facts = machine_facts()

    def document() -> Document:
        done = {part: finished[part] for part in parts if part in finished}
        return {
            "study": study.name,
            "title": study.what,
            "source": study.source,
            "settings": dict(settings),
            "seed": seed,
            "machine": facts,
            "seconds": spent + time.perf_counter() - began,
            "parts": len(parts),
            "finished": {part: len(records) for part, records in done.items()},
            "records": [record for records in done.values() for record in records],
        }

    missing = [part for part in parts if part not in finished]
    for part, records in _run_parts(study, settings, seed, missing, jobs):
        finished[part] = records
        on_part(document())
    return document()


def _run_parts(
    study: Study, settings: Settings, seed: int, parts: Sequence[str], jobs: int
) -> Iterator[tuple[str, list[Document]]]:
    """Parts as they end, with their records."""
    if jobs == 1 or len(parts) < 2:
        for part in parts:
            yield part, list(study.run_part(settings, seed, part))
        return
    others = set(active_children())
    # Processes are started afresh: a copy of one in which Numba runs threads may hang.
    pool = ProcessPoolExecutor(
        min(jobs, len(parts)),
        mp_context=get_context("spawn"),
        initializer=help_quietly,
        initargs=(os.getpid(),),
    )
    try:
        names: Mapping[Future[Sequence[Document]], str] = {
            pool.submit(study.run_part, settings, seed, part): part for part in parts
        }
        for future in as_completed(names):
            yield names[future], list(future.result())
    except BrokenProcessPool:
        raise LimitError.of(
            "LAB003",
            "a process of the study died, most likely for want of memory",
            fix="go on with --resume and fewer --jobs",
        ) from None
    except BaseException:
        # A part may run for many minutes more, and nobody would see what it finds.
        for process in set(active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


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


def _finished(document: Document) -> Finished:
    finished: Finished = {}
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
