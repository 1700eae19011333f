"""Texts of rules: a problem in POGDDL with its domain, and the games of a tournament.

A problem alone finds its domain beside it, as collections of them have it. The games of a
tournament are read before it begins, and loaded in the processes that play (`load_rules`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fogspiel.core.findings import Finding, FogspielError, RulesError, errors_in
from fogspiel.core.source import Source
from fogspiel.games.library import bundled_games, resolve
from fogspiel.rules.gdl.read import read_file
from fogspiel.rules.languages import Rules, examine
from fogspiel.rules.pogddl.read.read import COMMENT, Part, parts_of

if TYPE_CHECKING:
    from fogspiel.play.tournament.plan import GameRules

SUFFIXES = frozenset({".pddl", ".pogddl"})
MAX_FILES = 200  #: Files of a folder that are searched for a domain, in the order of their names
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


def sound_rules(sources: Sequence[Source]) -> tuple[Rules, list[Finding]]:
    """The rules of some texts, with warnings and notes. Raises `RulesError` with all errors."""
    findings, rules = examine(sources)
    if rules is None:
        raise RulesError(errors_in(findings) or findings)
    return rules, findings


def read_rules(name: str, folder: Path) -> GameRules:
    """The rules that a plan means by a name; files are meant from its folder.

    Nothing is compiled: a tournament that goes on should begin at once.
    Raises `RulesError` for rules with errors, and what reading a file raises.
    """
    from fogspiel.play.tournament.plan import GameRules

    path = folder / name
    place = str(path) if name not in bundled_games() and path.is_file() else name
    sources = with_domain(resolve(place), Path(place))
    program = sound_rules(sources)[0].program
    return GameRules(
        name=name,
        sources=sources,
        roles=tuple(role for role in program.roles if role != program.chance_role),
        hides=program.has_percepts,
    )
