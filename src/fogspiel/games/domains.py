"""A problem in POGDDL alone: its domain is looked for beside it, as collections of them have it."""

from __future__ import annotations

import re
from pathlib import Path

from fogspiel.core.findings import FogspielError
from fogspiel.core.source import Source
from fogspiel.rules.gdl.read import read_file
from fogspiel.rules.pogddl.read.read import COMMENT, Part, parts_of

SUFFIXES = frozenset({".pddl", ".pogddl"})
MAX_FILES = 200
"""Files of a folder that are looked into, in the order of their names."""
ASKED = re.compile(r"\(\s*:domain\s+([^\s()]+)\s*\)", re.IGNORECASE)


def with_domain(source: Source, path: Path) -> tuple[Source, ...]:
    """The text of a problem with that of its domain before it; any other text alone."""
    if parts_of(source.text) is not Part.PROBLEM:
        return (source,)
    asked = ASKED.search(COMMENT.sub("", source.text))
    if asked is None:
        return (source,)
    defines = re.compile(rf"\(\s*domain\s+{re.escape(asked[1])}\s*\)", re.IGNORECASE)
    for candidate in sorted(path.parent.iterdir())[:MAX_FILES]:
        if candidate.suffix.lower() not in SUFFIXES or not candidate.is_file():
            continue
        try:
            domain = read_file(candidate)
        except FogspielError:
            continue  # not what is asked for, whatever it is
        plain = COMMENT.sub("", domain.text)
        if parts_of(domain.text) is Part.DOMAIN and defines.search(plain):
            return domain, source
    return (source,)
