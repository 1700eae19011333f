"""What a player answers when it is asked for a move, and what can be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fogspiel.core.ids import MoveId

MOST_CHARACTERS = 200
"""Of an answer that are kept where it is at fault: players may send anything."""


class FaultKind(StrEnum):
    """Why a move was not the player's own."""

    TIMEOUT = "timeout"
    ILLEGAL_MOVE = "illegal_move"
    PARSING_ERROR = "parsing_error"
    CONNECTION_ERROR = "connection_error"
    ERROR = "error"
    """A player of this process raised an exception."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What was wrong with an answer."""

    kind: FaultKind
    text: str = ""
    """What was answered, or what happened, shortened."""

    def __post_init__(self) -> None:
        """Cut what is too long to be kept."""
        if len(self.text) > MOST_CHARACTERS:
            object.__setattr__(self, "text", self.text[: MOST_CHARACTERS - 1] + "…")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A move or a fault."""

    move: MoveId | None = None
    fault: Fault | None = None
    seconds: float = 0.0
    """From the question to the answer."""

    def __post_init__(self) -> None:
        """Refuse an answer that says both or neither."""
        if (self.move is None) == (self.fault is None):
            raise ValueError("an answer is a move or a fault")
