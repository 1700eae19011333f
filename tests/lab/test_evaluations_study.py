"""The study of evaluations: a record for each, the same again with the same seed."""

from __future__ import annotations

from fogspiel.lab.framework.runner import run_study
from fogspiel.lab.framework.study import Document, settings_of
from fogspiel.lab.own.strength.evaluations import STUDY


def records() -> list[Document]:
    settings = settings_of(STUDY, {}, quick=True)
    found: list[Document] = run_study(STUDY, settings=settings, seed=1)["records"]
    return found


def test_every_evaluation_has_a_record_and_runs_repeat() -> None:
    once, again = records(), records()
    assert once == again
    assert [record["ending"] for record in once] == ["mobility", "fluents,share=0.5"]
    assert all(record["wins"] + record["draws"] + record["losses"] == 4 for record in once)


def test_the_table_has_a_row_for_each() -> None:
    lines = STUDY.table(records()).splitlines()
    assert len(lines) == 4
    assert lines[2].startswith("| tic_tac_toe | simulations | `mobility` |")
