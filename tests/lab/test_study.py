"""Studies: run part by part, kept after each, gone on with, written and shown."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest
from letters import RUN, SETTINGS, STUDY, run_deadly, run_slowly

from fogspiel.core.findings import LimitError, UsageError
from fogspiel.lab.framework.runner import document_to_resume, run_study
from fogspiel.lab.framework.study import (
    Document,
    document_path,
    grouped,
    page,
    settings_of,
    write,
    write_document,
)
from fogspiel.lab.own.robustness.tournament_kills import WORKER_MARK, processes_of
from fogspiel.lab.studies import STUDIES

RESULTS = Path(__file__).parents[2] / "studies"


@pytest.fixture(autouse=True)
def _nothing_has_run() -> None:
    RUN.clear()


def records(document: Document) -> list[tuple[str, int]]:
    return [(record["letter"], record["number"]) for record in document["records"]]


def interrupted(folder: Path) -> Document:
    """A run that ends after its first part."""

    def stop(document: Document) -> None:
        write_document(STUDY, document, folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(STUDY, settings=SETTINGS, seed=4, on_part=stop)
    resumed = document_to_resume(document_path(STUDY, folder), STUDY, SETTINGS, 4)
    assert resumed is not None
    return resumed


def test_settings_are_replaced_by_quick_ones_and_then_by_changes() -> None:
    assert settings_of(STUDY, {}, quick=False)["count"] == 3
    assert settings_of(STUDY, {}, quick=True)["count"] == 1
    assert settings_of(STUDY, {"count": 2}, quick=True)["count"] == 2


def test_a_document_holds_all_that_is_needed_to_repeat_it() -> None:
    document = run_study(STUDY, settings=SETTINGS, seed=4)
    assert records(document) == [("c", 0), ("a", 0), ("b", 0)]
    assert document["settings"] == SETTINGS
    assert (document["study"], document["seed"], document["parts"]) == ("letters", 4, 3)
    assert document["finished"] == {"c": 1, "a": 1, "b": 1}
    assert document["machine"]["versions"]["numpy"]
    assert document["records"][0]["seed"] == 4


def test_after_each_part_the_document_so_far_is_told() -> None:
    told: list[list[tuple[str, int]]] = []
    run_study(STUDY, settings=SETTINGS, seed=0, on_part=lambda d: told.append(records(d)))
    assert told == [[("c", 0)], [("c", 0), ("a", 0)], [("c", 0), ("a", 0), ("b", 0)]]


def test_processes_give_the_same_records_in_the_same_order() -> None:
    settings = settings_of(STUDY, {}, quick=False)
    alone = run_study(STUDY, settings=settings, seed=1)
    together = run_study(STUDY, settings=settings, seed=1, jobs=2)
    assert together["records"] == alone["records"]
    assert together["finished"] == alone["finished"]
    # The parts of the second run were run elsewhere.
    assert RUN == ["c", "a", "b"]


def test_processes_end_with_the_run_that_is_interrupted() -> None:
    def stop(_: Document) -> None:
        raise KeyboardInterrupt

    before = active_children()
    # Ten minutes of work, unless somebody ends it.
    study = replace(STUDY, run=run_slowly)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_study(study, settings=SETTINGS, seed=0, jobs=2, on_part=stop)
    assert time.monotonic() - began < 300
    assert active_children() == before


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc to see processes in")
def test_processes_end_with_the_run_that_is_killed() -> None:
    code = (
        "from dataclasses import replace; from letters import *; "
        "from fogspiel.lab.framework.runner import run_study; "
        "run_study(replace(STUDY, run=run_slowly), settings=SETTINGS, seed=0, jobs=2)"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=Path(__file__).parent, start_new_session=True) as run:
        try:
            assert within(300, lambda: len(processes_of(run.pid, WORKER_MARK)) == 2)
        finally:
            run.kill()
    assert within(300, lambda: not processes_of(run.pid, WORKER_MARK))


def within(seconds: float, happens: Callable[[], bool]) -> bool:
    """Whether something happens in time."""
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(LimitError) as caught:
        run_study(replace(STUDY, run=run_deadly), settings=SETTINGS, seed=0, jobs=2)
    assert caught.value.findings[0].code == "LAB003"


def test_an_interrupted_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    earlier = interrupted(tmp_path)
    assert earlier["finished"] == {"c": 1}
    RUN.clear()
    document = run_study(STUDY, settings=SETTINGS, seed=4, earlier=earlier)
    assert RUN == ["a", "b"]
    assert document["records"] == run_study(STUDY, settings=SETTINGS, seed=4)["records"]
    assert document["seconds"] >= earlier["seconds"]


def test_where_nothing_was_written_there_is_nothing_to_go_on_with(tmp_path: Path) -> None:
    assert document_to_resume(tmp_path / "letters.json", STUDY, SETTINGS, 4) is None


@pytest.mark.parametrize(
    ("settings", "seed"), [({**SETTINGS, "count": 2}, 4), (SETTINGS, 5)], ids=["settings", "seed"]
)
def test_a_run_made_otherwise_is_not_gone_on_with(
    tmp_path: Path, settings: Document, seed: int
) -> None:
    interrupted(tmp_path)
    with pytest.raises(UsageError) as caught:
        document_to_resume(document_path(STUDY, tmp_path), STUDY, settings, seed)
    assert caught.value.findings[0].code == "LAB002"
    assert "other settings or another seed" in caught.value.findings[0].message


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"study": "letters", "settings": {}, "seed": 4, "finished": 3}']
)
def test_another_file_in_its_place_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "letters.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        document_to_resume(path, STUDY, SETTINGS, 4)
    assert "is no document of a study" in caught.value.findings[0].message


def test_a_document_that_lost_records_is_told(tmp_path: Path) -> None:
    document = interrupted(tmp_path)
    document["records"] = []
    path = write_document(STUDY, document, tmp_path)
    with pytest.raises(UsageError, match="does not hold the records"):
        document_to_resume(path, STUDY, SETTINGS, 4)


def test_document_and_page_are_written(tmp_path: Path) -> None:
    document = run_study(STUDY, settings=SETTINGS, seed=4)
    files = write(STUDY, document, tmp_path / "new")
    assert [file.name for file in files] == ["letters.json", "letters.md"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [f.name for f in files]
    assert json.loads(files[0].read_text(encoding="utf-8")) == json.loads(json.dumps(document))
    text = files[1].read_text(encoding="utf-8")
    assert text.startswith("# Letters and numbers\n\nSource: Nobody (1900), table 1.\n")
    assert "| c | 0 |\n| a | 0 |\n| b | 0 |" in text
    assert "letters c a b, count 1, empty all; seed 4" in text


def test_a_page_of_a_run_that_has_not_ended_says_so(tmp_path: Path) -> None:
    assert "1 of 3 parts are done so far." in page(STUDY, interrupted(tmp_path))
    whole = run_study(STUDY, settings=SETTINGS, seed=4)
    assert "so far" not in page(STUDY, whole)


def test_cells_are_combinations_of_settings_named_by_their_values() -> None:
    study = replace(STUDY, cells=("letters", "halves"), separator=": ")
    parts = study.parts({"letters": ("a", "b"), "halves": (1.0, 0.5)})
    assert parts == {"a: 1": ("a", 1.0), "a: 0.5": ("a", 0.5), "b: 1": ("b", 1.0),
                     "b: 0.5": ("b", 0.5)}  # fmt: skip
    assert study.run(SETTINGS, 0, *STUDY.parts(SETTINGS)["c"])


def test_a_run_may_give_one_record_alone() -> None:
    study = replace(STUDY, run=lambda settings, seed, letter: {"letter": letter})
    document = run_study(study, settings=SETTINGS, seed=4)
    assert document["records"] == [{"letter": "c"}, {"letter": "a"}, {"letter": "b"}]
    assert document["finished"] == {"c": 1, "a": 1, "b": 1}


def test_records_are_grouped_by_fields_in_their_order() -> None:
    found = [{"a": 2, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 3}]
    assert grouped(found, "a") == {2: [found[0], found[2]], 1: [found[1]]}
    assert list(grouped(found, "a", "b")) == [(2, 1), (1, 1), (2, 3)]


@pytest.mark.parametrize("name", STUDIES)
def test_committed_results_have_the_cells_and_the_page_of_the_study(name: str) -> None:
    study = STUDIES[name]
    document = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    assert list(study.parts(document["settings"])) == list(document["finished"])
    assert page(study, document) == (RESULTS / f"{name}.md").read_text(encoding="utf-8")


def test_studies_are_known_by_their_names() -> None:
    assert "richards-4-1" in STUDIES
    assert all(study.name == name for name, study in STUDIES.items())
    assert all(set(study.quick) <= set(study.settings) for study in STUDIES.values())
