"""Parts of tree searches, to be combined anew: `fogspiel.parts`.

    algorithm = fogspiel.parts.Algorithm(keys="knowledge", rule=fogspiel.parts.RegretMatching(0.05))
    game.begin().view("first").search(algorithm, simulations=10_000)

An algorithm says by what decisions are found, how they choose, and who learns. `View.search` runs
it from any position, and `Searcher` plays by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

import numba
import numpy as np

from fogspiel.api.matches.player import Clock, Player
from fogspiel.api.names import Move, meant
from fogspiel.api.state import State
from fogspiel.api.strategy import Mixed
from fogspiel.api.view import View
from fogspiel.belief.methods import make_belief
from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import MoveId
from fogspiel.machine.knowledge import knowledge_of
from fogspiel.players.protocol import Agent
from fogspiel.players.searching.search_player import SearchPlayer, Setup
from fogspiel.search.evaluation.evaluations import evaluation as evaluation_of
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation, leaf_evaluation_of
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts import algorithms
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
from fogspiel.search.mcts.roots import belief_roots, with_key
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import MoveStatistics, root_statistics

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


DEFAULT_SIMULATIONS = 1_000  #: Simulations where nobody gives a number or a time

ALGORITHMS = {
    "uct": algorithms.UCT,
    "sm-uct": algorithms.SIMULTANEOUS_UCT,
    "sm-exp3": algorithms.SIMULTANEOUS_EXP3,
    "sm-rm": algorithms.SIMULTANEOUS_MATCHING,
    "ismcts": algorithms.ISMCTS,
    "so-ismcts": algorithms.SINGLE_OBSERVER_ISMCTS,
    "shodan": algorithms.SHODAN,
    "norns": algorithms.NORNS,
}
"""Published searches by the names of their players, as combinations of parts."""
KEYS = ("state", "knowledge", "observer", "past")
"""Keys that need nothing but the game and the observations of the searching role."""
OWN_KEYS = ("observer", "past")  #: Keys made of the searching role's own knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReport:
    """What a search says of the moves of a player. `View.search` makes one.

    Where decisions are found by states, moves are averaged over the possible states.

    >>> game = fs.load("tic_tac_toe")
    >>> report = game.begin().view("x").search("uct", simulations=2000, seed=1)
    >>> report.best, report.simulations
    (Move('(mark 2 2)'), 2000)
    """

    view: View = field(repr=False)  #: The view that was searched from
    algorithm: Algorithm = field(repr=False)  #: The combination of parts
    simulations: int  #: Simulations that were made
    visits: dict[Move, int]  #: Simulations that made each move, the most frequent first
    values: dict[Move, float]
    """The mean payoff after each move in the unit of the game; empty for rules that mix."""
    strategy: dict[Move, float]
    """The average strategy of rules that mix; the shares of the visits for all others."""

    @property
    def best(self) -> Move:
        """The move that is played most."""
        return max(self.strategy, key=lambda move: self.strategy[move])


def search_view(
    view: View,
    algorithm: str | Algorithm = "ismcts",
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    evaluation: str | None = None,
    playouts: int = 1,
    seed: int = 0,
) -> SearchReport:
    """Search from a view; `View.search` says what the arguments mean."""
    combined, leaves = algorithm_of(algorithm), leaves_of(evaluation)
    if playouts < 1:
        raise ValueError(f"a simulation has at least 1 playout; got {playouts}")
    if seconds is None and simulations is None:
        simulations = DEFAULT_SIMULATIONS
    machine, role = view.game.machine, view.role.id
    belief = make_belief("auto", machine, role)
    for observation in view.observations:
        belief.advance(observation)
    roots = belief_roots(belief, seed, with_knowledge=combined.needs_knowledge)
    if combined.keys in OWN_KEYS:
        roots = with_key(roots, role, knowledge_of(machine, role, view.observations))
    search = Search(machine, role, combined, seed=seed, leaves=leaves, playouts=playouts)
    search.run(roots, Budget.of(seconds=seconds, simulations=simulations))
    return _report(view, search, list(root_statistics(search, roots, role)))


def _report(
    view: View, search: Search, decisions: Sequence[tuple[float, MoveStatistics]]
) -> SearchReport:
    """The report of a search.

    decisions: those of the player in the roots, each with its probability.
    """
    machine, role = search.machine, view.role.id
    visits, sums, strategy = (np.zeros(machine.move_count(role)) for _ in range(3))
    mixes = isinstance(search.algorithm.rule, MIXING_RULES)
    for share, found in decisions:
        visits[found.moves] += found.visits
        sums[found.moves] += found.visits * found.means
        shares = found.average if mixes else found.visits / max(1.0, found.visits.sum())
        strategy[found.moves] += share * shares
    scale, name = value_scale(machine), view.game.vocabulary.move
    order = [MoveId(at) for at in np.argsort(-visits, kind="stable").tolist() if visits[at] > 0.0]
    goals = scale.low + scale.spread * sums / np.maximum(visits, 1.0)
    return SearchReport(
        view=view,
        algorithm=search.algorithm,
        simulations=search.simulations,
        visits={name(role, move): int(visits[move]) for move in order},
        values={}
        if mixes
        else {name(role, move): view.game.payoff_of_goal(float(goals[move])) for move in order},
        strategy={name(role, move): float(strategy[move]) for move in order},
    )


def algorithm_of(algorithm: str | Algorithm) -> Algorithm:
    """The combination of parts that is meant.

    Raises `UsageError` SEA005 for an unknown name, and for keys by which no search can begin in
    just any position.
    """
    if isinstance(algorithm, str):
        if algorithm not in ALGORITHMS:
            raise UsageError.of(
                "SEA005",
                f"there is no search {algorithm!r} from a single position",
                fix=meant(algorithm, ALGORITHMS, "use"),
            )
        return ALGORITHMS[algorithm]
    if not isinstance(algorithm, Algorithm):
        raise TypeError(
            f"a search is a name or fogspiel.parts.Algorithm(...); got {type(algorithm).__name__}"
        )
    if algorithm.keys not in KEYS:
        raise UsageError.of(
            "SEA005",
            f"decisions cannot be found by {algorithm.keys!r} in a search from a single position",
            fix=meant(algorithm.keys, KEYS, "use"),
        )
    return algorithm


def leaves_of(evaluation: str | None) -> LeafEvaluation:
    """The evaluation of leaves that is meant. Raises `UsageError` SEA002 for an unknown name."""
    return RANDOM_PLAYOUTS if evaluation is None else leaf_evaluation_of(evaluation)


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
        """The settings of the search, the same for every move."""

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
