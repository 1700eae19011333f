"""Tables of a plan: entries of a wanted kind, and findings about those that are of another."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from fogspiel.core.findings import Finding
from fogspiel.core.source import Source

TEXT_LENGTH = 300
DefaultT = TypeVar("DefaultT")


class TomlTable:
    """A table with what it is called in findings, such as `players[2].`.

    Where an entry is wrong something of its kind is returned all the same: whoever reads on looks
    at the findings in the end.
    """

    def __init__(
        self,
        entries: Mapping[str, Any],
        where: str,
        source: Source | None,
        findings: list[Finding],
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

    def whole(self, key: str, default: DefaultT, *, least: int, most: int) -> int | DefaultT:
        """A whole number, or the default where there is none."""
        if key not in self.entries:
            return default
        value = self.entries[key]
        if type(value) is int and least <= value <= most:
            return value
        self.wrong(key, f"is {_shown(value)}", f"write a whole number from {least:,} to {most:,}")
        return least

    def real(self, key: str, default: DefaultT, *, least: float, most: float) -> float | DefaultT:
        """A number, or the default where there is none."""
        if key not in self.entries:
            return default
        value = self.entries[key]
        if type(value) in {int, float} and least <= value <= most:
            return float(value)
        self.wrong(key, f"is {_shown(value)}", f"write a number from {least:g} to {most:g}")
        return least

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.entries.get(key, default)
        if not isinstance(value, bool):
            self.wrong(key, f"is {_shown(value)}", "write true or false")
            return default
        return value

    def texts(self, key: str, *, most: int, example: str) -> tuple[str, ...]:
        """A list of different texts; at least one."""
        found = self._list(key, _is_text, most, what="a list of texts", example=example)
        self.refuse_repeated(key, found)
        return tuple(found)

    def table(self, key: str, example: str) -> TomlTable:
        """A table inside this one."""
        value = self.entries.get(key)
        if not isinstance(value, dict):
            self.wrong(key, "must be a table", f"write for example {example}")
            value = {}
        return TomlTable(value, f"{self._where}{key}.", self._source, self.findings)

    def tables(self, key: str, *, most: int, example: str) -> list[TomlTable]:
        """Tables inside this one; at least one."""
        found = self._list(key, _is_table, most, what="tables", example=example)
        return [
            TomlTable(entries, f"{self._where}{key}[{number}].", self._source, self.findings)
            for number, entries in enumerate(found, 1)
        ]

    def _list(
        self, key: str, fits: Callable[[object], bool], most: int, *, what: str, example: str
    ) -> list[Any]:
        """A list of one to so many items that fit; empty where there is none."""
        value = self.entries.get(key)
        if not isinstance(value, list) or not value or not all(map(fits, value)):
            self.wrong(key, f"must be {what}", f"write for example {example}")
        elif len(value) > most:
            self.wrong(key, f"has {len(value):,} entries", f"write at most {most:,}")
        else:
            return value
        return []

    def refuse_repeated(self, key: str, names: Sequence[str]) -> None:
        """Note every name that comes more than once."""
        for place, name in enumerate(names):
            if name in names[:place]:
                self.wrong(key, f"has {name!r} more than once", "write it once, or rename one")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= TEXT_LENGTH


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
