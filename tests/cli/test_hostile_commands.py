"""Every hostile text through the command line: its code, in bounds, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import call, run

from hostile_cases import CASES, MEMORY_BYTES, SECONDS, HostileCase

LARGE_BYTES = 1 << 20
SIZES = {case.name: len(case.text()) for case in CASES if case.stage == "language"}
SMALL = [case for case in CASES if SIZES.get(case.name, LARGE_BYTES) < LARGE_BYTES]
LARGE = [case for case in CASES if SIZES.get(case.name, 0) >= LARGE_BYTES]
GROUND = [case for case in CASES if case.stage == "ground"]
TAMED = {"exponential_join"}
"""Explode as written, but not after rules are split: there is then nothing left to refuse."""


def file_of(case: HostileCase, folder: Path) -> str:
    path = folder / f"{case.name}.gdl"
    path.write_bytes(case.text())
    return str(path)


def test_small_texts_get_their_codes_in_one_bounded_process(tmp_path: Path) -> None:
    files = {file_of(case, tmp_path): case for case in SMALL}
    done = call(
        "check", "--json", "--no-ground", *files, seconds=6 * SECONDS, memory_bytes=MEMORY_BYTES
    )
    assert done.returncode in {3, 4}
    assert done.stderr == ""
    findings = json.loads(done.stdout)["findings"]
    for file, case in files.items():
        mine = [finding for finding in findings if finding["file"] == file]
        assert {f["code"] for f in mine} & set(case.codes), case.name
        assert any(f["severity"] == "error" for f in mine) == case.is_refused, case.name


@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.name)
def test_a_large_text_is_refused_in_time_and_memory(case: HostileCase, tmp_path: Path) -> None:
    done = call("check", file_of(case, tmp_path), seconds=SECONDS, memory_bytes=MEMORY_BYTES)
    assert done.returncode in {1, 3, 4}
    assert any(code in done.stdout + done.stderr for code in case.codes)
    assert "Traceback" not in done.stderr


def test_what_only_grounding_can_refuse_is_named_in_one_bounded_process(tmp_path: Path) -> None:
    files = {file_of(case, tmp_path): case for case in GROUND}
    # The default of five seconds only waits longer for the same.
    done = call(
        "check",
        "--json",
        "--ground-seconds",
        "1",
        *files,
        seconds=3 * SECONDS,
        memory_bytes=MEMORY_BYTES,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    findings = json.loads(done.stdout)["findings"]
    for file, case in files.items():
        mine = {finding["code"] for finding in findings if finding["file"] == file}
        assert bool(mine & set(case.codes)) == (case.name not in TAMED), case.name


def test_info_refuses_the_same_texts_without_a_traceback(tmp_path: Path) -> None:
    for case in (case for case in SMALL if case.is_refused):
        result = run("info", file_of(case, tmp_path))
        assert result.exit_code in {3, 4}, case.name
        assert result.stdout == ""
        assert any(code in result.stderr for code in case.codes), case.name
