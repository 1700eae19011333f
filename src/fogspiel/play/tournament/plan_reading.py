"""Reading the plan of a tournament from TOML: all that is wrong with it is said at once."""

from __future__ import annotations

import tomllib
from pathlib import Path

from fogspiel.core.findings import UsageError
from fogspiel.core.source import Source
from fogspiel.play.clocks import DEFAULT_GRACE_SECONDS, MatchClocks
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.tournament.plan import (
    DEFAULT_MATCH_SECONDS,
    PlayerPlan,
    TournamentPlan,
)
from fogspiel.play.tournament.toml_tables import TomlTable

MOST_BYTES = 1 << 20
MOST_GAMES = MOST_PLAYERS = 1_000
MOST_REPETITIONS = 1_000_000
MOST_SIMULATIONS = 1 << 31
LEAST_SECONDS, MOST_SECONDS = 0.001, 1e6
MOST_SEED = (1 << 63) - 1
FORMATS = ("round-robin",)
MUST = ("games", "players", "clock")
MAY = ("name", "seed", "repetitions", "format", "keep_records", "match_seconds")
CLOCK_KEYS = ("simulations", "turn_seconds", "start_seconds", "grace_seconds")
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
    top = TomlTable(document, "", source, [])
    top.refuse_unknown(MUST + MAY)
    plan = TournamentPlan(
        name=top.text("name", default_name),
        seed=top.whole("seed", 0, least=0, most=MOST_SEED),
        games=top.texts("games", most=MOST_GAMES, example='games = ["kuhn_poker"]'),
        players=_players(top),
        clock=_clock(top.table("clock", "[clock] and below it simulations = 100")),
        repetitions=top.whole("repetitions", 1, least=1, most=MOST_REPETITIONS),
        keep_records=top.flag("keep_records", False),
        match_seconds=top.real(
            "match_seconds", DEFAULT_MATCH_SECONDS, least=LEAST_SECONDS, most=MOST_SECONDS
        ),
    )
    if top.text("format", FORMATS[0]) not in FORMATS:
        top.wrong("format", f"is {document['format']!r}", f"write {' or '.join(FORMATS)}")
    _refuse_clocks_of_others(plan, top)
    if top.findings:
        raise UsageError(top.findings)
    return plan


def _players(top: TomlTable) -> tuple[PlayerPlan, ...]:
    example = '[[players]] and below it name = "uct" and player = "uct"'
    tables = top.tables("players", most=MOST_PLAYERS, example=example)
    players = tuple(map(_player, tables))
    top.refuse_repeated("players", [player.name for player in players])
    return players


def _player(table: TomlTable) -> PlayerPlan:
    table.refuse_unknown(PLAYER_KEYS)
    kind, url = table.optional_text("player"), table.optional_text("url")
    dialect = table.optional_text("dialect")
    simulations = table.optional_whole("simulations", least=1, most=MOST_SIMULATIONS)
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
        start_seconds=table.optional_real("start_seconds", least=LEAST_SECONDS, most=MOST_SECONDS),
        turn_seconds=table.optional_real("turn_seconds", least=LEAST_SECONDS, most=MOST_SECONDS),
        simulations=table.optional_whole("simulations", least=1, most=MOST_SIMULATIONS),
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
