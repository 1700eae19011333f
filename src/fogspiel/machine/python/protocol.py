"""What a game in Python has to answer, whoever wrote its class."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol


class PythonRules(Protocol):
    """A game in Python, as `fogspiel.PythonGame` describes it."""

    roles: Sequence[str]
    chance_role: str
    noop: str
    denominator: int
    max_states: int
    max_seconds: float

    def initial(self) -> Hashable:
        """The state in which play begins."""

    def legal(self, state: Any, role: str) -> Any:
        """The moves of a player."""

    def chance(self, state: Any) -> Any:
        """The moves of chance, with their weights."""

    def next(self, state: Any, joint: Mapping[str, Any]) -> Hashable:
        """The state after a joint move."""

    def percepts(self, state: Any, joint: Mapping[str, Any], role: str) -> Any:
        """What a player sees of a joint move."""

    def terminal(self, state: Any) -> bool:
        """Whether the game is over."""

    def payoffs(self, state: Any) -> Any:
        """What each player gets in the end."""

    def fluents(self, state: Any) -> Any:
        """Facts about a state."""
