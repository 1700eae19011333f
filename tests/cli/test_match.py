"""`fogspiel players` and `fogspiel match`: the list, counts, units, and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import document, run, written

from fogspiel.api.matches import playing
from fogspiel.api.matches import series as series_module
from fogspiel.core.budget import Budget
from fogspiel.players.catalogue import PLAYERS
from fogspiel.players.protocol import Seat
from fogspiel.players.simple import FirstPlayer

RESULT = {
    "player", "entry", "role", "games", "mean_goal", "ci95", "wins", "draws", "losses", "late",
    "most_late_seconds",
    "replaced", "faults",
}  # fmt: skip
ONLY_CHANCE = """
(role random) (init (step 1)) (legal random wait) (<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2))) (goal random 100)
"""


def matched(*arguments: str, simulations: int = 16) -> dict[str, Any]:
    return document("match", *arguments, "--simulations", str(simulations))


def test_all_players_are_listed_and_a_person_among_them() -> None:
    listed = document("players")["players"]
    assert [player["name"] for player in listed] == [*PLAYERS, "scripted", "tignum", "human"]
    assert all(player["what"] and player["fits"] for player in listed)
    assert all(player["source"] for player in listed if player["name"] != "human")
    output = run("players").output
    assert all(name in output for name in PLAYERS)
    assert max(len(line.rstrip()) for line in output.splitlines()) <= 80


def test_results_are_told_by_player_and_role() -> None:
    answer = matched("tic_tac_toe", "uct", "random", "--games", "10", "--swap", "--seed", "3")
    assert answer["game"] == "tic_tac_toe"
    assert answer["settings"] == {"games": 10, "seconds": None, "simulations": 16, "swap": True}
    assert answer["seed"] == 3
    assert answer["seconds"] > 0
    results = answer["results"]
    assert [(result["player"], result["role"]) for result in results] == [
        ("uct", "x"),
        ("uct", "o"),
        ("random", "x"),
        ("random", "o"),
    ]
    for result in results:
        assert set(result) == RESULT
        low, high = result["ci95"]
        assert low <= result["mean_goal"] <= high
        assert result["wins"] + result["draws"] + result["losses"] == result["games"] == 5
    as_x, as_o, against_o, against_x = results[0], results[1], results[3], results[2]
    assert as_x["mean_goal"] + against_o["mean_goal"] == pytest.approx(100)
    assert as_o["mean_goal"] + against_x["mean_goal"] == pytest.approx(100)
    total = answer["totals"][0]
    assert "role" not in total
    assert (total["player"], total["games"]) == ("uct", 10)
    assert total["mean_goal"] > 60
    assert answer["payoff_unit"] is None


def test_the_same_seed_gives_the_same_document_but_for_the_time() -> None:
    arguments = ("kuhn_poker", "ismcts", "shodan", "--games", "6", "--swap", "--seed")
    one, same, other = (matched(*arguments, seed) for seed in ("1", "1", "2"))
    for answer in (one, same, other):
        assert answer.pop("seconds") > 0
    assert one == same
    assert one["results"] != other["results"]


def test_payoffs_stand_beside_goals() -> None:
    arguments = ("kuhn_poker", "random", "random", "--games", "12")
    answer = matched(*arguments)
    assert answer["payoff_unit"] == "chips"
    for result in answer["results"]:
        # The index says that payoff = (goal - 50) / 25.
        assert result["mean_payoff"] == pytest.approx((result["mean_goal"] - 50) / 25)
        assert result["payoff_ci95"] == pytest.approx([(g - 50) / 25 for g in result["ci95"]])
    assert sum(result["mean_payoff"] for result in answer["results"]) == pytest.approx(0)
    assert "mean payoff, chips" in run("match", *arguments, "--simulations", "1").output


def test_two_players_of_one_name_are_told_apart() -> None:
    answer = matched("tic_tac_toe", "random", "random", "--games", "4", "--swap")
    assert [result["entry"] for result in answer["results"]] == [1, 1, 2, 2]
    assert [total["games"] for total in answer["totals"]] == [4, 4]
    words = ("tic_tac_toe", "random", "random", "--games", "4", "--swap", "--simulations", "1")
    lines = run("match", *words).output.splitlines()
    named = [line.split("  ")[0].strip(" │") for line in lines if "random" in line]
    assert named == ["random (1)"] * 2 + ["random (2)"] * 2 + ["random (1)", "random (2)"]


def test_without_a_clock_players_have_the_simulations_that_they_have_in_python() -> None:
    answer = document("match", "kuhn_poker", "first", "random", "--games", "2")
    assert answer["settings"]["simulations"] == playing.DEFAULT_SIMULATIONS == 1_000
    shown = run("match", "kuhn_poker", "first", "random", "--games", "2").output
    assert "2 games, 1,000 simulations per move" in shown
    assert "[default: 1000" in " ".join(run("match", "--help").output.split())


def test_a_single_game_has_no_interval() -> None:
    answer = matched("monty_hall", "first", "--games", "1")
    (result,) = answer["results"]
    assert result["ci95"] is None
    assert result["wins"] + result["losses"] == 1


def test_players_can_think_by_the_clock() -> None:
    answer = document("match", "tic_tac_toe", "uct", "first", "--games", "1", "--seconds", "0.03")
    assert answer["settings"]["seconds"] == 0.03
    assert answer["seconds"] > 0


def test_time_before_play_is_told_and_recorded(tmp_path: Path) -> None:
    clocks = ("--games", "1", "--seconds", "0.02", "--start-seconds", "0.1")
    words = ("tic_tac_toe", "first", "random", *clocks, "--record", str(tmp_path))
    answer = document("match", *words)
    assert answer["settings"]["start_seconds"] == 0.1
    heading = json.loads(next(tmp_path.glob("*.jsonl")).read_text().splitlines()[0])
    assert heading["clocks"] == {"start_seconds": 0.1, "turn_seconds": 0.02, "simulations": None}
    output = run("match", "tic_tac_toe", "first", "random", *clocks).output
    assert "1 game, 0.02 s per move and 0.1 s before the first move" in output


@pytest.mark.parametrize("command", ["match", "play", "induce"])
def test_players_get_ready_for_as_long_as_the_option_says(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed: list[float] = []

    def started(player: FirstPlayer, seat: Seat, budget: Budget) -> None:
        allowed.append(budget.seconds_left)
        begin(player, seat, budget)

    begin = FirstPlayer.start
    monkeypatch.setattr(FirstPlayer, "start", started)
    clocks = ("--seconds", "2", "--start-seconds", "50")
    words = {
        "match": ("monty_hall", "first", "--games", "1"),
        "play": ("kuhn_poker", "--against", "first"),
        "induce": ("first", "monty_hall"),
    }
    run(command, *words[command], *clocks, text="1\n" * 9)
    # Matches that load kernels come before, with a clock of their own.
    assert 40 < max(allowed) <= 50


def test_the_default_number_of_games_can_be_swapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series_module, "DEFAULT_GAMES", 4)
    answer = matched("smallest", "first", "first", "first", "--swap")
    assert answer["settings"]["games"] == 6


def test_the_table_has_totals_where_seats_were_swapped() -> None:
    arguments = ("match", "tic_tac_toe", "first", "random", "--games", "4", "--simulations", "1")
    plain, swapped = run(*arguments), run(*arguments, "--swap")
    assert plain.stderr == swapped.stderr == ""
    assert "4 games, 1 simulation per move" in plain.output
    assert "all roles" not in plain.output
    assert swapped.output.count("all roles") == 2


def test_the_table_tells_half_the_interval() -> None:
    arguments = ("tic_tac_toe", "random", "random", "--games", "9", "--seed", "2")
    first, second = matched(*arguments, simulations=1)["results"]
    output = run("match", *arguments, "--simulations", "1").output
    rows = [line.split() for line in output.splitlines() if line.strip().startswith("random")]
    for row, result in zip(rows, (first, second), strict=True):
        low, high = result["ci95"]
        assert row[2:6] == [
            result["role"], "9", f"{result['mean_goal']:.3f}", f"{(high - low) / 2:.3f}",
        ]  # fmt: skip
        assert high > low


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["uct", "--simulations", "9"], "MAT003"),
        (["uct", "uct", "uct", "--simulations", "9"], "MAT003"),
        (["uct", "random", "--simulations", "9", "--seconds", "1"], "MAT004"),
        (["uct", "random", "--simulations", "9", "--start-seconds", "1"], "MAT004"),
        (["uct", "random", "--games", "3", "--swap", "--simulations", "9"], "MAT006"),
        (["uct", "nobody", "--simulations", "9"], "PLY002"),
        (["uct", "human", "--simulations", "9"], "PLY003"),
        (["uct", "random", "--simulations", "0"], "CLI001"),
        (["uct", "random", "--games", "0", "--simulations", "9"], "CLI001"),
        (["--simulations", "9"], "CLI001"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: list[str], code: str) -> None:
    answer = document("match", "tic_tac_toe", *arguments, code=2)
    assert [finding["code"] for finding in answer["findings"]] == [code]


def test_a_game_of_chance_alone_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ONLY_CHANCE)
    answer = document("match", path, "random", "--simulations", "1", code=2)
    assert answer["findings"][0]["code"] == "MAT005"
    assert "MAT005" in run("play", path).stderr


def test_players_that_miss_their_clock_are_named() -> None:
    # A millisecond is less than it takes to begin.
    arguments = ("tic_tac_toe", "ismcts", "first", "--games", "2", "--seconds", "0.001")
    answer = document("match", *arguments)
    late = answer["totals"][0]
    assert late["late"] > 0
    assert late["most_late_seconds"] > 0
    assert "ismcts exceeded its time" in run("match", *arguments).output
    assert matched("tic_tac_toe", "ismcts", "first", "--games", "1")["totals"][0]["late"] == 0


def test_scripts_play_and_their_faults_are_placed(tmp_path: Path) -> None:
    script = written(tmp_path, "(mark 1 1) (mark 2 2)\n(mark 3 3)", "moves.txt")
    answer = matched(
        "tic_tac_toe", f"scripted:{script}", "scripted:(mark 1 2) (mark 1 3)", "--games", "1"
    )
    assert answer["results"][0]["wins"] == 1
    failed = run("match", "tic_tac_toe", "scripted:(mark 1 1)", "first", "--simulations", "1")
    assert failed.exit_code == 1
    assert "PLY005" in failed.stderr
    assert "in step 3, x has a choice" in failed.stderr


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e400"])
def test_a_clock_must_be_some_number(seconds: str) -> None:
    refused = run("match", "kuhn_poker", "random", "first", "--seconds", seconds)
    assert refused.exit_code == 2
    assert f"{seconds} is not a finite number" in refused.output
