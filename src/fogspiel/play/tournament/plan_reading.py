"""Reading the plan of a tournament from TOML: everything that is wrong with it is said at once."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from fogspiel.core.findings import Finding, UsageError
from fogspiel.core.source import Source
from fogspiel.play.clocks import DEFAULT_GRACE_SECONDS, MatchClocks, PlayerLimits
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.tournament.formats import FORMATS
from fogspiel.play.tournament.plan import (
    DEFAULT_FORMAT,
    DEFAULT_MATCH_SECONDS,
    PlayerPlan,
    TournamentPlan,
)

MOST_BYTES = 1 << 20
MOST_GAMES = MOST_PLAYERS = 1_000
MOST_REPETITIONS = 1_000_000
MOST_SIMULATIONS = 1 << 31
LEAST_SECONDS, MOST_SECONDS = 0.001, 1e6
MOST_MEGABYTES = 1 << 20
MOST_SEED = (1 << 63) - 1
MOST_ROUNDS = 1_000
TEXT_LENGTH = 300
DefaultT = TypeVar("DefaultT")
MUST = ("games", "players", "clock")
MAY = ("name", "seed", "repetitions", "format", "keep_records", "match_seconds", "limits")
CLOCK_KEYS = ("simulations", "turn_seconds", "start_seconds", "grace_seconds")
LIMIT_KEYS = ("memory_mb", "load_seconds", "move_seconds")
PLAYER_KEYS = ("name", "player", "simulations", "url", "dialect")


def read_plan(path: Path) -> TournamentPlan:
    """The plan of a file. Raises `UsageError`: TOU001 for what is no TOML, else TOU002 and 3."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise _unreadable(str(path), error.strerror or "it cannot be read") from None
    if len(data) > MOST_BYTES:
        raise _unreadable(str(path), f"it is longer than {MOST_BYTES:,} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise _unreadable(str(path), "it is not UTF-8") from None
    return plan_of_text(Source(str(path), text), default_name=path.stem)


def plan_of_text(source: Source, *, default_name: str) -> TournamentPlan:
    """The plan of a text. Raises `UsageError` as `read_plan` does."""
    try:
        document = tomllib.loads(source.text)
    except (ValueError, RecursionError) as error:
        said = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        raise _unreadable(source.name, said) from None
    return plan_of_document(document, source, default_name=default_name)


def plan_of_document(
    document: Mapping[str, Any], source: Source | None = None, *, default_name: str
) -> TournamentPlan:
    """The plan of a document as TOML has it. Raises `UsageError` TOU002 and TOU003.

    source: the text that findings name; None for a document that was made by a program.
    """
    top = TomlTable(document, "", source, [])
    options = tuple(key for own in FORMATS.values() for key in own.options)
    top.refuse_unknown(MUST + MAY + options)
    format_name = _format(top)
    plan = TournamentPlan(
        name=top.text("name", default_name),
        seed=top.whole("seed", 0, least=0, most=MOST_SEED),
        games=top.texts("games", most=MOST_GAMES, example='games = ["kuhn_poker"]'),
        players=_players(top),
        clock=_clock(top.table("clock", "[clock] and below it simulations = 100")),
        repetitions=top.whole("repetitions", 1, least=1, most=MOST_REPETITIONS),
        format=format_name,
        keep_records=top.flag("keep_records", False),
        match_seconds=top.real(
            "match_seconds", DEFAULT_MATCH_SECONDS, least=LEAST_SECONDS, most=MOST_SECONDS
        ),
        options=_options(top, format_name, options),
        limits=_limits(top),
    )
    _refuse_clocks_of_others(plan, top)
    if top.findings:
        raise UsageError(top.findings)
    return plan


def _format(top: TomlTable) -> str:
    name = top.text("format", DEFAULT_FORMAT)
    if name in FORMATS:
        return name
    top.wrong("format", f"is {name!r}", f"write {' or '.join(FORMATS)}")
    return DEFAULT_FORMAT


def _options(top: TomlTable, format_name: str, known: Sequence[str]) -> dict[str, int]:
    """The numbers that a format asks for. known: those that any format does."""
    own = FORMATS[format_name].options
    for key in known:
        if key in own and key not in top.entries:
            top.wrong(key, "is missing", f"write {key} = 5")
        elif key not in own and key in top.entries:
            formats = [name for name, other in FORMATS.items() if key in other.options]
            top.wrong(key, f"is for the format {' or '.join(formats)}", "leave it out")
    return {key: top.whole(key, 1, least=1, most=MOST_ROUNDS) for key in own}


def _players(top: TomlTable) -> tuple[PlayerPlan, ...]:
    example = '[[players]] and below it name = "uct" and player = "uct"'
    tables = top.tables("players", most=MOST_PLAYERS, example=example)
    players = _told_apart(list(map(_player, tables)), tables)
    top.refuse_repeated("players", [player.name for player in players])
    return players


def _told_apart(players: list[PlayerPlan], tables: list[TomlTable]) -> tuple[PlayerPlan, ...]:
    """The players; those of the same default name are numbered."""
    names, found = [own.name for own in players], []
    given = {str(own["name"]) for own in (table.entries for table in tables) if "name" in own}
    for place, name in enumerate(names):
        is_alone = name in given or names.count(name) == 1
        new = name if is_alone else f"{name} ({names[: place + 1].count(name)})"
        found.append(replace(players[place], name=new))
    return tuple(found)


def _player(table: TomlTable) -> PlayerPlan:
    table.refuse_unknown(PLAYER_KEYS)
    kind, url = table.optional_text("player"), table.optional_text("url")
    dialect = table.optional_text("dialect")
    simulations = table.whole("simulations", None, least=1, most=MOST_SIMULATIONS)
    if (kind is None) == (url is None):
        given = "neither" if kind is None else "both"
        table.wrong(
            "player", f"or url must be given; got {given}", 'write player = "uct", or a url'
        )
    if kind is not None and dialect is not None:
        table.wrong("dialect", "is for players with a url", "leave it out")
    if dialect is not None and dialect not in set(ProtocolDialect):
        table.wrong("dialect", f"is {dialect!r}", f"write one of {', '.join(ProtocolDialect)}")
    if url is not None and simulations is not None:
        table.wrong("simulations", "is for players of this program", "leave it out")
    name = table.text("name", kind or url or "nobody")
    return PlayerPlan(name=name, player=kind, url=url, simulations=simulations, dialect=dialect)


def _clock(table: TomlTable) -> MatchClocks:
    table.refuse_unknown(CLOCK_KEYS)
    clock = MatchClocks(
        start_seconds=table.real("start_seconds", None, least=LEAST_SECONDS, most=MOST_SECONDS),
        turn_seconds=table.real("turn_seconds", None, least=LEAST_SECONDS, most=MOST_SECONDS),
        simulations=table.whole("simulations", None, least=1, most=MOST_SIMULATIONS),
        grace_seconds=table.real(
            "grace_seconds", DEFAULT_GRACE_SECONDS, least=0.0, most=MOST_SECONDS
        ),
    )
    if (clock.turn_seconds is None) == (clock.simulations is None):
        given = "neither" if clock.simulations is None else "both"
        fix = "write simulations = 100, or turn_seconds = 1.0"
        table.wrong("simulations", f"or turn_seconds must be given; got {given}", fix)
    elif clock.start_seconds is not None and clock.turn_seconds is None:
        table.wrong("start_seconds", "goes with turn_seconds", "leave it out")
    return clock


def limits_of(entries: Mapping[str, Any]) -> PlayerLimits:
    """The limits of a table of a program. Raises `UsageError` TOU002 and TOU003."""
    top = TomlTable({"limits": dict(entries)}, "", None, [])
    limits = _limits(top)
    if top.findings:
        raise UsageError(top.findings)
    return limits


def _limits(top: TomlTable) -> PlayerLimits:
    usual = PlayerLimits()
    if "limits" not in top.entries:
        return usual
    table = top.table("limits", "[limits] and below it memory_mb = 512")
    table.refuse_unknown(LIMIT_KEYS)
    megabytes = table.whole("memory_mb", usual.memory_bytes >> 20, least=1, most=MOST_MEGABYTES)
    load, move = usual.load_seconds, usual.move_seconds
    return PlayerLimits(
        memory_bytes=megabytes << 20,
        load_seconds=table.real("load_seconds", load, least=LEAST_SECONDS, most=MOST_SECONDS),
        move_seconds=table.real("move_seconds", move, least=LEAST_SECONDS, most=MOST_SECONDS),
    )


def _refuse_clocks_of_others(plan: TournamentPlan, top: TomlTable) -> None:
    """Players behind an address are told whole seconds, and nothing of simulations."""
    remote = [player.name for player in plan.players if player.url and not player.player]
    clock = plan.clock
    if not remote:
        return
    if clock.turn_seconds is None:
        fix = "write turn_seconds = 1 instead"
        top.wrong("clock", f"counts simulations, which {', '.join(remote)} cannot do", fix)
    elif any(seconds % 1 for seconds in (clock.turn_seconds, clock.start_seconds or 0)):
        fix = "write whole numbers for start_seconds and turn_seconds"
        top.wrong("clock", f"has parts of seconds, which {', '.join(remote)} cannot be told", fix)


def _unreadable(name: str, why: str) -> UsageError:
    return UsageError.of(
        "TOU001",
        f"{name} is no plan of a tournament: {why}",
        fix="write a TOML file with games, players and a clock, as docs/tournaments.md shows",
    )


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
