"""A game manager for players that are reached over HTTP, and for our own beside them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import randbits, token_hex
from time import perf_counter
from typing import Any, TypeAlias, TypeVar, final

from fogspiel.api.game import Game
from fogspiel.api.load import limits_of, refuse_engine
from fogspiel.api.matches.player import AnyPlayer, entrant_of
from fogspiel.api.matches.playing import whole_number
from fogspiel.api.matches.series import Series
from fogspiel.api.rules.rules import Rules
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import RoleId
from fogspiel.games.making import EngineChoice
from fogspiel.games.send import StagedGame, stage
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.http.addresses import read_url
from fogspiel.play.ggp.manage.local_player import LocalPlayer, Machines
from fogspiel.play.ggp.manage.remote_player import Invitation, RemotePlayer, find_player
from fogspiel.play.ggp.manage.seats import MANAGER_GRACE_SECONDS, Participant, refuse_dialect
from fogspiel.play.ggp.manage.series import Observe, SeriesSettings, play_managed_series
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.loop import MatchObserver
from fogspiel.play.records.format import RecordFolder
from fogspiel.play.series import Entrant, refuse_entrants, refuse_uneven, warm_up
from fogspiel.solve.files.strategy_file import rules_digest

AUTO = "auto"
DIALECTS = (AUTO, "gdl1", "gdl2", "gdl2_old")  #: Dialects that can be told of players
SEED_BITS = 63

_Result = TypeVar("_Result")
Told: TypeAlias = Sequence[ProtocolDialect | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedPlayer:
    """A participant of managed matches."""

    name: str  #: What it calls itself, or the name of a player of our own
    url: str | None  #: The URL by which it was named; None for a player of our own
    address: str | None  #: The address that answered; None for a player of our own
    dialect: str | None  #: The dialect in which it is told of steps; None for a player of our own


@final
class ManagedMatches:
    """What managed matches came to. `manage` plays them."""

    def __init__(
        self,
        name: str,
        series: Series,
        players: Sequence[ManagedPlayer],
        faults: Sequence[Mapping[str, int]],
        seed: int,
    ) -> None:
        """The results of these matches; use `manage` instead."""
        self.name = name  #: The name of the game, as it stands in records
        self.series = series  #: Payoffs, wins, draws and losses, by player and role
        self.players: tuple[ManagedPlayer, ...] = tuple(players)  #: The players, as they were met
        self.faults: tuple[Mapping[str, int], ...] = tuple(faults)
        """The number of each player's answers that did not count, by the kind of fault."""
        self.seed = seed  #: The seed of chance and of substitutes

    def __repr__(self) -> str:
        told = "; ".join(str(row) for row in self.series.totals)
        return f"ManagedMatches({self.name!r}, {self.series.games:,} matches: {told})"


def manage(
    game: str | Path | Rules | Game,
    players: Sequence[AnyPlayer],
    *,
    start_clock: int = 30,
    play_clock: int = 10,
    matches: int = 1,
    at_once: int = 1,
    swap: bool = False,
    seed: int | None = None,
    scramble: bool = False,
    upper: bool = False,
    dialects: str | Sequence[str] = (),
    allow_remote: bool = False,
    record: str | Path | None = None,
    simulations: int | None = None,
    engine: EngineChoice = "auto",
    ground_seconds: float | None = None,
    on_match: Callable[[], object] | None = None,
) -> ManagedMatches:
    """Let players play matches of a game, one for each role, asking them over HTTP.

    They are sent START, PLAY and STOP as the protocol of general game playing has it. Answers that
    are late, illegal or unreadable are replaced and counted.

    game: a bundled name, a rule file, or a game; what is not in GDL is translated.
    players: the URLs of players, or players as in `Game.match`, in the order of the roles.
    start_clock: whole seconds to get ready.
    play_clock: whole seconds for each move.
    matches: how many are played.
    at_once: how many are played at a time; most players take one.
    swap: rotate seats after each match, so that all play every role as often.
    seed: the seed of chance and of substitutes; one that nobody can guess if not given.
    scramble: tell the rules under other names in every match.
    upper: tell the rules in upper case.
    dialects: `gdl1`, `gdl2` or `gdl2_old`, once for all players or once for each; `auto` goes by
    the game, and finds out which dialect of GDL-II a player understands.
    allow_remote: connect to other machines than this one.
    record: a folder to which every match is written.
    simulations: at most so many a move, for players that are no URLs.
    engine, ground_seconds: as in `fogspiel.load`.
    on_match: called after each match.
    Returns: results, players as they were met, and their faults.
    Raises `UsageError` for a wrong number of players (MAT003), matches that rotated seats cannot
    share (MAT006), dialects that do not fit (MAN001, MAN003) and URLs that may not be connected to
    (NET001, NET002); `PlayError` MAN002 where nobody answers.

    >>> fs.ggp.manage("tic_tac_toe", ["first", "first"], matches=2, swap=True, seed=1)
    ManagedMatches('tic_tac_toe', 2 matches: first (1) 50; first (2) 50)
    """
    refuse_engine(engine)
    rules = _rules_of(game)
    staged = stage(
        rules.sources,
        rules.plain_name,
        engine=engine,
        limits=limits_of(ground_seconds),
        entry=rules.entry,
    )
    refuse_entrants(staged.managed.machine, len(players))
    settings = SeriesSettings(
        matches=whole_number("matches", matches, least=1),
        clocks=MatchClocks(
            start_seconds=whole_number("start_clock", start_clock, least=1),
            turn_seconds=whole_number("play_clock", play_clock, least=1),
            grace_seconds=MANAGER_GRACE_SECONDS,
        ),
        seed=randbits(SEED_BITS) if seed is None else whole_number("seed", seed, least=0),
        at_once=whole_number("at_once", at_once, least=1),
        swap=swap,
        scramble=scramble,
        upper=upper,
        run=token_hex(),
    )
    if simulations is not None:
        simulations = whole_number("simulations", simulations, least=1)
    if swap:
        refuse_uneven(settings.matches, len(players))
    told = told_dialects([dialects] if isinstance(dialects, str) else dialects, len(players))
    observe = None if record is None else _recording(staged, Path(record), settings, simulations)
    guests = _Guests(staged, Game(staged.game), allow_remote, simulations)
    return _run(_managed(guests, players, told, settings, observe, on_match))


def told_dialects(dialects: Sequence[str], players: int) -> Told:
    """The dialect of each player, None where it is to be found out; a single one counts for all.

    Raises `UsageError` MAN003 for a wrong number of them, `ValueError` for an unknown one.
    """
    unknown = [word for word in dialects if word not in DIALECTS]
    if unknown:
        raise ValueError(f"a dialect must be one of {', '.join(DIALECTS)}; got {unknown[0]!r}")
    if len(dialects) not in {0, 1, players}:
        raise UsageError.of(
            "MAN003",
            f"{len(dialects)} dialects were given for {players} players",
            fix="give one dialect for all, or one for each player, `auto` where it is unknown",
        )
    every = list(dialects) * (1 if len(dialects) == players else players) or [AUTO] * players
    return [None if word == AUTO else ProtocolDialect(word) for word in every]


def is_url(player: AnyPlayer) -> bool:
    """Whether a player is named by where it is; no name of ours has two slashes."""
    return isinstance(player, str) and ("//" in player or "\\" in player)


def _rules_of(game: str | Path | Rules | Game) -> Rules:
    if isinstance(game, Rules):
        return game
    if not isinstance(game, Game):
        return Rules.open(game)
    if not game.loaded.sources:
        raise UsageError.of(
            "GAM004",
            f"the game {game.name} has no rules as text, which players could be sent",
            fix="write it in GDL or POGDDL to let others play it",
        )
    return Rules(game.loaded.sources, entry=game.entry)


class _Guests:
    """Meets players by URL, and makes our own ready."""

    def __init__(
        self, staged: StagedGame, game: Game, allow_remote: bool, simulations: int | None
    ) -> None:
        self.staged, self.game = staged, game
        self._invitation = Invitation(hides=staged.managed.hides, allow_remote=allow_remote)
        self._machines = Machines(staged.game.another_machine)
        self._simulations = simulations

    async def met(self, players: Sequence[AnyPlayer], told: Told) -> list[Participant]:
        """The participants. All names are checked before anybody is asked."""
        urls = {name: read_url(name) for name in map(str, filter(is_url, players))}
        own = {
            at: entrant_of(self.game, player)
            for at, player in enumerate(players)
            if not is_url(player)
        }
        for player, dialect in zip(players, told, strict=True):
            if dialect is not None and is_url(player):
                refuse_dialect(self.staged.managed, dialect, str(player))
        guests: list[Participant] = []
        known: dict[tuple[str, ProtocolDialect | None], Participant] = {}
        # One after the other: a player of one match at a time would fail a second probe.
        for at, (player, dialect) in enumerate(zip(players, told, strict=True)):
            if at in own:
                guests.append(self._local(own[at]))
                continue
            key = str(player), dialect
            if key not in known:
                known[key] = await find_player(urls[str(player)], self._invitation, dialect=dialect)
            guests.append(known[key])
        return guests

    def warm_up(self, guests: Sequence[Participant], at_once: int) -> None:
        """Make all machines and let our own players play a little: no clock shall run meanwhile."""
        players = [guest for guest in guests if isinstance(guest, LocalPlayer)]
        made = [(local, local.machines.take()) for local in players for _ in range(at_once)]
        for local in {local.name: local for local in players}.values():
            machine = self.staged.game.another_machine()
            warm_up(machine, [Entrant(local.name, local.make)] * len(guests))
        for local, machine in made:
            local.machines.give_back(machine)

    def _local(self, entrant: Entrant) -> LocalPlayer:
        return LocalPlayer(
            name=entrant.name,
            make=entrant.make,
            machines=self._machines,
            simulations=self._simulations,
        )


async def _managed(
    guests: _Guests,
    players: Sequence[AnyPlayer],
    told: Told,
    settings: SeriesSettings,
    observe: Observe | None,
    on_match: Callable[[], object] | None,
) -> ManagedMatches:
    staged, began = guests.staged, perf_counter()
    met = await guests.met(players, told)
    guests.warm_up(met, min(settings.at_once, settings.matches))
    played = await play_managed_series(
        staged.managed, met, settings, observe=observe, on_match=on_match
    )
    seconds = perf_counter() - began
    return ManagedMatches(
        staged.managed.name,
        Series(guests.game, played.series, unit=staged.unit, seconds=seconds),
        [_player(guest) for guest in met],
        [{str(kind): count for kind, count in sorted(own.items())} for own in played.faults],
        settings.seed,
    )


def _player(guest: Participant) -> ManagedPlayer:
    if isinstance(guest, RemotePlayer):
        place = guest.place
        return ManagedPlayer(
            name=guest.name,
            url=str(place.url),
            address=place.address,
            dialect=str(guest.dialect),
        )
    return ManagedPlayer(name=guest.name, url=None, address=None, dialect=None)


def _recording(
    staged: StagedGame, folder: Path, settings: SeriesSettings, simulations: int | None
) -> Observe:
    """Records in a folder. Rules that were translated are written beside, to be replayed by."""
    name = staged.managed.name
    if staged.is_translated:
        (source,) = staged.game.sources
        name = str(folder / source.name)
    clocks = replace(settings.clocks, simulations=simulations)
    rules = rules_digest(staged.game.sources)
    records = RecordFolder(folder=folder, game=name, rules=rules, clocks=clocks)
    records.refuse_present(settings.matches)
    if staged.is_translated:
        Path(name).write_text(staged.game.sources[0].text, encoding="utf-8", newline="\n")

    def observe(
        number: int, seed: int, names: Mapping[RoleId, str]
    ) -> AbstractContextManager[MatchObserver]:
        machine = staged.managed.machine
        return records.recorder(machine, number=number, players=names, seed=seed)

    return observe


def _run(work: Coroutine[Any, Any, _Result]) -> _Result:
    """What work comes to, also where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_until_ended(work))
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def _until_ended(work: Coroutine[Any, Any, _Result]) -> _Result:
    """What work comes to. The signal to end interrupts it like a person: players are told."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError, RuntimeError, ValueError):  # such as in other threads
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    own = asyncio.current_task()
    try:
        return await task
    except asyncio.CancelledError:
        if own is not None and own.cancelling():
            raise
        raise KeyboardInterrupt from None
