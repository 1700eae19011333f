"""A tournament as a whole: its plan, the rules of its games, and its matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from fogspiel.core.findings import Finding, FogspielError
from fogspiel.play.tournament.formats import schedule_of
from fogspiel.play.tournament.journal import Journal, no_journal, other_plan, read_journal
from fogspiel.play.tournament.plan import (
    GameRules,
    LoadRules,
    PlayerPlan,
    ReadRules,
    SendableRules,
    TournamentPlan,
    canonical_text,
    plan_of_canonical,
)
from fogspiel.play.tournament.plan_reading import read_plan
from fogspiel.play.tournament.schedule import PlayedMatch, Schedule, ScheduledMatch, fingerprint
from fogspiel.players.names import player_name

SUFFIX = ".db"  #: Names of journals end with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """What is to be played."""

    plan: TournamentPlan
    games: Mapping[str, GameRules]  #: The rules by name, in the order of the plan
    schedule: Schedule
    folder: Path = field(default_factory=Path)  #: The folder from which files are meant

    @property
    def rules(self) -> list[GameRules]:
        """The rules of all games, in the order of the plan."""
        return list(self.games.values())

    @property
    def fingerprint(self) -> str:
        """The hash of plan, rules and schedule, by which journals know it."""
        return fingerprint(canonical_text(self.plan, self.rules), self.schedule.settled(()))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerAssignment:
    """What a process must know to play matches of a tournament."""

    plan: TournamentPlan
    games: Mapping[str, GameRules]
    load: LoadRules
    folder: Path = field(default_factory=Path)  #: The folder from which players' files are meant
    allow_remote: bool = False  #: Whether players may be on other machines


PlayMatches = Callable[[Sequence[ScheduledMatch]], Iterator[list[PlayedMatch]]]
"""Plays matches in any order, and hands over what is done, as soon as it is."""


def read_tournament(path: Path, read_rules: ReadRules, sendable: SendableRules) -> Tournament:
    """The tournament of a file. Raises what reading the plan and the rules raises, and TOU004-5."""
    plan, folder = read_plan(path), path.absolute().parent
    return tournament_of(plan, folder, read_rules, sendable)


def tournament_of(
    plan: TournamentPlan, folder: Path, read_rules: ReadRules, sendable: SendableRules
) -> Tournament:
    """The tournament of a plan, whose files are meant from a folder. Raises as `read_tournament`.

    Players get the digest of their code as it is now.
    """
    plan = replace(plan, players=tuple(_with_code(player, folder) for player in plan.players))
    games = {name: _read(name, folder, read_rules) for name in plan.games}
    if plan.urls:
        games = {name: sendable(rules) for name, rules in games.items()}
    schedule = schedule_of(plan, list(games.values()))
    return Tournament(plan=plan, games=games, schedule=schedule, folder=folder)


def tournament_in(path: Path, folder: Path) -> Tournament:
    """The tournament of a journal. folder: from which files of players are meant.

    Raises `UsageError` TOU008 for what is no journal, or is damaged.
    """
    with read_journal(path) as journal:
        text = journal.plan_text
    try:
        plan, games = plan_of_canonical(text)
        schedule = schedule_of(plan, games)
    except FogspielError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError):
        raise no_journal(path, "the plan in it cannot be read") from None
    return Tournament(
        plan=plan, games={own.name: own for own in games}, schedule=schedule, folder=folder
    )


def journal_in(path: Path) -> Path:
    """The journal that is meant: a file, or the only one in a folder. Raises as `read_journal`."""
    if not path.is_dir():
        return path
    found = sorted(path.glob(f"*{SUFFIX}"))
    if len(found) != 1:
        names = ", ".join(own.name for own in found[:5])
        raise no_journal(path, f"there are several in it, {names}" if found else "it holds none")
    return found[0]


def run_matches(
    tournament: Tournament,
    journal: Journal,
    play: PlayMatches,
    on_kept: Callable[[Sequence[PlayedMatch]], None] = lambda _: None,
) -> None:
    """Play what the journal does not hold yet, as far as results settle it, until all is played.

    on_kept: told of results after they are on the disk, and never before.
    Raises `UsageError` TOU007 where the journal holds matches that these results do not lead to.
    """
    results = {result.number: result for result in journal.results()}
    while True:
        settled = tournament.schedule.settled(list(results.values()))
        if any(
            match.number in results and results[match.number].players != match.players
            for match in settled
        ):
            raise other_plan(journal.path)
        missing = [match for match in settled if match.number not in results]
        if not missing:
            return
        for batch in play(missing):
            journal.add(batch)
            results.update({played.result.number: played.result for played in batch})
            on_kept(batch)


def _with_code(player: PlayerPlan, folder: Path) -> PlayerPlan:
    """A player with the digest of its file: with other code, it is another player.

    A file that cannot be read is nobody's; whoever makes the player says so.
    """
    player = replace(player, code=None)
    code = None if player.player is None else player_name(player.player).code
    if code is None or not code.is_file:
        return player
    try:
        text = Path(code.within(folder).place).read_bytes()
    except OSError:
        return player
    return replace(player, code=sha256(text).hexdigest())


def _read(name: str, folder: Path, read_rules: ReadRules) -> GameRules:
    try:
        return read_rules(name, folder)
    except FogspielError as error:
        raise type(error)([_in_plan(name, finding) for finding in error.findings]) from None


def _in_plan(name: str, finding: Finding) -> Finding:
    """Findings about a text name it themselves."""
    if finding.source is not None:
        return finding
    return replace(finding, message=f"games: {name!r}: {finding.message}")
