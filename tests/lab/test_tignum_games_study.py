"""The study of schemes beside search: the same budget with a methods file and without."""

from __future__ import annotations

from quick_runs import quick_records

from fogspiel.lab.framework.study import settings_of
from fogspiel.lab.tignum.other_games import BARE, MAKERS, STUDY
from fogspiel.players.planning.tignum import TignumPlayer


def test_nobody_plays_against_itself_and_both_players_meet_all_others() -> None:
    named = STUDY.parts(settings_of(STUDY, {}, quick=False))
    assert f"battleship_4 1000 {BARE} {BARE}" not in named
    assert f"battleship_4 1000 tignum {BARE}" in named
    for player in ("tignum", BARE):
        assert f"battleship_4 200 {player} ismcts" in named


def test_bare_plans_with_every_move() -> None:
    player = MAKERS[BARE]()
    assert isinstance(player, TignumPlayer)
    assert player is not MAKERS[BARE]()


def test_a_quick_run_gives_a_row_for_each_opponent() -> None:
    records = quick_records(STUDY, seed=1, opponents=(BARE, "first"))
    assert [(record["player"], record["opponent"]) for record in records] == [
        ("tignum", BARE),
        ("tignum", "first"),
        (BARE, "first"),
    ]
    assert all(record["total"]["games"] == 2 for record in records)
    lines = STUDY.table(records).splitlines()
    assert lines[0] == "| game | simulations | against | games | tignum | bare |"
    assert [line.split(" | ")[2] for line in lines[2:]] == [BARE, "first"]
    assert lines[2].endswith("|  |"), "bare has no figure against itself"
