"""Methods files on the command line: they are checked, and found beside rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import fogspiel
from fogspiel.cli.app import main
from fogspiel.games.library import game_source
from fogspiel.players.planning.tignum import with_methods

ANY = "(network any (others drawn))\n(method any (task nil) (when (can ?m)) (do ?m))\n"
SLIP = "(network slip)\n(method a (task nil) (when (true (cel ?x))) (do (mark 1 1)))\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.gdl").write_text(game_source("tic_tac_toe").text)
    (tmp_path / "any.methods").write_text(ANY)
    (tmp_path / "slip.methods").write_text(SLIP)
    return tmp_path


def test_a_methods_file_is_checked_alone_and_with_the_words_of_a_game(folder: Path) -> None:
    alone = CliRunner().invoke(main, ["check", "slip.methods"])
    assert (alone.exit_code, alone.output) == (0, "slip.methods: no findings\n")
    beside = CliRunner().invoke(main, ["check", "--json", "own.gdl", "any.methods", "slip.methods"])
    assert beside.exit_code == 1
    (finding,) = json.loads(beside.output)["findings"]
    assert (finding["file"], finding["line"], finding["code"]) == ("slip.methods", 2, "PLN015")


def test_warnings_of_a_methods_file_fail_where_asked(folder: Path) -> None:
    (folder / "odd.methods").write_text(ANY + "(method b (task (b ?a)) (do (mark 1 1)))\n")
    assert CliRunner().invoke(main, ["check", "odd.methods"]).exit_code == 0
    assert CliRunner().invoke(main, ["check", "--strict", "odd.methods"]).exit_code == 1


def test_a_methods_file_beside_the_rules_is_found(folder: Path) -> None:
    (folder / "own.methods").write_text(ANY)
    own = Path("own.gdl")
    assert with_methods("tignum", own) == "tignum:own.methods"
    assert with_methods("tignum:nodes=9", own) == "tignum:own.methods,nodes=9"
    assert with_methods("tignum:any.methods", own) == "tignum:any.methods"
    assert with_methods("tignum", Path("tic_tac_toe")) == "tignum"
    assert with_methods("uct", own) == "uct"
    match = fogspiel.load("own.gdl").match("tignum", "first", simulations=50)
    assert match.players == {"x": "tignum:own.methods", "o": "first"}
    words = ["match", "own.gdl", "tignum", "first", "--games", "1", "--simulations", "50"]
    assert CliRunner().invoke(main, words).exit_code == 0


def test_a_game_without_methods_is_refused_with_a_way_out(folder: Path) -> None:
    words = ["match", "own.gdl", "tignum", "first", "--games", "1", "--simulations", "50"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "PLY007" in done.output
    assert "tignum:FILE.methods" in done.output


def test_faults_of_methods_are_told_by_a_match(folder: Path) -> None:
    words = ["match", "own.gdl", "tignum:slip.methods", "first", "--simulations", "50"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 3
    assert "slip.methods:2:28: PLN015" in done.output
