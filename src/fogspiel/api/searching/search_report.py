"""Searches from the view of a player: what simulations say of each of its moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fogspiel.api.names import Move, meant
from fogspiel.belief.methods import make_belief
from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import MoveId
from fogspiel.machine.knowledge import knowledge_of
from fogspiel.search.evaluation.leaf import RANDOM_PLAYOUTS, LeafEvaluation, leaf_evaluation_of
from fogspiel.search.evaluation.value_scale import value_scale
from fogspiel.search.mcts import algorithms
from fogspiel.search.mcts.algorithms import MIXING_RULES, Algorithm
from fogspiel.search.mcts.roots import belief_roots, with_key
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import MoveStatistics, root_statistics

if TYPE_CHECKING:
    from fogspiel.api.view import View

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
OWN_KEYS = ("observer", "past")  #: Those that are the knowledge of the searching role alone


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
