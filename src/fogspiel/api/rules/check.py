"""Checks of rule files: every finding with its place and its fix, and audits of random playouts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fogspiel.api.rules.rules import GROUND_SECONDS, Rules
from fogspiel.core.findings import (
    Finding,
    FogspielError,
    LimitError,
    Severity,
    errors_in,
)
from fogspiel.core.limits import GroundLimits
from fogspiel.games.library import is_python_name, resolve
from fogspiel.games.python_game import PythonGame

if TYPE_CHECKING:
    from fogspiel.api.game import Game
    from fogspiel.machine.audit.claims import Audit
    from fogspiel.rules.clauses import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What was found about one game: a file, or two that belong together.

    >>> report = fs.Rules.read("(role white)", name="mine.gdl").check()
    >>> report.ok, report.summary
    (False, '2 errors, 1 warning')
    """

    name: str  #: The name of the game, or of the files
    findings: tuple[Finding, ...]  #: Errors, warnings and notes, in the order of the text
    error: FogspielError | None = None
    """Why reading stopped, where a file cannot be read at all or passes a limit of size."""
    audit: Audit | None = None
    """The verdicts on random playouts and visited states, where an audit was asked for."""

    @property
    def ok(self) -> bool:
        """Whether the game can be played: nothing that was found is an error."""
        return not errors_in(self.findings)

    @property
    def summary(self) -> str:
        """The number of findings of each severity in words: `2 errors, 1 warning`."""
        counts = [
            f"{count} {severity}{'s' * (count > 1)}"
            for severity in Severity
            if (count := sum(finding.severity is severity for finding in self.findings))
        ]
        return ", ".join(counts) or "no findings"

    def __str__(self) -> str:
        """All findings, every verdict of the audit, and the summary, each on lines of its own."""
        lines = list(map(str, self.findings))
        if self.audit is not None:
            lines += [f"{self.name}: {line}" for line in self.audit.as_lines()]
        return "\n".join([*lines, f"{self.name}: {self.summary}"])


@dataclass(frozen=True, slots=True)
class _Given:
    """A game to check, under the name or names that the user gave."""

    name: str
    rules: Rules
    beside: Rules | None = None
    """The game given before a file of methods, whose words the methods should use."""


def open_alone(file: str | Path) -> Rules:
    """Open a bundled game or a file without a look for the domain of a POGDDL problem."""
    return Rules((resolve(str(file)),))


def check_files(
    files: Iterable[str | Path],
    *,
    ground_seconds: float | None = GROUND_SECONDS,
    playouts: int | None = None,
    seed: int = 0,
    opening: Callable[[str | Path], Rules] = open_alone,
) -> list[CheckReport]:
    """Check several files, where some may belong together.

    A problem in POGDDL is checked with the domain before it, or else with the first one; a file of
    methods with the game before it, whose words it should use.

    files: names of bundled games and of games in Python, and paths of files.
    ground_seconds, playouts, seed: as in `Rules.check`.
    opening: opens each file, for names that stand for something else, such as standard input.
    Returns: a report for each game, in their order. Files that cannot be read have one too.

    >>> [report.ok for report in check_files(["tic_tac_toe", "kuhn_poker"])]
    [True, True]
    """
    opened: list[CheckReport | _Given] = []
    for file in files:
        if is_python_name(str(file)):
            opened.append(_checked_class(str(file), playouts, seed))
            continue
        try:
            opened.append(_Given(str(file), opening(file)))
        except FogspielError as error:
            opened.append(_unread(str(file), error))
    return [
        game
        if isinstance(game, CheckReport)
        else _check(game, ground_seconds=ground_seconds, playouts=playouts, seed=seed)
        for game in _paired(opened)
    ]


def checked(
    rules: Rules,
    *,
    ground_seconds: float | None,
    playouts: int | None,
    seed: int,
) -> CheckReport:
    """Check the rules of one game; `Rules.check` says what the arguments mean."""
    given = _Given(rules.name, rules)
    return _check(given, ground_seconds=ground_seconds, playouts=playouts, seed=seed)


def checked_python(game: PythonGame, name: str, *, playouts: int | None, seed: int) -> CheckReport:
    """Play a game in Python, where everything is asked twice, and audit it if that is wanted."""
    from fogspiel.games.python_classes import audit_of, faults_of

    findings, audit = faults_of(game, seed=seed), None
    if playouts is not None and not errors_in(findings):
        try:
            audit = audit_of(game, playouts, seed=seed)
            findings += audit.findings
        except FogspielError as error:
            findings += error.findings
    return CheckReport(name=name, findings=tuple(findings), audit=audit)


def _checked_class(name: str, playouts: int | None, seed: int) -> CheckReport:
    from fogspiel.games.python_classes import python_game

    try:
        return checked_python(python_game(name), name, playouts=playouts, seed=seed)
    except FogspielError as error:
        return _unread(name, error)


def audited(game: Game, playouts: int, *, seed: int) -> Audit:
    """Audit random playouts of a game; `Game.audit` says more."""
    from fogspiel.games.python_classes import audit_of
    from fogspiel.machine.audit.audit import audit_play
    from fogspiel.machine.audit.pogddl_claims import ActionRules

    if playouts < 1:
        raise ValueError(f"a number of playouts is at least 1; got {playouts}")
    machine, loaded = game.machine, game.loaded
    if loaded.python is not None:
        return audit_of(loaded.python, playouts, seed=seed)
    rulings = None
    if loaded.description is not None:
        # Languages with actions and gains are audited against the rules as they are written.
        is_tree = loaded.language == "efg"
        rulings = ActionRules.of(loaded.description, machine, is_tree=is_tree)
    return audit_play(machine, loaded.program, playouts=playouts, seed=seed, rulings=rulings)


def _paired(opened: Sequence[CheckReport | _Given]) -> list[CheckReport | _Given]:
    """Put each POGDDL problem together with the domain before it, or else the first one."""
    from fogspiel.rules.pogddl.text_parts import Part, parts_of

    parts = [
        Part.NONE if isinstance(game, CheckReport) else parts_of(game.rules.text) for game in opened
    ]
    domains = [index for index, part in enumerate(parts) if part is Part.DOMAIN]
    paired = list(opened)
    taken: set[int] = set()
    for index, part in enumerate(parts):
        problem = opened[index]
        if part is not Part.PROBLEM or isinstance(problem, CheckReport) or not domains:
            continue
        chosen = max((at for at in domains if at < index), default=domains[0])
        domain = opened[chosen]
        assert not isinstance(domain, CheckReport)
        taken.add(chosen)
        sources = domain.rules.sources + problem.rules.sources
        paired[index] = _Given(f"{domain.name} + {problem.name}", Rules(sources))
    return _with_games([game for index, game in enumerate(paired) if index not in taken])


def _with_games(given: Sequence[CheckReport | _Given]) -> list[CheckReport | _Given]:
    """Put each methods file together with the game before it, if there is one."""
    from fogspiel.plan.language.reading import is_methods

    found: list[CheckReport | _Given] = []
    game: Rules | None = None
    for one in given:
        if isinstance(one, CheckReport) or not is_methods(one.rules.text):
            game = None if isinstance(one, CheckReport) else one.rules
            found.append(one)
        else:
            found.append(replace(one, beside=game))
    return found


def _check(
    game: _Given, *, ground_seconds: float | None, playouts: int | None, seed: int
) -> CheckReport:
    """Read, check, ground and audit one game, as far as it goes."""
    from fogspiel.plan.language.reading import is_methods
    from fogspiel.rules.languages import examine

    if is_methods(game.rules.text):
        return _check_methods(game)
    try:
        findings, sound = examine(game.rules.sources)
    except FogspielError as error:
        return _unread(game.name, error)
    audit = None
    too_large: list[Finding] = []
    if sound is not None and ground_seconds is not None:
        too_large = _ground_findings(sound.program, ground_seconds)
        findings += too_large
    if sound is not None and playouts is not None:
        try:
            loaded = game.rules.load(engine="reference" if too_large else "auto")
            audit = loaded.audit(playouts, seed=seed)
            findings += audit.findings
        except FogspielError as error:
            findings += error.findings
    return CheckReport(name=game.name, findings=tuple(findings), audit=audit)


def _check_methods(methods: _Given) -> CheckReport:
    """Read a methods file, with the words of its game if that can be loaded."""
    from fogspiel.plan.games.relations import game_vocabulary
    from fogspiel.plan.language.reading import read_network

    try:
        words = game_vocabulary(methods.beside.load().machine) if methods.beside else None
        findings = read_network(methods.rules.sources[0], vocabulary=words)[1]
    except FogspielError as error:
        return _unread(methods.name, error)
    return CheckReport(name=methods.name, findings=tuple(findings))


def _ground_findings(program: Program, seconds: float) -> list[Finding]:
    """A warning where grounding passes the limits: the game can be played all the same."""
    from fogspiel.ground.program import ground

    try:
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


def _unread(name: str, error: FogspielError) -> CheckReport:
    return CheckReport(name=name, findings=error.findings, error=error)
