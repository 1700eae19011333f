"""Files of positions: joint moves, what a player did and saw, or the record of a match."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fogspiel.api.history import History
from fogspiel.api.matches.match import Match
from fogspiel.api.view import View
from fogspiel.belief.positions import read_history, read_position
from fogspiel.core.findings import UsageError
from fogspiel.rules.gdl.read import read_file

if TYPE_CHECKING:
    from fogspiel.api.game import Game

LONGEST_HEADING = 1 << 20  #: Bytes of a first line that are looked at


@dataclass(frozen=True, slots=True)
class SavedPosition:
    """What a file tells of a game: what a player did and saw, and perhaps all that happened."""

    view: View
    history: History | None  #: None where the file holds only what the player did and saw


def open_position(
    path: str | Path, game: Game, role: str, *, step: int | None = None
) -> SavedPosition:
    """Read a file of joint moves, of what a role did and saw, or of a match.

    path: a file that `History.save`, `View.save` or `Match.save` wrote, or one of that form.
    role: the player whose view is wanted.
    step: the number of steps to go; all of them by default.
    Raises `UsageError` BEL003 for a file of another form, GAM002 for one that cannot be read,
    MAT014 for a step that it does not have, and `PlayError` for moves and percepts that cannot be;
    for records as `Match.open`.

        open_position("seen.json", fogspiel.load("kuhn_poker"), "first").view.belief()
    """
    player = game.vocabulary.player(role)
    history = _history_of_record(Path(path), game, step)
    if history is None:
        found = read_position(read_file(Path(path)), game.machine, player.id)
        if found.joints is None:
            _refuse_step(step, len(found.observations))
            return SavedPosition(View(game, player, found.observations[:step]), None)
        _refuse_step(step, len(found.joints))
        history = game.history(found.joints[:step])
    return SavedPosition(history.view(player), history)


def open_history(path: str | Path, game: Game, *, step: int | None = None) -> History:
    """Read a file of joint moves, or of a match; `History.open` says more."""
    history = _history_of_record(Path(path), game, step)
    if history is not None:
        return history
    joints = read_history(read_file(Path(path)), game.machine)
    _refuse_step(step, len(joints))
    return game.history(joints[:step])


def _history_of_record(path: Path, game: Game, step: int | None) -> History | None:
    """The history of a match, replayed; None for a file that is no record of one."""
    if not _is_record(path):
        return None
    match = Match.open(path, game)
    _refuse_step(step, len(match))
    return match.histories[len(match) if step is None else step]


def _is_record(path: Path) -> bool:
    """Whether the first line is that of a record. A file that cannot be read is none."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(LONGEST_HEADING))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("line") == "match"


def _refuse_step(step: int | None, steps: int) -> None:
    """Raise an error for a step that is not there; `History` numbers them from 1."""
    if step is not None and not 0 <= step <= steps:
        raise UsageError.of(
            "MAT014",
            f"the file has no step {step}",
            fix=f"its steps are 1 to {steps}, and 0 is the start",
        )


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
