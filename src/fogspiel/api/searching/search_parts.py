"""Parts of tree searches, to be combined anew: `fogspiel.parts`.

    algorithm = fogspiel.parts.Algorithm(keys="knowledge", rule=fogspiel.parts.RegretMatching(0.05))
    game.begin().view("first").search(algorithm, simulations=10_000)

An algorithm says by what decisions are found, how they choose, and who learns. `View.search` runs
it from any position, and `Searcher` plays by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

import numba
import numpy as np

from fogspiel.api.matches.player import Clock, Player
from fogspiel.api.names import Move
from fogspiel.api.searching.search_report import ALGORITHMS, algorithm_of, leaves_of
from fogspiel.api.state import State
from fogspiel.api.strategy import Mixed
from fogspiel.api.view import View
from fogspiel.players.protocol import Agent
from fogspiel.players.searching.search_player import SearchPlayer, Setup
from fogspiel.search.evaluation.evaluations import evaluation as evaluation_of
from fogspiel.search.mcts.algorithms import MIXING_RULES, Algorithm
from fogspiel.search.mcts.kernels import backup, selection
from fogspiel.search.mcts.kernels.decisions import CHOSEN, MEAN
from fogspiel.search.mcts.kernels.selection import (
    BestWorth,
    EagerUcb,
    Exp3,
    JointUcb,
    OutcomeSampling,
    RegretMatching,
    Ucb,
)

if TYPE_CHECKING:
    from fogspiel.api.game import Game

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "BestWorth",
    "EagerUcb",
    "Exp3",
    "JointUcb",
    "OutcomeSampling",
    "RegretMatching",
    "Searcher",
    "Ucb",
    "evaluation",
    "selection_rule",
]

_Function = TypeVar("_Function", bound=Callable[..., int])

AS_FOR_BOUNDS = (
    selection.headers,
    selection.moves_at_new,
    selection.prepare,
    selection.forced,
    backup.met,
    backup.is_back,
    backup.opened,
    backup.learn,
)
"""Parts of the kernels that a rule of one's own shares with upper confidence bounds."""


def selection_rule(settings: type) -> Callable[[_Function], _Function]:
    """A decorator: the function chooses a move at each decision of a search.

    The function is compiled into the search by Numba, so that a rule of one's own is as fast as
    those of Fogspiel. It takes the settings; (moves,) the number of simulations that made each
    move; (moves,) the mean value of each, from 0 to 1, for the player who chooses; and a random
    number from 0 to 1. It returns the place of a move. An object of the settings is then a rule of
    an `Algorithm`. Machine code is compiled anew in each process, which takes some seconds.
    settings: a `NamedTuple`, whose fields are numbers.
    Returns: the decorator, which leaves the function as it is.

    >>> from typing import NamedTuple
    >>> class Greedy(NamedTuple):
    ...     epsilon: float
    >>> @fs.parts.selection_rule(Greedy)
    ... def greedy(rule, visits, means, draw):
    ...     return int(draw / rule.epsilon * len(means)) if draw < rule.epsilon else means.argmax()
    >>> fs.parts.Algorithm(keys="state", rule=Greedy(0.1)).rule
    Greedy(epsilon=0.1)
    """

    def registered(function: _Function) -> _Function:
        chosen = numba.njit(function)

        @selection.choose.of(settings)
        def _choose(rule, rows, block, first, count, uniform, learns):  # type: ignore[no-untyped-def]
            moves = rows[first : first + count]
            place = chosen(rule, moves[:, CHOSEN], moves[:, MEAN], uniform)
            return first + min(max(place, 0), count - 1), 1.0, 1.0

        for part in AS_FOR_BOUNDS:
            part.of(settings)(part.bodies[Ucb])
        return function

    if not (isinstance(settings, type) and issubclass(settings, tuple)):
        raise TypeError(f"the settings of a rule are a class, a NamedTuple; got {settings!r}")
    return registered


class Searcher(Player):
    """A player that searches by an algorithm of one's own.

    It keeps its tree from step to step, and uses its clock as the searching players of Fogspiel do.
    Objects are made once and play any number of matches.

    >>> own = fs.parts.Algorithm(keys="knowledge", rule=fs.parts.EagerUcb(1.0))
    >>> player = fs.parts.Searcher(own)
    >>> fs.load("kuhn_poker").match(player, "random", simulations=100, seed=1).over
    True
    """

    def __init__(
        self,
        algorithm: str | Algorithm,
        *,
        final: Literal["visits", "values", "average"] | None = None,
        evaluation: str | None = None,
        playouts: int = 1,
    ) -> None:
        """The player of an algorithm.

        algorithm: a name of `fogspiel.parts.ALGORITHMS`, or parts combined anew.
        final: the move that is made in the end: the most visited, the one of the best mean, or a
        draw from the average strategy; by default the first, and the last for rules that mix.
        evaluation: the name of a leaf evaluation; leaves are played out at random without one.
        playouts: random playouts of each simulation, whose mean is learnt.
        Raises `UsageError` SEA005 for a search that is unknown or cannot begin in any position.
        """
        self.algorithm: Algorithm = algorithm_of(algorithm)  #: The combination of parts
        mixes = isinstance(self.algorithm.rule, MIXING_RULES)
        self.setup = Setup(
            algorithm=self.algorithm,
            advice=final or ("average" if mixes else "visits"),
            leaves=leaves_of(evaluation),
            playouts=playouts,
        )
        """How the search goes on from move to move."""

    def choose(self, view: View, legal: Sequence[Move], clock: Clock) -> str | Mixed:
        """The move of a new search from a view.

        view: what the role did and saw.
        legal: the legal moves.
        clock: the time that is left.
        Returns: a legal move, or probabilities of legal moves.
        """
        report = view.search(
            self.algorithm, seconds=clock.portion(0.9).seconds_left, simulations=clock.simulations
        )
        return report.strategy if self.setup.advice == "average" else report.best

    def agent(self) -> Agent:
        """The player as matches take it."""
        return SearchPlayer(self.setup)


def evaluation(game: Game, name: str) -> Callable[[State], dict[str, float]]:
    """A leaf evaluation as a function: estimated payoffs of a state without playing on.

    game: the game.
    name: `fogspiel.leaf_evaluations` lists them.
    Returns: a function from a state to the estimated payoff of each player.
    Raises `UsageError` SEA002 for an unknown name, `PlayError` SEA001 where gates are needed and
    the machine has none.

    >>> game = fs.load("tic_tac_toe")
    >>> mobility = fs.parts.evaluation(game, "mobility")
    >>> sorted(mobility(game.begin().state))
    ['o', 'x']
    """
    value = evaluation_of(game.machine, name)

    def estimated(state: State) -> dict[str, float]:
        goals = np.asarray(value(state.bits[None, :]), np.float64)[0]
        return {role: game.payoff_of_goal(float(goals[role.id])) for role in game.players}

    return estimated
