"""Files of histories and views: JSON documents of joint moves, or of what a player did and saw."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fogspiel.api.history import History
from fogspiel.api.view import View
from fogspiel.belief.positions import read_history, read_position
from fogspiel.rules.gdl.read import read_file

if TYPE_CHECKING:
    from fogspiel.api.game import Game


@dataclass(frozen=True, slots=True)
class SavedPosition:
    """What a file tells of a game: what a player did and saw, and perhaps all that happened."""

    view: View
    history: History | None  #: None where the file holds only what the player did and saw


def open_position(path: str | Path, game: Game, role: str) -> SavedPosition:
    """Read a file of joint moves, or of what a role did and saw.

    path: a file that `History.save` or `View.save` wrote, or one of that form.
    role: the player whose view is wanted.
    Raises `UsageError` BEL003 for a file of another form, GAM002 for one that cannot be read, and
    `PlayError` for moves and percepts that cannot be.

        open_position("seen.json", fogspiel.load("kuhn_poker"), "first").view.belief()
    """
    player = game.vocabulary.player(role)
    found = read_position(read_file(Path(path)), game.machine, player.id)
    if found.joints is None:
        return SavedPosition(View(game, player, found.observations), None)
    history = game.history(found.joints)
    return SavedPosition(history.view(player), history)


def open_history(path: str | Path, game: Game) -> History:
    """Read a file of joint moves; `History.open` says more."""
    return game.history(read_history(read_file(Path(path)), game.machine))


def save_history(history: History, path: str | Path) -> None:
    """Write the joint moves of a history, in the order of the roles."""
    joints = [list(map(str, step.values())) for step in history.moves]
    _write({"joints": joints}, path)


def save_view(view: View, path: str | Path) -> None:
    """Write what a player did and saw."""
    steps = [{"move": str(s.move), "percepts": list(map(str, s.sees))} for s in view.steps]
    _write({"sightings": steps}, path)


def _write(document: dict[str, object], path: str | Path) -> None:
    Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8", newline="\n")
