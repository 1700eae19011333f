"""Shell completion: the names that a word on the command line may be continued to.

Click writes the script for the shell and asks these functions for each word; docs/command-line.md
says how to install it. Where a file may stand as well, the shell completes its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import click
from click.shell_completion import CompletionItem

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
Meanings: TypeAlias = Iterable[tuple[str, str]]
"""Names, each with what it means."""

RULE_FILES = frozenset({".gdl", ".kif", ".gdli", ".pogddl", ".efg", ".py"})
"""Suffixes of files that may stand for a game."""
PLAYER_FILES = frozenset({".py"})
WITH_FILES = CompletionItem("", type="file")
"""Asks the shell to complete names of files. Bash forgets what came before it: it comes first."""
AUTO_METHOD = ("auto", "chooses by the kind and the size of the game")


def completing(names: Callable[[], Meanings]) -> Completer:
    """Completion to one of these names, which are looked up when somebody asks."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return _going_on(incomplete, names())

    return complete


def complete_game(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Bundled games, and files."""
    return [WITH_FILES, *_going_on(incomplete, bundled_names(), RULE_FILES)]


def complete_player(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Players, evaluations behind the colon of a player, and files."""
    from fogspiel import leaf_evaluations

    player, colon, _ = incomplete.partition(":")
    if colon and not player.endswith(".py"):
        evaluations = ((f"{player}:{own.name}", own.what) for own in leaf_evaluations())
        return [WITH_FILES, *_going_on(incomplete, evaluations)]
    return [WITH_FILES, *_going_on(incomplete, player_names(), PLAYER_FILES)]


def bundled_names() -> Meanings:
    """Names and titles of the bundled games."""
    from fogspiel import bundled_games

    return [(entry.name, entry.title) for entry in bundled_games().values()]


def player_names() -> Meanings:
    """Names of players, with what each does."""
    from fogspiel import available_players

    return [(player.name, player.what) for player in available_players()]


def solver_names() -> Meanings:
    """Names of methods that solve games, with what each is."""
    from fogspiel import solvers

    return [AUTO_METHOD, *((method.name, method.what) for method in solvers().values())]


def belief_method_names() -> Meanings:
    """Names of methods that find histories, with what each is."""
    from fogspiel.api.rules.listings import belief_methods

    return [(method.name, method.what) for method in belief_methods()]


def code_names() -> Meanings:
    """Codes of findings with their titles."""
    from fogspiel import finding_codes

    return [(entry.code, entry.title) for entry in finding_codes().values()]


def _going_on(
    incomplete: str, names: Meanings, suffixes: frozenset[str] = frozenset()
) -> list[CompletionItem]:
    """The names that begin with what was typed, in whatever case.

    suffixes: of files that are named as well. Where there is a name, bash looks for no files.
    """
    typed = incomplete.lower()
    found = [
        CompletionItem(name, help=meaning)
        for name, meaning in names
        if name.lower().startswith(typed)
    ]
    files = sorted(Path().glob("*")) if found and suffixes else []
    return found + [
        CompletionItem(file.name)
        for file in files
        if file.suffix in suffixes and file.name.startswith(incomplete)
    ]
