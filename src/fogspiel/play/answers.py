"""What players answer when they are asked, and what can be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fogspiel.core.ids import MoveId
from fogspiel.play.clocks import Timing

MOST_CHARACTERS = 200
"""Characters of a faulty answer that are kept: players may send anything."""


class FaultKind(StrEnum):
    """Reason why a move was not the player's own."""

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
    """A move or a fault; neither where the player was only asked to get ready or to stop."""

    move: MoveId | None = None
    fault: Fault | None = None
    seconds: float = 0.0
    """Seconds from the question to the answer."""
    timing: Timing | None = None
    """Comparison with the player's clock, where it was measured."""

    def __post_init__(self) -> None:
        """Refuse an answer that is both."""
        if self.move is not None and self.fault is not None:
            raise ValueError("an answer is a move or a fault")
