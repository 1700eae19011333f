"""A folder of records, one file a match, written while the match is played."""

from __future__ import annotations

import re
from asyncio import CancelledError
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fogspiel.core.findings import FogspielError, UsageError
from fogspiel.core.ids import RoleId
from fogspiel.machine.protocol import Machine
from fogspiel.play.clocks import MatchClocks
from fogspiel.play.records.format import Recorder, heading_for

SUFFIX = ".jsonl"
UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
"""What names of games may hold, and names of files should not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFolder:
    """Where the matches of one game are written."""

    folder: Path
    game: str
    rules: str
    """The digest of the rules."""
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
                f"records cannot be written to {self.folder}: {error.strerror!s}",
                fix="give another folder",
            ) from None
        for number in range(1, matches + 1):
            if self.path(number).exists():
                raise UsageError.of(
                    "MAT013",
                    f"there is a record {self.path(number)} already",
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
