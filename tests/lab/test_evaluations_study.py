"""The study of evaluations: a record for each, the same again with the same seed."""

from __future__ import annotations

from quick_runs import quick_records

from fogspiel.lab.own.strength.evaluations import STUDY


def test_every_evaluation_has_a_record_and_runs_repeat() -> None:
    once, again = quick_records(STUDY, seed=1), quick_records(STUDY, seed=1)
    assert once == again
    assert [record["ending"] for record in once] == ["mobility", "fluents,share=0.5"]
    assert all(record["wins"] + record["draws"] + record["losses"] == 4 for record in once)
    lines = STUDY.table(once).splitlines()
    assert len(lines) == 4
    assert lines[2].startswith("| tic_tac_toe | simulations | `mobility` |")
