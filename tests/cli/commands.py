"""Running commands: in this process, or as a user does."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from code_examples import FRAME
from fogspiel.cli import main

GAME = FRAME


def run(*arguments: str, text: str | None = None) -> Result:
    """A command in this process; an exception that reaches the runner is a test's failure."""
    result = CliRunner().invoke(main, list(arguments), input=text)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def document(*arguments: str, text: str | None = None, code: int = 0) -> dict[str, Any]:
    """The one JSON document that a command prints."""
    result = run(*arguments, "--json", text=text)
    assert result.exit_code == code, result.output
    assert result.stderr == ""
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


def call(
    *arguments: str,
    seconds: float = 600.0,
    memory_bytes: int | None = None,
    environment: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own. seconds: a guard against hanging."""

    def limit() -> None:
        if memory_bytes is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))

    return subprocess.run(
        [sys.executable, "-m", "fogspiel.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        preexec_fn=limit,
        env={**os.environ, **(environment or {})},
        check=False,
    )


def written(folder: Path, text: str, name: str = "game.gdl") -> str:
    """The path of a file with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)
