"""A study: what it repeats, how it runs, and how its results are shown.

Results are a JSON document with everything needed to repeat it: settings, seed, versions, machine.

The theses that several studies answer, as their pages name them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from fogspiel.core.registry import Entry

Document: TypeAlias = dict[str, Any]
Settings: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(Entry):
    """One published table or figure that we answer; its source is document, chapter and table."""

    settings: Settings
    """What a run takes, with the values of a full one; `quick` ones replace some of them."""
    quick: Settings
    parts: Callable[[Settings], Sequence[str]]
    """Names of what runs and is kept separately, in the order of the table."""
    run_part: Callable[[Settings, int, str], Sequence[Document]]
    """From settings, seed and a part to records. A function of a module, since it also runs in
    processes of its own."""
    table: Callable[[Sequence[Document]], str]
    """The records as a Markdown table, the published figures beside ours."""
    plot: Callable[[Sequence[Document], Path], None] | None = None
    """Draws the records into a file."""


def settings_of(study: Study, changes: Settings, *, quick: bool) -> Document:
    """The settings of a run."""
    return {**study.settings, **(study.quick if quick else {}), **changes}


def page(study: Study, document: Document) -> str:
    """The document as a page in Markdown."""
    settings = ", ".join(f"{key} {_shown(value)}" for key, value in document["settings"].items())
    machine = document["machine"]
    done, parts = len(document["finished"]), document["parts"]
    lines = [
        f"# {study.what}",
        "",
        f"Source: {study.source}.",
        "",
        *([f"{done} of {parts} parts are done so far.", ""] if done < parts else []),
        study.table(document["records"]),
        "",
        f"Settings: {settings}; seed {document['seed']}. {document['seconds'] / 60:.1f} minutes on "
        f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}.",
        "",
    ]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, tuple | list):
        return " ".join(str(item) for item in value) or "all"
    return str(value)


def write(study: Study, document: Document, folder: Path) -> list[Path]:
    """Write the document, the page and, where matplotlib is installed, the plot."""
    written = [write_document(study, document, folder), folder / f"{study.name}.md"]
    written[1].write_text(page(study, document), encoding="utf-8")
    if study.plot is not None and document["records"] and _has_matplotlib():
        written.append(folder / f"{study.name}.svg")
        study.plot(document["records"], written[-1])
    return written


def write_document(study: Study, document: Document, folder: Path) -> Path:
    """Write the document alone, whole or not at all: a run may be interrupted at any time."""
    folder.mkdir(parents=True, exist_ok=True)
    path = document_path(study, folder)
    draft = path.with_suffix(".json.part")
    draft.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)
    return path


def document_path(study: Study, folder: Path) -> Path:
    """Where the document of a study is kept."""
    return folder / f"{study.name}.json"


def _has_matplotlib() -> bool:
    import importlib.util

    return importlib.util.find_spec("matplotlib") is not None


SHAFIEI = (
    "M. Shafiei Khadem, Simultaneous move games in general game playing (MSc thesis, University of "
    "Alberta 2010)"
)
RICHARDS = (
    "M. Richards, Reasoning and decisions in partially observable games (PhD thesis, University of "
    "Illinois 2012)"
)
CERNY = (
    "J. Cerny, Playing general imperfect-information games using game-theoretic algorithms "
    "(BSc thesis, Czech Technical University in Prague 2014)"
)
