"""`fogspiel check`: everything that can be said about rules, with places and fixes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fogspiel import Finding, Severity
from fogspiel.cli.options import STANDARD_INPUT, FiniteRange
from fogspiel.cli.output import busy, exit_code_of, finding_record, json_option, print_json

if TYPE_CHECKING:
    from fogspiel import CheckReport, Rules

GITHUB_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="github prints annotations for GitHub Actions.",
)
@json_option
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option(
    "--ground/--no-ground",
    "grounds",
    default=True,
    help="Whether to try if the rules can be grounded (default: yes).",
)
@click.option(
    "--ground-seconds",
    type=FiniteRange(min=0.1),
    metavar="SECONDS",
    default=5.0,
    show_default=True,
    help="Time for grounding; play allows more.",
)
@click.option(
    "--play",
    "playouts",
    type=click.IntRange(min=1),
    metavar="N",
    help="Also audit N random playouts, and prove what holds where all states can be visited.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Of the playouts.")
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
    """Check rule files: all findings of each, with place, reason and fix.

    A domain and a problem in POGDDL may stand in one file, or in two that are given together.
    Methods files are checked too, and compared with the game that is given before them.

    Exit code 1 if a file has errors (with --strict: or warnings), 3 if one cannot be read, 4 if
    one passes a limit of size.
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
    if report.error is None:
        click.echo(report)
        return
    for finding in report.findings:
        click.echo(finding, err=True)


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
