"""Matches over HTTP with players that behave: what they are sent, and what comes of answers."""

from __future__ import annotations

import asyncio
import re

import pytest
from http_players import (
    Answering,
    Exchange,
    Pieces,
    all_listening,
    answers,
    at_play,
    dripping,
    http,
    polite,
    slow,
    usual,
)
from tables import QUICK, game, play, remote

from fogspiel.core.findings import UsageError
from fogspiel.core.terms import RoleId, format_term
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.ggp.manage.seats import match_name
from fogspiel.play.ggp.manage.series import SeriesSettings, play_managed_series
from fogspiel.play.ggp.messages import ProtocolDialect


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, text
    return match[1]


def test_a_match_is_told_step_by_step_in_gdl_1() -> None:
    played = play([answers("(take a)", "(take b)"), answers("(take b)")])
    server, _ = played.servers
    texts = [exchange.body for exchange in server.asked]
    match = texts[0].split()[1]
    assert texts[0].startswith(f"(START {match} white ((role white) (role black) ")
    assert texts[0].endswith(") 60 60)")
    assert texts[1:] == [
        f"(PLAY {match} NIL)",
        f"(PLAY {match} ((take a) (take b)))",
        f"(PLAY {match} ((take b) (take b)))",
        f"(STOP {match} ((take b) (take b)))",
    ]
    assert played.notes[1].goals == (0, 0)
    assert played.result.faults == ({}, {})


def test_requests_are_those_that_players_are_used_to() -> None:
    server = play([polite, polite]).servers[0]
    first, *headers = server.asked[1].head.strip().split("\r\n")
    assert first == "POST / HTTP/1.0"
    named = dict(header.split(": ", 1) for header in headers)
    assert named == {
        "Accept": "text/delim",
        "Host": f"127.0.0.1:{server.port}",
        "Sender": "FOGSPIEL",
        "Receiver": "player",
        "Content-Type": "text/acl",
        "Content-Length": str(len(server.asked[1].body)),
        "Connection": "close",
    }


def test_the_newer_dialect_tells_the_turn_the_move_and_the_percepts() -> None:
    played = play([answers("(take b)"), answers("(take nothing)")], hides=True)
    first, second = ([e.body for e in server.asked] for server in played.servers)
    match = first[0].split()[1]
    assert first[1] == f"(PLAY {match} 0 NIL NIL)"
    pattern = rf"\(\w+ {match} (\d) \(take b\) \(\(got [abc]\) \(mine b\)\)\)"
    assert [found(pattern, text) for text in first[2:]] == ["1", "2", "3"]
    # What counted for the one who may not take nothing is what it is told.
    for text, step in zip(second[2:], played.notes[1].steps, strict=True):
        counted = game(hides=True).machine.move_term(RoleId(1), step.joint[1])
        assert format_term(counted) in text
    assert played.notes[1].kinds(1) == ["illegal_move"] * 3


def test_the_older_dialect_tells_the_percepts_alone() -> None:
    played = play(
        [polite, polite], hides=True, dialects=[ProtocolDialect.GDL2_OLD, ProtocolDialect.GDL2]
    )
    old, new = ([e.body for e in server.asked] for server in played.servers)
    match = old[0].split()[1]
    assert old[1] == f"(PLAY {match} NIL)"
    assert all(re.fullmatch(rf"\(\w+ {match} \(\(got [abc]\) \(mine a\)\)\)", t) for t in old[2:])
    assert new[1] == f"(PLAY {match} 0 NIL NIL)"


def test_a_game_that_hides_is_not_told_in_gdl_1() -> None:
    with pytest.raises(UsageError, match="MAN001"):
        play([polite, polite], hides=True, dialects=[ProtocolDialect.GDL2, ProtocolDialect.GDL1])
    with pytest.raises(UsageError, match="MAN001"):
        play([polite, polite], dialects=[ProtocolDialect.GDL1, ProtocolDialect.GDL2])


@pytest.mark.parametrize(
    "answer",
    [
        "(take b)",
        "(TAKE B)",
        "  ( Take\n b ) ",
        "(take b))",
        "((take b))"[1:],
    ],
)
def test_answers_are_understood_in_any_case_and_spacing(answer: str) -> None:
    played = play([answers(answer), polite])
    assert played.notes[1].kinds(0) == [None] * 3
    assert played.notes[1].goals == (0, 100)


async def upper_case(exchange: Exchange) -> Pieces:
    without_id = exchange.words[3:]
    assert [word.upper() for word in without_id] == without_id
    yield http(usual(exchange, "(TAKE B)"))


def test_rules_and_moves_can_be_told_in_upper_case() -> None:
    played = play([upper_case, upper_case], upper=True)
    assert played.servers[0].keywords() == ["START", "PLAY", "PLAY", "PLAY", "STOP"]
    assert "(ROLE WHITE)" in played.servers[0].asked[0].body
    assert "((TAKE B) (TAKE B))" in played.servers[0].asked[2].body
    assert played.result.faults == ({}, {})


LEGAL = r"\(legal \?r \((\w+) \?x\)\)"


def reads_rules() -> Answering:
    """Finds the names of moves in the rules that it was sent."""
    take = thing = ""

    async def answering(exchange: Exchange) -> Pieces:
        nonlocal take, thing
        if exchange.keyword == "START":
            take = found(LEGAL, exchange.body)
            things = found(r"\(role \?r\) \((\w+) \?x\)\)", exchange.body)
            thing = found(rf"\({things} (\w+)\)", exchange.body)
        yield http(usual(exchange, f"({take} {thing})"))

    return answering


def test_scrambled_names_differ_from_match_to_match_and_moves_come_back_right() -> None:
    played = play([reads_rules(), reads_rules()], scramble=True, matches=2)
    texts = [e.body for e in played.servers[0].asked if e.keyword == "START"]
    assert len({found(LEGAL, text) for text in texts}) == 2
    assert all(word not in text for text in texts for word in ("take", "white", "round"))
    assert played.result.faults == ({}, {})


BODY = b"(take b)"
ANSWERS = {
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"1\r\n(\r\n6\r\ntake b\r\n1\r\n)\r\n0\r\n\r\n",
    "without a length": b"HTTP/1.0 200 OK\r\n\r\n" + BODY,
    "plain newlines": b"HTTP/1.0 200 OK\nContent-Length: 8\n\n" + BODY,
    "after continue": b"HTTP/1.1 100 Continue\r\n\r\n" + http(BODY, version="1.1"),
    "with browsers' headers": b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\n"
    b"Connection: keep-alive\r\nContent-Length: 8\r\n\r\n" + BODY,
    "another good status": http(BODY, status="202 Accepted"),
}


@pytest.mark.parametrize("how", list(ANSWERS))
def test_answers_are_accepted_as_players_really_send_them(how: str) -> None:
    played = play([at_play(ANSWERS[how]), polite])
    assert played.notes[1].kinds(0) == [None] * 3
    assert played.notes[1].goals == (0, 100)


def test_an_answer_may_drip_within_its_clock() -> None:
    played = play([dripping(0.003), polite])
    assert played.notes[1].kinds(0) == [None] * 3


def test_the_clock_has_a_grace() -> None:
    clocks = MatchClocks(start_seconds=1, turn_seconds=0.1, grace_seconds=60)
    played = play([slow(0.25), polite], clocks=clocks)
    assert played.notes[1].kinds(0) == [None] * 3
    assert all(step.seconds[RoleId(0)] > 0.2 for step in played.notes[1].steps)


def test_all_players_are_asked_at_the_same_time() -> None:
    both = asyncio.Barrier(2)

    async def waiting(exchange: Exchange) -> Pieces:
        if exchange.keyword == "PLAY":
            await both.wait()
        yield http(usual(exchange))

    notes = play([waiting, waiting]).notes[1]
    assert notes.kinds(0) == notes.kinds(1) == [None] * 3


def test_one_address_may_sit_in_two_seats_and_hears_two_matches() -> None:
    async def run() -> list[str]:
        async with all_listening([polite]) as (server,):
            guests = [remote(server), remote(server)]
            settings = SeriesSettings(matches=1, clocks=QUICK, seed=1)
            await play_managed_series(game(), guests, settings)
            return [e.words[2] for e in server.asked if e.keyword == "START"]

    first, second = sorted(asyncio.run(run()))
    assert second == f"{first}.2"


def test_the_same_seed_gives_the_same_bytes() -> None:
    def sent(seed: int) -> list[list[str]]:
        played = play(
            [answers("nonsense"), polite], hides=True, matches=3, seed=seed, scramble=True
        )
        return [[e.body for e in server.asked] for server in played.servers]

    assert sent(5) == sent(5)
    assert sent(5) != sent(6)


def test_names_of_matches_do_not_tell_the_seed() -> None:
    names = {
        match_name("kuhn poker!", run, seed, number)
        for run in ("", "again")
        for seed in range(10)
        for number in range(5)
    }
    assert len(names) == 100
    assert all(re.fullmatch(r"kuhn_poker\.[0-9a-f]{12}", name) for name in names)


def test_an_interruption_aborts_the_match_everywhere() -> None:
    async def run() -> list[list[str]]:
        async with all_listening([polite, slow(60)]) as servers:
            guests = [remote(server) for server in servers]
            clocks = MatchClocks(start_seconds=60, turn_seconds=60, grace_seconds=1.0)
            settings = SeriesSettings(matches=4, clocks=clocks, seed=1, at_once=2)
            task = asyncio.create_task(play_managed_series(game(), guests, settings))
            while any(server.keywords().count("PLAY") < 2 for server in servers):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return [server.keywords() for server in servers]

    for keywords in asyncio.run(run()):
        assert sorted(keywords) == ["ABORT"] * 2 + ["PLAY"] * 2 + ["START"] * 2


def test_seats_rotate_and_results_are_tallied_by_player() -> None:
    played = play([answers("(take a)"), answers("(take b)")], matches=4, swap=True, at_once=2)
    first, second = played.result.series.totals()
    assert (first.wins, first.games, second.losses) == (4, 4, 4)
    roles = [e.words[3] for e in played.servers[0].asked if e.keyword == "START"]
    assert sorted(roles) == ["black", "black", "white", "white"]
