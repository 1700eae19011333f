"""Broken and hostile games in POGDDL, through every command: a code, soon, and no traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import call, run, written

from fogspiel.core.findings import codes
from pogddl_hostile import CASES, Hostile, cases

SECONDS = 600.0
"""A guard against hanging alone: a slow machine must not pass it."""
MEMORY_BYTES = 3 << 30
COMMANDS = {
    "check": ("--play", "3", "--ground-seconds", "1", "--json"),
    "info": ("--json",),
    "simulate": ("--playouts", "3", "--ground-seconds", "1", "--json"),
}
REFUSED, FOUND = {3, 4}, {1, 3, 4}


def codes_of(document: dict[str, Any], *severities: str) -> set[str]:
    found = document.get("findings")
    if not isinstance(found, list):
        return set()
    wanted = severities or ("error", "warning", "note")
    return {finding["code"] for finding in found if finding["severity"] in wanted}


def in_this_process(command: str, path: str) -> tuple[int, dict[str, Any]]:
    done = run(command, path, *COMMANDS[command])
    return done.exit_code, json.loads(done.stdout)


def apart(command: str, path: str) -> tuple[int, dict[str, Any]]:
    done = call(command, path, *COMMANDS[command], seconds=SECONDS, memory_bytes=MEMORY_BYTES)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


def judge(case: Hostile, code: int, document: dict[str, Any]) -> None:
    """`check` must say what is wrong with a game, and nothing of a sound one."""
    errors = codes_of(document, "error")
    assert code in ({0} if not errors else FOUND)
    if case.code is None:
        assert not errors
    else:
        assert any(found.startswith(case.code) for found in codes_of(document))


def test_there_are_many_different_cases() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 80
    assert len({case.code for case in CASES}) >= 30
    assert all(case.code in codes() or case.code in {None, "GRD"} for case in CASES)


@pytest.mark.parametrize("case", cases(apart=False), ids=lambda case: case.name)
def test_a_hostile_game_ends_with_its_code(case: Hostile, tmp_path: Path) -> None:
    path = written(tmp_path, case.text(), "game.pogddl")
    code, document = in_this_process("check", path)
    judge(case, code, document)
    is_refused = case.code is not None and case.code.startswith(("GDL", "POG"))
    for command in ("info", "simulate"):
        code, document = in_this_process(command, path)
        assert "CLI002" not in codes_of(document)
        if code in REFUSED and is_refused:
            assert case.code in codes_of(document)
        if case.code is None:
            assert code == 0


@pytest.mark.parametrize("case", cases(apart=True), ids=lambda case: case.name)
def test_a_large_game_ends_in_time_and_memory(case: Hostile, tmp_path: Path) -> None:
    path = written(tmp_path, case.text(), "game.pogddl")
    judge(case, *apart("check", path))


@pytest.mark.parametrize(
    "name", ["deep_conditions", "ten_parameters_over_fifty_objects", "half_a_million_words"]
)
def test_a_large_game_is_not_played_for_ever(name: str, tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.name == name]
    code, document = apart("simulate", written(tmp_path, case.text(), "game.pogddl"))
    assert code in REFUSED
    assert codes_of(document) & {"GDL003", "GDL013", "MCH006"}
