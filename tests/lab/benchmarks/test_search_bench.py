"""Measuring searches: tiny budgets, and what becomes of a peer that is not there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from fogspiel.cli import main
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.lab.benchmarks.processes import MeasurementTask
from fogspiel.lab.benchmarks.simulations import (
    CASES,
    Ours,
    first_choice,
    hidden_games,
    measure_search,
)
from fogspiel.players.searching.search_player import Setup
from fogspiel.search.mcts.algorithms import UCT


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["bench", "search", *arguments, "--json"])
    assert result.exit_code == code, result.output
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[MeasurementTask]:
    """Tasks that were given out; each is answered with made-up rates."""
    tasks: list[MeasurementTask] = []

    def run(task: MeasurementTask) -> dict[str, Any]:
        tasks.append(task)
        answer = {
            "ok": True, "simulations_per_second": 40.0, "rollouts_per_second": 160.0,
            "bytes": 1, "peak_memory_bytes": 1,
        }  # fmt: skip
        if task.arguments["peer_game"] is not None:
            answer |= {"peer_simulations_per_second": 32.0, "ratio": 5.0}
        return answer

    monkeypatch.setattr("fogspiel.lab.benchmarks.processes.run_task", run)
    return tasks


def test_ismcts_is_measured_beside_openspiel() -> None:
    pytest.importorskip("pyspiel")
    record = measure_search("leduc_poker", "ismcts", "leduc_poker", 0.02, 1)
    assert {side: len(rates) for side, rates in record["rounds"].items()} == {
        "ours": 1, "theirs": 1,
    }  # fmt: skip
    ours, theirs = record["simulations_per_second"], record["peer_simulations_per_second"]
    assert record["ratio"] == pytest.approx(ours / theirs)
    assert record["bytes"] > 0


def test_uct_is_compared_by_rollouts() -> None:
    pytest.importorskip("pyspiel")
    record = measure_search("tic_tac_toe", "uct", "tic_tac_toe", 0.02, 1)
    rollouts, theirs = record["rollouts_per_second"], record["peer_simulations_per_second"]
    assert record["ratio"] == pytest.approx(rollouts / theirs)
    # Ten from each leaf at most, and none where the game is over inside the tree.
    assert 0 < rollouts <= 10.001 * record["simulations_per_second"]


def test_rollouts_are_counted_as_they_are_made() -> None:
    # One step, and the game is over: nothing is played out, whatever the number of playouts.
    setup = Setup(algorithm=UCT, advice="visits", playouts=4)
    ours = Ours(load("biased_rps").machine, setup)
    assert ours(0.0)[0] > 0
    assert sum(ours.rollouts) == 0
    ours = Ours(load("connect_four").machine, setup)
    made, _ = ours(0.0)
    assert sum(ours.rollouts) == 4 * made


def test_a_search_begins_where_somebody_can_choose() -> None:
    machine = load("leduc_poker").machine
    belief = first_choice(machine)
    assert belief.role != machine.chance_role
    # One card is seen; the other's is one of the five that are left.
    assert belief.size() == 5
    state = belief.sample(1, 0).states[0]
    assert len(machine.legal(state, belief.role)) > 1


def test_a_player_without_a_search_is_refused() -> None:
    with pytest.raises(ValueError, match="random is no player"):
        measure_search("kuhn_poker", "random", None, 0.01, 1)


def test_every_hidden_game_is_one_task(answers: list[MeasurementTask]) -> None:
    pytest.importorskip("pyspiel")
    found = document()
    assert [record["game"] for record in found["search"]] == [case.game for case in CASES]
    assert [record["game"] for record in found["hidden"]] == hidden_games()
    assert len(answers) == len(CASES) + len(hidden_games())
    assert set(hidden_games()) < set(bundled_games())
    assert {record["game"]: record["meets"] for record in found["search"]} == {
        case.game: case.required_ratio <= 5 for case in CASES
    }
    document("--require", code=1)
    document("--require", "--games", "leduc_poker")


def test_without_openspiel_the_reason_is_told(
    answers: list[MeasurementTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    found = document("--no-hidden")
    assert "OpenSpiel is not installed" in found["settings"]["peer_skipped"]
    assert all(task.arguments["peer_game"] is None for task in answers)
    assert all("meets" not in record for record in found["search"])
    said = CliRunner().invoke(main, ["bench", "search", "--no-hidden"]).output
    assert "OpenSpiel was not measured: OpenSpiel is not installed" in said


def test_other_games_are_bad_usage() -> None:
    assert CliRunner().invoke(main, ["bench", "search", "--games", "chess"]).exit_code == 2
