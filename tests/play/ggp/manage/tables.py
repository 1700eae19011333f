"""Matches for tests of the manager: players that listen, met and seated."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache

from http_players import HIDING_GAME, OPEN_GAME, Answering, Server, all_listening

from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load_source
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.http.addresses import PinnedAddress, read_url
from fogspiel.play.ggp.http.client import Exchanges
from fogspiel.play.ggp.manage.remote_player import RemotePlayer
from fogspiel.play.ggp.manage.seats import ManagedGame, Participant
from fogspiel.play.ggp.manage.series import ManagedSeries, SeriesSettings, play_managed_series
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.referee import Fault, Step

QUICK = MatchClocks(start_seconds=1, turn_seconds=0.5, grace_seconds=0.3)
"""Clocks for players that miss them."""
PATIENT = MatchClocks(start_seconds=60, turn_seconds=60, grace_seconds=1.0)
"""Clocks that nobody misses, however slow the machine."""


@cache
def game(*, hides: bool = False) -> ManagedGame:
    text = HIDING_GAME if hides else OPEN_GAME
    machine = load_source(Source("test.gdl", text)).machine
    return ManagedGame(name="test", rules=text, machine=machine, hides=hides)


def remote(
    server: Server, dialect: ProtocolDialect = ProtocolDialect.GDL1, name: str = "player"
) -> RemotePlayer:
    place = PinnedAddress(read_url(server.url), "127.0.0.1")
    return RemotePlayer(name=name, place=place, dialect=dialect, exchanges=Exchanges())


@dataclass
class Notes:
    """Watches a match."""

    steps: list[Step] = field(default_factory=list)
    start_faults: dict[RoleId, Fault] = field(default_factory=dict)
    goals: tuple[int, ...] | None = None

    def start(self, seconds: Mapping[RoleId, float], faults: Mapping[RoleId, Fault]) -> None:
        self.start_faults = dict(faults)

    def step(self, step: Step) -> None:
        self.steps.append(step)

    def end(self, goals: tuple[int, ...]) -> None:
        self.goals = goals

    def kinds(self, role: int) -> list[str | None]:
        """What was wrong in each step."""
        faults = [step.faults.get(RoleId(role)) for step in self.steps]
        return [None if fault is None else str(fault.kind) for fault in faults]

    def texts(self, role: int) -> list[str]:
        return [step.faults[RoleId(role)].text for step in self.steps if role in step.faults]


@dataclass
class Played:
    """A series with what was seen of it."""

    result: ManagedSeries
    servers: list[Server]
    notes: dict[int, Notes]


def play(
    players: Sequence[Answering],
    *,
    dialects: Sequence[ProtocolDialect] | None = None,
    extra: Sequence[Participant] = (),
    hides: bool = False,
    matches: int = 1,
    at_once: int = 1,
    clocks: MatchClocks = PATIENT,
    seed: int = 3,
    scramble: bool = False,
    upper: bool = False,
    swap: bool = False,
) -> Played:
    """A series between players that listen."""
    settings = SeriesSettings(
        matches=matches,
        clocks=clocks,
        seed=seed,
        at_once=at_once,
        swap=swap,
        scramble=scramble,
        upper=upper,
    )
    usual = ProtocolDialect.GDL2 if hides else ProtocolDialect.GDL1
    spoken = dialects or [usual] * len(players)
    return asyncio.run(_played(players, spoken, extra, settings, hides=hides))


def play_side_by_side(tables: Sequence[Sequence[Answering]]) -> list[Played]:
    """A match at each table, as `play` has it, all at once: where players wait, nobody works."""
    settings = SeriesSettings(matches=1, clocks=QUICK, seed=3)

    async def run() -> list[Played]:
        matches = [
            _played(players, [ProtocolDialect.GDL1] * len(players), (), settings, hides=False)
            for players in tables
        ]
        return await asyncio.gather(*matches)

    return asyncio.run(run())


async def _played(
    players: Sequence[Answering],
    spoken: Sequence[ProtocolDialect],
    extra: Sequence[Participant],
    settings: SeriesSettings,
    *,
    hides: bool,
) -> Played:
    notes: dict[int, Notes] = {}

    def observe(number: int, seed: int, names: object) -> AbstractContextManager[Notes]:
        return nullcontext(notes.setdefault(number, Notes()))

    async with all_listening(players) as servers:
        guests = [remote(server, own) for server, own in zip(servers, spoken, strict=True)]
        result = await play_managed_series(
            game(hides=hides), [*guests, *extra], settings, observe=observe
        )
        return Played(result, servers, notes)
