"""Meeting players: their names, and the dialect of GDL-II that they follow."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest
from http_players import Answering, Exchange, Pieces, all_listening, http, listening, polite, usual

from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load_source
from fogspiel.play.ggp.http.addresses import read_url
from fogspiel.play.ggp.http.client import Exchanges
from fogspiel.play.ggp.manage import remote_player
from fogspiel.play.ggp.manage.remote_player import (
    Invitation,
    RemotePlayer,
    find_player,
    probe_rules,
)
from fogspiel.play.ggp.messages import ProtocolDialect

NEWER = re.compile(r"\(PLAY \S+ (\d+) (NIL|\(.*?\)|\w+) (NIL|\(\(dealt (c\d+)\)\))\)")
OLDER = re.compile(r"\(PLAY \S+ (NIL|\(\(dealt (c\d+)\)\))\)")


def met(
    answering: Answering, *, hides: bool = True, dialect: ProtocolDialect | None = None
) -> tuple[RemotePlayer, list[str]]:
    """The player that is found, and what it was asked."""

    async def run() -> tuple[RemotePlayer, list[str]]:
        async with listening(answering) as server:
            invitation = Invitation(hides=hides)
            player = await find_player(read_url(server.url), invitation, dialect=dialect)
            return player, server.keywords()

    return asyncio.run(run())


def seer(pattern: re.Pattern[str], otherwise: bytes) -> Answering:
    """Names the card that it is told in the form of the pattern."""

    async def answering(exchange: Exchange) -> Pieces:
        if exchange.keyword != "PLAY":
            yield http(usual(exchange))
            return
        told = pattern.fullmatch(exchange.body)
        if told is None:
            yield otherwise
        else:
            card = told.groups()[-1]
            yield http(f"(name {card})" if card else "look")

    return answering


async def positional(exchange: Exchange) -> Pieces:
    """Takes what stands third for percepts, whatever it is, and guesses where it makes no sense."""
    if exchange.keyword != "PLAY":
        yield http(usual(exchange))
        return
    third = exchange.body.split(maxsplit=2)[2]
    dealt = re.match(r"\(\(dealt (c\d+)\)", third)
    first = third.startswith(("NIL", "0"))
    yield http("look" if first else f"(name {dealt[1]})" if dealt else "(name c0)")


def test_rules_of_the_probe_are_sound_and_the_card_decides() -> None:
    loaded = load_source(Source("probe.gdl", probe_rules()))
    assert loaded.findings == ()
    assert loaded.hides
    machine = loaded.machine
    assert machine.roles == ("seer", "random")
    assert machine.move_count(RoleId(0)) == remote_player.CARDS + 1


@pytest.mark.parametrize(
    "otherwise",
    [http("busy"), http("NIL"), http("error", status="500 Oops"), http(""), b""],
    ids=["busy", "nil", "status 500", "empty", "closed"],
)
def test_a_player_is_spoken_to_in_the_dialect_that_it_follows(otherwise: bytes) -> None:
    newer, asked = met(seer(NEWER, otherwise))
    assert newer.dialect is ProtocolDialect.GDL2
    assert asked == ["INFO", "START", "PLAY", "PLAY", "STOP"]
    older, asked = met(seer(OLDER, otherwise))
    assert older.dialect is ProtocolDialect.GDL2_OLD
    assert asked[-4:] == ["START", "PLAY", "PLAY", "STOP"]


def test_a_player_that_misreads_the_newer_dialect_without_complaint_is_found_out() -> None:
    assert met(positional)[0].dialect is ProtocolDialect.GDL2_OLD


def test_who_follows_neither_is_spoken_to_in_the_newer() -> None:
    assert met(polite)[0].dialect is ProtocolDialect.GDL2


def test_a_player_that_does_not_answer_a_probe_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PROBE_START_SECONDS", "PROBE_PLAY_SECONDS", "PROBE_GRACE_SECONDS"):
        monkeypatch.setattr(remote_player, name, 0.1)

    async def silent_at_play(exchange: Exchange) -> Pieces:
        if exchange.keyword == "PLAY":
            await asyncio.sleep(5)
        yield http(usual(exchange))

    player, asked = met(silent_at_play)
    assert player.dialect is ProtocolDialect.GDL2
    assert asked == ["INFO"] + ["START", "PLAY", "ABORT"] * 2


def test_a_dialect_that_is_told_is_not_probed() -> None:
    player, asked = met(polite, dialect=ProtocolDialect.GDL2_OLD)
    assert player.dialect is ProtocolDialect.GDL2_OLD
    assert asked == ["INFO"]


def test_a_game_that_hides_nothing_needs_no_probe() -> None:
    player, asked = met(polite, hides=False)
    assert (player.dialect, player.name) == (ProtocolDialect.GDL1, "polite")
    assert asked == ["INFO"]


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (http("( ( name My_Player ) ( status busy ) )"), "My_Player"),
        (http("((NAME |two words|) (STATUS available))"), "two words"),
        (http("available"), None),
        (http("((status available))"), None),
        (http(b"\xff"), None),
        (http("((name evil\x1b[2J))"), "evil[2J"),
        (http(f"((name {'x' * 5_000}))"), "x" * remote_player.MOST_NAME),
        (http("", status="404 Not Found"), None),
        (b"garbage", None),
    ],
)
def test_names_are_taken_where_they_can_be_printed(reply: bytes, name: str | None) -> None:
    async def answering(exchange: Exchange) -> Pieces:
        yield reply

    player, _ = met(answering, hides=False)
    assert player.name == (name or str(player.place.url))


def test_where_nobody_listens_this_is_said_before_any_match() -> None:
    async def run() -> None:
        async with listening(polite) as server:
            url = server.url
        await find_player(read_url(url), Invitation(hides=False))

    with pytest.raises(PlayError, match="MAN002"):
        asyncio.run(run())


def test_notices_call_a_player_by_the_name_under_which_it_entered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run() -> tuple[RemotePlayer, str]:
        async with listening(polite) as server:
            url, invitation = server.url, Invitation(hides=True)
            return await find_player(read_url(url), invitation, name="far"), url

    with caplog.at_level("INFO", logger="fogspiel"):
        player, url = asyncio.run(run())
    assert player.name == "far"
    said = [record.getMessage() for record in caplog.records]
    assert "far follows neither dialect of GDL-II; the newer one is used" in said
    assert [line for line in said if line.startswith(f"far is at {url}")]

    async def missing() -> None:
        await find_player(read_url(url), Invitation(hides=False), name="far")

    with pytest.raises(PlayError, match="far: nobody listens at"):
        asyncio.run(missing())


def test_the_address_where_somebody_listens_is_kept() -> None:
    """A name has two addresses and the second one answers: it alone is used from then on."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.2", "127.0.0.1"]

    async def run() -> str:
        async with all_listening([polite]) as (server,):
            url = read_url(f"http://player.example:{server.port}")
            invitation = Invitation(hides=False, resolve=resolve, exchanges=Exchanges())
            return (await find_player(url, invitation)).place.address

    assert asyncio.run(run()) == "127.0.0.1"


def test_other_machines_are_not_met_unless_allowed() -> None:
    with pytest.raises(UsageError, match="NET002"):
        asyncio.run(find_player(read_url("http://10.0.0.1:9147"), Invitation(hides=False)))
