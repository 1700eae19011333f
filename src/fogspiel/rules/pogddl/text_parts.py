"""The parts of a game in POGDDL: domain and problem, in one text or in two.

A look at a text says which of them it holds, and which domain a problem needs, before it is read
and whatever faults it has.
"""

from __future__ import annotations

import re
from enum import Flag
from pathlib import Path

from fogspiel.core.findings import FogspielError
from fogspiel.core.source import Source

SUFFIXES = frozenset({".pddl", ".pogddl"})
MAX_FILES = 200  #: Files of a folder that are searched for a domain, in the order of their names
COMMENT = re.compile(r";[^\n]*")
OPENING = re.compile(r"\(\s*define\s*\(\s*(domain|problem)(?=[\s()])", re.IGNORECASE)
ASKED = re.compile(r"\(\s*:domain\s+([^\s()]+)\s*\)", re.IGNORECASE)


class Part(Flag):
    """What a text holds of a game in POGDDL; nothing, if it is in another language."""

    NONE = 0
    DOMAIN = 1
    PROBLEM = 2


def parts_of(text: str) -> Part:
    """The parts of a game that a text defines, by a look at its content."""
    found = {match[1].lower() for match in OPENING.finditer(_without_comments(text))}
    return (Part.DOMAIN if "domain" in found else Part.NONE) | (
        Part.PROBLEM if "problem" in found else Part.NONE
    )


def is_pogddl(text: str) -> bool:
    """Whether a text is POGDDL, rather than GDL."""
    return bool(parts_of(text))


def domain_beside(text: str, folder: Path) -> Source | None:
    """The domain that a text needs besides, from the files of a folder.

    None if it needs none, as it is no problem or has a domain of its own, and if none is there.
    """
    asked = ASKED.search(_without_comments(text)) if parts_of(text) is Part.PROBLEM else None
    if asked is None:
        return None
    from fogspiel.rules.gdl.read import read_file

    defines = re.compile(rf"\(\s*domain\s+{re.escape(asked[1])}\s*\)", re.IGNORECASE)
    for candidate in sorted(folder.iterdir())[:MAX_FILES]:
        if candidate.suffix.lower() not in SUFFIXES or not candidate.is_file():
            continue
        try:
            domain = read_file(candidate)
        except FogspielError:
            continue  # not what is asked for, whatever it is
        plain = _without_comments(domain.text)
        if parts_of(domain.text) is Part.DOMAIN and defines.search(plain):
            return domain
    return None


def _without_comments(text: str) -> str:
    return COMMENT.sub("", text)
