"""The measurements kept in `benchmarks/` as Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

NONE_YET = "No measurements are kept with this version; `make bench` makes them.\n"


def measurement_tables() -> str:
    """One section for each file of measurements."""
    files = sorted(BENCHMARKS.glob("*.json"))
    return "\n".join(_section(path) for path in files) if files else NONE_YET


def _section(path: Path) -> str:
    document = json.loads(path.read_text(encoding="utf-8"))
    lines = [f"### {path.stem.replace('_', ' ').capitalize()}", ""]
    facts = _flat(document)
    if facts:
        lines += [", ".join(f"{_title(key)}: {_text(value)}" for key, value in facts.items()), ""]
    for rows in document.values():
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            lines += [*_table([_flat(row) for row in rows]), ""]
    return "\n".join(lines) + "\n"


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """The plain values of a record; those of an inner record under its own names."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            flat.update({f"{key} {inner}": v for inner, v in _flat(value).items()})
        elif not isinstance(value, list):
            flat[key] = value
    return flat


def _table(rows: list[dict[str, Any]]) -> list[str]:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [f"| {' | '.join(map(_title, columns))} |"]
    numeric = [any(isinstance(row.get(column), int | float) for row in rows) for column in columns]
    lines.append("|" + "|".join("---:" if right else "---" for right in numeric) + "|")
    lines += [f"| {' | '.join(_text(row.get(column)) for column in columns)} |" for row in rows]
    return lines


def _title(key: str) -> str:
    return key.replace("_", " ")


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        case _:
            return str(value).replace("|", "\\|").replace("_", "\\_")
