"""A study: what it repeats, how it runs, and how its results are shown.

Results are a JSON document with everything needed to repeat it: settings, seed, versions, machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from fogspiel.bench.facts import machine_facts

Document: TypeAlias = dict[str, Any]


class Advance(Protocol):
    """Told when a part of a study is done."""

    def __call__(self, done: int, total: int) -> None:
        """So many parts of so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One published table or figure that we answer."""

    name: str
    title: str
    source: str
    """Document, chapter and table."""
    settings: Mapping[str, Any]
    """What a run takes, with the values of a full one; `quick` ones replace some of them."""
    quick: Mapping[str, Any]
    run: Callable[[Mapping[str, Any], int, Advance], Sequence[Document]]
    """From settings and seed to records."""
    table: Callable[[Sequence[Document]], str]
    """The records as a Markdown table, the published figures beside ours."""
    plot: Callable[[Sequence[Document], Path], None] | None = None
    """Draws the records into a file."""


def run_study(
    study: Study, *, seed: int, quick: bool, changes: Mapping[str, Any], advance: Advance
) -> Document:
    """Run a study; its document."""
    settings = {**study.settings, **(study.quick if quick else {}), **changes}
    began = time.perf_counter()
    records = study.run(settings, seed, advance)
    return {
        "study": study.name,
        "title": study.title,
        "source": study.source,
        "settings": settings,
        "seed": seed,
        "machine": machine_facts(),
        "seconds": time.perf_counter() - began,
        "records": list(records),
    }


def page(study: Study, document: Document) -> str:
    """The document as a page in Markdown."""
    settings = ", ".join(f"{key} {value}" for key, value in document["settings"].items())
    machine = document["machine"]
    lines = [
        f"# {study.title}",
        "",
        f"Source: {study.source}.",
        "",
        study.table(document["records"]),
        "",
        f"Settings: {settings}; seed {document['seed']}. {document['seconds'] / 60:.1f} minutes on "
        f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}.",
        "",
    ]
    return "\n".join(lines)


def write(study: Study, document: Document, folder: Path) -> list[Path]:
    """Write the document, the page and, where matplotlib is installed, the plot."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / f"{study.name}.json", folder / f"{study.name}.md"]
    written[0].write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    written[1].write_text(page(study, document), encoding="utf-8")
    if study.plot is not None and _has_matplotlib():
        written.append(folder / f"{study.name}.svg")
        study.plot(document["records"], written[-1])
    return written


def _has_matplotlib() -> bool:
    import importlib.util

    return importlib.util.find_spec("matplotlib") is not None
