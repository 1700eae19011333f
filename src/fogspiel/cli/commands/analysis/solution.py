"""A solved game as the command line tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fogspiel.core.units import Unit
    from fogspiel.games.load import Game
    from fogspiel.solve.result import SolveResult
    from fogspiel.solve.run import MethodAnswer
    from fogspiel.tree.game_tree import GameTree


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """A solved game with all that is told about it."""

    game: Game
    tree: GameTree
    unit: Unit
    answer: MethodAnswer
    target: float | None
    """In the unit; None if the method is not one that stops at a target."""
    build_seconds: float

    @property
    def result(self) -> SolveResult:
        """What the method claims, in goals."""
        return self.answer.result

    @property
    def exploitability(self) -> float:
        """In the unit."""
        return self.unit.difference(self.result.exploitability)

    @property
    def reached(self) -> bool:
        """Whether the target was met; true without one."""
        return self.target is None or self.exploitability <= self.target
