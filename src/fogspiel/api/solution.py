"""Solutions: equilibria of a game, what they are worth, and what is left to gain against them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias, final

from fogspiel.api.names import Role
from fogspiel.api.solution_rows import (
    SolutionRow,
    StateRow,
    rows_by_states,
    state_rows,
    strategy_by_states,
)
from fogspiel.api.strategy import AnyStrategy, Strategy
from fogspiel.api.tree import Reals, Tree
from fogspiel.core.findings import UsageError
from fogspiel.core.limits import refuse_count
from fogspiel.solve.files.strategy_file import read_strategy, rules_digest, write_strategy
from fogspiel.solve.files.strategy_table import (
    Origin,
    StrategyFile,
    most_reached,
    role_strategies,
    strategy_on,
)
from fogspiel.solve.result import Point as SolverPoint
from fogspiel.solve.result import Solution as Solved
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.state_graph import StateGraph

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DEFAULT_MAX_NODES = 20_000_000

Point: TypeAlias = SolverPoint
"""A point of a convergence curve: iteration, seconds and exploitability."""


@final
class Solution:
    """The claim of a solver: a strategy for all players, its value and its exploitability.

    `Game.solve` computes one, `Game.evaluate` makes one of a strategy of one's own, `Solution.open`
    reads one from a file. Values are in the unit of the game; exploitability is the mean over the
    players of what each could gain alone.

    >>> game = fs.load("kuhn_poker")
    >>> solution = game.solve("lp-exact")
    >>> solution.exact_value
    {'first': Fraction(-1, 18), 'second': Fraction(1, 18)}
    >>> view = game.begin().play("(deal king)").play("(deal jack)").view("second")
    >>> solution.strategy[view]
    {Move('noop'): 1.0}
    """

    def __init__(
        self,
        game: Game,
        solved: Solved,
        form: Tree | StateGraph,
        *,
        target: float | None = None,
        build_seconds: float = 0.0,
    ) -> None:
        """The solution that a solver found on a tree, or on the graph of states."""
        self.game = game  #: The game that was solved
        self.solved, self.form = solved, form
        self.target = target  #: The exploitability to reach; None if the method has no target
        self.build_seconds = build_seconds  #: Time to build the tree or the graph
        self.method: str = solved.method  #: The method that found it
        self.parameters: Mapping[str, object] = solved.parameters  #: Settings of the method
        self.iterations: int = solved.iterations  #: Iterations, 0 for methods without any
        self.seconds: float = solved.seconds  #: Time to solve, without building the tree
        unit = game.payoff_unit
        self.exploitability: float = unit.difference(solved.exploitability)
        """The mean over the players of what each could gain alone."""
        self.value: dict[str, float] = dict(
            zip(self.players, map(unit.value, solved.values), strict=True)
        )
        """The expected payoff of every player if all follow the strategy."""

    @property
    def players(self) -> tuple[Role, ...]:
        """The players in the order of the rules."""
        return tuple(map(self.game.vocabulary.role, self.form.players))

    @property
    def best_value(self) -> dict[str, float] | None:
        """The value of each player's best response, from methods that compute them.

        It is what the player can get against the strategies of the others.
        """
        if self.solved.best_values is None:
            return None
        best = map(self.game.payoff_unit.value, self.solved.best_values)
        return dict(zip(self.players, best, strict=True))

    @property
    def goals(self) -> dict[str, float]:
        """The value for each player as the rules count, such as goals from 0 to 100."""
        return dict(zip(self.players, self.solved.values, strict=True))

    @property
    def exact_value(self) -> dict[str, Fraction] | None:
        """The value for each player as a fraction, from methods that compute with fractions."""
        if self.solved.exact_values is None:
            return None
        unit = self.game.payoff_unit
        exact = map(unit.exact_value, self.solved.exact_values)
        return dict(zip(self.players, exact, strict=True))

    @property
    def nash_conv(self) -> float:
        """The sum over the players of what each could gain alone."""
        return self.exploitability * len(self.players)

    @property
    def reached(self) -> bool:
        """Whether the target was met; true without one."""
        return self.target is None or self.exploitability <= self.target

    @property
    def curve(self) -> tuple[Point, ...]:
        """Iterations, seconds and exploitability on the way, in the unit of the game.

        A method that ends by itself has a single point.
        """
        unit, solved = self.game.payoff_unit, self.solved
        last = Point(
            iteration=solved.iterations,
            seconds=solved.seconds,
            exploitability=solved.exploitability,
        )
        return tuple(
            replace(point, exploitability=unit.difference(point.exploitability))
            for point in solved.curve or (last,)
        )

    @property
    def tree(self) -> Tree | None:
        """The tree that was solved; None where the states were."""
        return self.form if isinstance(self.form, Tree) else None

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy of all players: `solution.strategy[view]` gives probabilities of moves."""
        if isinstance(self.form, Tree):
            return self.form.strategy(self.solved.strategy.probabilities)
        return strategy_by_states(self.game, self.form, self.solved)

    def rows(self, role: str, most: int) -> list[SolutionRow]:
        """What a player does where play comes most often, or in the first states.

        role: the player's role.
        most: the number of rows, at most.

        >>> [row.knows for row in solution.rows("first", 1)]
        ['(holds first jack)']
        """
        refuse_count("most", most, 0)
        player = self.players.index(self.game.vocabulary.player(role)) + 1
        if isinstance(self.form, StateGraph):
            return rows_by_states(self.form, self.solved, player, most)
        return [
            SolutionRow(
                knows=row.knows,
                reach=row.reach,
                actions=dict(row.actions),
                exact=self._exactly(row.infoset, dict(row.actions)),
            )
            for row in most_reached(self.form.levels, self.solved.strategy, player, most)
        ]

    def state_rows(self, most: int) -> list[StateRow]:
        """What players do in the first states in which somebody has a choice.

        most: the number of rows.
        Returns: the rows; none for a solution of the tree, which has `rows`.

        >>> (row,) = fs.load("biased_rps").solve().state_rows(1)
        >>> round(row.actions["first"]["paper"], 3)
        0.625
        """
        refuse_count("most", most, 0)
        if not isinstance(self.form, StateGraph):
            return []
        return state_rows(self.game, self.form, self.solved, most)

    def save(self, path: str | Path) -> None:
        """Write the strategy to a file, compressed if its name ends with `.gz`.

        path: the file, which is written over if it is there.
        Raises `UsageError` SOL024 for a solution over states, which has no table by knowledge.

        >>> solution.save("kuhn.json")
        """
        if not isinstance(self.form, Tree):
            raise UsageError.of(
                "SOL024",
                f"{self.method} solved the states of the game, which strategy files do not hold",
                fix="solve the tree: name another method, such as lp",
            )
        unit = self.game.payoff_unit
        origin = Origin(
            game=self.game.name,
            rules_digest=rules_digest(self.game.loaded.sources),
            roles=tuple(self.form.levels.players),
            unit=unit,
            values=tuple(map(unit.value, self.solved.values)),
            exploitability=self.exploitability,
            method=self.method,
            parameters=plain_parameters(self.parameters),
            iterations=self.iterations,
            seconds=self.seconds,
        )
        roles = role_strategies(self.form.levels, self.solved.strategy)
        write_strategy(StrategyFile(origin=origin, roles=roles), Path(path))

    @classmethod
    def open(cls, path: str | Path, game: Game, *, max_nodes: int = DEFAULT_MAX_NODES) -> Solution:
        """The solution in a file, with value and exploitability computed anew on the tree.

        path: a file that `save` wrote.
        game: the game that was solved.
        max_nodes: the largest tree that is built.
        Raises `UsageError` SOL022 for a file that was made for other rules than the game's, and
        SOL020 for what is no strategy file; `Game.strategy` reads one without the tree.

        >>> solution.save("kuhn.json.gz")
        >>> fs.Solution.open("kuhn.json.gz", game).method
        'lp-exact'
        """
        began = perf_counter()
        book = read_strategy(Path(path), rules_digest=rules_digest(game.loaded.sources))
        tree = game.tree(max_nodes=max_nodes)
        built = perf_counter()
        solved = solved_of(
            tree,
            strategy_on(tree.levels, book).probabilities,
            book.origin.method,
            began=built,
            parameters=book.origin.parameters,
            iterations=book.origin.iterations,
        )
        return cls(game, solved, tree, build_seconds=built - began)

    def __repr__(self) -> str:
        values = ", ".join(f"{role} {value:+.4g}" for role, value in self.value.items())
        return (
            f"Solution({self.game.name!r}, {values}, "
            f"exploitability {round(self.exploitability, 12):.2g}, by {self.method})"
        )

    def _exactly(self, infoset: int, actions: Mapping[str, float]) -> dict[str, Fraction] | None:
        exact = self.solved.exactly_at(infoset)
        return None if exact is None else dict(zip(actions, exact, strict=True))


def evaluated(
    game: Game, strategy: AnyStrategy, *, name: str, max_nodes: int = DEFAULT_MAX_NODES
) -> Solution:
    """The solution that a strategy is; `Game.evaluate` says what the arguments mean."""
    began = perf_counter()
    tree = game.tree(max_nodes=max_nodes)
    built = perf_counter()
    solved = solved_of(tree, tree.probabilities(strategy), name, began=built)
    return Solution(game, solved, tree, build_seconds=built - began)


def solved_of(
    tree: Tree,
    probabilities: Reals,
    method: str,
    *,
    began: float,
    parameters: Mapping[str, object] | None = None,
    iterations: int = 1,
) -> Solved:
    """A strategy, (actions,), with its value and what can be gained against it.

    began: the moment from which seconds are counted, by `perf_counter`.
    """
    strategy = tree.checked(probabilities)
    found = strategy_value(tree.levels, strategy)
    return Solved.of(
        strategy,
        found,
        method,
        parameters=parameters,
        iterations=iterations,
        seconds=perf_counter() - began,
    )


def plain_parameters(parameters: Mapping[str, object]) -> dict[str, object]:
    """Parameters as JSON can hold them: it knows no infinity."""
    return {
        key: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in parameters.items()
    }
