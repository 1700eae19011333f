"""Whatever goes wrong, a command ends with a line or two, the right exit code, and one document."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import GAME, call, document, run, written

from fogspiel.cli.commands.rules import listings
from fogspiel.cli.output import guarded


def test_an_unknown_game_is_bad_usage_with_a_suggestion() -> None:
    result = run("info", "tic_tac_to")
    assert result.exit_code == 2
    assert result.stderr.startswith("GAM001 error: there is no bundled game 'tic_tac_to'")
    assert "did you mean tic_tac_toe" in result.stderr
    assert result.stdout == ""


def test_a_failing_command_still_prints_one_document() -> None:
    answer = document("info", "tic_tac_to", code=2)
    assert answer["ok"] is False
    assert [finding["code"] for finding in answer["findings"]] == ["GAM001"]


def test_a_missing_file_is_an_unreadable_game(tmp_path: Path) -> None:
    for command in ("info", "check"):
        result = run(command, str(tmp_path / "nothing.gdl"))
        assert result.exit_code == 3
        assert "GAM002" in result.stderr


def test_errors_in_the_rules_are_told_in_full(tmp_path: Path) -> None:
    path = written(tmp_path, GAME + "(<= (legal white go) (distinct ?x ?y))\n")
    result = run("info", path)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"{path}:7:")
    assert "GDL016" in result.stderr
    assert "  fix: " in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["simulate", "tic_tac_toe", "--playouts", "0"], ["info"], ["nonsense"], ["games", "--what"]],
)
def test_bad_usage_is_said_by_click_or_as_a_document(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage: " in result.stderr
    answer = document(*arguments, code=2)
    assert answer["findings"][0]["code"] == "CLI001"


def test_without_a_command_help_is_shown() -> None:
    result = run()
    assert result.exit_code == 2
    assert "Games and rules:" in result.output


def test_an_internal_error_is_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("so\nmuch for that")

    monkeypatch.setattr(listings, "print_names", broken)
    result = run("games")
    assert result.exit_code == 1
    assert "CLI002 error: internal error: RuntimeError: so much for that" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("FOGSPIEL_DEBUG", "1")
    assert "Traceback" in run("games").stderr


def raising(error: BaseException) -> int:
    def command() -> None:
        raise error

    return guarded(command, as_json=False)


def test_exit_codes_of_other_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert raising(MemoryError()) == 4
    assert raising(KeyboardInterrupt()) == 130
    assert raising(RecursionError("deep")) == 1
    assert raising(OSError(28, "No space left on device", "out.json")) == 1
    said = capsys.readouterr().err
    assert "CLI003" in said
    assert "interrupted\n" in said
    assert "CLI005 error: No space left on device: out.json" in said


TELLING = """
import sys
from fogspiel.cli import main
from fogspiel.machine.compiled.machine import CompiledMachine

playouts = CompiledMachine.playouts

def telling(self, *arguments, **options):
    print("begun", flush=True)
    return playouts(self, *arguments, **options)

CompiledMachine.playouts = telling
main(sys.argv[1:])
"""
"""The command line, which also says when playouts begin."""


def test_control_c_ends_a_command_with_one_line() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", TELLING, "simulate", "chess", "--playouts", "100000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        output, said = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode == 130
    assert set(output.split()) <= {"begun"}
    assert said.strip() == "interrupted"


def test_a_reader_who_has_enough_is_no_error() -> None:
    command = f"{sys.executable} -m fogspiel.cli games --json | head -c 20"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_full_disk_is_said() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m fogspiel.cli games --json > /dev/full"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "CLI005" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("style", ["", "--json"])
@pytest.mark.parametrize("closed", [1, 2])
def test_commands_run_where_a_stream_is_closed(closed: int, style: str) -> None:
    command = f"{sys.executable} -m fogspiel.cli explain GDL014 {style} {closed}>&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert ("GDL014" in done.stdout) is (closed == 2)
    assert done.stderr == ""


def test_letters_that_the_terminal_cannot_show_do_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, GAME + "(legal white (sag äöü→) (?x))\n")
    done = call("check", path, environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_output_to_a_file_has_no_colours() -> None:
    for arguments in (["games"], ["explain"], ["--help"]):
        assert "\x1b" not in call(*arguments).stdout


def test_the_document_is_json_even_with_format_json(tmp_path: Path) -> None:
    result = run("check", str(tmp_path / "nothing.gdl"), "--format", "json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["ok"] is False
