"""The study of legal moves in time: its quick run, and how lateness and faults are told."""

from __future__ import annotations

from quick_runs import quick_records

from fogspiel.lab.framework.study import Document, settings_of
from fogspiel.lab.own.robustness.reliability import STUDY, broken_promises, table

QUICK = settings_of(STUDY, {}, quick=True)


def record(seconds: float, late: float, error: str | None = None) -> Document:
    choices = [{"phase": "choice", "step": 1, "seconds": late}] if late > 0 else []
    return {
        "game": "nim",
        "players": ["uct", "random"],
        "seconds": seconds,
        "steps": 3,
        "error": error,
        "choices": [4, 4],
        "late": [choices, []],
    }


def test_a_quick_run_finds_no_fault() -> None:
    records = quick_records(STUDY, seed=1)
    # All matches are dealt out over all bundled games, of which some are played here.
    assert len(records) >= len(QUICK["games"])
    assert {record["error"] for record in records} == {None}
    assert {record["game"] for record in records} == set(QUICK["games"])
    # Processor time is ours alone, so no other program makes anybody late here by much; what a busy
    # machine does to caches is allowed for. The promise is for longer clocks.
    late = [c["seconds"] for record in records for role in record["late"] for c in role]
    assert max(late, default=0.0) < 0.25
    # Getting ready, and a choice a step at least.
    assert all(min(record["choices"]) >= 2 for record in records)


def test_promises_are_kept_by_legal_moves_and_by_answers_in_time() -> None:
    kept = [record(0.5, 0.0), record(0.5, 0.04), record(0.05, 3.0)]
    broken = [record(0.5, 0.06), record(0.05, 0.0, error="MAT001 error: …")]
    assert broken_promises([*kept, *broken]) == broken


def test_the_table_counts_by_clock_and_by_player() -> None:
    lines = table([record(0.5, 0.06), record(0.05, 0.01), record(0.05, 0.0, error="x")]).split("\n")
    assert "| 0.05 | 2 | 16 | 1 | 1 | 0 | 10 |" in lines
    assert "| 0.5 | 1 | 8 | 0 | 1 | 1 | 60 |" in lines
    assert "| all | 3 | 24 | 1 | 2 | 1 | 60 |" in lines
    assert "| uct | 3 | 12 | 1 | 2 | 1 | 60 |" in lines
    assert "| random | 3 | 12 | 1 | 0 | 0 |  |" in lines
    assert lines[-1].startswith("The promise was broken in 2 of 3 matches, of which 1 had clocks")
