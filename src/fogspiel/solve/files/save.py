"""Strategies as files: one JSON document, compressed where the name ends with `.gz`.

`docs/strategies.md` describes the document. What is written reads back equal, number for number.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from fogspiel._version import __version__
from fogspiel.core.source import Source
from fogspiel.solve.files.strategy_table import Origin, RoleStrategy, StrategyFile

FORMAT = "fogspiel strategy"
VERSION = 1
LEVELS = 4
"""How deep the document is laid out on lines: down to the rows of a role's tables."""


def write_strategy(book: StrategyFile, path: Path) -> None:
    """Write a strategy. The same strategy gives the same bytes."""
    data = _laid_out(document_of(book), LEVELS).encode() + b"\n"
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    # A file of half a strategy would be worse than none: it takes its place when it is whole.
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def rules_digest(sources: Sequence[Source]) -> str:
    """What tells rules from others: the SHA-256 of their texts, a line end being one character."""
    total = sha256()
    for source in sources:
        lines = source.text.replace("\r\n", "\n").encode()
        total.update(b"%d\n" % len(lines))
        total.update(lines)
    return f"sha256:{total.hexdigest()}"


def document_of(book: StrategyFile) -> dict[str, Any]:
    """The document of a strategy."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "fogspiel": __version__,
        **_header(book.origin),
        "strategies": {role: _role(own) for role, own in book.roles.items()},
    }


def _header(origin: Origin) -> dict[str, Any]:
    unit = origin.unit
    return {
        "game": origin.game,
        "rules": origin.rules_digest,
        "roles": list(origin.roles),
        "unit": {"name": unit.name, "offset": unit.offset, "scale": unit.scale},
        "values": list(origin.values),
        "exploitability": origin.exploitability,
        "method": origin.method,
        "parameters": dict(origin.parameters),
        "iterations": origin.iterations,
        "seconds": origin.seconds,
    }


def _role(book: RoleStrategy) -> dict[str, Any]:
    return {
        "sights": [[sight.move, *sight.percepts] for sight in book.sights],
        "knowledge": [list(pair) for pair in book.knowledge],
        "menus": [list(menu) for menu in book.menus],
        "choices": [
            [known, choice.menu, *choice.probabilities] for known, choice in book.choices.items()
        ],
    }


def _laid_out(value: Any, levels: int) -> str:
    """JSON with a line for each part, down to some level."""
    if levels == 0 or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if isinstance(value, list):
        parts = [_laid_out(part, levels - 1) for part in value]
        return "[\n" + ",\n".join(parts) + "\n]"
    parts = [f"{json.dumps(key)}: {_laid_out(part, levels - 1)}" for key, part in value.items()]
    return "{\n" + ",\n".join(parts) + "\n}"
