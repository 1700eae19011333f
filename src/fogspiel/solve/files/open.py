"""Strategies from files, which may come from strangers: checked through before they are believed.

Nothing in a file is run, and no more is read than the limit says. Whatever is wrong with a file
becomes a finding that names the place.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.limits import MEBIBYTE
from fogspiel.core.units import Unit
from fogspiel.solve.files.save import FORMAT, VERSION
from fogspiel.solve.files.strategy_table import MixedAction, Origin, RoleStrategy, StrategyFile
from fogspiel.solve.result import TOLERANCE
from fogspiel.tree.infoset_names import ObservationText

MAX_BYTES = 512 * MEBIBYTE
"""Of the document, unpacked: a strategy for ten million infosets."""
GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 31
"""zlib's sign for a stream with gzip's header."""


def read_strategy(
    path: Path, *, rules_digest: str | None = None, max_bytes: int = MAX_BYTES
) -> StrategyFile:
    """The strategy of a file.

    rules_digest: of the rules that it is wanted for; SOL022 if it was made for others.
    Raises `UsageError` SOL020 for what is no strategy file, SOL021 for a version that is not known,
    SOL001 for probabilities that are none, and `LimitError` SOL023 for a file beyond the limit.
    """
    data = _unpacked(path, max_bytes)
    return _Reader(path.name).book(data, rules_digest)


def _unpacked(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(max_bytes + 1)
    except OSError as error:
        raise UsageError.of(
            "GAM002",
            f"cannot read {path}: {error.strerror or error}",
            fix="give the path of a strategy that `fogspiel solve --save` wrote",
        ) from error
    if data.startswith(GZIP_MAGIC):
        packed = zlib.decompressobj(GZIP_WINDOW)
        try:
            # Stops at the limit, however much a small file would unpack to.
            data = packed.decompress(data, max_bytes + 1)
        except zlib.error as error:
            raise _no_file(path.name, f"it is packed, and broken: {error}") from None
        if len(data) <= max_bytes and not packed.eof:
            raise _no_file(path.name, "it is packed, and its end is missing")
    if len(data) > max_bytes:
        raise LimitError.of(
            "SOL023",
            f"{path.name} is longer than {max_bytes:,} bytes",
            fix="raise the limit if you trust the file",
        )
    return data


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one document; `name` is what findings call it."""

    name: str

    def book(self, data: bytes, rules_digest: str | None) -> StrategyFile:
        """The strategy, if everything is in order."""
        document = self._document(data)
        origin = self._origin(document)
        if rules_digest is not None and origin.rules_digest != rules_digest:
            raise UsageError.of(
                "SOL022",
                f"{self.name} was computed for other rules than these, named {origin.game[:80]!r}",
                fix="compute a strategy for these rules, or give the rules that it is for",
            )
        strategies = self._of(document, "strategies", dict)
        if set(strategies) != set(origin.roles):
            self._refuse("`strategies` must have an entry for each of `roles`, and no other")
        return StrategyFile(
            origin=origin,
            roles={role: _RoleReader(self, role, strategies[role]).book() for role in origin.roles},
        )

    def _document(self, data: bytes) -> dict[str, Any]:
        try:
            document = json.loads(data, parse_constant=self._constant)
        except (ValueError, RecursionError) as error:
            self._refuse(f"it is no JSON document: {' '.join(str(error).split())[:120]}")
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            self._refuse(f'it does not say "format": "{FORMAT}"')
        if document.get("version") != VERSION:
            raise _other_version(self.name, document.get("version"))
        return document

    def _constant(self, word: str) -> NoReturn:
        raise ValueError(f"{word} is no number")

    def _origin(self, document: dict[str, Any]) -> Origin:
        roles = self._of(document, "roles", list)
        if not all(isinstance(role, str) for role in roles) or len(set(roles)) != len(roles):
            self._refuse("`roles` must be different names")
        values = self._of(document, "values", list)
        if len(values) != len(roles):
            self._refuse("`values` must have a number for each of `roles`")
        unit = self._of(document, "unit", dict)
        return Origin(
            game=self._of(document, "game", str),
            rules_digest=self._of(document, "rules", str),
            roles=tuple(roles),
            unit=Unit(
                name=self._of(unit, "name", str),
                offset=self.number(unit.get("offset"), "`offset`"),
                scale=self.number(unit.get("scale"), "`scale`"),
            ),
            values=tuple(self.number(value, "`values`") for value in values),
            exploitability=self.number(document.get("exploitability"), "`exploitability`"),
            method=self._of(document, "method", str),
            parameters=self._of(document, "parameters", dict),
            iterations=self._of(document, "iterations", int),
            seconds=self.number(document.get("seconds"), "`seconds`"),
        )

    def _of(self, table: Mapping[str, Any], key: str, kind: type) -> Any:
        value = table.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            self._refuse(f"`{key}` is missing, or of another kind than it should be")
        return value

    def number(self, value: Any, what: str) -> float:
        """A finite number."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse(f"{what} must be a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self._refuse(f"{what} must be finite")
        return number

    def _refuse(self, what: str) -> NoReturn:
        raise _no_file(self.name, what)


@dataclass(frozen=True, slots=True)
class _RoleReader:
    """Reads the tables of one role."""

    reader: _Reader
    role: str
    tables: Any

    def book(self) -> RoleStrategy:
        """The tables, each entry checked: numbers name what is there."""
        sights = [self._sight(row, place) for row, place in self._rows("sights")]
        knowledge = [
            self._knowledge(row, number, len(sights), place)
            for number, (row, place) in enumerate(self._rows("knowledge"), start=1)
        ]
        menus = [self._menu(row, place) for row, place in self._rows("menus")]
        choices: dict[int, MixedAction] = {}
        for row, place in self._rows("choices"):
            known, choice = self._choice(row, len(knowledge), menus, place)
            if known in choices:
                self._refuse(f"{place}: there is a choice for this already")
            choices[known] = choice
        for table, entries in (("sights", sights), ("knowledge", knowledge)):
            if len(set(entries)) != len(entries):
                self._refuse(f"`{table}` holds an entry twice")
        return RoleStrategy(sights=sights, knowledge=knowledge, menus=menus, choices=choices)

    def _rows(self, table: str) -> Iterator[tuple[list[Any], str]]:
        """The rows of a table, each with its place for people."""
        rows = self.tables.get(table) if isinstance(self.tables, dict) else None
        if not isinstance(rows, list):
            self._refuse(f"it has no list of `{table}`")
        for number, row in enumerate(rows):
            place = f"`{table}`, row {number}"
            if not isinstance(row, list):
                self._refuse(f"{place}: this is no list")
            yield row, place

    def _sight(self, row: list[Any], place: str) -> ObservationText:
        self._check(bool(row) and all(isinstance(text, str) for text in row), place, "texts")
        return ObservationText(row[0], tuple(row[1:]))

    def _knowledge(self, row: list[Any], number: int, sights: int, place: str) -> tuple[int, int]:
        fits = len(row) == 2 and _below(row[0], number) and _below(row[1], sights)
        self._check(fits, place, "the number of an earlier knowledge and that of a sight")
        return row[0], row[1]

    def _menu(self, row: list[Any], place: str) -> tuple[str, ...]:
        texts = bool(row) and all(isinstance(text, str) for text in row)
        self._check(texts and len(set(row)) == len(row), place, "different actions")
        return tuple(row)

    def _choice(
        self, row: list[Any], knowledge: int, menus: list[tuple[str, ...]], place: str
    ) -> tuple[int, MixedAction]:
        fits = len(row) > 2 and _below(row[0], knowledge + 1) and _below(row[1], len(menus))
        fits = fits and len(row) == 2 + len(menus[row[1]])
        self._check(fits, place, "numbers of knowledge and menu, and a probability for each action")
        number: Callable[[Any, str], float] = self.reader.number
        shares = tuple(number(share, f"{self.role}, {place}: a probability") for share in row[2:])
        total = math.fsum(shares)
        if min(shares) < 0.0 or abs(total - 1.0) > TOLERANCE:
            raise UsageError.of(
                "SOL001",
                f"{self.reader.name} holds no strategy: {self.role}, {place}: the probabilities "
                f"come to {total:.6g}, or one is negative",
                fix="give each action of each infoset a probability, 1 in all at every infoset",
            )
        return row[0], MixedAction(row[1], shares)

    def _check(self, fits: bool, place: str, wanted: str) -> None:
        if not fits:
            self._refuse(f"{place}: expected {wanted}")

    def _refuse(self, what: str) -> NoReturn:
        raise _no_file(self.reader.name, f"{self.role}: {what}")


def _below(value: Any, limit: int) -> bool:
    """Whether this is the number of one of so many things."""
    return type(value) is int and 0 <= value < limit


def _no_file(name: str, what: str) -> UsageError:
    return UsageError.of(
        "SOL020",
        f"{name} is no strategy file: {what}",
        fix="give a file that `fogspiel solve --save` wrote",
    )


def _other_version(name: str, version: object) -> UsageError:
    return UsageError.of(
        "SOL021",
        f"{name} is a strategy file of version {str(version)[:20]}; this Fogspiel reads "
        f"version {VERSION}",
        fix="use a newer Fogspiel, or compute the strategy anew",
    )
