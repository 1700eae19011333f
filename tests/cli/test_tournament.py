"""The command `tournament`: its tables, its refusals, and that it can be interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commands import document, run

from fogspiel.core.findings import FogspielError
from fogspiel.play.tournament.journal import read_journal

PLAN = """\
games = ["kuhn_poker"]
repetitions = 2
[clock]
simulations = 2
[[players]]
player = "first"
[[players]]
player = "random"
"""
LONG = PLAN.replace("repetitions = 2", "repetitions = 10_000")


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "league.toml"
    path.write_text(PLAN)
    return path


def codes(*arguments: str, code: int) -> list[str]:
    found: dict[str, Any] = document("tournament", *arguments, code=code)
    return [finding["code"] for finding in found["findings"]]


def test_a_tournament_is_played_kept_and_told_again(plan: Path) -> None:
    printed = run("tournament", "league.toml", "--jobs", "2")
    assert printed.exit_code == 0, printed.output
    assert printed.stdout.startswith("league: 4 of 4 matches played\n")
    assert printed.stdout.endswith("The results are in league.db.\n")
    again = run("tournament", "league.toml", "--resume")
    assert again.stdout == printed.stdout
    told = document("tournament", "league.toml", "--resume")
    assert told["journal"] == "league.db"
    assert {row["player"]: row["matches"] for row in told["standings"]} == {"first": 4, "random": 4}
    assert codes("league.toml", code=2) == ["TOU006"]
    plan.write_text('name = "other"\n' + PLAN)
    assert codes("league.toml", "--resume", code=2) == ["TOU007"]


def test_a_swiss_tournament_has_standings_of_its_own(plan: Path) -> None:
    more = "".join(f'[[players]]\nname = "other {n}"\nplayer = "random"\n' for n in range(3))
    plan.write_text('format = "swiss"\nrounds = 3\n' + PLAN.replace("= 2", "= 1", 1) + more)
    printed = run("tournament", "league.toml")
    assert printed.exit_code == 0, printed.output
    assert printed.stdout.startswith("league: 6 of 6 matches played\nSwiss standings\n")
    told = document("results", "league.db")["format_standings"]
    assert told["title"] == "Swiss standings"
    assert len(told["players"]) == 5
    assert set(told["players"][0]) == {"player", "score", "buchholz", "byes"}
    # Two pairs and a bye in each of three rounds.
    assert sum(row["score"] for row in told["players"]) == 9
    assert sum(row["byes"] for row in told["players"]) == 3
    assert run("results", "league.db", "--report", "report.html").exit_code == 0
    assert "Swiss standings" in Path("report.html").read_text()
    plan.write_text(plan.read_text().replace("kuhn_poker", "monty_hall"))
    assert codes("league.toml", "--journal", "other.db", code=2) == ["TOU004"]


def test_a_player_that_does_not_exist_is_refused_before_there_is_a_journal(plan: Path) -> None:
    plan.write_text(PLAN.replace('"random"', '"nobody"'))
    assert codes("league.toml", code=2) == ["PLY002"]
    plan.write_text(PLAN.replace('"random"', '"human"'))
    assert codes("league.toml", code=2) == ["PLY003"]


def test_games_are_looked_for_beside_the_plan_and_told_with_their_names(plan: Path) -> None:
    plan.write_text(PLAN.replace('["kuhn_poker"]', '["kuhn_pokr"]'))
    found = document("tournament", "league.toml", code=2)["findings"]
    assert [(f["code"], f["message"]) for f in found] == [
        ("GAM001", "games: 'kuhn_pokr': there is no bundled game 'kuhn_pokr'")
    ]
    (plan.parent / "own.gdl").write_text("(role a) (role b)")
    plan.write_text(PLAN.replace('["kuhn_poker"]', '["own.gdl"]'))
    found = document("tournament", str(plan), code=3)["findings"]
    assert {Path(f["file"]).name for f in found} == {"own.gdl"}


def test_a_plan_that_is_not_there_is_told(plan: Path) -> None:
    assert codes("missing.toml", code=2) == ["TOU001"]


def test_a_journal_that_cannot_be_made_is_told(plan: Path) -> None:
    assert codes("league.toml", "--journal", "no/such/place.db", code=4) == ["TOU010"]


def test_ctrl_c_ends_it_cleanly_and_says_how_to_go_on(plan: Path) -> None:
    plan.write_text(LONG)
    process = subprocess.Popen(
        [sys.executable, "-m", "fogspiel.cli", "tournament", plan.name, "--journal", "a b.db"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=plan.parent,
    )
    try:
        done = wait_for_results(plan.parent / "a b.db")
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode == 130, said
    assert printed == ""
    assert "TOU011 error: interrupted;" in said
    assert "`fogspiel tournament league.toml --journal 'a b.db' --resume`" in said
    assert "Traceback" not in said
    with read_journal(plan.parent / "a b.db") as journal:
        assert len(journal.finished()) >= done


def wait_for_results(path: Path) -> int:
    until = time.monotonic() + 600.0
    while time.monotonic() < until:
        try:
            with read_journal(path) as journal:
                if done := len(journal.finished()):
                    return done
        except FogspielError:
            time.sleep(0.02)
    raise AssertionError("no results came")


def test_the_cluster_needs_ray(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    result = run("tournament", "league.toml", "--cluster", "auto", "--json")
    assert result.exit_code == 2
    (finding,) = json.loads(result.stdout)["findings"]
    assert finding["code"] == "TOU013"
    assert "pip install 'fogspiel[cluster]'" in finding["fix"]
