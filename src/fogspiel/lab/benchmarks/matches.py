"""Many managed matches at once over loopback: does the manager keep up?

Players run in a process of their own and always answer well within their clock, so that every fault
in a match is one of the manager. Matches follow each other until the time is over.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.terms import RoleId
from fogspiel.games.load import LoadedGame, load
from fogspiel.lab.benchmarks.processes import peak_memory_bytes, percentile
from fogspiel.machine.protocol import player_roles
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.http.addresses import PinnedAddress, read_url
from fogspiel.play.ggp.manage.remote_player import RemotePlayer
from fogspiel.play.ggp.manage.seats import MANAGER_GRACE_SECONDS, ManagedGame, SeatAssignment
from fogspiel.play.ggp.messages import ProtocolDialect
from fogspiel.play.ggp.term_text import Scrambling
from fogspiel.play.loop import play_managed_match, warm_up_referee
from fogspiel.play.referee import Fault, Referee, Step

PLAYERS = "fogspiel.lab.benchmarks.match_players"
REQUIRED_OVERHEAD_SECONDS = 0.25  #: Overhead of a turn, at the 99th percentile
SAMPLE_SECONDS = 0.5
SETTLE_SHARE = 0.1
"""The fraction of the time before the first look at memory: buffers have been made by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLoad:
    """The load to measure: matches at the same time, and their clocks."""

    game: str
    at_once: int
    seconds: float
    think_seconds: float  #: The longest time of a move, which is drawn uniformly
    play_seconds: float
    seed: int = 0


def measure_matches(load_: MatchLoad) -> dict[str, Any]:
    """Play for the given time and measure turns and memory.

    Raises `UsageError` BEN006 for a game that hides something or has chance.
    """
    game = load(load_.game)
    if game.hides or game.chance is not None:
        raise UsageError.of(
            "BEN006",
            f"{load_.game} hides something or has chance, and the players of this measurement "
            "follow joint moves",
            fix="name a game like tic_tac_toe",
        )
    warm_up_referee(game.machine)
    order = {"game": load_.game, "think_seconds": load_.think_seconds, "seed": load_.seed}
    with subprocess.Popen(
        [sys.executable, "-m", PLAYERS, json.dumps(order)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as players:
        try:
            assert players.stdout is not None
            port = players.stdout.readline().strip()
            if not port:
                raise PlayError.of(
                    "BEN003",
                    "the process of the players died before it listened",
                    fix="run it again with FOGSPIEL_DEBUG=1 and please report what it says",
                )
            counts = asyncio.run(_manage(game, load_, int(port)))
            said, _ = players.communicate("")
        except BaseException:
            players.kill()
            raise
    return _record(load_, counts, json.loads(said)["overhead_seconds"])


@dataclass(slots=True)
class _Counts:
    """What happens while matches are played: it watches all of them."""

    turns: int = 0
    matches: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    memory_bytes: list[int] = field(default_factory=list)

    def start(self, seconds: Mapping[RoleId, float], faults: Mapping[RoleId, Fault]) -> None:
        self.faults.update(str(fault.kind) for fault in faults.values())

    def step(self, step: Step) -> None:
        self.turns += 1
        self.faults.update(str(fault.kind) for fault in step.faults.values())

    def end(self, goals: tuple[int, ...]) -> None:
        self.matches += 1


async def _manage(game: LoadedGame, load_: MatchLoad, port: int) -> _Counts:
    """Keep so many matches going until the time is over; those that are not are aborted then."""
    counts = _Counts()
    place = PinnedAddress(read_url(f"http://127.0.0.1:{port}"), "127.0.0.1")
    player = RemotePlayer(name="bench", place=place, dialect=ProtocolDialect.GDL1)
    managed = ManagedGame(
        name=game.name, rules=game.sources[0].text, machine=game.machine, hides=False
    )
    table = _Table(managed, player, load_)
    tasks = [asyncio.create_task(table.play_on(counts)) for _ in range(load_.at_once)]
    ends = time.monotonic() + load_.seconds
    while time.monotonic() < ends and not any(task.done() for task in tasks):
        counts.memory_bytes.append(_resident_bytes())
        await asyncio.sleep(min(SAMPLE_SECONDS, load_.seconds / 20))
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
    return counts


class _Table:
    """Matches one after the other, each with a name and a seed of its own."""

    def __init__(self, game: ManagedGame, player: RemotePlayer, load_: MatchLoad) -> None:
        self._game, self._player, self._seed = game, player, load_.seed
        self._clocks = MatchClocks(
            start_seconds=30,
            turn_seconds=load_.play_seconds,
            grace_seconds=MANAGER_GRACE_SECONDS,
        )
        self._scrambling = Scrambling(None, game.rules)
        self._numbers = count()

    async def play_on(self, counts: _Counts) -> None:
        while True:
            number = next(self._numbers)
            referee = Referee(self._game.machine, seed=self._seed + number)
            players = {
                role: self._player.seated(
                    SeatAssignment(
                        game=self._game,
                        role=role,
                        match=f"bench.{number}.{role}",
                        scrambling=self._scrambling,
                        clocks=self._clocks,
                        seed=0,
                    )
                )
                for role in player_roles(self._game.machine)
            }
            await play_managed_match(referee, players, observer=counts)


def _record(load_: MatchLoad, counts: _Counts, overheads: list[float]) -> dict[str, Any]:
    memory = counts.memory_bytes
    settled = memory[int(SETTLE_SHARE * len(memory))]
    ninety_nine = percentile(overheads, 99) if overheads else None
    return {
        **asdict(load_),
        "turns": counts.turns,
        "turns_per_second": counts.turns / load_.seconds,
        "matches": counts.matches,
        "faults": dict(sorted(counts.faults.items())),
        "measured_turns": len(overheads),
        "overhead_ms_p50": 1_000 * percentile(overheads, 50) if overheads else None,
        "overhead_ms_p99": 1_000 * ninety_nine if ninety_nine is not None else None,
        "overhead_ms_most": 1_000 * max(overheads) if overheads else None,
        "memory_bytes": {
            "start": settled,
            "middle": memory[len(memory) // 2],
            "end": memory[-1],
            "most": max(memory),
        },
        "meets": not counts.faults
        and ninety_nine is not None
        and ninety_nine < REQUIRED_OVERHEAD_SECONDS,
    }


def _resident_bytes() -> int:
    """What this process holds now; where the system does not say, the most that it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return peak_memory_bytes() or 0
    return pages * os.sysconf("SC_PAGE_SIZE")
