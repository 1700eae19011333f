"""Limits of the house as data: which room may import which, and how full a room may be."""

from __future__ import annotations

LAYERS = (
    "core",
    "rules",
    "ground",
    "machine",
    "belief",
    "tree",
    "solve",
    "search",
    "plan",
    "players",
    "play",
    "games",
    "cases",
    "api",
    "draw",
    "lab",
    "cli",
)
"""Rooms from the bottom up. A room imports from itself and from those before it.

`games` stands above `machine` because loading a game is the whole pipeline in one call.
"""

CALLS_UPWARD = {"fogspiel.api"}
"""The one module that names modules of rooms above its own, for lazy imports."""

KNOW_ONE_ANOTHER = "fogspiel.api."
"""Modules whose objects lead to one another: a history has views, a view a belief, a belief
histories. Only here may modules take part in a cycle, by imports for types and inside functions."""

WAIST = ("compiled", "interpreter", "prover", "python")
"""Engines inside `machine`, known above it by the protocol alone."""
PAST_THE_WAIST = {"machine", "lab"}
"""Rooms that may look at an engine: its own, and the one that measures."""
CHOOSES_ENGINES = {
    "fogspiel.games.load",
    "fogspiel.games.making",
    "fogspiel.games.python_classes",
    "fogspiel.games.python_game",
}
"""Modules outside those rooms that make an engine."""

MAX_MODULES = 520
MAX_MODULES_IN_A_FOLDER = 16
MAX_LINES = 350
"""Lines of a Python file; a longer one says why in its docstring, in a line that opens with
`Length:`."""
MIN_LINES = 60
"""Lines of a module; a shorter one belongs to its neighbour, protocols and entry points aside."""
SHORT_MODULES = {"protocol", "__main__", "_version"}

MAX_FILES_OF_ONE_NAME = 2
REPEATED_NAMES = {"read", "write", "syntax", "checks", "machine", "protocol"}
"""File names that every language or engine may have."""
SYNTAX_OF_LANGUAGES = "fogspiel.rules."
"""Classes for the syntax of different languages may share their names: `And`, `Not`, `Atom`."""
SHORT_NAMES = "fogspiel.api."
"""The room of the public objects, which have the short names: `Match`, `Belief`. Rooms below may
use the same names for what these objects are made of."""
NAMED_BY_GAME = "fogspiel.games.families."
"""File names there are names of games."""

PUBLIC_ROOMS = ("api", "draw", "cases", "lab")
"""Rooms whose modules the command line, examples and snippets of the documentation may import,
besides `fogspiel` itself."""
BACK_DOORS = {"loaded", "vocabulary"}
"""Attributes of public objects that lead to other rooms without an import."""
