"""Players that do what they should not: each is at fault by its kind, and nobody else is harmed."""

from __future__ import annotations

import asyncio
import resource
import sys
import time

import pytest
from http_players import (
    Answering,
    Exchange,
    Pieces,
    all_listening,
    answers,
    at_play,
    dripping,
    endless,
    endless_head,
    http,
    polite,
    silent,
    slow,
    usual,
)
from tables import QUICK, Played, game, play, play_side_by_side, remote

from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.manage.series import ManagedSeries, SeriesSettings, play_managed_series
from fogspiel.play.referee import FaultKind

TIMEOUT, ILLEGAL = "timeout", "illegal_move"
PARSING, CONNECTION = "parsing_error", "connection_error"
REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n"
WHOLE = http("(take a)")
LONGER = MatchClocks(start_seconds=1, turn_seconds=1, grace_seconds=0.5)
"""Clocks for many matches in one process with their players, on a busy machine."""

HOSTILE: dict[str, tuple[Answering, str]] = {
    "silent": (silent, TIMEOUT),
    "slow": (slow(5.0), TIMEOUT),
    "drips for ever": (dripping(0.2), TIMEOUT),
    "stops in the middle, and waits": (at_play(WHOLE[:-3], pause=5.0), TIMEOUT),
    "leaves in the middle of the body": (at_play(WHOLE[:-3]), CONNECTION),
    "leaves in the middle of the head": (at_play(WHOLE[:20]), CONNECTION),
    "leaves at once": (at_play(b""), CONNECTION),
    "promises more than it sends": (
        at_play(b"HTTP/1.0 200 OK\r\nContent-Length: 900\r\n\r\n(take a)"),
        CONNECTION,
    ),
    "promises 10 MB": (at_play(http(b"(take a)" * 1_300_000)), CONNECTION),
    "sends without end": (endless, CONNECTION),
    "sends headers without end": (endless_head, CONNECTION),
    "sends a chunk of 10 MB": (
        at_play(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n989680\r\n" + b"a" * 10_000_000
        ),
        CONNECTION,
    ),
    "redirects": (at_play(REDIRECT), CONNECTION),
    "redirects for good": (at_play(REDIRECT.replace(b"302", b"308")), CONNECTION),
    "fails": (at_play(http("(take a)", status="500 Oops")), CONNECTION),
    "does not speak HTTP": (at_play(b"(take a)\n"), CONNECTION),
    "speaks noise": (at_play(bytes(range(256)) * 8), CONNECTION),
    "speaks of two lengths": (
        at_play(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nContent-Length: 9\r\n\r\n(take a)"),
        CONNECTION,
    ),
    "continues for ever": (at_play(b"HTTP/1.1 100 Continue\r\n\r\n" * 40_000), CONNECTION),
    "sends chunks of one byte": (
        at_play(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * 60_000),
        CONNECTION,
    ),
    "moves illegally": (answers("(take c)"), ILLEGAL),
    "moves as in another match": (answers("(mark 1 1)"), ILLEGAL),
    "is busy": (answers("busy"), ILLEGAL),
    "says nil": (answers("NIL"), ILLEGAL),
    "names the match": (answers("(PLAY other.match (take a))"), ILLEGAL),
    "adds to a move": (answers("(take a a)"), ILLEGAL),
    "makes two moves": (answers("(take a) (take b)"), PARSING),
    "says nothing": (answers(""), PARSING),
    "leaves a move open": (answers("(take a"), PARSING),
    "uses variables": (answers("(take ?x)"), PARSING),
    "nests deeply": (answers("(" * 10_000 + ")" * 10_000), PARSING),
    "nests names deeply": (answers("(a " * 5_000 + ")" * 5_000), PARSING),
    "sends NUL": (at_play(http(b"(take a\x00)")), PARSING),
    "sends escapes of terminals": (at_play(http(b"\x1b[2J(take a)")), PARSING),
    "sends no UTF-8": (at_play(http(b"(take \xff\xfe)")), PARSING),
    "sends many words": (answers("a " * 30_000), PARSING),
    "sends a long word": (answers("a" * 60_000), ILLEGAL),
}


@pytest.fixture(scope="module")
def waits() -> dict[str, Played]:
    """Matches with those who let us wait until the clock is over: side by side, as all sleep."""
    waiting = [how for how, (_, kind) in HOSTILE.items() if kind == TIMEOUT]
    tables = [[HOSTILE[how][0], polite] for how in waiting]
    return dict(zip(waiting, play_side_by_side(tables), strict=True))


@pytest.mark.parametrize("how", list(HOSTILE))
def test_a_player_is_at_fault_by_its_kind_and_the_match_goes_on(
    how: str, waits: dict[str, Played]
) -> None:
    hostile, kind = HOSTILE[how]
    played = waits[how] if how in waits else play([hostile, polite])
    notes = played.notes[1]
    assert notes.kinds(0) == [kind] * 3
    assert notes.kinds(1) == [None] * 3
    assert notes.goals is not None
    assert all(len(text) <= 200 and text.isprintable() for text in notes.texts(0))
    assert played.servers[1].keywords() == ["START", "PLAY", "PLAY", "PLAY", "STOP"]


def test_every_kind_of_fault_is_among_them() -> None:
    assert {kind for _, kind in HOSTILE.values()} == {TIMEOUT, ILLEGAL, PARSING, CONNECTION}


def test_a_player_that_went_away_is_at_fault_in_every_step() -> None:
    async def run() -> ManagedSeries:
        async with all_listening([polite, polite]) as servers:
            guests = [remote(server) for server in servers]
        # Both have closed by now.
        settings = SeriesSettings(matches=1, clocks=QUICK, seed=0)
        return await play_managed_series(game(), guests, settings)

    assert asyncio.run(run()).faults == ({CONNECTION: 4}, {CONNECTION: 4})


def test_a_player_that_is_busy_at_the_start_is_told_and_asked_all_the_same() -> None:
    async def busy(exchange: Exchange) -> Pieces:
        yield http("BUSY" if exchange.keyword == "START" else usual(exchange))

    played = play([busy, polite])
    assert played.notes[1].start_faults[min(played.notes[1].start_faults)].kind == CONNECTION
    assert played.notes[1].kinds(0) == [None] * 3
    assert played.result.faults == ({CONNECTION: 1}, {})


def test_a_player_that_does_not_get_ready_in_time_is_noted() -> None:
    async def late(exchange: Exchange) -> Pieces:
        if exchange.keyword == "START":
            await asyncio.sleep(5)
        yield http(usual(exchange))

    played = play([late, polite], clocks=QUICK)
    assert played.result.faults == ({TIMEOUT: 1}, {})
    assert played.notes[1].kinds(0) == [None] * 3


def peak_kilobytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


def test_all_of_them_at_once_harm_nobody_else_and_fill_no_memory() -> None:
    """Matches of well-behaved players beside all hostile ones: no fault, and no wait."""

    async def one(pair: list[Answering]) -> tuple[ManagedSeries, float]:
        began = time.monotonic()
        async with all_listening(pair) as servers:
            guests = [remote(server) for server in servers]
            settings = SeriesSettings(matches=1, clocks=LONGER, seed=0)
            result = await play_managed_series(game(), guests, settings)
        return result, time.monotonic() - began

    async def run() -> tuple[list[tuple[ManagedSeries, float]], list[tuple[ManagedSeries, float]]]:
        pairs = [[hostile, polite] for hostile, _ in HOSTILE.values()]
        async with asyncio.TaskGroup() as group:
            bad = [group.create_task(one(pair)) for pair in pairs]
            good = [group.create_task(one([polite, polite])) for _ in range(10)]
        return [task.result() for task in bad], [task.result() for task in good]

    play([polite, polite])
    before = peak_kilobytes()
    hostile, well_behaved = asyncio.run(run())
    for (result, _), (_, kind) in zip(hostile, HOSTILE.values(), strict=True):
        assert result.faults[0][FaultKind(kind)] >= 3
        assert result.faults[1] == {}
    for result, seconds in well_behaved:
        assert result.faults == ({}, {})
        assert seconds < hostile[0][1]  # of the match with the silent player
    # The players themselves, in this process, hold some 30 MB of what they send.
    assert peak_kilobytes() - before < 150_000
