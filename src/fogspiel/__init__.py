"""Fogspiel: general game playing under hidden information.

Names are imported when they are first used, so that `import fogspiel` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fogspiel._version import __version__

if TYPE_CHECKING:
    from fogspiel.core.findings import FogspielError
    from fogspiel.games.library import bundled_games
    from fogspiel.games.load import load, load_source

__all__ = ["FogspielError", "__version__", "bundled_games", "load", "load_source"]

_HOMES = {
    "FogspielError": "fogspiel.core.findings",
    "bundled_games": "fogspiel.games.library",
    "load": "fogspiel.games.load",
    "load_source": "fogspiel.games.load",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fogspiel' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
