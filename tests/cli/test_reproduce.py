"""`fogspiel reproduce`: lists, runs, goes on, writes, and says what it does not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import document, run

from fogspiel.lab.studies import STUDIES

TINY = (
    "reproduce",
    "richards-4-1",
    "--set", "cells=battleship(4,1);gops(2,10)",
    "--set", "positions=1",
    "--set", "seconds=5",
    "--set", "methods=csp,exact",
)  # fmt: skip
NOTHING_LEFT = "no part of the study is left with these settings"
TIMED = {"search_seconds"}


def untimed(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in record.items() if key not in TIMED}
        for record in answer["records"]
    ]


def failed(*arguments: str) -> tuple[str, str]:
    (finding,) = document(*arguments, code=2)["findings"]
    return finding["code"], finding["message"]


def test_without_a_name_the_studies_are_listed() -> None:
    listed = run("reproduce").stdout
    studies = {study["name"]: study for study in document("reproduce")["studies"]}
    assert set(studies) == set(STUDIES)
    assert all(name in listed for name in studies)
    assert "table 4.1" in studies["richards-4-1"]["source"]


def test_a_small_run_from_end_to_end(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    answer = document(*TINY, "--out", str(out))
    records = answer["records"]
    assert [(r["member"], r["method"]) for r in records] == [
        ("battleship(4,1)", "csp"),
        ("battleship(4,1)", "exact"),
        ("gops(2,10)", "csp"),
        ("gops(2,10)", "exact"),
    ]
    assert all(r["complete"] and r["found"] == r["size"] for r in records)
    assert answer["finished"] == {"battleship(4,1)": 2, "gops(2,10)": 2}
    assert answer["settings"]["seconds"] == 5.0
    kept = json.loads((out / "richards-4-1.json").read_text(encoding="utf-8"))
    assert kept == answer
    page = (out / "richards-4-1.md").read_text(encoding="utf-8")
    assert "| gops(2,10) | 300 | 300 | 1 of 1 whole (" in page


def test_text_shows_the_table_and_what_was_written(tmp_path: Path) -> None:
    result = run(*TINY, "--set", "cells=gops(2,10)", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "| gops(2,10) | 300 | 300 | 1 of 1 whole (" in result.stdout
    assert f"wrote {tmp_path / 'richards-4-1.json'}" in result.stdout


def test_same_seed_same_records_in_any_number_of_processes(tmp_path: Path) -> None:
    alone = document(*TINY, "--seed", "2", "--out", str(tmp_path / "a"))
    together = document(*TINY, "--seed", "2", "--jobs", "2", "--out", str(tmp_path / "b"))
    assert untimed(alone) == untimed(together)


def test_a_run_goes_on_with_what_was_written(tmp_path: Path) -> None:
    whole = document(*TINY, "--out", str(tmp_path))
    path = tmp_path / "richards-4-1.json"
    # As it was after the first cell.
    part = {**whole, "finished": {"battleship(4,1)": 2}, "records": whole["records"][:2]}
    path.write_text(json.dumps(part), encoding="utf-8")
    resumed = document(*TINY, "--resume", "--out", str(tmp_path))
    # The records of the first cell are those of the file, to the digit of their times.
    assert resumed["records"][:2] == whole["records"][:2]
    assert untimed(resumed) == untimed(whole)
    assert resumed["seconds"] > whole["seconds"]


def test_a_run_with_another_seed_does_not_go_on(tmp_path: Path) -> None:
    one = (*TINY, "--set", "cells=gops(2,10)", "--out", str(tmp_path))
    document(*one)
    code, message = failed(*one, "--seed", "1", "--resume")
    assert code == "LAB002"
    assert message.endswith("was made with other settings or another seed")
    # Without the wish to go on it starts anew.
    assert document(*one, "--seed", "1")["seed"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("richards-9-9",), "there is no study 'richards-9-9'"),
        (("richards-4-1", "--set", "speed=9"), "the study has no setting 'speed'"),
        (("richards-4-1", "--set", "positions=many"), "'many' is no int"),
        (("richards-4-1", "--set", "cells=chess"), NOTHING_LEFT),
        (("richards-4-1", "--set", "games=chess"), NOTHING_LEFT),
        (("richards-4-1", "--set", "games="), NOTHING_LEFT),
    ],
)  # fmt: skip
def test_what_is_not_known_is_told(arguments: tuple[str, ...], message: str) -> None:
    assert failed("reproduce", *arguments) == ("LAB001", message)


def test_an_unknown_method_is_told_before_anything_is_written(tmp_path: Path) -> None:
    arguments = (*TINY[:-1], "methods=magic", "--out", str(tmp_path))
    assert failed(*arguments) == ("BEL004", "there is no method 'magic'")
    assert list(tmp_path.iterdir()) == []


def test_no_jobs_is_bad_usage() -> None:
    assert failed("reproduce", "richards-4-1", "--jobs", "0")[0] == "CLI001"


def test_lists_of_numbers_are_numbers(tmp_path: Path) -> None:
    out = ("--set", "games=biased_rps", "--out", str(tmp_path))
    answer = run("reproduce", "shafiei-exploit", "--set", "confidences=0.5,1", *out)
    assert answer.exit_code == 0
    assert "| 0.5 | 74.5 | 73.44 |" in answer.output
    wrong = run("reproduce", "shafiei-exploit", "--set", "confidences=much", *out)
    assert wrong.exit_code == 2
    assert "LAB001" in wrong.stderr
