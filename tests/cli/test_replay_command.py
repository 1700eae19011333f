"""`fogspiel match --record` and `fogspiel replay`: views, checks, export and refusals."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from commands import document, run, written

HIDDEN = "(holds first"
"""What second cannot know in Kuhn poker before the cards are shown."""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    arguments = ["kuhn_poker", "random", "random", "--games", "2", "--simulations", "1"]
    assert run("match", *arguments, "--record", str(folder)).exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "kuhn_poker-0001.jsonl",
        "kuhn_poker-0002.jsonl",
    ]
    return folder / "kuhn_poker-0001.jsonl"


def test_the_referee_sees_everything(record: Path) -> None:
    shown = run("replay", str(record))
    assert shown.exit_code == 0
    lines = record.read_text().splitlines()
    for move in json.loads(lines[2])["moves"]:
        assert move in shown.output
    assert f"Step {len(lines) - 3}" in shown.output
    assert "seed" in shown.output
    assert "The match is over" in shown.output
    assert HIDDEN in shown.output


def test_a_role_sees_its_own_moves_and_percepts_alone(record: Path) -> None:
    shown = run("replay", str(record), "--as", "second")
    assert shown.exit_code == 0
    assert "(holds second" in shown.output
    assert HIDDEN not in shown.output
    assert "seed" not in shown.output
    told = document("replay", str(record), "--as", "second")
    assert HIDDEN not in json.dumps(told)
    assert "seed" not in told
    assert list(told["goals"]) == ["second"]
    assert set(told["steps"][0]) == {"step", "move", "percepts"}


def test_the_document_holds_the_whole_match(record: Path) -> None:
    told = document("replay", str(record))
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert told["completed"]
    assert [list(step["moves"].values()) for step in told["steps"]] == [
        line["moves"] for line in lines[2:-1]
    ]
    assert list(told["goals"].values()) == lines[-1]["goals"]


def test_one_step_can_be_shown_alone(record: Path) -> None:
    assert "Step 2" in run("replay", str(record), "--step", "2").output
    assert "Step 1," not in run("replay", str(record), "--step", "2").output
    assert "The start." in run("replay", str(record), "--step", "0").output
    refused = run("replay", str(record), "--step", "99")
    assert refused.exit_code == 2
    assert "MAT014" in refused.stderr


def test_the_export_is_the_document_of_ggp_base(record: Path, tmp_path: Path) -> None:
    target = tmp_path / "match.json"
    assert run("replay", str(record), "--export", str(target)).exit_code == 0
    exported = json.loads(target.read_text())
    assert exported["playerNamesFromHost"] == ["random", "random", "random"]
    assert len(exported["states"]) == len(exported["moves"]) + 1
    refused = run("replay", str(record), "--export", str(tmp_path / "none" / "x.json"))
    assert (refused.exit_code, "MAT013" in refused.stderr) == (2, True)


def test_a_changed_record_ends_with_a_finding(record: Path, tmp_path: Path) -> None:
    changed = record.read_text().replace(
        '"percepts": {"first": ["(holds', '"percepts": {"first": ["(hides'
    )
    result = run("replay", written(tmp_path, changed, "changed.jsonl"))
    assert result.exit_code == 1
    assert "MAT012" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--as", "random"], "MAT007"),
        (["--as", "x"], "MAT007"),
        (["--game", "leduc_poker"], "MAT011"),
    ],
)
def test_what_does_not_fit_is_refused(record: Path, arguments: list[str], code: str) -> None:
    result = run("replay", str(record), *arguments)
    assert result.exit_code == 2
    assert code in result.stderr


def test_a_person_steps_through_on_a_terminal(record: Path) -> None:
    """Forward, back, to a number, a wrong key, and out."""
    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "fogspiel.cli", "replay", str(record)],
        stdin=child,
        stdout=child,
        stderr=child,
        env={**os.environ, "NO_COLOR": "1", "TERM": "dumb"},
    ) as process:
        os.close(child)
        os.write(parent, b"\nb\n2\nwhat\nq\n")
        shown = b""
        while chunk := _read(parent):
            shown += chunk
        assert process.wait(60) == 0
    os.close(parent)
    text = shown.decode()
    places = [line.split(">")[0] for line in text.splitlines() if "/" in line[:4] and ">" in line]
    assert [place.partition("/")[0] for place in places] == ["0", "1", "0", "2", "2"]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""
