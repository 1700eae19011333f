"""Wherever a command takes a game's name, a class of a user's file is played."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from commands import document, run

EXAMPLES = Path(__file__).parents[2] / "examples"
KUHN = "poker.py:KuhnPoker"
SLIPS = """\
import fogspiel


class Slips(fogspiel.PythonGame):
    roles = ("alone",)

    def initial(self):
        return 0

    def legal(self, state, role):
        return ["up", "down"] if abs(state) < 3 else []

    def next(self, state, joint):
        return state + {"up": 1}[joint["alone"]]

    def payoffs(self, state):
        return [state]


class Unfinished(fogspiel.PythonGame):
    roles = ("alone",)


class Walk(Slips):
    def next(self, state, joint):
        return state + {"up": 1, "down": -1}[joint["alone"]]
"""
PLAN = f"""\
games = ["{KUHN}"]
keep_records = true
[clock]
simulations = 5
[[players]]
player = "random"
[[players]]
player = "first"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    shutil.copy(EXAMPLES / "kuhn_poker.py", tmp_path / "poker.py")
    (tmp_path / "slips.py").write_text(SLIPS)
    return tmp_path


def test_the_example_has_no_findings_in_all_its_states(folder: Path) -> None:
    done = run("check", KUHN, "--play", "20")
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == f"{KUHN}: DYN001 play ends: proved (all 58 states)"
    assert lines[-1] == f"{KUHN}: no findings"


def test_a_fault_is_shown_with_its_line_by_every_command(folder: Path) -> None:
    shown = [
        "slips.py:14:24: GAM008 error: Slips.next failed: KeyError: 'down'",
        '            return state + {"up": 1}[joint["alone"]]',
    ]
    for command, code in (("check", 1), ("info", 3), ("solve", 3)):
        done = run(command, "slips.py:Slips")
        assert done.exit_code == code
        assert done.output.splitlines()[:2] == shown


def test_a_check_goes_on_after_a_class_that_cannot_be_made(folder: Path) -> None:
    done = run("check", "slips.py:Unfinished", "slips.py:Nothing", KUHN)
    assert done.exit_code == 2
    assert "GAM006 error: the game Unfinished lacks the methods `initial`" in done.output
    assert "OWN002 error: slips.py has no game named 'Nothing'" in done.output
    assert f"{KUHN}: no findings" in done.output


def test_a_game_that_can_go_on_for_ever_is_a_warning_of_an_audit(folder: Path) -> None:
    assert run("check", "slips.py:Walk").output == "slips.py:Walk: no findings\n"
    audited = document("check", "slips.py:Walk", "--play", "5")
    assert [finding["code"] for finding in audited["findings"]] == ["DYN001"]
    assert audited["findings"][0]["file"] == "slips.py"


def test_it_is_solved_and_simulated(folder: Path) -> None:
    assert document("info", KUHN)["hidden_information"] is True
    solved = document("solve", KUHN)
    assert solved["values"]["first"] == pytest.approx(-1 / 18, abs=1e-3)
    played = document("simulate", KUHN, "--playouts", "200")
    assert sum(played["mean_goals"].values()) == pytest.approx(0.0)
    assert document("analyze", KUHN)["kind"]["perfect_information"] is False
    seen = document("infoset", KUHN, "--role", "second", "--random-steps", "3", "--seed", "1")
    assert seen["size"] == 2


def test_the_tree_that_is_written_is_the_same_game(folder: Path) -> None:
    run("convert", KUHN, "--to", "efg", "--out", "poker.efg")
    assert run("compare", KUHN, "poker.efg", "--labels").output == "the same game\n"
    assert run("compare", KUHN, "kuhn_poker", "--any-unit").output == "the same game\n"
    assert "different games" in run("compare", KUHN, "kuhn_poker").output


@pytest.mark.parametrize(
    "words",
    [
        ("convert", KUHN, "--to", "gdl"),
        ("convert", KUHN, "--to", "pogddl"),
        ("manage", KUHN, "--players", "http://127.0.0.1:9", "http://127.0.0.1:9"),
        ("info", KUHN, "--engine", "compiled"),
    ],
)
def test_what_needs_rules_as_text_says_so(folder: Path, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert done.output.startswith("GAM004 error: the game ")
    assert "is written in Python" in done.output


def test_matches_are_recorded_and_replayed(folder: Path) -> None:
    played = document(
        "match", KUHN, "first", "random", "--games", "2", "--simulations", "1", "--record", "kept"
    )
    assert played["engine"] == "reference"
    (record, _) = sorted((folder / "kept").iterdir())
    assert run("replay", str(record)).exit_code == 0
    text = (folder / "poker.py").read_text()
    (folder / "poker.py").write_text(text.replace("chips = 2", "chips = 3"))
    done = run("replay", str(record))
    assert done.exit_code != 0
    assert "other rules" in done.output


def test_tournaments_play_it_in_processes_of_their_own(folder: Path) -> None:
    (folder / "cup.toml").write_text(PLAN)
    done = document("tournament", "cup.toml", "--jobs", "1")
    assert done["finished"] is True
    text = (folder / "poker.py").read_text()
    (folder / "poker.py").write_text(text.replace("chips = 2", "chips = 3"))
    assert "TOU007" in run("tournament", "cup.toml", "--resume").output
