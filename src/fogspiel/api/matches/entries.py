"""Games and players of a tournament, from what programs name them by to what plans hold.

Matches are played in other processes. Games go there as the text of their rules, and players as
names by which any process can make them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from inspect import getsourcefile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fogspiel.api.matches.player import Player
from fogspiel.core.findings import UsageError
from fogspiel.core.user_code import code_name
from fogspiel.core.values import Unit
from fogspiel.games.library import bundled_games, game_source
from fogspiel.games.python_game import PythonGame
from fogspiel.play.tournament.plan import GameRules, TournamentPlan
from fogspiel.play.tournament.tournament import Tournament, WorkerAssignment, tournament_of

if TYPE_CHECKING:
    from fogspiel.api.game import Game

MOST_GAMES = 4  #: Games that are kept, to show several of their matches
FILES_OF_USERS = "fogspiel.core.user_code."  #: Modules that are made of users' files

AnyGame: TypeAlias = "str | Path | Game"
"""A bundled name, a member of a family, a rule file, or a game that was loaded."""
AnyEntry: TypeAlias = "str | type[Player] | Mapping[str, object]"
"""A player's name (`uct`, `bots.py:Cautious`), a class of one's own that stands in a file, or a
table of `name`, `player`, `simulations`, `url` and `dialect`, as plans have it."""


def game_names(games: Iterable[AnyGame]) -> list[str]:
    """The names of games in the plan."""
    return [str(game) if isinstance(game, str | Path) else game.name for game in games]


def loaded_rules(games: Iterable[AnyGame]) -> dict[str, GameRules]:
    """The rules of those games that were loaded, by name.

    Raises `UsageError` GAM004 for a game without rules as text.
    """
    return {game.name: _rules_of(game) for game in games if not isinstance(game, str | Path)}


def player_tables(players: Iterable[AnyEntry] | Mapping[str, AnyEntry]) -> list[dict[str, Any]]:
    """The tables of players, as plans have them. Raises `TypeError` for what is no player."""
    if isinstance(players, Mapping):
        return [{**_table(entry), "name": name} for name, entry in players.items()]
    return [_table(entry) for entry in players]


def planned_of(plan: TournamentPlan, folder: Path, given: Mapping[str, GameRules]) -> Tournament:
    """The tournament of a plan, whose files are meant from a folder.

    given: the rules of games that need not be read. Raises what reading rules raises.
    """
    from fogspiel.games.load import read_rules
    from fogspiel.games.send import sendable_rules

    return tournament_of(
        plan,
        folder,
        lambda name, place: given.get(name) or read_rules(name, place),
        lambda rules: rules if rules.gdl is not None else sendable_rules(rules),
    )


def assignment_of(planned: Tournament, *, allow_remote: bool) -> WorkerAssignment:
    """What the processes that play a tournament must know."""
    from fogspiel.games.load import load_rules

    return WorkerAssignment(
        plan=planned.plan,
        games=planned.games,
        load=load_rules,
        folder=planned.folder,
        allow_remote=allow_remote,
    )


@lru_cache(maxsize=MOST_GAMES)
def game_of(rules: GameRules) -> Game:
    """The game of these rules, loaded again; the last ones are kept."""
    from fogspiel.api.game import Game
    from fogspiel.games.load import load_python, load_sources

    if isinstance(rules.python, PythonGame):
        return Game(load_python(rules.python, name=rules.name))
    return Game(load_sources(rules.sources, entry=bundled_games().get(rules.name)))


def name_of_player(player: str | type[Player]) -> str:
    """The name by which any process makes a player. Raises `TypeError` for what is no player."""
    if isinstance(player, str):
        return str(player)
    if isinstance(player, type) and issubclass(player, Player):
        return place_of(player)
    raise TypeError(
        "other processes take players by name, or as classes of fogspiel.Player; got "
        f"{type(player).__name__}: {str(player)[:60]}"
    )


def unit_of(rules: GameRules) -> Unit | None:
    """The unit of the goals of a machine; None where goals are payoffs.

    The unit of a bundled game holds for its own rules alone, not for a translation of them.
    """
    entry = bundled_games().get(rules.name)
    if entry is None or entry.unit is None:
        return None
    bundled = game_source(rules.name).text
    return entry.unit if [source.text for source in rules.sources] == [bundled] else None


def _rules_of(game: Game) -> GameRules:
    from fogspiel.games.load import python_rules

    loaded = game.loaded
    if loaded.python is not None:
        refuse_hidden(type(loaded.python))
        return python_rules(loaded.python, game.name)
    if not loaded.sources:
        raise UsageError.of(
            "GAM004",
            f"the game {game.name} has no rules as text, which a tournament sends to the "
            "processes that play",
            fix="load it by its name or from a file",
        )
    roles = tuple(str(role) for role in game.players)
    return GameRules(name=game.name, sources=loaded.sources, roles=roles, hides=loaded.hides)


def _table(entry: object) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"player": str(entry)}
    if isinstance(entry, Mapping):
        return dict(entry)
    if isinstance(entry, type) and issubclass(entry, Player):
        return {"player": place_of(entry), "name": entry.__name__}
    raise TypeError(
        "a tournament takes players by name, as classes of fogspiel.Player, or as tables with "
        f"name and player; got {type(entry).__name__}: {str(entry)[:60]}"
    )


def refuse_hidden(own: type) -> None:
    """Raise `ValueError` for a class that other processes cannot find by its name."""
    if own.__module__ == "__main__" or not own.__qualname__.isidentifier():
        raise ValueError(
            f"{own.__qualname__} is defined where other processes cannot find it; "
            f"put it at the top level of a file of its own, and name it as "
            f"'FILE.py:{own.__name__}'"
        )


def place_of(player: type[Player]) -> str:
    """The name by which any process finds a class: `package.module:Class` or `FILE.py:Class`."""
    module, name = player.__module__, player.__qualname__
    word = f"{module}:{name}"
    refuse_hidden(player)
    if module.startswith(FILES_OF_USERS) or code_name(word) is None:
        word = f"{getsourcefile(player)}:{name}"
    return word
