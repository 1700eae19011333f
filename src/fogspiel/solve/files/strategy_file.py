"""Strategy files: one JSON document, compressed where the name ends with `.gz`.

`docs/strategies.md` describes the document. What is written reads back equal, number for number.
Files may come from strangers: nothing in them is run, no more is read than the limit says, and
whatever is wrong becomes a finding that names the place.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

from fogspiel._version import __version__
from fogspiel.core.findings import LimitError, UsageError
from fogspiel.core.limits import MEBIBYTE
from fogspiel.core.source import Source
from fogspiel.core.values import Unit
from fogspiel.solve.files.strategy_table import MixedAction, Origin, RoleStrategy, StrategyFile
from fogspiel.solve.result import TOLERANCE
from fogspiel.tree.game_tree import ObservationText

FORMAT = "fogspiel strategy"
VERSION = 1
LEVELS = 4
"""Levels of the document that are laid out on lines: down to the rows of a role's tables."""
MAX_BYTES = 512 * MEBIBYTE  #: The longest document, unpacked: a strategy for ten million infosets
GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 31  #: The window size by which zlib expects a gzip header


def rules_digest(sources: Sequence[Source]) -> str:
    """The SHA-256 of the texts of rules, with every line end counted as one character."""
    total = sha256()
    for source in sources:
        lines = source.text.replace("\r\n", "\n").encode()
        total.update(b"%d\n" % len(lines))
        total.update(lines)
    return f"sha256:{total.hexdigest()}"


def write_strategy(strategy: StrategyFile, path: Path) -> None:
    """Write a strategy. The same strategy gives the same bytes."""
    data = _laid_out(document_of(strategy), LEVELS).encode() + b"\n"
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    # A file of half a strategy would be worse than none: it takes its place when it is whole.
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def document_of(strategy: StrategyFile) -> dict[str, Any]:
    """The document of a strategy."""
    origin, unit = strategy.origin, strategy.origin.unit
    return {
        "format": FORMAT,
        "version": VERSION,
        "fogspiel": __version__,
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
        "strategies": {role: _tables(own) for role, own in strategy.roles.items()},
    }


def _tables(own: RoleStrategy) -> dict[str, Any]:
    return {
        "sights": [[seen.move, *seen.percepts] for seen in own.observations],
        "knowledge": [list(pair) for pair in own.knowledge],
        "menus": [list(actions) for actions in own.action_sets],
        "choices": [
            [known, choice.action_set, *choice.probabilities]
            for known, choice in own.choices.items()
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


def read_strategy(
    path: Path, *, rules_digest: str | None = None, max_bytes: int = MAX_BYTES
) -> StrategyFile:
    """The strategy of a file.

    rules_digest: of the rules that it is wanted for; SOL022 if it was made for others.
    Raises `UsageError` SOL020 for what is no strategy file, SOL021 for an unknown version, SOL001
    for numbers that are no probabilities, and `LimitError` SOL023 for a file beyond the limit.
    """
    data = _unpacked(path, max_bytes)
    return _Reader(path.name).strategy(data, rules_digest)


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
    """A reader of one document, which findings call by `name`."""

    name: str

    def strategy(self, data: bytes, rules_digest: str | None) -> StrategyFile:
        """The strategy, if everything is in order."""
        document = self._document(data)
        origin = self._origin(document)
        if rules_digest is not None and origin.rules_digest != rules_digest:
            raise UsageError.of(
                "SOL022",
                f"{self.name} was computed for other rules than these, named {origin.game[:80]!r}",
                fix="compute a strategy for these rules, or give the rules that it is for",
            )
        tables = self._of(document, "strategies", dict)
        if set(tables) != set(origin.roles):
            self._refuse("`strategies` must have an entry for each of `roles`, and no other")
        roles = {role: _RoleReader(self, role, tables[role]).strategy() for role in origin.roles}
        return StrategyFile(origin=origin, roles=roles)

    def _document(self, data: bytes) -> dict[str, Any]:
        try:
            document = json.loads(data, parse_constant=self._constant)
        except (ValueError, RecursionError) as error:
            self._refuse(f"it is no JSON document: {' '.join(str(error).split())[:120]}")
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            self._refuse(f'it does not say "format": "{FORMAT}"')
        if document.get("version") != VERSION:
            raise UsageError.of(
                "SOL021",
                f"{self.name} is a strategy file of version {str(document.get('version'))[:20]}; "
                f"this Fogspiel reads version {VERSION}",
                fix="use a newer Fogspiel, or compute the strategy anew",
            )
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
    """A reader of the tables of one role."""

    reader: _Reader
    role: str
    tables: Any

    def strategy(self) -> RoleStrategy:
        """The tables, in which every number names an entry that is there."""
        observations = [self._observation(row, place) for row, place in self._rows("sights")]
        knowledge = [
            self._knowledge(row, number, len(observations), place)
            for number, (row, place) in enumerate(self._rows("knowledge"), start=1)
        ]
        action_sets = [self._actions(row, place) for row, place in self._rows("menus")]
        choices: dict[int, MixedAction] = {}
        for row, place in self._rows("choices"):
            known, choice = self._choice(row, len(knowledge), action_sets, place)
            if known in choices:
                self._refuse(f"{place}: there is a choice for this already")
            choices[known] = choice
        for table, entries in (("sights", observations), ("knowledge", knowledge)):
            if len(set(entries)) != len(entries):
                self._refuse(f"`{table}` holds an entry twice")
        return RoleStrategy(
            observations=observations, knowledge=knowledge, action_sets=action_sets, choices=choices
        )

    def _rows(self, table: str) -> Iterator[tuple[list[Any], str]]:
        """The rows of a table, each with its place for findings."""
        rows = self.tables.get(table) if isinstance(self.tables, dict) else None
        if not isinstance(rows, list):
            self._refuse(f"it has no list of `{table}`")
        for number, row in enumerate(rows):
            place = f"`{table}`, row {number}"
            if not isinstance(row, list):
                self._refuse(f"{place}: this is no list")
            yield row, place

    def _observation(self, row: list[Any], place: str) -> ObservationText:
        self._check(bool(row) and all(isinstance(text, str) for text in row), place, "texts")
        return ObservationText(row[0], tuple(row[1:]))

    def _knowledge(self, row: list[Any], number: int, seen: int, place: str) -> tuple[int, int]:
        fits = len(row) == 2 and _below(row[0], number) and _below(row[1], seen)
        self._check(fits, place, "the number of an earlier knowledge and that of a sight")
        return row[0], row[1]

    def _actions(self, row: list[Any], place: str) -> tuple[str, ...]:
        texts = bool(row) and all(isinstance(text, str) for text in row)
        self._check(texts and len(set(row)) == len(row), place, "different actions")
        return tuple(row)

    def _choice(
        self, row: list[Any], knowledge: int, action_sets: list[tuple[str, ...]], place: str
    ) -> tuple[int, MixedAction]:
        fits = len(row) > 2 and _below(row[0], knowledge + 1) and _below(row[1], len(action_sets))
        fits = fits and len(row) == 2 + len(action_sets[row[1]])
        self._check(fits, place, "numbers of knowledge and menu, and a probability for each action")
        what = f"{self.role}, {place}"
        found = tuple(self.reader.number(own, f"{what}: a probability") for own in row[2:])
        total = math.fsum(found)
        if min(found) < 0.0 or abs(total - 1.0) > TOLERANCE:
            raise UsageError.of(
                "SOL001",
                f"{self.reader.name} holds no strategy: {what}: the probabilities come to "
                f"{total:.6g}, or one is negative",
                fix="give each action of each infoset a probability, 1 in all at every infoset",
            )
        return row[0], MixedAction(row[1], found)

    def _check(self, fits: bool, place: str, wanted: str) -> None:
        if not fits:
            self._refuse(f"{place}: expected {wanted}")

    def _refuse(self, what: str) -> NoReturn:
        raise _no_file(self.reader.name, f"{self.role}: {what}")


def _below(value: Any, limit: int) -> bool:
    """Whether a value is a number from 0 to below a limit."""
    return type(value) is int and 0 <= value < limit


def _no_file(name: str, what: str) -> UsageError:
    return UsageError.of(
        "SOL020",
        f"{name} is no strategy file: {what}",
        fix="give a file that `fogspiel solve --save` wrote",
    )
