"""Solutions: equilibria of a game, what they are worth, and what is left to gain against them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, final

from fogspiel.api.names import Role
from fogspiel.api.strategy import Mixed, Strategy
from fogspiel.api.tree import Tree
from fogspiel.api.view import View
from fogspiel.core.findings import UsageError
from fogspiel.solve.files.strategy_file import read_strategy, rules_digest, write_strategy
from fogspiel.solve.files.strategy_table import (
    Origin,
    StrategyFile,
    most_reached,
    role_strategies,
    strategy_on,
)
from fogspiel.solve.result import Point
from fogspiel.solve.result import Solution as Solved
from fogspiel.solve.strategy_value import strategy_value
from fogspiel.tree.game_tree import exact_text
from fogspiel.tree.state_graph import StateGraph

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DEFAULT_MAX_NODES = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SolutionRow:
    """What a player does at one information set or in one state."""

    knows: str  #: What it did and saw, cut to its end where that is long; or the facts of a state
    reach: float | None  #: The probability that play comes here; None for states
    actions: Mapping[str, float]  #: The probability of each action
    exact: Mapping[str, Fraction] | None  #: The same as fractions, from methods that compute them


@final
class Solution:
    """The claim of a solver: a strategy for all players, its value and its exploitability.

    `Game.solve` computes one, `Solution.open` reads one from a file. Values are in the unit of the
    game; exploitability is the mean over the players of what each could gain alone.

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
        """Iterations, seconds and exploitability on the way, in the unit of the game."""
        unit = self.game.payoff_unit
        return tuple(
            replace(point, exploitability=unit.difference(point.exploitability))
            for point in self.solved.curve
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
        return _strategy_by_states(self.game, self.form, self.solved)

    def rows(self, role: str, most: int) -> list[SolutionRow]:
        """What a player does where play comes most often, or in the first states.

        role: the player's role.
        most: the number of rows, at most.

        >>> [row.knows for row in solution.rows("first", 1)]
        ['(holds first jack)']
        """
        player = self.players.index(self.game.vocabulary.player(role)) + 1
        if isinstance(self.form, StateGraph):
            return _rows_by_states(self.form, self.solved, player, most)
        return [
            SolutionRow(
                knows=row.knows,
                reach=row.reach,
                actions=dict(row.actions),
                exact=self._exactly(row.infoset, dict(row.actions)),
            )
            for row in most_reached(self.form.levels, self.solved.strategy, player, most)
        ]

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
        strategy = strategy_on(tree.levels, book)
        solved = Solved.of(
            strategy,
            strategy_value(tree.levels, strategy),
            book.origin.method,
            parameters=book.origin.parameters,
            iterations=book.origin.iterations,
            seconds=perf_counter() - built,
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


def plain_parameters(parameters: Mapping[str, object]) -> dict[str, object]:
    """Parameters as JSON can hold them: it knows no infinity."""
    return {
        key: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in parameters.items()
    }


def _strategy_by_states(game: Game, graph: StateGraph, solved: Solved) -> Strategy:
    """The strategy of a solution over states: every player always knows the state."""
    numbers: dict[tuple[int, bytes], int] = {}
    for step, (first, end) in enumerate(pairwise(graph.level_starts.tolist())):
        for state in range(first, end):
            numbers[step, graph.machine.key(graph.states[state])] = state
    players = [str(role) for role in graph.players]

    def look_up(view: View) -> Mixed | None:
        (state, _), *others = view.belief().states
        number = numbers.get((len(view), game.machine.key(state.bits)))
        if others or number is None or state.over:
            return None
        shares = solved.strategy.at(graph.decision(number, players.index(view.role) + 1))
        return dict(zip(state.legal[view.role], shares.tolist(), strict=True))

    return Strategy(game, look_up)


def _rows_by_states(graph: StateGraph, solved: Solved, player: int, most: int) -> list[SolutionRow]:
    """What a player does in the first states in which it has a choice."""
    rows: list[SolutionRow] = []
    for state in range(len(graph)):
        if len(rows) == most:
            break
        if graph.counts[state, player] > 1:
            shares = solved.strategy.at(graph.decision(state, player)).tolist()
            rows.append(
                SolutionRow(
                    knows=" ".join(map(exact_text, graph.fluents(state))),
                    reach=None,
                    actions=dict(zip(graph.actions(state, player), shares, strict=True)),
                    exact=None,
                )
            )
    return rows
