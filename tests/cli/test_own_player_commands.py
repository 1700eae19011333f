"""Wherever a command takes a player's name, a class of a user's file plays."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands import document, run

BOTS = """\
import fogspiel


class First(fogspiel.Player):
    def choose(self, view, legal, clock):
        return legal[0]


class Loud(First):
    def choose(self, view, legal, clock):
        print("enough of this", flush=True)
        raise SystemExit("enough")


class Divides(fogspiel.Player):
    def choose(self, view, legal, clock):
        return legal[1 // (len(legal) - 2)]
"""
PLAN = """\
games = ["kuhn_poker"]
[clock]
simulations = 1
[[players]]
name = "mine"
player = "bots.py:First"
[[players]]
player = "first"
"""
FEW = ("--games", "4", "--simulations", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "bots.py").write_text(BOTS)
    return tmp_path


def test_matches_are_played_as_by_the_same_player_of_ours(folder: Path) -> None:
    own = document("match", "kuhn_poker", "bots.py:First", "random", *FEW)
    ours = document("match", "kuhn_poker", "first", "random", *FEW)
    assert own["players"][0] == "bots.py:First"
    assert [row["mean_goal"] for row in own["results"]] == [
        row["mean_goal"] for row in ours["results"]
    ]


def test_a_fault_of_the_code_is_shown_with_its_line(folder: Path) -> None:
    done = run("match", "kuhn_poker", "bots.py:Divides", "random", *FEW)
    assert done.exit_code == 1
    assert done.output.splitlines()[:3] == [
        "bots.py:17:22: PLY035 error: in step 3, the player bots.py:Divides of first failed: "
        "ZeroDivisionError: integer division or modulo by zero",
        "            return legal[1 // (len(legal) - 2)]",
        "                         ^^^^^^^^^^^^^^^^^^^^^",
    ]


def test_a_fault_of_an_isolated_player_is_counted(folder: Path) -> None:
    found = document("match", "kuhn_poker", "bots.py:Divides", "first", *FEW, "--isolate")
    assert [row["replaced"] > 0 for row in found["totals"]] == [True, False]
    printed = run("match", "kuhn_poker", "bots.py:Divides", "first", *FEW, "--isolate").output
    assert "bots.py:Divides made " in printed
    assert printed.splitlines()[-3:] == [
        printed.splitlines()[-3],
        "  ZeroDivisionError: integer division or modulo by zero",
        "  bots.py:17 in choose: return legal[1 // (len(legal) - 2)]",
    ]


def test_its_strategy_is_induced(folder: Path) -> None:
    own = document("induce", "bots.py:First", "kuhn_poker", "--simulations", "1")
    ours = document("induce", "first", "kuhn_poker", "--simulations", "1")
    assert own["exploitability"] == ours["exploitability"]


def test_one_plays_against_it(folder: Path) -> None:
    words = ("play", "kuhn_poker", "--as", "first", "--against", "bots.py:First", "--seed", "1")
    done = run(*words, "--simulations", "1", text="1\n1\n")
    assert done.exit_code == 0
    assert "bots.py:First plays second" in done.output


def test_it_plays_in_managed_matches(folder: Path) -> None:
    words = ("manage", "kuhn_poker", "--players", "bots.py:First", "random")
    found = document(*words, "--start-clock", "20", "--play-clock", "10")
    assert [row["player"] for row in found["totals"]] == ["bots.py:First", "random"]
    assert found["faults"] == [{}, {}]


def test_a_wrong_name_is_refused_before_anything_is_played(folder: Path) -> None:
    for words in (
        ("match", "kuhn_poker", "bots.py:Frist", "random", *FEW),
        ("induce", "bots.py:Frist", "kuhn_poker", "--simulations", "1"),
        ("play", "kuhn_poker", "--against", "bots.py:Frist"),
        ("serve", "bots.py:Frist"),
        ("manage", "kuhn_poker", "--players", "bots.py:Frist", "random"),
    ):
        done = run(*words)
        assert done.exit_code == 2
        assert "OWN002 error: bots.py has no player named 'Frist'" in done.output
        assert "did you mean First?" in done.output


def test_files_of_a_plan_are_meant_from_its_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "plan").mkdir()
    (folder / "bots.py").rename(folder / "plan" / "bots.py")
    (folder / "plan" / "league.toml").write_text(PLAN)
    found = document("tournament", "plan/league.toml")
    assert {row["player"] for row in found["standings"]} == {"mine", "first"}


def test_a_player_of_a_tournament_can_neither_print_nor_end_it(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "league.toml").write_text(PLAN.replace("bots.py:First", "bots.py:Loud"))
    found = document("tournament", "league.toml")
    faults = {row["player"]: row["faults"] for row in found["standings"]}
    assert faults["first"] == {}
    assert set(faults["mine"]) == {"error"}
    assert "enough" not in "".join(capfd.readouterr())


def test_a_tournament_does_not_go_on_with_other_code(folder: Path) -> None:
    (folder / "league.toml").write_text(PLAN)
    assert run("tournament", "league.toml").exit_code == 0
    assert run("tournament", "league.toml", "--resume").exit_code == 0
    (folder / "bots.py").write_text(BOTS.replace("legal[0]", "legal[1]"))
    done = run("tournament", "league.toml", "--resume")
    assert done.exit_code == 2
    assert "TOU007" in done.output


def test_the_list_of_players_says_how_to_name_ones_own() -> None:
    assert "FILE.py:Class or" in run("players").output
