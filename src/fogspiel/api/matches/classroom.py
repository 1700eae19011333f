"""A class of students: a folder of files with players, each tried alone, then a tournament."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Self, final

from fogspiel.api.matches.match import Match
from fogspiel.api.matches.playing import clocks_of, play_match
from fogspiel.api.matches.tournament import Tournament
from fogspiel.api.matches.tournament_results import OnPlayed
from fogspiel.core.findings import Finding, UsageError
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.isolated.fork_server import shared_server
from fogspiel.play.isolated.found_players import FoundPlayer, files_of_players, find_players
from fogspiel.play.referee import Fault
from fogspiel.play.tournament.plan import DEFAULT_FORMAT
from fogspiel.play.tournament.plan_reading import limits_of

if TYPE_CHECKING:
    from fogspiel.api.game import Game

BASELINE = "random"
"""The player that all are tried against, and that takes part in the tournament."""
MOST_POSITIONS = 12  #: Faults of one player that are told with their positions


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A player of a class as it was found, or a file without one."""

    name: str  #: The name under which it enters: that of its file or folder
    file: str  #: The path of its file, from the folder of the class
    player: str | None  #: The name of its class; None where the file tells of none
    error: Finding | None  #: Why it does not take part; None for one that does
    trace: tuple[str, ...] = ()  #: The lines of its file that led to the error
    payoff: float | None = None
    """Its mean payoff against `random`, one match in each role; None if it does not take part."""
    faults: tuple[FaultPosition, ...] = ()  #: Its faults in these matches


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPosition:
    """A fault of a player, with what it could know when that happened."""

    match: str  #: The match: its number in the tournament, or the trial
    players: Mapping[str, str]  #: The player of every role
    role: str  #: The role that the player had
    step: int  #: The number of the step, from 1; 0 is getting ready
    kind: str  #: `timeout`, `illegal_move`, `parsing_error` or `error`
    text: str  #: What was answered, or what happened
    trace: tuple[str, ...]  #: The lines of the player's file that led to it
    view: tuple[str, ...]
    """What the player did and saw before, a text for each step: `(mark 1 1); saw (taken 2 2)`."""
    legal: tuple[str, ...]  #: The legal moves
    played: str | None  #: The legal move that was made instead; None for getting ready


@final
class Classroom:
    r"""A class of students' players in one game: tried, played against each other, reported.

    Every file is run in a process of its own, under limits, and so is every player in every match:
    nothing of it runs in this process. `random` takes part as well, to be compared with.

    >>> from pathlib import Path
    >>> Path("students").mkdir()
    >>> calm = "class Calm(fogspiel.Player):\n    def choose(self, view, legal, clock):\n"
    >>> text = "import fogspiel\n\n" + calm + "        return legal[0]\n"
    >>> size = Path("students/ann.py").write_text(text)
    >>> size = Path("students/bob.py").write_text("import fogspeil\n")
    >>> room = fs.Classroom("students", "kuhn_poker", simulations=1)
    >>> [(one.name, one.player, one.error is None) for one in room.submissions]
    [('ann', 'Calm', True), ('bob', None, False)]
    """

    def __init__(
        self,
        folder: str | Path,
        game: str | Path | Game,
        *,
        format: str = DEFAULT_FORMAT,
        rounds: int | None = None,
        repetitions: int = 1,
        seconds: float | None = None,
        simulations: int | None = None,
        start_seconds: float | None = None,
        seed: int = 0,
        limits: Mapping[str, float] | None = None,
        journal: str | Path | None = None,
    ) -> None:
        """The class of a folder; files are looked at when they are first asked for.

        folder: files of players in Python, one for each student or a folder for each.
        game: a bundled name, a member of a family, a rule file, or a game that was loaded.
        format, rounds, repetitions: of the tournament, as `Tournament` has them.
        seconds, simulations, start_seconds: the clock, as `Tournament` has it.
        seed: of everything that is left to chance.
        limits: on every player: `memory_mb`, `load_seconds` and `move_seconds`, as `Tournament` has
        them.
        journal: the file that results are kept in; by default they last as long as this object.
        Raises `UsageError` MAT004 for two clocks, TOU018 for a folder without files in Python.
        """
        from fogspiel.api.game import Game
        from fogspiel.api.load import load

        self.folder: Path = Path(folder)  #: The folder of the class
        self.game: Game = game if isinstance(game, Game) else load(game)
        """The game that is played."""
        self.clocks: MatchClocks = clocks_of(seconds, simulations, start_seconds)
        """The clock of all matches."""
        self.seed: int = seed  #: The seed of everything that is left to chance
        self.limits: Mapping[str, float] = dict(limits or {})
        """The limits on every player that are not the usual ones."""
        self._limits = limits_of(self.limits)
        self._files = files_of_players(self.folder)
        if not self._files:
            raise no_players(self.folder, "it has no files in Python")
        self._format, self._rounds, self._repetitions = format, rounds, repetitions
        self._journal = journal
        self._simulations, self._seconds, self._start = simulations, seconds, start_seconds

    @cached_property
    def submissions(self) -> tuple[Submission, ...]:
        """All players that were found, and files without one: tried against `random`."""
        found = list(find_players(shared_server(self._limits), self.folder, self._files))
        return tuple(map(self._tried, _named(found)))

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players that take part, `random` left out."""
        return tuple(one.name for one in self.submissions if one.error is None)

    @cached_property
    def tournament(self) -> Tournament:
        """The tournament of all players that can be made. Raises `UsageError` TOU018 for none."""
        entries = {
            one.name: {"player": f"{one.file}:{one.player}"}
            for one in self.submissions
            if one.error is None
        }
        if not entries:
            raise no_players(self.folder, "no file has a player that can be made")
        return Tournament(
            self.game,
            entries | {BASELINE: {"player": BASELINE}},
            name=self.folder.resolve().name or "class",
            format=self._format,
            rounds=self._rounds,
            repetitions=self._repetitions,
            seconds=self._seconds,
            simulations=self._simulations,
            start_seconds=self._start,
            seed=self.seed,
            keep_records=True,
            folder=self.folder,
            journal=self._journal,
            limits=self.limits,
        )

    def play(
        self, *, jobs: int = 1, resume: bool = True, on_played: OnPlayed | None = None
    ) -> Self:
        """Play all matches. Returns the class itself.

        jobs, resume, on_played: as `Tournament.play` has them.
        Raises `UsageError` TOU018 where nobody can play, and otherwise as `Tournament.play`.

        >>> room.play().tournament.results.played
        2
        """
        self.tournament.play(jobs=jobs, resume=resume, on_played=on_played)
        return self

    def faults(self, player: str) -> tuple[FaultPosition, ...]:
        """The first faults of a player in the tournament, each with its position.

        The same fault in a position that looks the same is told once.

        player: the name under which it takes part.
        Raises `UsageError` PLY002 for another name.

        >>> room.faults("ann")
        ()
        """
        if player not in self.players:
            raise UsageError.of(
                "PLY002",
                f"no player of the class is named {player!r}",
                fix=f"those that take part are {', '.join(self.players) or 'none'}",
            )
        return self._faults.get(player, ())

    def document(self) -> dict[str, Any]:
        """Everything as one document of plain values, as `standings.json` holds it.

        >>> sorted(room.document())
        ['clock', 'format', 'game', 'limits', 'results', 'seed', 'submissions']
        """
        from fogspiel.api.matches.class_reports import class_document

        return class_document(self)

    def write(self, folder: str | Path) -> list[Path]:
        """Write standings and a report for each player. Returns: the files.

        folder: for `standings.md`, `standings.json`, and `reports`, where each player has a page
        and a document that tell what it could know, and nothing else of its matches.

        >>> [path.name for path in room.write("results")]
        ['standings.md', 'standings.json', 'ann.md', 'ann.json', 'bob.md', 'bob.json']
        """
        from fogspiel.api.matches.class_reports import write_reports

        return write_reports(self, Path(folder))

    @cached_property
    def _faults(self) -> Mapping[str, tuple[FaultPosition, ...]]:
        found: dict[str, list[FaultPosition]] = {name: [] for name in self.players}
        for played in self.tournament.results.matches:
            wanted = [
                (role, name)
                for role, name in played.players.items()
                if name in found and played.faults[role] and len(found[name]) < MOST_POSITIONS
            ]
            if wanted and played.failed is None:
                match = self.tournament.match(played.number)
                for role, name in wanted:
                    positions = positions_of(match, role, f"match {played.number + 1}")
                    known = {_what(own) for own in found[name]}
                    found[name] += [own for own in positions if _what(own) not in known]
        return {name: tuple(own[:MOST_POSITIONS]) for name, own in found.items()}

    def _tried(self, one: Submission) -> Submission:
        """A player with its matches against `random`, one in each role."""
        if one.error is not None:
            return one
        word, roles = f"{(self.folder / one.file).resolve()}:{one.player}", self.game.players
        payoffs: list[float] = []
        faults: list[FaultPosition] = []
        for number, role in enumerate(roles):
            match = play_match(
                self.game,
                [word if other == role else BASELINE for other in roles],
                seconds=self._seconds,
                simulations=self._simulations,
                start_seconds=self._start,
                seed=self.seed + number,
                on_fault="replace",
                isolate=self._limits,
            )
            payoffs.append(match.payoffs[role])
            faults += positions_of(match, role, f"trial as {role} against {BASELINE}")
        return Submission(
            name=one.name,
            file=one.file,
            player=one.player,
            error=None,
            payoff=sum(payoffs) / len(payoffs),
            faults=tuple(faults[:MOST_POSITIONS]),
        )

    def __repr__(self) -> str:
        return f"Classroom({str(self.folder)!r}, {self.game.name!r}, {len(self._files)} files)"


def positions_of(match: Match, role: str, name: str) -> list[FaultPosition]:
    """The faults of a role in a match, with what the role could know. name: of the match."""
    return [_position(match, role, name, step, fault) for step, fault in match.faults[role]]


def _what(own: FaultPosition) -> tuple[object, ...]:
    """What tells a fault from others of its player."""
    return own.role, own.view, own.kind, own.text


def _position(match: Match, role: str, name: str, step: int, fault: Fault) -> FaultPosition:
    before = match.game.history(match.history.joints[: max(0, step - 1)])
    view = before.view(role)
    told = []
    for own in view.steps:
        seen = ", ".join(own.sees)
        told.append(f"{own.move}; saw {seen}" if seen else str(own.move))
    return FaultPosition(
        match=name,
        players=dict(match.players),
        role=role,
        step=step,
        kind=str(fault.kind),
        text=fault.text,
        trace=fault.trace,
        view=tuple(told),
        legal=tuple(map(str, before.legal[role])) if step else (),
        played=str(match.steps[step - 1].moves[role]) if step else None,
    )


def _named(found: Sequence[Sequence[FoundPlayer]]) -> list[Submission]:
    """Players under names that tell them apart: of their file, or of the folder that it is in."""
    paths = [PurePosixPath(players[0].file) for players in found]
    folders = Counter(str(path.parent) for path in paths)
    named: list[Submission] = []
    taken = {BASELINE}
    for path, players in zip(paths, found, strict=True):
        is_alone = len(path.parts) > 1 and folders[str(path.parent)] == 1
        plain = str(path.parent) if is_alone else str(path.with_suffix(""))
        for own in players:
            wanted = plain if len(players) == 1 else f"{plain}.{own.player}"
            others = (f"{wanted}-{number}" for number in count(2))
            name = next(known for known in chain((wanted, own.file), others) if known not in taken)
            taken.add(name)
            named.append(
                Submission(
                    name=name, file=own.file, player=own.player, error=own.error, trace=own.trace
                )
            )
    return named


def no_players(folder: Path, why: str) -> UsageError:
    """The error for a folder in which nobody can play."""
    return UsageError.of(
        "TOU018",
        f"{folder} is no class: {why}",
        fix="name a folder with files such as ann.py, each with a class derived from "
        "fogspiel.Player",
    )
