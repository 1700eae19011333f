"""Matches of a server whose players hog, sleep, die or come late: every question is answered."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Iterator

import pytest
from odd_players import GAME, LATE_SECONDS, SLOW_TO_COMPILE, OddPlayer, slow_load

from fogspiel.play.ggp.http.server import HttpRequest
from fogspiel.play.ggp.serve import host as host_module
from fogspiel.play.ggp.serve import hosted_match
from fogspiel.play.ggp.serve.host import Host
from fogspiel.play.ggp.serve.hosted_match import Margin, ServerSettings
from fogspiel.play.ggp.serve.player_process import ProcessSettings
from fogspiel.play.ggp.serve.process_pool import ProcessPool
from fogspiel.play.series import Entrant

EQUIPMENT = ProcessSettings(entrant=Entrant("odd", OddPlayer), load=slow_load)
AWAKE = 60.0
"""Seconds that a process may take to start, on a machine with much else to do."""

BUSY = 0.5
"""Seconds that an answer may take there, as if it had been measured."""


class Table:
    """A host without sockets, and what it told. All tests use its processes, one by one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pool = ProcessPool(EQUIPMENT, 2)
        self.margin = Margin()
        settings = ServerSettings(load=slow_load, tell=self.lines.append, margin=self.margin)
        self.host = Host("Odd", self.pool, settings, 2)
        self.runner = asyncio.Runner()

    async def say(self, text: str) -> str:
        request = HttpRequest(method="POST", target="/", body=text.encode(), began=time.monotonic())
        reply = await self.host.handle(request)
        assert reply.status == 200, reply.text
        return reply.text

    async def start(
        self, match: str, role: str, *, seconds: float = AWAKE, clock: float = AWAKE
    ) -> str:
        rules = GAME.format(role=role)
        return await self.say(f"(START {match} {role} ({rules}) {seconds} {clock})")

    def told(self, pattern: str) -> bool:
        return any(re.search(pattern, line) for line in self.lines)


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    found = Table()
    yield found
    found.runner.run(found.pool.close())
    found.runner.close()


async def timed(answer: Awaitable[str]) -> tuple[str, float]:
    began = time.monotonic()
    return await answer, time.monotonic() - began


def test_a_player_thinks_while_nobody_asks_and_answers_all_the_same(table: Table) -> None:
    async def scenario() -> None:
        assert await table.start("thoughtful", "thoughtful") == "ready"
        news = "NIL"
        for step in range(4):
            await asyncio.sleep(0.5)
            assert await table.say(f"(PLAY thoughtful {news})") == f"(take {step})"
            news = f"((take {step}) wait)"
        assert await table.say(f"(STOP thoughtful {news})") == "done"

    table.runner.run(scenario())


def test_a_player_that_hogs_its_process_is_kept_to_its_clock_and_ended(table: Table) -> None:
    async def scenario() -> None:
        assert await table.start("hog", "hog", clock=4) == "ready"
        question = asyncio.create_task(timed(table.say("(PLAY hog NIL)")))
        await asyncio.sleep(0.5)
        # A ping is answered while the player thinks.
        assert await table.say("(INFO)") == "( ( name Odd ) ( status available ) )"
        assert not question.done()
        answer, seconds = await question
        assert answer == "(give 0)"
        assert seconds < AWAKE
        assert table.told("hog: no move in time; a legal one instead")
        # The process is still at it. Nobody waits for it: the next turn is answered without it.
        answer, seconds = await timed(table.say("(PLAY hog ((take 0) wait))"))
        assert answer == "(give 1)"
        assert seconds < AWAKE
        # Stopping ends it.
        assert await table.say("(STOP hog ((take 1) wait))") == "done"

    table.runner.run(scenario())


def test_long_rules_for_a_process_that_is_getting_started_do_not_stop_the_server(
    table: Table,
) -> None:
    async def scenario() -> None:
        # The process of the test before has just been replaced.
        rules = GAME.format(role="sound") + f"(unused {'a' * 500_000})"
        start = asyncio.create_task(table.say(f"(START long sound ({rules}) {AWAKE} {AWAKE})"))
        for _ in range(10):
            await asyncio.sleep(0.1)
            assert (await timed(table.say("(INFO)")))[1] < 0.5
        assert await start == "ready"
        assert await table.say("(ABORT long)") == "aborted"

    table.runner.run(scenario())


def test_abort_while_thinking_frees_whoever_waits(table: Table) -> None:
    async def scenario() -> None:
        assert await table.start("aborted", "hog") == "ready"
        question = asyncio.create_task(timed(table.say("(PLAY aborted NIL)")))
        await asyncio.sleep(0.5)
        assert await table.say("(ABORT aborted)") == "aborted"
        _, seconds = await question
        assert seconds < AWAKE
        assert await table.say("(PLAY aborted NIL)") == "busy"

    table.runner.run(scenario())


def test_two_matches_do_not_disturb_each_other(table: Table) -> None:
    async def scenario() -> None:
        starts = (table.start("a", "hog"), table.start("b", "sound"))
        assert tuple(await asyncio.gather(*starts)) == ("ready", "ready")
        assert await table.start("c", "sound") == "busy"
        question = asyncio.create_task(table.say("(PLAY a NIL)"))
        news = "NIL"
        for step in range(4):
            assert await table.say(f"(PLAY b {news})") == f"(take {step})"
            news = f"((take {step}) wait)"
        assert await table.say(f"(STOP b {news})") == "done"
        assert not question.done()
        assert await table.say("(ABORT a)") == "aborted"
        await question

    table.runner.run(scenario())


def test_a_match_may_begin_as_soon_as_another_is_over(table: Table) -> None:
    async def scenario() -> None:
        assert await table.start("stays", "sound") == "ready"
        for number in range(5):
            assert await table.start(f"next{number}", "sound") == "ready"
            assert await table.say(f"(PLAY next{number} NIL)") == "(take 0)"
            assert await table.say(f"(STOP next{number} ((take 0) wait))") == "done"
        assert await table.say("(ABORT stays)") == "aborted"

    table.runner.run(scenario())


def test_a_process_that_dies_is_replaced_by_the_reserve_until_the_match_is_over(
    table: Table,
) -> None:
    async def scenario() -> None:
        assert await table.start("mortal", "mortal") == "ready"
        assert await table.say("(PLAY mortal NIL)") == "(give 0)"
        assert table.told("mortal: .* has ended; a legal one instead")
        assert await table.say("(PLAY mortal ((give 0) wait))") == "(give 1)"
        assert await table.say("(PLAY mortal ((take 1) wait))") == "(give 2)"
        assert table.told("mortal: .* a legal one of the reserve instead")
        assert await table.say("(STOP mortal ((take 2) wait))") == "done"

    table.runner.run(scenario())


@pytest.mark.parametrize("role", ["sleepy", SLOW_TO_COMPILE])
def test_a_game_that_is_not_ready_is_played_by_the_reserve(table: Table, role: str) -> None:
    async def scenario() -> None:
        table.margin.answering_seconds = BUSY
        answer, seconds = await timed(table.start(role, role, seconds=1, clock=3))
        assert answer == "ready"
        assert seconds < AWAKE / 2
        answer, seconds = await timed(table.say(f"(PLAY {role} NIL)"))
        assert answer == "(give 0)"
        assert seconds < AWAKE / 2
        # Its own move is the one that counted, not the one that was answered.
        assert await table.say(f"(PLAY {role} ((take 0) wait))") == "(give 1)"
        assert await table.say(f"(ABORT {role})") == "aborted"

    table.runner.run(scenario())


def test_a_late_player_makes_the_margin_grow(table: Table) -> None:
    async def scenario() -> None:
        assert await table.start("late", "late", clock=5) == "ready"
        table.margin.late_seconds = LATE_SECONDS
        answer, seconds = await timed(table.say("(PLAY late NIL)"))
        assert answer == "(take 0)"
        assert seconds < AWAKE
        assert table.margin.late_seconds >= LATE_SECONDS
        assert await table.say("(ABORT late)") == "aborted"

    table.runner.run(scenario())


def test_a_match_that_cannot_be_followed_is_answered_with_a_guess(table: Table) -> None:
    async def scenario() -> None:
        assert await table.start("astray", "sound") == "ready"
        assert await table.say("(PLAY astray 0 NIL NIL)") == "(take 0)"
        assert await table.say("(PLAY astray 3 (take 2) ())") == "(take 0)"
        assert table.told("GGP005 .*turn 3 is told of after 0 steps; a guess instead")
        assert await table.say("(ABORT astray)") == "aborted"

    table.runner.run(scenario())


def test_matches_that_nobody_goes_on_with_are_given_up(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted_match, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(host_module, "SWEEP_SECONDS", 0.1)

    async def scenario() -> None:
        assert await table.start("left", "sound", clock=0.2) == "ready"
        await table.say("(PLAY left NIL)")
        sweeping = asyncio.create_task(table.host.sweep())
        await asyncio.sleep(0.3)
        assert not table.told("left: given up")
        await asyncio.sleep(0.9)
        assert table.told("left: given up")
        assert await table.say("(PLAY left ((take 0) wait))") == "busy"
        sweeping.cancel()

    table.runner.run(scenario())
