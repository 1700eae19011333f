"""Players that are found in files: each file is run in a process of its own, under limits.

Whatever a file does is told as an error of it, and the others are looked at all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fogspiel.core.findings import Finding
from fogspiel.play.isolated.fork_server import ForkServer
from fogspiel.play.isolated.isolated_agent import IsolatedAgent
from fogspiel.play.referee import PlayerFaultError
from fogspiel.players.catalogue import make_player
from fogspiel.players.own import players_in
from fogspiel.players.protocol import Agent

PASSED_OVER = ("_", ".", "test_", "conftest.", "setup.")
"""Beginnings of the names of files that hold no players, and of folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlayer:
    """A player class of a file, or why there is none."""

    file: str  #: The path of the file, from the folder that was searched
    player: str | None  #: The name of the class; None where the file tells of none
    error: Finding | None  #: Why it cannot be made; None for a player that can
    trace: tuple[str, ...] = ()  #: The lines of the file that led to the error


def files_of_players(folder: Path) -> list[str]:
    """The files in Python of a folder, and of the folders in it, from there and in order."""
    found = [path.relative_to(folder) for path in (*folder.glob("*.py"), *folder.glob("*/*.py"))]
    return sorted(
        path.as_posix()
        for path in found
        if not any(part.startswith(PASSED_OVER) for part in path.parts)
    )


def find_players(
    server: ForkServer, folder: Path, files: Sequence[str]
) -> Iterator[list[FoundPlayer]]:
    """The players of each file, one file after the other; an error where there are none.

    files: as paths from the folder.
    """
    for file in files:
        path = str(folder / file)
        names, error, trace = _tried(server, file, partial(players_in, path))
        if error is not None:
            yield [FoundPlayer(file=file, player=None, error=error, trace=trace)]
            continue
        assert isinstance(names, list)
        made: list[FoundPlayer] = []
        for name in map(str, names):
            make = partial(make_player, f"{path}:{name}")
            _, error, trace = _tried(server, f"{file}:{name}", make)
            made.append(FoundPlayer(file=file, player=name, error=error, trace=trace))
        yield made


def _tried(
    server: ForkServer, name: str, make: Callable[[], Agent | list[str]]
) -> tuple[object, Finding | None, tuple[str, ...]]:
    """What comes of making something in a process, or the error with its lines."""
    agent = IsolatedAgent(name, make, server=server, load=None)
    try:
        return agent.prepare(), None, ()
    except PlayerFaultError as error:
        return None, error.findings[0], error.fault.trace
    finally:
        with suppress(PlayerFaultError):
            agent.end()
