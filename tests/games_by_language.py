"""The bundled games of a language, for tests that run over all of them."""

from __future__ import annotations

from fogspiel.games.library import bundled_games


def games_in(language: str) -> list[str]:
    """The names of the bundled games that are written in a language, sorted."""
    return sorted(name for name, entry in bundled_games().items() if entry.language == language)
