"""All players by name, with the source of each and the games that it fits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fogspiel.core.findings import UsageError
from fogspiel.core.registry import Registry
from fogspiel.core.user_code import load_object, names_beside
from fogspiel.players.auto import AutoPlayer
from fogspiel.players.names import HUMAN, player_name
from fogspiel.players.own import installed_players, loaded, own_agent
from fogspiel.players.planning.tignum import TIGNUM
from fogspiel.players.protocol import Agent, PlayerEntry
from fogspiel.players.search_arguments import adapted, argument_of
from fogspiel.players.searching.beam import BeamPlayer
from fogspiel.players.searching.entries import HIDDEN_KINDS
from fogspiel.players.searching.parts import PartsPlayer
from fogspiel.players.searching.search_player import SearchPlayer, Setup
from fogspiel.players.simple import SCRIPTED, FirstPlayer, RandomPlayer
from fogspiel.players.solving.entries import SOLVING_KINDS
from fogspiel.search.evaluation.leaf import ARGUMENT
from fogspiel.search.mcts import algorithms

UCT_PLAYOUTS, UCT_TOGETHER = 10, 256
"""Playouts of `uct` from each leaf, and simulations under way at once. Compared with 4 and 4,096
they fill as many lanes, while fewer simulations select moves before others have returned: at a
tenth of a second a move this scores 81 of 100 in hex, 83 in connect four and 67 in othello."""


def make_player(name: str) -> Agent:
    """An agent by the name of its player, as `names` has the grammar.

    Raises `UsageError` PLY002 for an unknown name, PLY003 for a person, PLY021 for an argument that
    cannot be used, and for a class of one's own what `own_agent` does.
    """
    if name == HUMAN:
        raise UsageError.of(
            "PLY003",
            "a person can only play by `fogspiel play`, in one role",
            fix="use `fogspiel play GAME --as ROLE --against PLAYER`",
        )
    parts = player_name(name, ALL_PLAYERS)
    if parts.code is not None:
        return own_agent(load_object(str(parts.code), what="player"), parts.arguments)
    arguments = parts.arguments
    if parts.name not in ALL_PLAYERS:
        installed = installed_players()
        if parts.name in installed:
            return own_agent(loaded(installed[parts.name]), arguments)
        others = [own for own in installed if own not in ALL_PLAYERS]
        ALL_PLAYERS.find(parts.name, typed=name, also=others, meant=names_beside(parts.name))
    entry = ALL_PLAYERS[parts.name]
    agent = entry.make(arguments)
    arguments.refuse_rest(entry.argument or f"just {entry.name}: it takes no argument")
    return agent


def is_own(name: str) -> bool:
    """Whether a name is that of somebody's own code: of a class, or of an installed package."""
    parts = player_name(name, ALL_PLAYERS)
    is_installed = parts.name not in ALL_PLAYERS and parts.name in installed_players()
    return parts.code is not None or is_installed


def player_from(name: str, folder: Path) -> str:
    """The name of a player whose file is meant from a folder, to be made anywhere."""
    parts = player_name(name, ALL_PLAYERS)
    entry = ALL_PLAYERS.get(parts.name)
    return parts.within(folder, takes_file=entry is not None and entry.takes_file)


def _searching(
    name: str, setup: Setup, *, what: str, details: str = "", source: str, fits: str
) -> PlayerEntry:
    """A player by a search whose settings arguments may change."""
    return PlayerEntry(
        name=name,
        what=what,
        details=details,
        source=source,
        fits=fits,
        make=lambda arguments: SearchPlayer(adapted(setup, arguments)),
        argument=argument_of(setup),
    )


UCT = Setup(
    algorithm=replace(algorithms.UCT, together=UCT_TOGETHER),
    advice="visits",
    playouts=UCT_PLAYOUTS,
)

PLAYERS = Registry(
    "player",
    "PLY002",
    (
        PlayerEntry(
            name="auto",
            what="chooses the player that fits the game",
            details="It explores the game and its size first.",
            source="Fogspiel",
            fits="every game",
            make=lambda arguments: AutoPlayer(make_player, arguments),
            argument=f"{ARGUMENT}, if the chosen player simulates",
        ),
        PlayerEntry(
            name="random",
            what="plays uniformly at random",
            source="baseline",
            fits="every game",
            make=lambda _: RandomPlayer(),
        ),
        PlayerEntry(
            name="first",
            what="plays the first legal move, in the order of the rules",
            source="for tests",
            fits="every game",
            make=lambda _: FirstPlayer(),
        ),
        _searching(
            "uct",
            UCT,
            what="searches the tree of states by UCT, with ten playouts per leaf",
            source="Kocsis & Szepesvari (2006)",
            fits="games of perfect information",
        ),
        _searching(
            "sm-uct",
            Setup(algorithm=algorithms.SIMULTANEOUS_UCT, advice="values"),
            what="searches by UCT for simultaneous moves",
            details="It tries all joint moves of a state before it selects by confidence bounds, "
            "runs one playout per leaf, and finally plays the move with the best mean.",
            source="Shafiei (2010), algorithm 1",
            fits="simultaneous moves that all roles see, where a pure strategy is good enough",
        ),
        _searching(
            "sm-exp3",
            Setup(algorithm=algorithms.SIMULTANEOUS_EXP3, advice="average"),
            what="searches with EXP3 for every player in each state",
            details="It plays the average strategy of the search.",
            source="Auer et al. (2002); Teytaud & Flory (2011)",
            fits="simultaneous moves that all roles see",
        ),
        _searching(
            "sm-rm",
            Setup(algorithm=algorithms.SIMULTANEOUS_MATCHING, advice="average"),
            what="searches with regret matching for every player in each state",
            details="It plays the average strategy of the search.",
            source="Hart & Mas-Colell (2000); Lanctot, Lisy & Winands (2013)",
            fits="simultaneous moves that all roles see",
        ),
        _searching(
            "tiigr",
            Setup(algorithm=algorithms.UCT, advice="values"),
            what="searches possible states by UCT, as if nothing were hidden",
            source="Edelkamp, Federholzner & Kissmann (2012); Cerny (2014), section 6.1",
            fits="hidden information, where hiding or gathering information does not pay",
        ),
        _searching(
            "ismcts",
            Setup(algorithm=algorithms.ISMCTS, advice="visits"),
            what="searches the information sets of all players by UCT",
            details="This is multiple-observer information set Monte Carlo tree search.",
            source="Cowling, Powley & Whitehouse (2012)",
            fits="hidden information",
        ),
        _searching(
            "so-ismcts",
            Setup(algorithm=algorithms.SINGLE_OBSERVER_ISMCTS, advice="visits"),
            what="searches its own information sets by UCT",
            details="This is single-observer information set Monte Carlo tree search.",
            source="Cowling, Powley & Whitehouse (2012)",
            fits="hidden information, where opponents know no more than the player",
        ),
        PlayerEntry(
            name="parts",
            what="solves independent parts of a game by plans or Grundy numbers",
            details="Other games it plays as uct does, but ignores the fluents and moves that "
            "affect neither the goals nor the end of the game.",
            source="Guenther, Schiffel & Thielscher (2009); Sprague (1935), Grundy (1939)",
            fits="games with independent parts: one player, or sums of impartial games",
            make=lambda arguments: PartsPlayer(adapted(UCT, arguments)),
            argument=argument_of(UCT),
        ),
        PlayerEntry(
            name="beam",
            what="looks for the best line of moves by beam search of growing width",
            details="Other games it plays as parts does.",
            source="Lowerre (1976); Mehat & Cazenave (2010); Cazenave (2012)",
            fits="puzzles: one player without chance",
            make=lambda arguments: BeamPlayer(adapted(UCT, arguments)),
            argument=argument_of(UCT),
        ),
        *HIDDEN_KINDS,
        *SOLVING_KINDS,
    ),
)
"""Players of every game."""
ALL_PLAYERS = Registry("player", "PLY002", (*PLAYERS.values(), SCRIPTED, TIGNUM))
"""All players, with those that need a file written for a game."""
