"""A server for a player and a game manager as objects: they meet, play, and refuse bad input."""

from __future__ import annotations

import asyncio
import importlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fogspiel as fs
from fogspiel.api import ggp
from fogspiel.api.ggp import managing


@pytest.fixture(scope="module")
def server() -> Iterator[ggp.PlayerServer]:
    with ggp.PlayerServer("first", port=0, simulations=1, name="elsewhere") as server:
        yield server


class Cautious(fs.Player):
    """Passes wherever it can."""

    def choose(self, view: fs.View, legal: Any, clock: fs.Clock) -> str:
        return "pass" if "pass" in legal else str(legal[0])


def test_a_player_behind_an_address_meets_one_of_ones_own(
    server: ggp.PlayerServer, tmp_path: Path
) -> None:
    done: list[None] = []
    played = ggp.manage(
        fs.load("kuhn_poker"),
        [server.url, Cautious],
        start_clock=60,
        play_clock=60,
        matches=2,
        swap=True,
        seed=3,
        dialects=["gdl2", "auto"],
        record=tmp_path,
        on_match=lambda: done.append(None),
    )
    assert len(done) == played.series.games == 2
    assert [(player.name, player.url, player.dialect) for player in played.players] == [
        ("elsewhere", server.url, "gdl2"),
        ("Cautious", None, None),
    ]
    assert played.faults == ({}, {})
    first, second = played.series.totals
    assert first.payoff == -second.payoff
    assert repr(played).startswith("ManagedMatches('kuhn_poker', 2 matches: elsewhere ")
    records = sorted(tmp_path.iterdir())
    payoffs = [fs.Match.open(record).payoffs for record in records]
    assert payoffs[0]["first"] + payoffs[1]["second"] == pytest.approx(2 * first.payoff)
    names = [json.loads(record.read_text().splitlines()[0])["players"] for record in records]
    assert names[0] == {"first": "elsewhere", "second": "Cautious"}
    assert names[1] == {"first": "Cautious", "second": "elsewhere"}


def test_a_manager_can_be_called_where_an_event_loop_runs() -> None:
    async def inside() -> ggp.ManagedMatches:
        return ggp.manage("tic_tac_toe", ["first", "first"], seed=1)

    assert asyncio.run(inside()).series.games == 1


def test_games_in_other_languages_are_translated_with_their_payoffs(tmp_path: Path) -> None:
    played = ggp.manage("kuhn_poker_pogddl", ["first", "first"], seed=2, record=tmp_path)
    assert {abs(row.payoff) for row in played.series.rows} <= {1.0, 2.0}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "kuhn_poker_pogddl-0001.jsonl",
        "kuhn_poker_pogddl.gdl",
    ]


def test_a_server_says_where_it_listens(server: ggp.PlayerServer) -> None:
    assert server.port > 0
    assert repr(server) == f"PlayerServer('first', at http://127.0.0.1:{server.port})"
    with (
        pytest.raises(fs.UsageError, match="GGP003"),
        ggp.PlayerServer("first", port=server.port),
    ):
        pass


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"port": -1}, "port must be"),
        ({"port": 65_536}, "port must be at most"),
        ({"matches": 0}, "matches must be"),
        ({"simulations": 0}, "simulations must be"),
        ({"seed": -1}, "seed must be"),
        ({"player": "nobody"}, "PLY002"),
        ({"player": "human"}, "PLY003"),
    ],
)
def test_what_cannot_be_served_is_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises((ValueError, TypeError), match=told):
        ggp.PlayerServer(**{"player": "first", **arguments})
    with pytest.raises(TypeError, match="take players by name"):
        ggp.PlayerServer(Cautious())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"players": ["first"]}, "MAT003"),
        ({"players": ["first", "nobody"]}, "PLY002"),
        ({"players": ["first", "http://0x7f.1:9147"]}, "NET001"),
        ({"players": ["first", "http://10.0.0.1:9147"]}, "NET002"),
        ({"matches": 3, "swap": True}, "MAT006"),
        ({"matches": 0}, "matches must be"),
        ({"start_clock": 0}, "start_clock must be"),
        ({"play_clock": 1.5}, "play_clock must be"),
        ({"play_clock": math.nan}, "play_clock must be"),
        ({"at_once": 0}, "at_once must be"),
        ({"seed": -3}, "seed must be"),
        ({"simulations": 0}, "simulations must be"),
        ({"dialects": "gdl3"}, "a dialect must be one of auto, gdl1"),
        ({"dialects": ["auto"] * 3}, "MAN003"),
        ({"engine": "fast"}, "engine must be one of"),
        ({"game": "tic_tac_to"}, "GAM001"),
    ],
)
def test_what_cannot_be_managed_is_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises((ValueError, TypeError), match=told):
        ggp.manage(**{"game": "tic_tac_toe", "players": ["first", "first"], **arguments})


def test_the_command_knows_the_same_dialects() -> None:
    command = importlib.import_module("fogspiel.cli.commands.play.manage")
    assert command.DIALECTS == managing.DIALECTS
