"""A solved game as the commands print it, in the unit of the game."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from fogspiel.core.units import Unit
    from fogspiel.games.load import Game
    from fogspiel.solve.result import Solution
    from fogspiel.tree.game_tree import GameTree
    from fogspiel.tree.state_graph import StateGraph


_Form = TypeVar("_Form", "GameTree", "StateGraph")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SolvedGame(Generic[_Form]):
    """A game and its solution, over its tree or over the graph of its states."""

    game: Game
    form: _Form
    solution: Solution
    target: float | None = None
    """The exploitability to reach, in the unit; None if the method has no target."""
    build_seconds: float = 0.0

    @property
    def unit(self) -> Unit:
        """The unit of the game."""
        return self.game.tree_unit

    @property
    def exploitability(self) -> float:
        """The exploitability in the unit."""
        return self.unit.difference(self.solution.exploitability)

    @property
    def nash_conv(self) -> float:
        """The sum over the players of what each could gain alone, in the unit."""
        return self.exploitability * len(self.form.players)

    @property
    def reached(self) -> bool:
        """Whether the target was met; true without one."""
        return self.target is None or self.exploitability <= self.target

    def by_role(self, goals: tuple[float, ...]) -> dict[str, float]:
        """Goals of all players in the unit, by role."""
        return dict(zip(self.form.players, map(self.unit.value, goals), strict=True))


def solution_document(found: SolvedGame[_Form]) -> dict[str, Any]:
    """The part of the JSON document that solutions of trees and of states share."""
    solution, players = found.solution, found.form.players
    values = found.by_role(solution.values)
    exact = solution.exact_values
    return {
        "game": found.game.name,
        "method": solution.method,
        "parameters": plain_parameters(solution.parameters),
        "unit": found.unit.name,
        "value": values[players[0]] if players else None,
        "values": values,
        "goals": dict(zip(players, solution.values, strict=True)),
        "exact_values": None
        if exact is None
        else {
            role: str(found.unit.exact_value(value))
            for role, value in zip(players, exact, strict=True)
        },
        "exploitability": found.exploitability,
        "nash_conv": found.nash_conv,
        "target": found.target,
        "reached": found.reached,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "build_seconds": found.build_seconds,
    }


def plain_parameters(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Parameters as JSON can hold them: it knows no infinity."""
    return {
        key: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in parameters.items()
    }


def write_strategy_file(found: SolvedGame[GameTree], path: Path) -> None:
    """Write the strategy of a solved tree."""
    from fogspiel.solve.files.save import rules_digest, write_strategy
    from fogspiel.solve.files.strategy_table import Origin, StrategyFile, books_of

    solution, unit, tree = found.solution, found.unit, found.form
    origin = Origin(
        game=found.game.name,
        rules_digest=rules_digest(found.game.sources),
        roles=tree.players,
        unit=unit,
        values=tuple(map(unit.value, solution.values)),
        exploitability=found.exploitability,
        method=solution.method,
        parameters=plain_parameters(solution.parameters),
        iterations=solution.iterations,
        seconds=solution.seconds,
    )
    write_strategy(StrategyFile(origin=origin, roles=books_of(tree, solution.strategy)), path)
