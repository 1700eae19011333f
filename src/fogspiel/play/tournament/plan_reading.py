"""Reading the plan of a tournament from TOML: everything that is wrong with it is said at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fogspiel.core.findings import UsageError
from fogspiel.core.source import Source
from fogspiel.play.clocks import DEFAULT_GRACE_SECONDS, MatchClocks, PlayerLimits
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.tournament.formats import FORMATS
from fogspiel.play.tournament.plan import (
    DEFAULT_FORMAT,
    DEFAULT_MATCH_SECONDS,
    FAULT_RULES,
    PlayerPlan,
    TournamentPlan,
)
from fogspiel.play.tournament.plan_table import TomlTable

MOST_BYTES = 1 << 20
MOST_GAMES = MOST_PLAYERS = 1_000
MOST_REPETITIONS = 1_000_000
MOST_SIMULATIONS = 1 << 31
LEAST_SECONDS, MOST_SECONDS = 0.001, 1e6
MOST_MEGABYTES = 1 << 20
MOST_SEED = (1 << 63) - 1
MOST_ROUNDS = 1_000
MUST = ("games", "players", "clock")
MAY = ("name", "seed", "repetitions", "format", "keep_records", "match_seconds", "limits", "faults")
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
        faults=_faults(top),
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


def _faults(top: TomlTable) -> str:
    rule = top.text("faults", FAULT_RULES[0])
    if rule not in FAULT_RULES:
        top.wrong("faults", f"is {rule!r}", f"write {' or '.join(FAULT_RULES)}")
    return rule


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
