"""Names of an EFG file in every output: players, actions and information sets as they are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import document, run, written

import fogspiel as fs
from efg_games import game_of
from fogspiel.rules.efg.labels import OwnNames

HORSE = """\
EFG 2 R "Selten's horse" { "Player 1" "Player 2" "Player 3" }
p "" 1 1 "" { "C" "D" } 0
p "" 2 2 "(2,1)" { "c" "d" } 0
t "" 1 "Outcome 1" { 1, 1, 1 }
p "" 3 7 "" { "L" "R" } 0
t "" 2 "" { 4, 4, 0 }
t "" 3 "" { 0, 0, 1 }
p "" 3 7 "" { "L" "R" } 0
t "" 4 "" { 3, 2, 2 }
t "" 5 "" { 0, 0, 1/2 }
"""
"""Selten (1975), figure 1, with payoffs of half a point; its third player has one infoset, 7."""


@pytest.fixture(scope="module", params=["auto", "reference"])
def horse(request: pytest.FixtureRequest) -> fs.Game:
    return fs.read(HORSE, name="horse", engine=request.param)


def test_players_actions_and_infosets_are_called_as_in_the_file(horse: fs.Game) -> None:
    assert horse.players == ("Player 1", "Player 2", "Player 3")
    start = horse.begin()
    assert start.legal["Player 1"] == ("(choose |Player 1| C)", "(choose |Player 1| D)")
    after = start.play(**{"Player 1": "(choose |Player 1| C)"})
    assert after.legal["Player 2"] == ("(choose |Player 2| c)", "(choose |Player 2| d)")
    assert after.sees["Player 2"] == ("(entered |(2,1)|)",)
    guessed = after.play(**{"Player 2": "(choose |Player 2| d)"})
    assert guessed.sees["Player 3"] == ("(entered 7)",)


def test_a_strategy_is_saved_and_read_under_these_names(horse: fs.Game, tmp_path: Path) -> None:
    solution = horse.solve("cfr", iterations=100)
    solution.save(tmp_path / "horse.json")
    again = fs.Solution.open(tmp_path / "horse.json", horse)
    assert again.value == pytest.approx(solution.value)
    match = horse.match(*[horse.strategy(tmp_path / "horse.json")] * 3, seed=1)
    match.save(tmp_path / "match.jsonl")
    assert fs.Match.open(tmp_path / "match.jsonl", horse).payoffs == match.payoffs


def test_one_name_may_stand_for_a_player_an_action_and_an_infoset() -> None:
    text = """EFG 2 R "names" { "A" "A" "chance" }
        p "" 1 1 "A" { "A" "A" "" } 0
        t "" 1 "" { 1 0 0 }
        p "" 2 1 "A" { "wait" "n1" } 0
        t "" 2 "" { 0 1 0 }
        t "" 3 "" { 0 0 1 }
        p "" 2 2 "A" { "wait" "n1" } 0
        p "" 3 1 "A" { "A" } 0
        t "" 4 "" { 0 2 0 }
        t "" 5 "" { 3 0 0 }
    """
    names = OwnNames(game_of(text))
    assert names.players == ["A", "A (2)", "chance (3)"]
    assert names.infosets == ["A", "A (1)", "A (2)", "A"]
    assert names.labels[:2] == [["A", "A (2)", "action-3"], ["wait", "n1"]]
    game = fs.read(text, name="names")
    plain = fs.read(game.convert("pogddl").text, name="plain")
    assert fs.compare(game, plain).same
    # By hand: the second player waits in its second infoset, so that the first one ends the game.
    assert game.solve("induction").value == {"A": 1.0, "A (2)": 0.0, "chance (3)": 0.0}


def test_rules_in_other_languages_have_names_that_they_can_write(horse: fs.Game) -> None:
    written = horse.convert("pogddl").text
    assert "player-2" in written
    assert "Player 2" not in written
    assert '"Player 2"' in horse.convert("efg").text


def test_goals_are_those_of_the_file_in_every_command(tmp_path: Path) -> None:
    path = written(tmp_path, HORSE, "horse.efg")
    game = fs.load(path)
    assert game.machine.goal_scale == 2
    walks = document("simulate", path, "--playouts", "1000", "--seed", "3")
    assert walks["mean_goals"] == walks["mean_payoffs"] == game.playouts(1000, seed=3).goals
    words = (path, "first", "first", "first", "--games", "2", "--simulations", "1")
    series = game.series("first", "first", "first", games=2)
    results = document("match", *words)["results"]
    assert [row["mean_goal"] for row in results] == [row.payoff for row in series.rows] == [1.0] * 3
    assert [row["mean_payoff"] for row in results] == [row.goal for row in series.rows]
    assert "mean payoff" not in run("match", *words).output
    played = run("play", path, "--against", "first", "--simulations", "1", text="1\n").output
    assert "payoff" not in played
    goals = re.findall(r"^ ?Player \d(?: \(you\))? +(\S+) *$", played, re.MULTILINE)
    assert goals == ["1", "1", "1"]
