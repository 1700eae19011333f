"""The command line starts at once: nothing heavy is imported before a command needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from commands import run

from fogspiel import __version__

HEAVY = ("numpy", "numba", "rich", "clingo", "pyspiel", "asyncio")
PROBE = """
import sys
from fogspiel.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(",".join(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["check", "--help"], ["explain", "GDL014"], ["new", "-h"]],
)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    probe = PROBE.format(heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", probe, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == ""


def test_help_lists_every_command() -> None:
    output = run("--help").output
    for command in ("games", "check", "info", "simulate", "bench", "demo", "explain"):
        assert f"  {command} " in output


def test_every_command_explains_itself() -> None:
    for command in ("games", "check", "info", "simulate", "demo", "explain"):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert "--json" in result.output


def test_version() -> None:
    assert run("--version").output == f"fogspiel, version {__version__}\n"
