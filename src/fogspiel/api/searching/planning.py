"""Planning with schemes instead of single moves: `fogspiel.planning`.

    methods = fogspiel.planning.Methods.open("hunt.methods", game)
    print(methods.plan(view))

A methods file states schemes; a plan is made from the view of a player in any game, or from a
position of a problem whose states are sets of atoms (Smith and Nau 1993, section 2). Atoms are
texts in prefix notation, in which words that start with `?` are variables.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, final

from fogspiel.api.names import term_of
from fogspiel.api.searching.problems import Operator, Position, Problem
from fogspiel.api.view import View
from fogspiel.belief.methods import make_belief
from fogspiel.core.budget import Budget
from fogspiel.core.source import Source
from fogspiel.core.terms import format_term
from fogspiel.plan.games.planning import GamePlanner, PlannerSettings
from fogspiel.plan.games.relations import game_vocabulary
from fogspiel.plan.language.reading import sound_network
from fogspiel.plan.task_network import TaskNetwork
from fogspiel.plan.tree.building import Planner
from fogspiel.plan.tree.criteria import criterion as criterion_of
from fogspiel.plan.tree.executing import Execution, explanation
from fogspiel.plan.tree.nodes import TIGNUM_NODES, DecisionTree, Tasks, TreeLimits, decision_at
from fogspiel.rules.gdl.read import read_file
from fogspiel.search.mcts.roots import belief_roots

if TYPE_CHECKING:
    from fogspiel.api.game import Game
    from fogspiel.plan.task_network import Situation

__all__ = ["Follower", "Methods", "Operator", "Plan", "Position", "Problem"]

DEFAULT_SIMULATIONS = 1_000  #: Playouts where nobody gives a number or a time


@final
class Methods:
    """A network of methods: schemes that a person would name, with what each comes to.

    >>> game = fs.load("battleship_4")
    >>> methods = fs.planning.Methods.read('''
    ... (network shoot (others drawn))
    ... (method lay_out (task nil) (when (turn ?me) (can (place ?s ?w ?x ?y)))
    ...   (do (place ?s ?w ?x ?y)))
    ... (method shoot (task nil) (when (turn ?me) (can (shoot ?x ?y))) (do (shoot ?x ?y)))
    ... ''', game=game)
    >>> methods.names
    ('lay_out', 'shoot')
    """

    def __init__(self, network: TaskNetwork) -> None:
        """The methods of a network; use `Methods.open` or `Methods.read` instead."""
        self.network = network

    @staticmethod
    def open(path: str | Path, game: Game | None = None) -> Methods:
        """Read a methods file.

        path: the file.
        game: a game whose words the methods must use.
        Raises `RulesError` with all faults of the file.

        >>> from pathlib import Path
        >>> size = Path("any.methods").write_text(
        ...     "(network any) (method any (task nil) (when (can ?m)) (do ?m))"
        ... )
        >>> fs.planning.Methods.open("any.methods").names
        ('any',)
        """
        return _read(read_file(Path(path)), game)

    @staticmethod
    def read(text: str, *, name: str = "methods", game: Game | None = None) -> Methods:
        """Take methods from a text.

        text: what a methods file holds.
        name: what findings call the text.
        game: a game whose words the methods must use.
        Raises `RulesError` with all faults of the text.

        >>> any_move = "(network any) (method any (task nil) (when (can ?m)) (do ?m))"
        >>> fs.planning.Methods.read(any_move)
        Methods('any', 1 method)
        """
        return _read(Source(name, text), game)

    @property
    def name(self) -> str:
        """The name of the network."""
        return self.network.name

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the methods, in the order in which they were written."""
        return tuple(method.name for method in self.network.methods)

    def plan(
        self,
        position: View | Position,
        *,
        criterion: str = "belief",
        max_nodes: int | None = None,
        seconds: float | None = None,
        simulations: int | None = None,
        worlds: int = PlannerSettings().worlds,
        seed: int = 0,
    ) -> Plan:
        """Plan from what is known: the tree of schemes, with the best one to follow.

        position: the view of a player in a game, or a position of a `Problem`.
        criterion: how answers of others count: `belief`, `average`, `minimax`, `hurwicz:ALPHA` or
        `savage`.
        max_nodes: how large the tree may be.
        seconds, simulations: in a game, how long to play out leaves; 1,000 playouts by default.
        worlds: in a game, how many states stand for the belief.
        seed: in a game, the seed of playouts and of what is drawn.
        Raises `UsageError` PLN022 for an unknown criterion, and `PlayError` for methods that ask
        for what the player cannot know.

        >>> plan = methods.plan(game.begin().view("first"), simulations=500, seed=1)
        >>> plan.move.startswith("(place "), plan.schemes
        (True, ('lay_out',))
        """
        rule = criterion_of(criterion)
        if isinstance(position, Position):
            limits = TreeLimits() if max_nodes is None else TreeLimits(nodes=max_nodes)
            planner = Planner(network=self.network, criterion=rule, limits=limits)
            return Plan(planner.plan(position.situation))
        if seconds is None and simulations is None:
            simulations = DEFAULT_SIMULATIONS
        machine, role = position.game.machine, position.role.id
        belief = make_belief("auto", machine, role)
        for observation in position.observations:
            belief.advance(observation)
        states, weights = belief_roots(belief, seed, with_knowledge=False).distinct()
        settings = PlannerSettings(criterion=rule, nodes=max_nodes or TIGNUM_NODES, worlds=worlds)
        game_planner = GamePlanner(machine, role, self.network, settings)
        budget = Budget.of(seconds=seconds, simulations=simulations)
        situation = game_planner.situation(states, weights, seed=seed, budget=budget)
        return Plan(game_planner.plan(situation))

    def __repr__(self) -> str:
        count = len(self.names)
        return f"Methods({self.name!r}, {count} method{'s' * (count != 1)})"


def _read(source: Source, game: Game | None) -> Methods:
    words = None if game is None else game_vocabulary(game.machine)
    return Methods(sound_network(source, vocabulary=words))


@final
class Plan:
    """A decision tree of schemes, and what it says to do. `Methods.plan` makes one.

    `str(plan)` tells it in words, along the line that is expected.

    >>> methods = fs.planning.Methods.read(
    ...     "(network any) (method any (task nil) (when (can ?m)) (do ?m))"
    ... )
    >>> view = fs.load("tic_tac_toe").begin().view("x")
    >>> plan = methods.plan(view, simulations=200, seed=1)
    >>> 0 < plan.value < 1, plan.schemes
    (True, ('any',))
    """

    def __init__(self, tree: DecisionTree) -> None:
        """The plan of a solved tree."""
        self.tree = tree

    @property
    def value(self) -> float:
        """What the plan is worth, from 0 to 1."""
        return self.tree.value

    @property
    def nodes(self) -> int:
        """The number of nodes that were looked at."""
        return len(self.tree.nodes)

    @property
    def complete(self) -> bool:
        """Whether every line was followed to its end."""
        return self.tree.is_complete

    @property
    def move(self) -> str | None:
        """The first move; None where no method applies, or another agent moves first."""
        decision = decision_at(self.tree.root)
        return None if decision is None else format_term(decision.operator)

    @property
    def schemes(self) -> tuple[str, ...]:
        """The names of the methods that lead to the first move, the broadest first."""
        decision = decision_at(self.tree.root)
        return () if decision is None else tuple(method.name for method in decision.schemes)

    def __str__(self) -> str:
        """The plan in words, a line for each step."""
        return explanation(self.tree)

    def __repr__(self) -> str:
        return f"Plan(worth {self.value:.4g}, {self.nodes:,} nodes, first {self.move})"


@final
class Follower:
    """A plan that is followed move by move, and made anew where play leaves it.

    >>> name = fs.planning.Operator("(name ?who)", add=["(turn nobody)"], delete=["(turn ?who)"])
    >>> position = fs.planning.Problem(
    ...     [name],
    ...     true=["(agent me)", "(control me)", "(turn me)"],
    ...     objective=lambda state: 1.0 if "(turn nobody)" in state else None,
    ... ).start()
    >>> methods = fs.planning.Methods.read(
    ...     "(network one) (method one (task nil) (when (turn ?p)) (do (name ?p)))"
    ... )
    >>> follower = fs.planning.Follower(methods)
    """

    def __init__(
        self, methods: Methods, *, criterion: str = "belief", max_nodes: int | None = None
    ) -> None:
        """The follower of plans by some methods.

        methods: the schemes.
        criterion, max_nodes: as in `Methods.plan`.
        """
        limits = TreeLimits() if max_nodes is None else TreeLimits(nodes=max_nodes)
        planner = Planner(network=methods.network, criterion=criterion_of(criterion), limits=limits)

        def made(situation: Situation, tasks: Tasks) -> DecisionTree:
            return planner.plan(situation, tasks)

        self.execution = Execution(made)

    def next(self, position: Position) -> str | None:
        """The next move of ours, by the plan or by a new one; None if no method applies.

        position: what is known now.

        >>> follower.next(position)
        '(name me)'
        """
        decision = self.execution.next(position.situation)
        return None if decision is None else format_term(decision.operator)

    def observe(self, move: str) -> None:
        """Take note of a move of another agent.

        move: the move.

        >>> follower.observe("(name you)")
        """
        self.execution.observe(term_of(move))

    @property
    def replannings(self) -> tuple[str, ...]:
        """Why plans were given up, each with the number of moves before it."""
        return tuple(
            f"after {own.move} moves {own.reason.value}: {own.detail}"
            for own in self.execution.replannings
        )
