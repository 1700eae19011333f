"""Games that were compiled before, on disk: loading again takes hundredths of a second.

An entry is kept under a digest of everything that it was made of: the texts of the rules with the
names that findings give them, the limits of grounding, the grounder, and the code that reads,
grounds and compiles. It holds the gates and the findings, or why the rules were not compiled where
a count decided that. A limit of time is met by one machine and not by another, and so never kept.

The folder is `FOGSPIEL_GAMES_CACHE`, or `games` in the user's cache folder; `off` stands for none.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fogspiel
from fogspiel.core.findings import Finding, Severity
from fogspiel.core.limits import MEBIBYTE, GroundLimits
from fogspiel.core.packing import Record, packed, unpacked
from fogspiel.core.private_files import PrivateStore, cache_places, make_private
from fogspiel.core.source import Source, Span

if TYPE_CHECKING:
    from fogspiel.rules.languages import Language

VARIABLE = "FOGSPIEL_GAMES_CACHE"
OFF = "off"
MOST_BYTES = 512 * MEBIBYTE
MOST_ENTRIES = 4_000
MOST_OF_ONE = 64 * MEBIBYTE
SUFFIX = ".game"
PACKAGE = Path(fogspiel.__file__).resolve().parent
MADE_BY = ("core", "games/cache.py", "games/making.py", "ground", "machine/compiled", "rules")
"""Files and folders whose code makes what is kept: after a change all is made anew."""
GROUNDER = "clingo"
COUNTED = frozenset({"GRD003", "GRD004", "GRD006", "MCH004"})
"""Reasons not to compile that are the same on every machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptGame:
    """What loading found out about rules."""

    language: Language
    hides: bool
    findings: tuple[Finding, ...]
    read_seconds: float
    compiled: Record | None = None  #: None where the rules were not compiled
    fallback: Finding | None = None  #: The reason for that


@dataclass(frozen=True, slots=True)
class GameCache:
    """The place in the cache for rules with limits."""

    store: PrivateStore
    key: str
    sources: tuple[Source, ...]

    @classmethod
    def of(cls, sources: Sequence[Source], limits: GroundLimits | None) -> GameCache | None:
        """The place for some rules; None where nothing can be kept."""
        folder = cache_folder()
        key = None if folder is None else _key(sources, limits or GroundLimits())
        if folder is None or key is None:
            return None
        store = PrivateStore(folder, SUFFIX, MOST_BYTES, MOST_ENTRIES, MOST_OF_ONE)
        return cls(store, key, tuple(sources))

    def get(self) -> KeptGame | None:
        """What was kept, unless it is damaged."""
        content = self.store.get(self.key)
        record = None if content is None else unpacked(content)
        if record is None or record.plain.get("key") != self.key:
            return None
        plain = record.plain
        try:
            return KeptGame(
                language=plain["language"],
                hides=plain["hides"],
                findings=tuple(self._finding(one) for one in plain["findings"]),
                read_seconds=plain["read_seconds"],
                compiled=plain["compiled"] and Record(plain["compiled"], record.arrays),
                fallback=plain["fallback"] and self._finding(plain["fallback"]),
            )
        except (KeyError, IndexError, TypeError, ValueError):
            return None

    def put(self, game: KeptGame) -> None:
        """Keep a game, if it is worth it and can be written down."""
        if game.compiled is None and (game.fallback is None or game.fallback.code not in COUNTED):
            return
        plain = {
            "key": self.key,
            "language": game.language,
            "hides": game.hides,
            "read_seconds": game.read_seconds,
            "compiled": game.compiled and game.compiled.plain,
        }
        try:
            plain["findings"] = [self._plain(finding) for finding in game.findings]
            plain["fallback"] = game.fallback and self._plain(game.fallback)
            content = packed(Record(plain, game.compiled.arrays if game.compiled else {}))
        except (ValueError, TypeError):
            return  # goals of thousands of digits, or a finding about another text
        self.store.put(self.key, content)

    def _plain(self, finding: Finding) -> list[Any]:
        source = None if finding.source is None else self.sources.index(finding.source)
        return [finding.code, finding.message, finding.fix, finding.severity, source, finding.span]

    def _finding(self, plain: Sequence[Any]) -> Finding:
        code, message, fix, severity, source, span = plain
        return Finding(
            code,
            message,
            fix,
            severity=Severity(severity),
            source=None if source is None else self.sources[source],
            span=None if span is None else Span(*span),
        )


def cache_folder() -> Path | None:
    """The first private folder among those that may hold the cache; it is made if need be."""
    chosen = os.environ.get(VARIABLE)
    if chosen == OFF:
        return None
    return next((place for place in cache_places("games", chosen) if make_private(place)), None)


def _key(sources: Sequence[Source], limits: GroundLimits) -> str | None:
    """A digest of all that decides what loading gives; None where code or version is unknown."""
    try:
        whole = hashlib.sha256(code_digest())
    except (OSError, metadata.PackageNotFoundError):
        return None
    texts = [part for source in sources for part in (source.name, source.text)]
    for part in (repr(asdict(limits)), *texts):
        text = part.encode("utf-8", "surrogatepass")
        whole.update(len(text).to_bytes(8, "little"))
        whole.update(text)
    return whole.hexdigest()


@cache
def code_digest() -> bytes:
    """A digest of the versions of Fogspiel and the grounder, and of the code of `MADE_BY`."""
    whole = hashlib.sha256()
    versions = fogspiel.__version__, metadata.version(GROUNDER), sys.byteorder
    whole.update(repr(versions).encode())
    for place in MADE_BY:
        path = PACKAGE / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            code = file.read_bytes()
            whole.update(f"{file.relative_to(PACKAGE).as_posix()} {len(code)} ".encode())
            whole.update(code)
    return whole.digest()
