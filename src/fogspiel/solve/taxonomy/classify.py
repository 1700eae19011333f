"""Richards' taxonomy: does a game have dominant strategies, a pure equilibrium, or only mixed ones?

Source: Richards (2012), chapter 5. The class decides which way to decide at a single point can be
optimal: with dominant strategies no model of the opponent is needed (section 5.3), with a pure
equilibrium a model and a search suffice (section 5.4), and otherwise no evaluation of single
positions can do without mixing, which takes a linear program (section 5.5).
Departures: the class is found by computation. What is out of reach is said to be unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fogspiel.solve.result import Strategy, action_starts, uniform
from fogspiel.solve.sequence_form import sequence_game
from fogspiel.solve.strategy_value import best_response
from fogspiel.solve.taxonomy.dominance import Dominance, Dominant, dominant_strategy
from fogspiel.solve.taxonomy.pure_equilibrium import PureEquilibrium, pure_equilibrium
from fogspiel.solve.treeplex import joined, treeplex
from fogspiel.tree.game_tree import GameTree


class GameClass(Enum):
    """The strongest kind of equilibrium that a game has."""

    DOMINANT = "dominant"
    PURE = "pure"
    MIXED = "mixed"
    UNKNOWN = "unknown"

    @property
    def procedure(self) -> str:
        """Which way to decide fits, after Richards (2012), chapter 5."""
        return _PROCEDURES[self]


_PROCEDURES = {
    GameClass.DOMINANT: "evaluate each action by itself; no model of the others is needed",
    GameClass.PURE: "search against a model of the others; nobody needs to mix",
    GameClass.MIXED: "mix actions by a linear program or by regrets; any pure choice can be used",
    GameClass.UNKNOWN: "treat it as a game that needs mixing: that is never wrong, only slower",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Taxonomy:
    """Where a game stands, with reasons."""

    game_class: GameClass
    dominant: tuple[Dominant, ...]
    """Of each player."""
    pure: PureEquilibrium


def taxonomy(tree: GameTree, *, seed: int = 0, seconds: float = 10.0) -> Taxonomy:
    """The class of a game of any number of players.

    seconds: for each of the programs with whole numbers that may be needed, four at most.
    """
    dominant = _dominant(tree, seed, seconds)
    if all(own.behaviour is not None for own in dominant):
        pure = PureEquilibrium(
            exists=True,
            reason="every player has a dominant strategy",
            strategy=_profile(tree, dominant),
        )
        return Taxonomy(game_class=GameClass.DOMINANT, dominant=dominant, pure=pure)
    pure = pure_equilibrium(tree, seed=seed, seconds=seconds)
    return Taxonomy(game_class=_class(dominant, pure), dominant=dominant, pure=pure)


def _class(dominant: tuple[Dominant, ...], pure: PureEquilibrium) -> GameClass:
    """The strongest kind, or unknown if a stronger one than what was found may exist."""
    if pure.exists is False:
        return GameClass.MIXED
    none = any(own.kind is Dominance.NONE for own in dominant)
    return GameClass.PURE if pure.exists and none else GameClass.UNKNOWN


def _dominant(tree: GameTree, seed: int, seconds: float) -> tuple[Dominant, ...]:
    count = len(tree.players)
    if count == 1:
        best = treeplex(tree.infosets, 1).behaviour(best_response(tree, uniform(tree), 0).strategy)
        alone = "one player decides alone: what is best is best"
        return (Dominant(kind=Dominance.WEAK, reason=alone, behaviour=best),)
    if count == 2:
        game = sequence_game(tree)
        return tuple(
            dominant_strategy(game, player, seed=seed, seconds=seconds) for player in (0, 1)
        )
    reason = f"dominance is looked for in games of two players, and {count} play"
    return (Dominant(kind=Dominance.UNKNOWN, reason=reason),) * count


def _profile(tree: GameTree, dominant: tuple[Dominant, ...]) -> Strategy:
    behaviours = [own.behaviour for own in dominant if own.behaviour is not None]
    return joined(action_starts(tree.infosets), behaviours)
