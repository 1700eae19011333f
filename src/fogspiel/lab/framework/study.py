"""A study: a published table or figure, answered by cells that are computed one by one.

Results are a JSON document with everything needed to repeat it: settings, seed, versions, machine.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from fogspiel.core.registry import Entry
from fogspiel.games.library import bundled_games

Document: TypeAlias = dict[str, Any]
Settings: TypeAlias = Mapping[str, Any]
Cell: TypeAlias = tuple[str | int | float, ...]
"""What is run and kept by itself: a game and a player, for example."""

# Theses that several studies answer.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(Entry):
    """One published table or figure that we answer; its source is document, chapter and table."""

    settings: Settings  #: The values of a full run; those of `quick` replace some of them
    quick: Settings
    cells: Sequence[str] | Callable[[Settings], Iterable[Cell]]
    """Names of settings whose values are combined, or a function from settings to cells; both in
    the order of the table."""
    run: Callable[..., Document | list[Document]]
    """Makes one record or several from settings, seed and the values of a cell. A function of a
    module, since it also runs in processes of its own."""
    table: Callable[[Sequence[Document]], str]
    """The records as a Markdown table, the published figures beside ours."""
    plot: Callable[[Sequence[Document], Path], None] | None = None  #: Draws the records into a file
    separator: str = " "  #: What stands between the values of a cell in its name

    def parts(self, settings: Settings) -> dict[str, Cell]:
        """All cells by name, in the order of the table."""
        if callable(self.cells):
            cells = self.cells(settings)
        else:
            cells = product(*(settings[name] for name in self.cells))
        return {cell_name(cell, self.separator): cell for cell in cells}


def cell_name(cell: Cell, separator: str = " ") -> str:
    """The values of a cell as documents name it; whole numbers without a point."""
    return separator.join(f"{own:g}" if isinstance(own, float) else str(own) for own in cell)


def bundled_cells(settings: Settings) -> list[Cell]:
    """All bundled games, or those that the setting `games` names."""
    return [
        (name,) for name in bundled_games() if not settings["games"] or name in settings["games"]
    ]


def cell_seed(seed: int, *cell: str | int | float) -> int:
    """A seed of a cell's own: with the same luck in all cells, all would be lucky or none."""
    return seed + crc32(cell_name(cell).encode())


def settings_of(study: Study, changes: Settings, *, quick: bool) -> Document:
    """The settings of a run."""
    return {**study.settings, **(study.quick if quick else {}), **changes}


def grouped(records: Iterable[Document], *fields: str) -> dict[Any, list[Document]]:
    """Records by the value of a field, or by the values of several, in the order they come."""
    groups: dict[Any, list[Document]] = {}
    for record in records:
        key = tuple(record[field] for field in fields)
        groups.setdefault(key if len(fields) > 1 else key[0], []).append(record)
    return groups


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
    """The file of a study's document."""
    return folder / f"{study.name}.json"


def _has_matplotlib() -> bool:
    return importlib.util.find_spec("matplotlib") is not None
