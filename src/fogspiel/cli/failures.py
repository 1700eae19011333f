"""How a command ends when it cannot do its work: findings and an exit code, never a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import click

from fogspiel.cli.output import finding_record, print_json
from fogspiel.core.findings import Finding, FogspielError

USAGE, UNREADABLE, LIMIT, INTERRUPTED = 2, 3, 4, 130
UNREADABLE_CODES = frozenset({"GAM002", "BRI020"})
"""Files that cannot be opened: to the library a wrong argument, to a user an unreadable game."""


def guarded(command: Callable[[], Any], *, as_json: bool) -> int:
    """Run a command; the exit code it returned or failed with."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A rule sheet may hold letters that the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(command, as_json=as_json)
        sys.stdout.flush()
    except OSError as error:
        # Standard output is closed or full, and Python must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0  # whoever read it has enough
        report([_explained(error)[0]], as_json=False)
        return 1
    return code


def _run(command: Callable[[], Any], *, as_json: bool) -> int:
    try:
        code = command()
    except click.exceptions.NoArgsIsHelpError as shown:
        shown.show()
        return USAGE
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as error:
        return _fail(error, as_json=as_json)
    return code if isinstance(code, int) else 0


def exit_code_of(error: FogspielError) -> int:
    """The exit code of an error: its own, but 3 for files that cannot be opened."""
    if error.findings and all(f.code in UNREADABLE_CODES for f in error.findings):
        return UNREADABLE
    return error.exit_code


def report(findings: Sequence[Finding], *, as_json: bool) -> None:
    """Say why a command failed: text on standard error, or the one JSON document."""
    if as_json:
        print_json({"ok": False, "findings": [finding_record(finding) for finding in findings]})
    else:
        for finding in findings:
            click.echo(str(finding), err=True)


def _fail(error: BaseException, *, as_json: bool) -> int:
    if os.environ.get("FOGSPIEL_DEBUG") == "1":
        traceback.print_exception(error)
    if isinstance(error, FogspielError):
        report(error.findings, as_json=as_json)
        return exit_code_of(error)
    if isinstance(error, click.ClickException) and not as_json:
        error.show()
        return error.exit_code
    if isinstance(error, click.Abort | KeyboardInterrupt):
        if as_json:
            report([_finding("CLI004", "interrupted", "run it again")], as_json=True)
        else:
            click.echo("interrupted", err=True)
        return INTERRUPTED
    finding, code = _explained(error)
    report([finding], as_json=as_json)
    return code


def _explained(error: BaseException) -> tuple[Finding, int]:
    """The finding and the exit code of an error that Fogspiel did not raise itself."""
    if isinstance(error, click.ClickException):
        fix = "see `fogspiel --help`, or the help of the command"
        return _finding("CLI001", error.format_message(), fix), error.exit_code
    if isinstance(error, MemoryError):
        fix = "give it more memory, or use a smaller game"
        return _finding("CLI003", "there is not enough memory for this", fix), LIMIT
    if isinstance(error, OSError):
        message = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
        return _finding("CLI005", message, "make room, or choose another place"), 1
    said = " ".join(str(error).split())[:200]
    message = f"internal error: {type(error).__name__}: {said}"
    fix = "this is a fault of Fogspiel: please report it, with the output under FOGSPIEL_DEBUG=1"
    return _finding("CLI002", message, fix), 1


def _finding(code: str, message: str, fix: str) -> Finding:
    return Finding(code, message, fix=fix)
