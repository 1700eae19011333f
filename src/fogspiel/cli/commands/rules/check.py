"""`fogspiel check`: everything that can be said about rules, with places and fixes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fogspiel import Finding, Severity
from fogspiel.cli.completion import complete_game
from fogspiel.cli.options import STANDARD_INPUT, count_option, number_option
from fogspiel.cli.output import (
    busy,
    exit_code_of,
    finding_record,
    finding_text,
    json_option,
    print_json,
    say,
)

if TYPE_CHECKING:
    from fogspiel import CheckReport, Rules

GITHUB_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_game)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="Output format; github is for annotations of GitHub Actions.",
)
@json_option
@click.option("--strict", is_flag=True, help="Exit with code 1 for warnings too.")
@click.option(
    "--ground/--no-ground",
    "grounds",
    default=True,
    help="Also check whether the rules can be grounded.  [default: --ground]",
)
@number_option(
    "--ground-seconds",
    least=0.1,
    default=5.0,
    metavar="SECONDS",
    help="Time limit for grounding; other commands allow more time.",
)
@count_option(
    "--play",
    "playouts",
    least=1,
    metavar="N",
    help="Also check N random playouts; a small game is checked in every reachable state.",
)
@count_option("--seed", least=0, default=0, help="Random seed of the playouts.")
def check(
    files: tuple[str, ...],
    *,
    style: str,
    as_json: bool,
    strict: bool,
    grounds: bool,
    ground_seconds: float,
    playouts: int | None,
    seed: int,
) -> int:
    """Check rule files: every finding with its place and a fix.

    FILE is a rule file or the name of a bundled game. A POGDDL domain and its problem may be one
    file, or two files given together. Methods files are checked too, against the game given before
    them.

    The exit code is 1 if a file has errors (with --strict, also for warnings), 3 if a file cannot
    be read, and 4 if a file exceeds a size limit.
    """
    from fogspiel.api.rules.check import check_files

    with busy("checking …"):
        reports = check_files(
            files,
            ground_seconds=ground_seconds if grounds else None,
            playouts=playouts,
            seed=seed,
            opening=_opened,
        )
    codes = [_exit_code(report, strict=strict) for report in reports]
    if as_json or style == "json":
        print_json(_document(reports, max(codes)))
    elif style == "github":
        for report in reports:
            for finding in report.findings:
                click.echo(github_annotation(finding))
    else:
        for report in reports:
            _print(report)
    return max(codes)


def _opened(file: str | Path) -> Rules:
    """The rules of a file alone, or those on standard input."""
    from fogspiel import Rules
    from fogspiel.api.rules.check import open_alone

    if file == STANDARD_INPUT:
        return Rules.read(sys.stdin.buffer, name="<stdin>")
    return open_alone(file)


def _exit_code(report: CheckReport, *, strict: bool) -> int:
    """The exit code that a report asks for. strict: warnings fail too."""
    if report.error is not None:
        return exit_code_of(report.error)
    warned = any(finding.severity is Severity.WARNING for finding in report.findings)
    return int(not report.ok or (strict and warned))


def _document(reports: Sequence[CheckReport], code: int) -> dict[str, Any]:
    document: dict[str, Any] = {
        "ok": code == 0,
        "findings": [
            {**finding_record(finding), "file": finding_record(finding)["file"] or report.name}
            for report in reports
            for finding in report.findings
        ],
    }
    if audits := [report for report in reports if report.audit is not None]:
        document["audits"] = [
            {"file": report.name, **report.audit.as_record()}
            for report in audits
            if report.audit is not None
        ]
    return document


def _print(report: CheckReport) -> None:
    to_stderr = report.error is not None
    for finding in report.findings:
        click.echo(finding_text(finding, err=to_stderr), err=to_stderr)
    if to_stderr:
        return
    for line in [] if report.audit is None else report.audit.as_lines():
        say(f"{report.name}: {line}", indent=2)
    say(f"{report.name}: {report.summary}", indent=2)


def github_annotation(finding: Finding) -> str:
    """A finding as GitHub Actions reads it: properties and message escape different letters."""
    record = finding_record(finding)
    properties = [("file", record["file"]), ("line", record["line"]), ("col", record["column"])]
    properties.append(("title", finding.code))
    given = ",".join(
        f"{key}={_escaped(str(value), ':,')}" for key, value in properties if value is not None
    )
    message = _escaped(f"{finding.message}\nfix: {finding.fix}")
    return f"::{GITHUB_LEVELS[finding.severity]} {given}::{message}"


def _escaped(text: str, more: str = "") -> str:
    for letter in "%\r\n" + more:
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text
