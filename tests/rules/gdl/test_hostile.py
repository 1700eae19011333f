"""Hostile rules end with the right code, within ten seconds of processor time and one gigabyte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hostile_cases import CASES, SECONDS, HostileCase

RUNNER = Path(__file__).parents[2] / "hostile_runner.py"


@pytest.fixture(scope="module")
def outcomes() -> dict[str, dict[str, Any]]:
    """What came out of every case. One process runs them all, as its memory is limited."""
    run = subprocess.run(
        [sys.executable, str(RUNNER)], capture_output=True, text=True, timeout=300, check=False
    )
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, run.stderr[-2000:]
    return {row["name"]: row for row in rows}


def test_there_are_enough_cases_and_no_two_share_a_name() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_case_ends_with_its_code(
    case: HostileCase, outcomes: dict[str, dict[str, Any]]
) -> None:
    outcome = outcomes[case.name]
    assert outcome["seconds"] < SECONDS
    assert outcome["printed"] < 2_000, "a finding must stay readable"
    if case.stage == "ground":
        assert outcome["errors"] == []
    elif case.is_refused:
        assert set(case.codes) & set(outcome["errors"])
    else:
        assert set(case.codes) & set(outcome["codes"])
        assert outcome["errors"] == []
