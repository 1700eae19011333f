"""Fogspiel: general game playing under hidden information.

    import fogspiel as fs
    game = fs.load("kuhn_poker")
    game.begin().play(random="(deal queen)")

Names are imported when they are first used, so that `import fogspiel` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fogspiel._version import __version__

if TYPE_CHECKING:
    from fogspiel.api import ggp
    from fogspiel.api.analysis.analysis import Analysis
    from fogspiel.api.analysis.comparison import Comparison, compare
    from fogspiel.api.analysis.playout_report import PlayoutReport
    from fogspiel.api.analysis.responses import Response
    from fogspiel.api.belief import Belief
    from fogspiel.api.game import Game
    from fogspiel.api.histories import Histories
    from fogspiel.api.history import History
    from fogspiel.api.load import load, read
    from fogspiel.api.matches.classroom import Classroom
    from fogspiel.api.matches.match import Match
    from fogspiel.api.matches.player import Clock, Player
    from fogspiel.api.matches.series import Series
    from fogspiel.api.matches.tournament import Tournament
    from fogspiel.api.names import Move, Percept, Role
    from fogspiel.api.rules.check import CheckReport
    from fogspiel.api.rules.info import GameInfo
    from fogspiel.api.rules.listings import (
        available_players,
        finding_codes,
        game_families,
        leaf_evaluations,
    )
    from fogspiel.api.rules.rules import Rules
    from fogspiel.api.searching import planning
    from fogspiel.api.searching import search_parts as parts
    from fogspiel.api.solution import Solution
    from fogspiel.api.solving import solvers
    from fogspiel.api.state import State
    from fogspiel.api.strategy import Strategy
    from fogspiel.api.tree import Tree
    from fogspiel.api.view import View
    from fogspiel.core.findings import (
        Finding,
        FogspielError,
        LimitError,
        PlayError,
        RulesError,
        Severity,
        UsageError,
    )
    from fogspiel.games.library import GameEntry, bundled_games
    from fogspiel.games.python_game import PythonGame

__all__ = [
    "Analysis",
    "Belief",
    "CheckReport",
    "Classroom",
    "Clock",
    "Comparison",
    "Finding",
    "FogspielError",
    "Game",
    "GameEntry",
    "GameInfo",
    "Histories",
    "History",
    "LimitError",
    "Match",
    "Move",
    "Percept",
    "PlayError",
    "Player",
    "PlayoutReport",
    "PythonGame",
    "Response",
    "Role",
    "Rules",
    "RulesError",
    "Series",
    "Severity",
    "Solution",
    "State",
    "Strategy",
    "Tournament",
    "Tree",
    "UsageError",
    "View",
    "__version__",
    "available_players",
    "bundled_games",
    "compare",
    "finding_codes",
    "game_families",
    "ggp",
    "leaf_evaluations",
    "load",
    "parts",
    "planning",
    "read",
    "solvers",
]

_HOMES = {
    "Analysis": "fogspiel.api.analysis.analysis",
    "Belief": "fogspiel.api.belief",
    "CheckReport": "fogspiel.api.rules.check",
    "Classroom": "fogspiel.api.matches.classroom",
    "Clock": "fogspiel.api.matches.player",
    "Comparison": "fogspiel.api.analysis.comparison",
    "Finding": "fogspiel.core.findings",
    "FogspielError": "fogspiel.core.findings",
    "Game": "fogspiel.api.game",
    "GameEntry": "fogspiel.games.library",
    "GameInfo": "fogspiel.api.rules.info",
    "Histories": "fogspiel.api.histories",
    "History": "fogspiel.api.history",
    "LimitError": "fogspiel.core.findings",
    "Match": "fogspiel.api.matches.match",
    "Move": "fogspiel.api.names",
    "Percept": "fogspiel.api.names",
    "PlayError": "fogspiel.core.findings",
    "Player": "fogspiel.api.matches.player",
    "PlayoutReport": "fogspiel.api.analysis.playout_report",
    "PythonGame": "fogspiel.games.python_game",
    "Response": "fogspiel.api.analysis.responses",
    "Role": "fogspiel.api.names",
    "Rules": "fogspiel.api.rules.rules",
    "RulesError": "fogspiel.core.findings",
    "Series": "fogspiel.api.matches.series",
    "Severity": "fogspiel.core.findings",
    "Solution": "fogspiel.api.solution",
    "State": "fogspiel.api.state",
    "Strategy": "fogspiel.api.strategy",
    "Tournament": "fogspiel.api.matches.tournament",
    "Tree": "fogspiel.api.tree",
    "UsageError": "fogspiel.core.findings",
    "View": "fogspiel.api.view",
    "available_players": "fogspiel.api.rules.listings",
    "bundled_games": "fogspiel.games.library",
    "compare": "fogspiel.api.analysis.comparison",
    "finding_codes": "fogspiel.api.rules.listings",
    "game_families": "fogspiel.api.rules.listings",
    "leaf_evaluations": "fogspiel.api.rules.listings",
    "load": "fogspiel.api.load",
    "read": "fogspiel.api.load",
    "solvers": "fogspiel.api.solving",
}

_NAMESPACES = {
    "ggp": "fogspiel.api.ggp",
    "parts": "fogspiel.api.searching.search_parts",
    "planning": "fogspiel.api.searching.planning",
}
"""Names for modules that hold what only some users need."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES and name not in _NAMESPACES:
        raise AttributeError(f"module 'fogspiel' has no attribute {name!r}")
    from importlib import import_module

    if name in _NAMESPACES:
        return import_module(_NAMESPACES[name])
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
