"""Measurements: what they record, and what becomes of games that break down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bench_tasks import without_children
from fogspiel.cli import main
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.lab.benchmarks.beliefs import CASES, largest, peer_search
from fogspiel.lab.benchmarks.playouts import PEERS
from fogspiel.lab.benchmarks.processes import MeasurementTask, machine_facts, percentile, run_task
from fogspiel.lab.benchmarks.sheets import markdown, sheets_in, summary

SOUND = """\
(role white) (init (step 1)) (legal white wait)
(<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2))) (goal white 100)
"""
UNSAFE = SOUND + "(<= (legal white go) (distinct ?x ?y))"
ENDLESS = SOUND + "(init (c z))\n(<= (next (c (s ?x))) (true (c ?x)))\n"


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["bench", *arguments, "--json"])
    assert result.exit_code == code, result.output
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


def test_the_facts_of_the_machine_are_recorded() -> None:
    facts = machine_facts()
    assert facts["cpu"]
    assert all(facts["versions"][name] for name in ("fogspiel", "numpy", "numba", "clingo"))


def test_percentiles_by_nearest_rank() -> None:
    values = [15.0, 20.0, 35.0, 40.0, 50.0]
    assert [percentile(values, p) for p in (5, 30, 40, 50, 95, 100)] == [15, 20, 20, 35, 50, 50]


def test_every_peer_stands_beside_a_bundled_game() -> None:
    assert set(PEERS) <= set(bundled_games())
    assert all(peer.required_ratio >= 1 for peer in PEERS.values())


def test_playouts_are_measured_beside_openspiel() -> None:
    pytest.importorskip("pyspiel")
    answer = document(
        "playouts", "--against", "openspiel", "--games", "tic_tac_toe", "--seconds", "0.05"
    )
    (record,) = answer["games"]
    assert record["peer_game"] == "tic_tac_toe"
    assert record["required_ratio"] == 60
    assert len(record["rounds"]["ours"]) == len(record["rounds"]["theirs"]) == 3
    ratio = record["playouts_per_second"] / record["peer_playouts_per_second"]
    assert record["ratio"] == pytest.approx(ratio)
    assert record["meets"] == (ratio >= 60)
    assert 0 < record["peak_memory_bytes"] < 2 << 30


def test_beliefs_are_measured_beside_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel")
    without_children(monkeypatch)
    arguments = ("beliefs", "--games", "kuhn_poker", "--seconds", "0.02")
    answer = document(*arguments)
    (record,) = answer["beliefs"]
    assert answer["machine"]["cpu"]
    # Who has seen its card and the other's move holds two cards possible.
    assert (record["histories"], record["peer_histories"]) == (2, 2)
    assert {len(rates) for rates in record["rounds"].values()} == {3}
    ratio = record["histories_per_second"] / record["peer_histories_per_second"]
    assert record["ratio"] == pytest.approx(ratio)
    assert record["meets"] == (ratio >= record["required_ratio"] == 500)
    # So few histories cost a call, not a search: the ratio is far from met, and that is told.
    document(*arguments, "--require", code=1)


def test_both_searches_count_alike_where_games_are_the_same() -> None:
    pytest.importorskip("pyspiel")
    case = next(case for case in CASES if case.game == "leduc_poker")
    _, ours = largest(load(case.game).machine, case)
    _, theirs = peer_search(case)
    # The other's card is one of five: none has been shown.
    assert ours == theirs == 5


def test_beliefs_of_another_game_are_bad_usage() -> None:
    pytest.importorskip("pyspiel")
    assert CliRunner().invoke(main, ["bench", "beliefs", "--games", "chess"]).exit_code == 2


def test_playouts_of_a_file_are_measured_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_children(monkeypatch)
    path = tmp_path / "small.gdl"
    path.write_text(SOUND, encoding="utf-8")
    (record,) = document("playouts", "--games", str(path), "--seconds", "0.02")["games"]
    assert record["playouts_per_second"] > 0
    assert "ratio" not in record


def test_a_missing_openspiel_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    (finding,) = document("playouts", "--against", "openspiel", code=2)["findings"]
    assert finding["code"] == "BEN004"
    assert finding["fix"] == "pip install 'fogspiel[interop]'"


def test_loading_is_measured_and_failures_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_children(monkeypatch)
    bad = tmp_path / "bad.gdl"
    bad.write_text(UNSAFE, encoding="utf-8")
    answer = document("load", "tic_tac_toe", str(bad), code=1)
    assert answer["summary"]["compiled"] == 1
    assert answer["summary"]["refused_by_code"] == {"GDL016": 1}
    assert answer["summary"]["load_seconds_p95"] == answer["sheets"][0]["load_seconds"]


def test_a_collection_is_played_and_reported(tmp_path: Path) -> None:
    sheets = tmp_path / "sheets"
    (sheets / "more").mkdir(parents=True)
    (sheets / "good.kif").write_text(SOUND, encoding="utf-8")
    (sheets / "more" / "bad.gdl").write_text(UNSAFE, encoding="utf-8")
    (sheets / "notes.txt").write_text("no rules", encoding="utf-8")
    out, page = tmp_path / "out.json", tmp_path / "page.md"
    arguments = ("corpus", str(sheets), "--jobs", "2", "--out", str(out), "--markdown", str(page))
    answer = document(*arguments)
    good, bad = answer["sheets"]
    assert (good["game"], bad["game"]) == ("sheets/good.kif", "sheets/more/bad.gdl")
    assert (good["playouts"], good["stuck"], good["cut"]) == (100, 0, 0)
    assert bad["findings"][0]["code"] == "GDL016"
    assert json.loads(out.read_text(encoding="utf-8"))["summary"] == answer["summary"]
    assert "| sheets/more/bad.gdl | GDL016 |" in page.read_text(encoding="utf-8")


def test_directories_give_their_sheets_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_children(monkeypatch)
    for name in ("b.gdl", "a.KIF", "c.csv"):
        (tmp_path / name).touch()
    labels = [f"{tmp_path.name}/a.KIF", f"{tmp_path.name}/b.gdl", "chess"]
    assert list(sheets_in([str(tmp_path), "chess"])) == labels
    assert CliRunner().invoke(main, ["bench", "corpus", str(tmp_path / "c.csv")]).exit_code == 0


def test_an_empty_directory_is_bad_usage(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["bench", "corpus", str(tmp_path)]).exit_code == 2


def failure(**settings: Any) -> str:
    answer = run_task(MeasurementTask(kind="load", **settings))
    assert answer["ok"] is False
    code: str = answer["findings"][0]["code"]
    return code


def test_a_child_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "endless.gdl"
    path.write_text(ENDLESS, encoding="utf-8")
    assert failure(arguments={"game": str(path)}, seconds=2.0) == "BEN001"


def test_a_child_that_needs_too_much_memory_or_dies_is_reported() -> None:
    code = failure(arguments={"game": "chess"}, seconds=60.0, memory_bytes=100 << 20)
    assert code in {"BEN002", "BEN003"}
    assert failure(arguments={"nonsense": 1}, seconds=60.0) == "BEN003"


def test_a_report_tells_what_fell_back_and_what_did_not_end() -> None:
    fallback = {"code": "GRD001", "message": "grounding takes too long | as ever"}
    records: list[dict[str, Any]] = [
        {"game": "a", "ok": True, "engine": "reference", "load_seconds": 31.0, "playouts": 1,
         "play_seconds": 2.0, "mean_length": 40.0, "stuck": 0, "cut": 0, "fallback": fallback},
        {"game": "b", "ok": True, "engine": "compiled", "load_seconds": 0.5, "playouts": 100,
         "stuck": 7, "cut": 0, "fallback": None},
    ]  # fmt: skip
    text = markdown({"summary": summary(records), "sheets": records})
    assert "2 sheets: 1 on the compiled machine (50.0 %)" in text
    assert "| a | 31.0 | 2.0 | 40 | grounding takes too long \\| as ever |" in text
    assert "| b | 100 | 7 | 0 |" in text
