"""Games from the cache, to be compared with games that were made anew."""

from __future__ import annotations

from pathlib import Path

from fogspiel.core.packing import Record, packed
from fogspiel.games.load import LoadedGame
from fogspiel.machine.compiled.machine import CompiledMachine

SMALL = "tic_tac_toe"


def content(game: LoadedGame) -> bytes:
    """All gates, terms and registers of a game, but not how long it took to make them."""
    assert isinstance(game.machine, CompiledMachine)
    record = game.machine.game.record()
    return packed(Record({**record.plain, "seconds": 0, "ground_seconds": 0}, record.arrays))


def the_same(game: LoadedGame, other: LoadedGame) -> bool:
    told = [
        (own.name, own.sources, own.language, own.hides, own.findings, own.fallback, own.entry,
         own.limits, own.unit, own.machine.roles, own.machine.chance_role, own.machine.goal_scale)
        for own in (game, other)
    ]  # fmt: skip
    return told[0] == told[1] and content(game) == content(other)


def entry_of(folder: Path) -> Path:
    """The only file of a cache."""
    (entry,) = folder.iterdir()
    return entry
