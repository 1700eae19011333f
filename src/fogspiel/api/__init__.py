"""The public objects, in the words of game theory; `fogspiel` offers them by name.

Rooms below count roles and moves and keep states as rows of bits. Here roles, moves and percepts
are strings, payoffs are in the unit of the game, and every object leads to the next: a game to its
histories, a history to the views of players, a view to a belief.

Pictures and adapters stand above this room, since they show these objects or pass them on. Objects
find them here, by name, when they are first asked for; nothing else calls upward.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

ABOVE = {
    "state": "fogspiel.draw.board:state_text",
    "tournament": "fogspiel.draw.report.tournament_page:tournament_page",
}
"""What rooms above make of public objects: by its name, the function as `module:name`."""


def from_above(name: str) -> Callable[..., Any]:
    """The function of a room above this one, imported when it is first asked for."""
    module, _, function = ABOVE[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
