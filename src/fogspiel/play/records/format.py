"""Records of matches as they are written: one JSON document a line, as `docs/records.md` describes.

The first line says which match it is, the next how players got ready, then comes a line for each
step, and the last one tells how the match ended. A record without its last line is that of a match
which broke off. Moves and percepts are terms in prefix notation.
"""

from __future__ import annotations

import json
import re
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from fogspiel._version import __version__
from fogspiel.core.findings import FogspielError, UsageError
from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.referee import Fault, Step
from fogspiel.rules.sexpr import exact_text

FORMAT = "fogspiel match"
VERSION = 1
MILLISECONDS = 3  #: Digits of seconds that are kept
SUFFIX = ".jsonl"
UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
"""Characters that names of games may hold, and names of files should not."""

WriteLine = Callable[[str], object]  #: Takes one line, with its end


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHeading:
    """The first line: which match it is. Its fields are those of the document, in this order."""

    match: str  #: The name of the match, unique to whoever made it
    game: str  #: A bundled name, or that of a file
    rules: str  #: The digest of the rules: `solve/files/strategy_file.rules_digest`
    roles: tuple[str, ...]  #: All roles, in the order of the rules
    chance: str | None  #: The role that is chance
    players: Mapping[str, str]  #: The players of all roles but chance
    seed: int
    clocks: MatchClocks
    goal_scale: int  #: Goals are divided by it
    began: str  #: The time at which the match began, in ISO form, in UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class StartLine:
    """The line that tells how players got ready."""

    seconds: Mapping[str, float]
    faults: Mapping[str, Fault]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """The line of one step."""

    number: int
    moves: tuple[str, ...]  #: The moves of all roles, in their order
    percepts: Mapping[str, tuple[str, ...]]  #: The percepts of each role but chance
    seconds: Mapping[str, float]
    faults: Mapping[str, Fault]
    at: float  #: Seconds since the match began


@dataclass(frozen=True, slots=True, kw_only=True)
class EndLine:
    """The last line: goals, or the reason why there are none."""

    goals: tuple[int, ...] | None
    aborted: str | None
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A whole record."""

    heading: RecordHeading
    start: StartLine | None
    steps: tuple[StepLine, ...]
    end: EndLine | None


def heading_for(
    machine: Machine,
    *,
    match: str,
    game: str,
    rules: str,
    players: Mapping[RoleId, str],
    seed: int,
    clocks: MatchClocks,
) -> RecordHeading:
    """The heading of a match that begins now."""
    roles, chance = machine.roles, machine.chance_role
    return RecordHeading(
        match=match,
        game=game,
        rules=rules,
        roles=tuple(roles),
        chance=None if chance is None else roles[chance],
        players={roles[role]: name for role, name in players.items()},
        seed=seed,
        clocks=clocks,
        goal_scale=machine.goal_scale,
        began=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )


def heading_document(heading: RecordHeading) -> dict[str, Any]:
    """The heading as it is written."""
    clocks = asdict(heading.clocks)
    del clocks["grace_seconds"]
    written = {"format": FORMAT, "version": VERSION, "fogspiel": __version__}
    return written | asdict(heading) | {"clocks": clocks}


@dataclass(slots=True)
class Recorder:
    """Writes a match down while it is played, line by line: what is written stays written.

    Implements `MatchObserver`.
    """

    machine: Machine
    heading: RecordHeading
    write: WriteLine
    _began: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        """Write the heading."""
        self._line("match", heading_document(self.heading))

    def start(
        self, seconds: Mapping[RoleId, float], faults: Mapping[RoleId, Fault] | None = None
    ) -> None:
        """Players are ready, or failed to be."""
        faults = faults or {}
        self._line("start", {"seconds": self._rounded(seconds), "faults": self._faults(faults)})

    def step(self, step: Step) -> None:
        """A step was made."""
        machine, roles = self.machine, self.machine.roles
        playing = [RoleId(r) for r in range(len(roles)) if r != machine.chance_role]
        moves = [exact_text(machine.move_term(RoleId(r), m)) for r, m in enumerate(step.joint)]
        percepts = {
            roles[role]: sorted(
                exact_text(machine.percept_term(role, percept)) for percept in step.percepts[role]
            )
            for role in playing
        }
        document = {
            "step": step.number,
            "moves": moves,
            "percepts": percepts,
            "seconds": self._rounded(step.seconds),
            "faults": self._faults(step.faults),
            "at": self._at(),
        }
        self._line("step", document)

    def end(self, goals: tuple[int, ...]) -> None:
        """The match is over."""
        self._line("end", {"goals": list(goals), "aborted": None, "at": self._at()})

    def abort(self, why: str) -> None:
        """The match does not go on."""
        self._line("end", {"goals": None, "aborted": why, "at": self._at()})

    def _at(self) -> float:
        return round(monotonic() - self._began, MILLISECONDS)

    def _rounded(self, seconds: Mapping[RoleId, float]) -> dict[str, float]:
        roles = self.machine.roles
        return {roles[role]: round(spent, MILLISECONDS) for role, spent in seconds.items()}

    def _faults(self, faults: Mapping[RoleId, Fault]) -> dict[str, Any]:
        return {self.machine.roles[role]: _plain(fault) for role, fault in faults.items()}

    def _line(self, kind: str, document: Mapping[str, Any]) -> None:
        text = json.dumps({"line": kind, **document}, ensure_ascii=False, allow_nan=False)
        self.write(text + "\n")


def _plain(fault: Fault) -> dict[str, Any]:
    """A fault as it is written; most have no lines of code to show."""
    document = {"kind": fault.kind, "text": fault.text}
    return document | ({"trace": list(fault.trace)} if fault.trace else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFolder:
    """A folder for the records of one game, one file a match, written while it is played."""

    folder: Path
    game: str
    rules: str  #: The digest of the rules
    clocks: MatchClocks

    def path(self, number: int) -> Path:
        """The file of a match; matches are numbered from 1."""
        plain = UNSAFE.sub("_", Path(self.game).stem).strip("_") or "game"
        return self.folder / f"{plain}-{number:04}{SUFFIX}"

    def refuse_present(self, matches: int) -> None:
        """Raise `UsageError` MAT013 where a record would be written over, or none can be."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError.of(
                "MAT013",
                f"records cannot be written to {self.folder}: {error.strerror}",
                fix="give another folder",
            ) from None
        for path in map(self.path, range(1, matches + 1)):
            if path.exists():
                raise UsageError.of(
                    "MAT013",
                    f"there is a record {path} already",
                    fix="give another folder, or move the records away",
                )

    @contextmanager
    def recorder(
        self, machine: Machine, *, number: int, players: Mapping[RoleId, str], seed: int
    ) -> Iterator[Recorder]:
        """Writes one match. Each line is handed to the system at once: it outlives this process."""
        path = self.path(number)
        heading = heading_for(
            machine,
            match=f"{path.stem}-{seed}",
            game=self.game,
            rules=self.rules,
            players=players,
            seed=seed,
            clocks=self.clocks,
        )
        with path.open("x", encoding="utf-8", buffering=1, newline="\n") as file:
            recorder = Recorder(machine, heading, file.write)
            try:
                yield recorder
            except BaseException as error:
                recorder.abort(_reason(error))
                raise


def _reason(error: BaseException) -> str:
    if isinstance(error, FogspielError):
        return error.findings[0].message
    interrupted = isinstance(error, KeyboardInterrupt | CancelledError)
    return "interrupted" if interrupted else type(error).__name__
