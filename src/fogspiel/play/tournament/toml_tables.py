"""Tables of a TOML file, read key by key: what is wrong is noted, and reading goes on."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from fogspiel.core.findings import Finding
from fogspiel.core.source import Source

TEXT_LENGTH = 300


class TomlTable:
    """A table with what it is called in findings, such as `players[2].`.

    Where an entry is wrong something of its kind is returned all the same: whoever reads on looks
    at the findings in the end.
    """

    def __init__(
        self, entries: Mapping[str, Any], where: str, source: Source, findings: list[Finding]
    ) -> None:
        self.entries, self.findings = entries, findings
        self._where, self._source = where, source

    def wrong(self, key: str, what: str, fix: str) -> None:
        """Note a finding about an entry."""
        message = f"{self._where}{key} {what}"
        self.findings.append(Finding("TOU003", message, fix=fix, source=self._source))

    def refuse_unknown(self, known: Sequence[str]) -> None:
        """Note every key that means nothing, with the one that may have been meant."""
        for key in sorted(set(self.entries) - set(known)):
            close = difflib.get_close_matches(key, known, n=1)
            fix = f"did you mean {close[0]}?" if close else f"use {', '.join(known)}"
            message = f"there is no entry {self._where}{key}"
            self.findings.append(Finding("TOU002", message, fix=fix, source=self._source))

    def text(self, key: str, default: str | None = None) -> str:
        """A text on one line, which must be there if there is no default."""
        value = self.entries.get(key, default)
        if value is None:
            self.wrong(key, "is missing", f'write {key} = "…"')
            return ""
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            self.wrong(key, f"is {_shown(value)}", f'write a text on one line: {key} = "…"')
            return ""
        if len(value) > TEXT_LENGTH:
            self.wrong(key, f"has {len(value):,} characters", f"write at most {TEXT_LENGTH}")
        return value

    def optional_text(self, key: str) -> str | None:
        """A text if it is there."""
        return self.text(key) if key in self.entries else None

    def whole(self, key: str, default: int, *, least: int, most: int) -> int:
        """A whole number."""
        value = self.entries.get(key, default)
        if type(value) is not int or not least <= value <= most:
            fix = f"write a whole number from {least:,} to {most:,}"
            self.wrong(key, f"is {_shown(value)}", fix)
            return default
        return value

    def optional_whole(self, key: str, *, least: int, most: int) -> int | None:
        """A whole number if it is there."""
        return self.whole(key, least, least=least, most=most) if key in self.entries else None

    def real(self, key: str, default: float, *, least: float, most: float) -> float:
        """A number."""
        value = self.entries.get(key, default)
        if type(value) not in {int, float} or not least <= value <= most:
            self.wrong(key, f"is {_shown(value)}", f"write a number from {least:g} to {most:g}")
            return default
        return float(value)

    def optional_real(self, key: str, *, least: float, most: float) -> float | None:
        """A number if it is there."""
        return self.real(key, least, least=least, most=most) if key in self.entries else None

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.entries.get(key, default)
        if not isinstance(value, bool):
            self.wrong(key, f"is {_shown(value)}", "write true or false")
            return default
        return value

    def texts(self, key: str, *, most: int, example: str) -> tuple[str, ...]:
        """A list of different texts; at least one."""
        value = self.entries.get(key)
        if not isinstance(value, list) or not value or not all(_is_text(item) for item in value):
            self.wrong(key, "must be a list of texts", f"write for example {example}")
            return ()
        if len(value) > most:
            self.wrong(key, f"has {len(value):,} entries", f"write at most {most:,}")
            return ()
        self.refuse_repeated(key, value)
        return tuple(value)

    def table(self, key: str, example: str) -> TomlTable:
        """A table inside this one."""
        value = self.entries.get(key)
        if not isinstance(value, dict):
            self.wrong(key, "must be a table", f"write for example {example}")
            value = {}
        return TomlTable(value, f"{self._where}{key}.", self._source, self.findings)

    def tables(self, key: str, *, most: int, example: str) -> list[TomlTable]:
        """Tables inside this one; at least one."""
        value = self.entries.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(t, dict) for t in value):
            self.wrong(key, "must be tables", f"write for example {example}")
            return []
        if len(value) > most:
            self.wrong(key, f"has {len(value):,} entries", f"write at most {most:,}")
            return []
        return [
            TomlTable(entries, f"{self._where}{key}[{number}].", self._source, self.findings)
            for number, entries in enumerate(value, 1)
        ]

    def refuse_repeated(self, key: str, names: Sequence[str]) -> None:
        """Note every name that comes more than once."""
        seen = set[str]()
        for name in names:
            if name in seen:
                self.wrong(key, f"has {name!r} more than once", "write it once, or rename one")
            seen.add(name)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= TEXT_LENGTH


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
