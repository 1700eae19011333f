"""`fogspiel check`: everything that can be said about rules, with places and fixes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from fogspiel.cli.options import FiniteRange, read_game
from fogspiel.cli.output import busy, exit_code_of, finding_record, json_option, print_json
from fogspiel.core.findings import Finding, FogspielError, LimitError, Severity, errors_in
from fogspiel.core.limits import GroundLimits
from fogspiel.core.source import Source
from fogspiel.rules.clauses import Program
from fogspiel.rules.languages import Rules, examine

if TYPE_CHECKING:
    from fogspiel.machine.audit.claims import Audit
    from fogspiel.machine.audit.pogddl_claims import ActionRules
    from fogspiel.machine.protocol import Machine

GITHUB_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found about one game: a file, or two that belong together."""

    name: str
    findings: tuple[Finding, ...]
    exit_code: int
    audit: Audit | None = field(default=None)


@dataclass(frozen=True, slots=True)
class Given:
    """A game to check, under the name or names that the user gave."""

    name: str
    sources: tuple[Source, ...]
    beside: tuple[Source, ...] = ()
    """The game given before a file of methods, whose words the methods should use."""


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
    reports = [
        game
        if isinstance(game, Report)
        else _check(game, ground_seconds if grounds else None, playouts, seed)
        for game in _games(files)
    ]
    if strict:
        reports = [_strictly(report) for report in reports]
    if as_json or style == "json":
        print_json(_document(reports))
    elif style == "github":
        for report in reports:
            for finding in report.findings:
                click.echo(github_annotation(finding))
    else:
        for report in reports:
            _print(report)
    return max(report.exit_code for report in reports)


def _games(files: Sequence[str]) -> list[Report | Given]:
    """The games that the files hold, in their order; a report for each that cannot be read."""
    opened: list[Report | Given] = []
    for name in files:
        try:
            opened.append(Given(name, (read_game(name),)))
        except FogspielError as error:
            failed = Report(name=name, findings=error.findings, exit_code=exit_code_of(error))
            opened.append(failed)
    return _paired(opened)


def _paired(opened: Sequence[Report | Given]) -> list[Report | Given]:
    """Put each POGDDL problem together with the domain before it, or else the first one."""
    from fogspiel.rules.pogddl.read.read import Part, parts_of

    parts = [Part.NONE if isinstance(g, Report) else parts_of(g.sources[0].text) for g in opened]
    domains = [index for index, part in enumerate(parts) if part is Part.DOMAIN]
    paired = list(opened)
    taken: set[int] = set()
    for index, part in enumerate(parts):
        problem = opened[index]
        if part is not Part.PROBLEM or isinstance(problem, Report) or not domains:
            continue
        chosen = max((at for at in domains if at < index), default=domains[0])
        domain = opened[chosen]
        assert not isinstance(domain, Report)
        taken.add(chosen)
        name = f"{domain.name} + {problem.name}"
        paired[index] = Given(name, domain.sources + problem.sources)
    return _with_games([game for index, game in enumerate(paired) if index not in taken])


def _with_games(given: Sequence[Report | Given]) -> list[Report | Given]:
    """Put each methods file together with the game before it, if there is one."""
    from fogspiel.plan.language.reading import is_methods

    found: list[Report | Given] = []
    game: tuple[Source, ...] = ()
    for one in given:
        if isinstance(one, Report) or not is_methods(one.sources[0].text):
            game = () if isinstance(one, Report) else one.sources
            found.append(one)
        else:
            found.append(replace(one, beside=game))
    return found


def _check(game: Given, ground_seconds: float | None, playouts: int | None, seed: int) -> Report:
    """Read, check, ground and audit one game, as far as it goes."""
    from fogspiel.games.load import reference_machine
    from fogspiel.plan.language.reading import is_methods

    name = game.name
    if is_methods(game.sources[0].text):
        return _check_methods(game)
    try:
        findings, rules = examine(game.sources)
    except FogspielError as error:
        return Report(name=name, findings=error.findings, exit_code=exit_code_of(error))
    audit = None
    too_large: list[Finding] = []
    if rules is not None and ground_seconds is not None:
        too_large = _ground_findings(rules.program, ground_seconds)
        findings += too_large
    if rules is not None and playouts is not None:
        try:
            machine = reference_machine(rules) if too_large else _machine(game.sources)
            audit = _audit(machine, rules, playouts, seed)
            findings += audit.findings
        except FogspielError as error:
            findings += error.findings
    exit_code = int(bool(errors_in(findings)))
    return Report(name=name, findings=tuple(findings), exit_code=exit_code, audit=audit)


def _check_methods(methods: Given) -> Report:
    """Read a methods file, with the words of its game if that can be loaded."""
    from fogspiel.plan.games.relations import game_vocabulary
    from fogspiel.plan.language.reading import read_network

    try:
        words = game_vocabulary(_machine(methods.beside)) if methods.beside else None
        findings = read_network(methods.sources[0], vocabulary=words)[1]
    except FogspielError as error:
        return Report(name=methods.name, findings=error.findings, exit_code=exit_code_of(error))
    exit_code = int(bool(errors_in(findings)))
    return Report(name=methods.name, findings=tuple(findings), exit_code=exit_code)


def _ground_findings(program: Program, seconds: float) -> list[Finding]:
    """A warning where grounding passes the limits: the game can be played all the same."""
    from fogspiel.ground.program import ground

    try:
        with busy("grounding …"):
            ground(program, GroundLimits(seconds=seconds))
    except LimitError as error:
        return [
            replace(
                finding,
                severity=Severity.WARNING,
                message=f"{finding.message}; the reference reasoner plays this game instead",
            )
            for finding in error.findings
        ]
    return []


def _machine(sources: Sequence[Source]) -> Machine:
    from fogspiel.games.load import load_sources

    with busy("compiling …"):
        return load_sources(sources).machine


def _audit(machine: Machine, rules: Rules, playouts: int, seed: int) -> Audit:
    from fogspiel.machine.audit.audit import audit_play

    with busy("playing …"):
        rulings = _rulings(rules, machine)
        return audit_play(machine, rules.program, playouts=playouts, seed=seed, rulings=rulings)


def _rulings(rules: Rules, machine: Machine) -> ActionRules | None:
    """The rules as written, for languages with actions and gains."""
    if rules.description is None:
        return None
    from fogspiel.machine.audit.pogddl_claims import ActionRules
    from fogspiel.machine.interpreter.machine import InterpretedMachine

    if not isinstance(machine, InterpretedMachine):
        machine = InterpretedMachine(rules.description)
    return ActionRules(rules.description, machine, is_tree=rules.language == "efg")


def _strictly(report: Report) -> Report:
    warned = any(finding.severity is Severity.WARNING for finding in report.findings)
    return replace(report, exit_code=max(report.exit_code, int(warned)))


def _document(reports: Sequence[Report]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "ok": all(report.exit_code == 0 for report in reports),
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


def _print(report: Report) -> None:
    for finding in report.findings:
        click.echo(str(finding), err=report.exit_code > 1)
    if report.exit_code > 1:
        return
    if report.audit is not None:
        for line in report.audit.as_lines():
            click.echo(f"{report.name}: {line}")
    counts = [
        f"{count} {severity}{'s' * (count > 1)}"
        for severity in Severity
        if (count := sum(f.severity is severity for f in report.findings))
    ]
    click.echo(f"{report.name}: {', '.join(counts) or 'no findings'}")


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
