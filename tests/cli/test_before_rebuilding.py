"""Files and documents of Fogspiel 0.1.0, written before its packages were rearranged, still hold.

The folder has a README that tells how each file was made.
"""

from __future__ import annotations

import copy
import gzip
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import document, run

from fogspiel.games.load import load
from fogspiel.play.records.reader import read_record
from fogspiel.play.records.replay import replay
from fogspiel.play.tournament.journal import read_journal

OLD = Path(__file__).parents[1] / "fixtures" / "before_rebuilding"
DOCUMENTS: list[dict[str, Any]] = json.loads((OLD / "documents.json").read_text())
MEASURED = {"seconds", "playouts_per_second", "began", "address"}
"""Keys whose values differ between any two runs."""
SENTENCES = {"procedure", "reason"}
"""Keys whose texts are written for people, and may be written better."""
SEARCHING = ("ismcts",)
"""Players whose moves may change when their search does: of their documents the keys count."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the old files to work in, the journals unpacked."""
    copy = tmp_path / "old"
    shutil.copytree(OLD, copy)
    for packed in copy.glob("*.gz"):
        if ".db" in packed.name:
            packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    monkeypatch.chdir(copy)
    return copy


@pytest.mark.parametrize("old", DOCUMENTS, ids=[old["command"] for old in DOCUMENTS])
def test_a_command_prints_the_document_that_it_printed_before(
    old: dict[str, Any], folder: Path
) -> None:
    words = old["command"].split()
    new = document(*words, code=old["exit_code"])
    only_keys = any(name in words for name in SEARCHING)
    expected = copy.deepcopy(old["document"])
    if "pogddl" not in old["command"]:  # payoffs there are below 0, which is then no bound
        _cut_off_intervals(expected)
    assert not list(_differences(expected, new, only_keys=only_keys))


@pytest.mark.parametrize(
    "path", sorted(OLD.rglob("*.jsonl")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_record_replays_to_the_same_goals(path: Path) -> None:
    record = read_record(path)
    machine = load(record.heading.game).machine
    # `replay` compares moves, percepts and goals with what the record says.
    *_, last = replay(record, machine)
    assert record.end is not None
    assert machine.goals(last.after) == record.end.goals


def test_a_record_is_exported_for_ggp_base_as_before(folder: Path) -> None:
    told = run("replay", "records/latent_tic_tac_toe-0001.jsonl", "--export", "new.json")
    assert told.exit_code == 0, told.output
    assert (folder / "new.json").read_bytes() == (folder / "ggp_base.json").read_bytes()


def test_a_strategy_file_is_written_as_before(folder: Path) -> None:
    for name, method in (("kuhn_lp.json", ["lp"]), ("kuhn_cfr_plus.json.gz", ["cfr+"])):
        more = ["--iterations", "200", "--target", "0"] if method == ["cfr+"] else []
        run("solve", "kuhn_poker", "--method", *method, *more, "--save", f"new_{name}")
        old, new = (_strategy(folder / prefixed) for prefixed in (name, f"new_{name}"))
        assert not list(_differences(old, new))


def test_a_finished_tournament_has_nothing_left_to_play(folder: Path) -> None:
    told = run("tournament", "league.toml", "--resume", "--journal", "finished.db")
    assert told.exit_code == 0, told.output
    assert "36 of 36 matches played" in told.stdout
    run("results", "finished.db", "--csv", "new.csv")
    assert (folder / "new.csv").read_bytes() == (folder / "results.csv").read_bytes()


def test_an_interrupted_tournament_goes_on_and_comes_to_the_same_results(folder: Path) -> None:
    with read_journal(folder / "interrupted.db") as journal:
        assert len(journal.finished()) == 16
    told = run("tournament", "league.toml", "--resume", "--journal", "interrupted.db")
    assert told.exit_code == 0, told.output
    with (
        read_journal(folder / "interrupted.db") as resumed,
        read_journal(folder / "finished.db") as whole,
    ):
        assert resumed.fingerprint == whole.fingerprint
        for own, other in zip(resumed.results(), whole.results(), strict=True):
            assert (own.number, own.players, own.goals) == (
                other.number,
                other.players,
                other.goals,
            )
        for number in (0, 35):
            assert _moves(resumed.record(number)) == _moves(whole.record(number))


def _strategy(path: Path) -> Any:
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def _moves(record: str | None) -> list[Any]:
    assert record is not None
    return [json.loads(line).get("moves") for line in record.splitlines()]


def _cut_off_intervals(document: Any) -> None:
    """Let intervals end at the bounds of goals and shares: those of 0.1.0 went beyond them."""
    for value in document.values() if isinstance(document, dict) else document:
        if isinstance(value, dict | list):
            _cut_off_intervals(value)
    if not isinstance(document, dict) or document.get("ci95") is None:
        return
    if not {"mean_share", "mean_goal"} & set(document):  # such as a rating, which has no bounds
        return
    full = 1.0 if "mean_share" in document else 100.0
    low, high = document["ci95"]
    ends = document["ci95"] = [max(0.0, low), min(full, high)]
    if document.get("payoff_ci95") and high > low:
        least, most = document["payoff_ci95"]
        slope = (most - least) / (high - low)
        document["payoff_ci95"] = [least + slope * (end - low) for end in ends]


def _differences(old: Any, new: Any, place: str = "", *, only_keys: bool = False) -> Any:
    """The differences of two documents, measured values left out. New keys may be added."""
    if isinstance(old, dict) and isinstance(new, dict):
        if list(old) != [key for key in new if key in old]:
            yield place, list(old), list(new)
            return
        for key, value in old.items():
            if key in SENTENCES and isinstance(value, str):
                continue
            if not any(key == name or key.endswith(f"_{name}") for name in MEASURED):
                yield from _differences(value, new[key], f"{place}.{key}", only_keys=only_keys)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (own, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(own, other, f"{place}[{number}]", only_keys=only_keys)
    elif isinstance(old, float) and isinstance(new, float | int):
        if not only_keys and not math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12):
            yield place, old, new
    elif old != new and not only_keys:
        yield place, old, new
