"""Measuring solvers: tiny budgets, and verdicts on made-up times."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from fogspiel.cli import main
from fogspiel.lab.benchmarks.processes import MeasurementTask
from fogspiel.lab.benchmarks.solve import (
    CASES,
    SolveCase,
    compare,
    compare_linear,
    judged,
    measure_linear,
    measure_solve,
)
from fogspiel.lab.benchmarks.solve_agreement import QUICK, TWINS, measure_agreement
from fogspiel.lab.benchmarks.solve_peers import PeerSolver, time_to_target

OURS = {
    "ok": True, "reached": True, "seconds": 0.1, "load_seconds": 0.2, "build_seconds": 0.1,
    "form_seconds": 0.1, "evaluation_seconds": 2e-3,
}  # fmt: skip


def peer(seconds: float, *, reached: bool = True) -> dict[str, Any]:
    return {"ok": True, "reached": reached, "seconds": seconds}


def test_our_solvers_are_timed_to_the_target() -> None:
    record = measure_solve("kuhn_poker", 1e-2, 5.0)
    assert record["reached"]
    assert all(own["nash_conv"] <= 1e-2 for own in record["methods"].values())
    assert record["seconds"] == record["methods"][record["method"]]["seconds"]
    assert record["value"] == pytest.approx(-1 / 18, abs=1e-2)
    assert record["evaluation_seconds"] > 0
    assert (record["nodes"], record["infosets"]) == (58, 12)


def test_the_linear_program_is_timed_and_checked() -> None:
    record = measure_linear("kuhn_poker")
    assert record["seconds"] > 0
    assert record["nash_conv"] < 1e-9
    assert record["lowest_probability"] >= 0


def test_a_ratio_is_taken_to_the_best_peer() -> None:
    case = SolveCase("kuhn_poker", 10, 5, 1e-3)
    verdict = judged(case, OURS, {"a": peer(3.0), "b": peer(2.0)})
    assert (verdict["best_peer"], verdict["ratio"]) == ("b", pytest.approx(20))
    assert not verdict["ratio_is_lower_bound"]
    assert verdict["meets"]
    # Three tenths of a second with building, five with loading, against two.
    assert verdict["ratio_with_building"] == pytest.approx(2 / 0.3)
    assert verdict["ratio_with_loading"] == pytest.approx(4)
    assert verdict["building_meets"] is True
    assert verdict["evaluation_meets"] is False


def test_a_peer_that_does_not_get_there_gives_a_lower_bound() -> None:
    case = SolveCase("kuhn_poker", 10)
    verdict = judged(case, OURS, {"a": peer(3.0, reached=False), "b": {"ok": False}})
    assert (verdict["ratio"], verdict["ratio_is_lower_bound"]) == (pytest.approx(30), True)
    # One that got there is the best, though the other was stopped later.
    verdict = judged(case, OURS, {"a": peer(3.0, reached=False), "b": peer(1.0)})
    assert (verdict["best_peer"], verdict["ratio_is_lower_bound"]) == ("b", False)


def test_without_a_peer_or_a_result_there_is_no_ratio() -> None:
    case = SolveCase("kuhn_poker", 10)
    assert "ratio" not in judged(case, OURS, {})
    assert "ratio" not in judged(case, {**OURS, "reached": False}, {"a": peer(3.0)})


def test_each_solver_is_a_task_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[MeasurementTask] = []

    def run(task: MeasurementTask) -> dict[str, Any]:
        tasks.append(task)
        return OURS if task.kind == "solve" else peer(5.0)

    monkeypatch.setattr("fogspiel.lab.benchmarks.processes.run_task", run)
    record = compare(CASES[1], ["openspiel", "liteefg"], target=1e-3, seconds=7.0)
    assert [task.kind for task in tasks] == [
        "solve", "peer_openspiel", "peer_liteefg", "peer_liteefg",
    ]  # fmt: skip
    assert {task.arguments["seconds"] for task in tasks} == {7.0}
    assert record["ratio"] == pytest.approx(50)
    assert set(record["peers"]) == {"OpenSpiel CFR+", "LiteEFG CFR+", "LiteEFG DCFR"}


def test_linear_programs_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {"ok": True, "seconds": 0.1, "build_seconds": 0.1, "lowest_probability": 0.0}

    def run(task: MeasurementTask) -> dict[str, Any]:
        return ours if task.kind == "linear" else {"ok": True, "seconds": 1.0}

    monkeypatch.setattr("fogspiel.lab.benchmarks.processes.run_task", run)
    record = compare_linear(["openspiel"], seconds=1.0)
    assert (record["ratio"], record["ratio_with_building"]) == (pytest.approx(10), pytest.approx(5))
    assert "ratio" not in compare_linear([], seconds=1.0)


def test_a_peer_is_stopped_at_its_target_or_cap() -> None:
    class Slow:
        done = 0

        def step(self) -> None:
            self.done += 1
            sum(range(20_000))

        def nash_conv(self) -> float:
            return 1.0 / self.done

    slow = Slow()
    record = time_to_target(PeerSolver(slow.step, slow.nash_conv), 0.02, 30.0)
    assert record["reached"]
    # Measured after each tenth more: not far beyond the fifty that are needed.
    assert 50 <= record["iterations"] == slow.done <= 56
    slow = Slow()
    record = time_to_target(PeerSolver(slow.step, slow.nash_conv), 0.0, 0.05)
    assert not record["reached"]
    assert 0.05 <= record["seconds"] < 5.0


def test_kuhn_poker_is_measured_beside_openspiel() -> None:
    pytest.importorskip("pyspiel")
    arguments = ["bench", "solve", "--against", "openspiel", "--games", "kuhn_poker",
                 "--target", "0.1", "--seconds", "2", "--no-linear", "--json"]  # fmt: skip
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    (record,) = json.loads(result.stdout)["games"]
    assert record["peers"]["OpenSpiel CFR+"]["reached"]
    assert record["ratio"] == pytest.approx(record["best_peer_seconds"] / record["seconds"])


def test_every_case_has_a_twin() -> None:
    assert {case.game for case in CASES} <= set(TWINS)
    assert set(QUICK) < set(TWINS)


@pytest.mark.parametrize("game", QUICK)
@pytest.mark.parametrize("seed", [0, 1])
def test_openspiel_finds_a_strategy_as_exploitable(game: str, seed: int) -> None:
    """The larger twins are compared by `fogspiel bench agreement`."""
    pytest.importorskip("pyspiel")
    record = measure_agreement(game, seed)
    assert record["exploitability"] == pytest.approx(record["peer_exploitability"], abs=1e-9)
    assert record["value_difference"] < 1e-9
    assert record["exploitability"] > 0.1


def test_openspiel_confirms_what_we_solve() -> None:
    pytest.importorskip("pyspiel")
    record = measure_agreement("kuhn_poker", solved=True)
    # An equilibrium, which random strategies are far from.
    assert record["peer_exploitability"] < 1e-9
    assert record["difference"] < 1e-9


@pytest.mark.parametrize(
    "arguments", [("solve", "--against", "stockfish"), ("solve", "--games", "chess"),
                  ("agreement", "--games", "chess")],
)  # fmt: skip
def test_what_is_not_measured_is_bad_usage(arguments: tuple[str, ...]) -> None:
    assert CliRunner().invoke(main, ["bench", *arguments]).exit_code == 2
